"""Session information that hooks inject, and the state file for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from hookline.core.events import Event
from hookline.core.frozen import Frozen
from hookline.core.journal import Journal
from hookline.core.response import Mirror
from hookline.core.state import State
from hookline.redact import redact

NOTE = "session-init"
"""The note of it, in the session's memory."""
SPOKE = "iteration-context.spoke"
"""The note of when the session was told of its journal last, in Unix seconds."""
PLANS, REPORTS = "plans", "plans/reports"


class Begun(Struct, frozen=True, kw_only=True):
    """The same for as long as the session lasts, also where it resumes or goes on after a compaction."""

    cwd: str
    at: float
    plans: str = PLANS
    reports: str = REPORTS

    @property
    def noted(self) -> Mapping[str, Any]:
        return Frozen(cwd=self.cwd, at=self.at, plans=self.plans, reports=self.reports)


def begun(event: Event, state: State, plans: str = "", reports: str = "") -> Begun:
    """As it is remembered; else it begins now. Paths that are given hold from now on."""
    kept = state.memory.get(NOTE)
    known = kept if isinstance(kept, Mapping) else {}
    at = known.get("at")
    return Begun(
        cwd=_text(known, "cwd", event.cwd),
        at=float(at) if isinstance(at, int | float) else state.now,
        plans=plans or _text(known, "plans", PLANS),
        reports=reports or _text(known, "reports", REPORTS),
    )


def _text(known: Mapping[str, Any], key: str, usual: str) -> str:
    value = known.get(key)
    return value if isinstance(value, str) and value else usual


def is_known(state: State) -> bool:
    """Whether the session's beginning was seen."""
    return isinstance(state.memory.get(NOTE), Mapping)


def key(event: Event, begin: Begun) -> str:
    return f"{begin.cwd}:{event.session or 'unknown'}"


def mirror(event: Event, state: State, begin: Begun, *, prompts: int = 0, tidy: bool = False) -> Mirror:
    """The state file as it is to be now."""
    spoke = state.memory.get(SPOKE)
    says = {
        "projectRoot": state.root or event.cwd,
        "plansPath": begin.plans,
        "reportsPath": begin.reports,
        "gitBranch": state.branch,
        "iterationCount": prompts or state.counters.get("prompts", 0),
        "startedAt": datetime.fromtimestamp(begin.at, UTC).isoformat(),
        "lastContextInjection": round(spoke * 1000) if isinstance(spoke, int | float) else 0,
    }
    return Mirror(key=key(event, begin), says=Frozen(says), tidy=tidy)


def lasted(seconds: float) -> str:
    """`47m 12s`, and from an hour on `1h 2m`."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, more = divmod(minutes, 60)
    return f"{hours}h {more}m" if hours else f"{minutes}m {rest}s"


LONGEST, READ = 400, 10_000
"""Characters of a row that are told, and looked at: a description may be long."""


def rows(journal: Journal, root: str) -> str:
    """Where the experiments stand, and the last of them."""
    told = [f"[Iterations] {shown(journal.path, root)}: {journal.summary}"]
    told += [f"metric: {one_line(journal.about)}"] if journal.about else []
    told += [one_line("\t".join(journal.header))] if journal.header else []
    return "\n".join((*told, *(one_line("\t".join(row)) for row in journal.last)))


def shown(path: str, root: str) -> str:
    """From the project's root, where it lies in there."""
    inside = path.removeprefix(f"{root.rstrip('/')}/") if root else path
    return one_line(inside)


def one_line(text: str) -> str:
    """Without what could pass for a line, or for a command to a terminal; secrets go before it is cut."""
    quiet = text if len(text) <= LONGEST else redact(text[:READ])
    plain = "".join(c if c.isprintable() or c == "\t" else " " for c in quiet)
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"


def listed(rows: Iterable[tuple[str, str]]) -> str:
    """What is known, a line each."""
    return "\n".join(f"- {name}: {one_line(value)}" for name, value in rows if value)
