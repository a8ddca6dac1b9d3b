"""Session information that hooks inject, and the state file for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from hookline.core.events import Event
from hookline.core.frozen import Frozen
from hookline.core.parse_journal import Journal
from hookline.core.response import Mirror
from hookline.core.state import State
from hookline.core.untrusted_text import format_title, to_line

SESSION_NOTE = "session-init"
"""Name of the note that holds the session information."""
INJECTED_NOTE = "iteration-context.spoke"
"""Name of the note that holds the time of the last journal reminder, in Unix seconds."""
DEFAULT_PLANS, DEFAULT_REPORTS = "plans", "plans/reports"


class SessionInfo(Struct, frozen=True, kw_only=True):
    """Facts about a session's start; they survive a resume and a compaction."""

    cwd: str
    at: float
    plans: str = DEFAULT_PLANS
    reports: str = DEFAULT_REPORTS

    @property
    def as_note(self) -> Mapping[str, Any]:
        return Frozen(cwd=self.cwd, at=self.at, plans=self.plans, reports=self.reports)


def load_session_info(event: Event, state: State, plans: str = "", reports: str = "") -> SessionInfo:
    """Return the remembered session information, or create it; given paths take precedence."""
    note = state.memory.get(SESSION_NOTE)
    remembered = note if isinstance(note, Mapping) else {}
    at = remembered.get("at")
    return SessionInfo(
        cwd=_read_text(remembered, "cwd", event.cwd),
        at=float(at) if isinstance(at, int | float) else state.now,
        plans=plans or _read_text(remembered, "plans", DEFAULT_PLANS),
        reports=reports or _read_text(remembered, "reports", DEFAULT_REPORTS),
    )


def _read_text(remembered: Mapping[str, Any], key: str, default: str) -> str:
    value = remembered.get(key)
    return value if isinstance(value, str) and value else default


def has_session_info(state: State) -> bool:
    """Return whether the session's start was seen."""
    return isinstance(state.memory.get(SESSION_NOTE), Mapping)


def mirror_key(event: Event, info: SessionInfo) -> str:
    return f"{info.cwd}:{event.session or 'unknown'}"


def build_mirror(
    event: Event, state: State, info: SessionInfo, *, prompts: int = 0, tidy: bool = False
) -> Mirror:
    """Return the effect that writes the state file."""
    injected_at = state.memory.get(INJECTED_NOTE)
    content = {
        "projectRoot": state.root or event.cwd,
        "plansPath": info.plans,
        "reportsPath": info.reports,
        "gitBranch": state.branch,
        "iterationCount": prompts or state.counters.get("prompts", 0),
        "startedAt": datetime.fromtimestamp(info.at, UTC).isoformat(),
        "lastContextInjection": round(injected_at * 1000) if isinstance(injected_at, int | float) else 0,
    }
    return Mirror(key=mirror_key(event, info), content=Frozen(content), tidy=tidy)


def format_duration(seconds: float) -> str:
    """Return `47m 12s`, or `1h 2m` from an hour on."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, more = divmod(minutes, 60)
    return f"{hours}h {more}m" if hours else f"{minutes}m {rest}s"


def format_journal(journal: Journal, root: str) -> str:
    """Return the status of the experiments and the last rows of their journal."""
    lines = [format_title("Iterations", f"{display_path(journal.path, root)}: {to_line(journal.summary)}")]
    lines += [f"metric: {to_line(journal.about)}"] if journal.about else []
    lines += [to_line("\t".join(journal.header))] if journal.header else []
    return "\n".join((*lines, *(to_line("\t".join(row)) for row in journal.last)))


def display_path(path: str, root: str) -> str:
    """Return the path relative to the project's root if it lies inside."""
    relative = path.removeprefix(f"{root.rstrip('/')}/") if root else path
    return to_line(relative)
