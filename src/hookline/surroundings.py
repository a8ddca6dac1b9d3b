"""What is around a session: the journal that it works on, and whether a person sits at it."""

from __future__ import annotations

from collections.abc import Mapping

from hookline import hosts
from hookline.events import SessionStart
from hookline.journal import Journal
from hookline.system.journals import active
from hookline.system.places import Places

PROMPTS = "prompts"
"""The counter of a session's prompts."""
JOURNAL = "AUTORESEARCH_JOURNAL"
"""The variable by which an engine names its journal to the session."""
ENGINE = (JOURNAL, "AUTORESEARCH_BUDGET_END")
"""Variables that an engine gives to the sessions it runs."""


def journal(places: Places, env: Mapping[str, str], now: float) -> Journal | None:
    """The one that is at work here."""
    return active(places.root, env.get(JOURNAL, ""), now)


def headless(host: str, env: Mapping[str, str]) -> bool:
    """Whether nobody sits at it: the host says so, or an engine runs it."""
    if any(env.get(name) for name in ENGINE):
        return True
    said = hosts.load(host).headless_env if host in hosts.names() else {}
    return any(env.get(name) == value for name, value in said.items())


def tells_start(host: str) -> bool:
    """Whether the host says itself when a session starts."""
    rows = hosts.load(host).moments.values() if host in hosts.names() else ()
    return any(row.event is SessionStart for row in rows)
