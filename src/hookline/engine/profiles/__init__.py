"""Profiles: what an agent of the engine starts with, from the project's own folder or as it is shipped.

Whatever a profile says, the countdown, the guards and the audit are on: they are hookline's own.
"""

import os
import shutil
import tomllib
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import NOTHING, Frozen
from hookline.system.paths import FOLDER

AGENTS, FILE, INSTRUCTIONS, HOOKS = "agents", "profile.toml", "INSTRUCTIONS.md", "hooks"
DEFAULT = "default"
ACTIONS = ("deny", "ask", "allow")
FITS = ("branch", "host", "kind", "mode", "repository", "tool")
"""What a rule of tool-policy is for."""
PERMISSIONS = ("", "edit", "full")
_SHIPPED = os.path.dirname(__file__)
OWN = "profile_rules"
"""The hook that stands for a profile's rules: beside those of the user, which hold as well."""
_RULES = """\
from hookline import PreToolUse, Response, State, hook
from hookline.hooks.tool_policy import tool_policy

RULES = {rules!r}


@hook(priority=8, on_failure="block")
def profile_rules(event: PreToolUse, state: State) -> Response | None:
    return tool_policy.judge(event, state, rules=RULES)
"""
_KEYS = ("permission", "args", "env", "rules")


class BadProfile(ValueError):
    """A profile that cannot be used; the message says why and what to do."""


class Profile(Struct, frozen=True, kw_only=True):
    """What an agent starts with, besides its task."""

    name: str
    folder: str
    instructions: str = ""
    permission: str = ""
    """edit or full; empty is what is usual for the host."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = NOTHING
    rules: tuple[Mapping[str, Any], ...] = ()
    """For tools, as of the hook tool-policy."""
    hooks: tuple[str, ...] = ()
    """Its own hooks in Python, links followed."""


def load(name: str, root: str) -> Profile:
    """The profile of that *name*, of the project at *root* or as shipped; raises `BadProfile`."""
    folder = _folder(name, root)
    told = _read(os.path.join(folder, FILE), name)
    unknown = sorted(told.keys() - set(_KEYS))
    if unknown:
        raise BadProfile(f"profile {name!r}: {unknown[0]!r} is no key; there are: {', '.join(_KEYS)}")
    return Profile(
        name=name,
        folder=folder,
        instructions=_text(os.path.join(folder, INSTRUCTIONS)),
        permission=_permission(told, name),
        args=tuple(_words(told, "args", name)),
        env=Frozen(_env(told, name)),
        rules=tuple(_rules(told, name)),
        hooks=_hooks(folder),
    )


def prepared(profile: Profile, folder: str) -> str:
    """The *folder* with the profile's hooks and rules in it, as hookline reads configuration."""
    shutil.rmtree(folder, ignore_errors=True)
    place = os.path.join(folder, HOOKS)
    os.makedirs(place)
    for path in profile.hooks:
        os.symlink(path, os.path.join(place, os.path.basename(path)))
    if profile.rules:
        with open(os.path.join(place, f"{OWN}.py"), "w", encoding="utf-8") as file:
            file.write(_RULES.format(rules=tuple(map(dict, profile.rules))))
    return folder


def names(root: str) -> list[str]:
    """Every profile that there is, the shipped ones included."""
    own = os.path.join(root, FOLDER, AGENTS)
    found = os.listdir(own) if os.path.isdir(own) else []
    return sorted({DEFAULT, *(name for name in found if os.path.isdir(os.path.join(own, name)))})


def _folder(name: str, root: str) -> str:
    plain = name and name not in (".", "..") and os.sep not in name
    own = os.path.join(root, FOLDER, AGENTS, name)
    if plain and os.path.isdir(own):
        return own
    if name == DEFAULT:
        return os.path.join(_SHIPPED, DEFAULT)
    raise BadProfile(
        f"no profile is called {name!r}; there are: {', '.join(names(root))}; "
        f"make the folder {FOLDER}/{AGENTS}/{name} for a new one"
    )


def _read(path: str, name: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadProfile(f"profile {name!r}: {FILE} cannot be read: {error}") from None


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def _permission(told: Mapping[str, Any], name: str) -> str:
    value = told.get("permission", "")
    if value not in PERMISSIONS:
        raise BadProfile(f"profile {name!r}: permission is edit, full or empty, not {value!r}")
    return str(value)


def _words(told: Mapping[str, Any], key: str, name: str) -> list[str]:
    value = told.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadProfile(f'profile {name!r}: {key} is a list of texts, such as ["--flag"]')
    return value


def _env(told: Mapping[str, Any], name: str) -> dict[str, str]:
    value = told.get("env", {})
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise BadProfile(f'profile {name!r}: env is a table of texts, such as NAME = "value"')
    return value


def _rules(told: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = told.get("rules", [])
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BadProfile(f"profile {name!r}: rules are tables; begin each with [[rules]]")
    for number, rule in enumerate(value, 1):
        if rule.get("action") not in ACTIONS:
            raise BadProfile(f"profile {name!r}: the action of rule {number} is {' or '.join(ACTIONS)}")
        _fits(rule, f"profile {name!r}: rule {number}")
    return value


def _fits(rule: Mapping[str, Any], where: str) -> None:
    """The hook passes over a rule that it does not understand, and here nobody is there to be told."""
    strange = sorted(set(rule) - {"action", "reason", *FITS})
    if strange:
        raise BadProfile(
            f"{where} has {strange[0]!r}; besides action and reason there are: {', '.join(FITS)}"
        )
    for key, value in rule.items():
        many = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in many):
            raise BadProfile(f"{where} has {value!r} as {key}; write a text, or a list of texts")


def _hooks(folder: str) -> tuple[str, ...]:
    place = os.path.join(folder, HOOKS)
    found = sorted(os.listdir(place)) if os.path.isdir(place) else []
    paths = (os.path.realpath(os.path.join(place, one)) for one in found)
    return tuple(path for path in paths if path.endswith(".py") and os.path.isfile(path))
