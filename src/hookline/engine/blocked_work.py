"""Detection of an agent's work that guards blocked, if no work that could change a file followed."""

from collections.abc import Iterator

from hookline import hosts
from hookline.core.command_kind import is_read_only
from hookline.core.command_name import SHELLS
from hookline.core.events import (
    PermissionRequest,
    PostToolUse,
    PreModelCall,
    PreToolUse,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.store import Query, Record, Store
from hookline.engine.usage import is_in_worktree

BLOCKING_EVENTS = {
    event.__name__ for event in (UserPromptSubmit, TurnStart, PreModelCall, PreToolUse, PermissionRequest)
}
"""Events at which a verdict prevents the agent's next action."""
VERDICTS = ("block", "ask")
"""Actions that block; `ask` blocks too, because no user is present."""
READ_ONLY_KINDS = ("read", "glob", "grep", "list", "search", "fetch", "question", "leave")
"""Kinds of tools that change no file."""


def find_blocked_work(store: Store, worktree: str, *, since: float, until: float) -> str:
    """Return the rules and the blocked action; empty if nothing was blocked or other work followed.

    Blocks after *until* do not count: they happen because the agent's budget is over.
    """
    records = sorted(_read_records(store, worktree, since), key=lambda record: record.at)
    last = max(
        (index for index, record in enumerate(records) if _is_blocked(record) and record.at < until),
        default=None,
    )
    if last is None or any(map(_may_change_files, records[last + 1 :])):
        return ""
    record = records[last]
    return f"{', '.join(record.rules) or 'a hook'} at {record.summary or record.tool or record.event}"


def _read_records(store: Store, worktree: str, since: float) -> Iterator[Record]:
    for session in store.sessions(since=since):
        if is_in_worktree(session.cwd, worktree):
            yield from (record for _, record in store.records(Query(session=session.id, since=since)))


def _is_blocked(record: Record) -> bool:
    return record.event in BLOCKING_EVENTS and record.action in VERDICTS


def _may_change_files(record: Record) -> bool:
    if record.event != PostToolUse.__name__:
        return False
    kind = _tool_kind(record)
    return not is_read_only(record.summary) if kind in SHELLS else kind not in READ_ONLY_KINDS


def _tool_kind(record: Record) -> str:
    if record.host not in hosts.names():
        return ""
    host = hosts.load(record.host)
    tool = host.tools.get(record.tool) or host.find_tool(record.tool)
    return tool.kind if tool else ""
