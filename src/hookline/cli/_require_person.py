"""Checks that a person runs a command: an agent must not loosen its own guards."""

import os
import sys
from collections.abc import Mapping

from hookline.policy.consents import FILE, read_consents
from hookline.runtime.call_hook import DEPTH_VARIABLE
from hookline.runtime.find_agent import find_agent
from hookline.system.paths import find_places

TERMINAL = "/dev/tty"


def require_person(action: str, env: Mapping[str, str], *, consent: str = "") -> None:
    """Raise `PermissionError` without a terminal, and inside an agent or a hook.

    A file of consents that names *consent* replaces the terminal.
    """
    if env.get(DEPTH_VARIABLE):
        raise PermissionError(_refuse(action, "a hook"))
    agent = find_agent(env)
    if agent:
        raise PermissionError(_refuse(action, agent))
    if not (os.isatty(0) and _has_terminal()) and not _has_consent(consent, env):
        advice = f", or a consent in {FILE} (see SECURITY.md)" if consent else ""
        raise PermissionError(f"{action} requires an interactive terminal{advice}")


def _has_consent(consent: str, env: Mapping[str, str]) -> bool:
    places = find_places(env, os.getcwd())
    return bool(consent) and any(item.allows(consent, places.root) for item in read_consents(places))


def _refuse(action: str, where: str) -> str:
    return f"{action} is not allowed inside {where}; run this command in your own terminal"


def refuse_agent(action: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` inside an agent or a hook; a user's script is allowed."""
    agent = "a hook" if env.get(DEPTH_VARIABLE) else find_agent(env)
    if agent:
        raise PermissionError(_refuse(action, agent))


def _has_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def ask_user(question: str) -> bool:
    """Ask at the terminal, even if stdout is redirected; return whether the answer is yes."""
    sys.stdout.flush()
    with open(TERMINAL, "w", encoding="utf-8") as terminal:
        terminal.write(f"{question} [y/N] ")
    with open(TERMINAL, encoding="utf-8", errors="replace") as keyboard:
        return keyboard.readline().strip().lower() in ("y", "yes")
