"""What guards stopped of an agent's work, where nothing that could change a file came after it."""

from collections.abc import Iterator

from hookline import hosts
from hookline.core.command_name import SHELLS, only_looks
from hookline.core.events import (
    PermissionRequest,
    PostToolUse,
    PreModelCall,
    PreToolUse,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.store import Query, Record, Store
from hookline.engine.usage import inside

MOMENTS = {one.__name__ for one in (UserPromptSubmit, TurnStart, PreModelCall, PreToolUse, PermissionRequest)}
"""Where a verdict keeps an agent from what it was about to do."""
VERDICTS = ("block", "ask")
"""Nobody is there to be asked; what was done all the same is told by what came after it."""
LOOKING = ("read", "glob", "grep", "list", "search", "fetch", "question", "leave")
"""Kinds of tools that change no file."""


def stopped(store: Store, worktree: str, *, since: float, until: float) -> str:
    """By what, and at what; empty where nothing was, or the agent went on to other work.

    What is stopped after *until* is stopped because the agent's time is over.
    """
    heard = sorted(_heard(store, worktree, since), key=lambda one: one.at)
    last = max((n for n, one in enumerate(heard) if _stops(one) and one.at < until), default=None)
    if last is None or any(map(_works, heard[last + 1 :])):
        return ""
    one = heard[last]
    return f"{', '.join(one.rules) or 'a hook'} at {one.summary or one.tool or one.event}"


def _heard(store: Store, worktree: str, since: float) -> Iterator[Record]:
    for session in store.sessions(since=since):
        if inside(session.cwd, worktree):
            yield from (one for _, one in store.records(Query(session=session.id, since=since)))


def _stops(one: Record) -> bool:
    return one.event in MOMENTS and one.action in VERDICTS


def _works(one: Record) -> bool:
    """Whether a tool was run that could have changed something."""
    if one.event != PostToolUse.__name__:
        return False
    kind = _kind(one)
    return not only_looks(one.summary) if kind in SHELLS else kind not in LOOKING


def _kind(one: Record) -> str:
    if one.host not in hosts.names():
        return ""
    host = hosts.load(one.host)
    row = host.tools.get(one.tool) or host.tool_kind(one.tool)
    return row.kind if row else ""
