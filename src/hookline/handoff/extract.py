"""Extract the content of a handoff from a session's transcript, without a model.

Issue, branch, blockers and the next step come first, because a session that knows these can continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.todos import Todo
from hookline.core.values import replace
from hookline.handoff.anchors import contains_name
from hookline.handoff.content import MAX_ITEM_LENGTH, MAX_TEXT_LENGTH, Content, redact_start, shorten
from hookline.handoff.failures import find_failures
from hookline.handoff.next_steps import find_labelled, find_next, find_rest, find_unread, is_obsolete, rejects
from hookline.handoff.task import Task, find_decisions, find_task
from hookline.handoff.verdict import is_finished
from hookline.handoff.work import find_commands, find_commits, follow_files
from hookline.lazy import re
from hookline.memory.extract import RESOLVED, Found, drop_resolved, ends_blocker, find_stated
from hookline.memory.privacy import is_personal

FIRST_ENTRIES, LAST_ENTRIES = 20, 600
"""Entries read from the beginning and from the end of a transcript."""
_ISSUE = re.compile(r"(?i)(?:(?<!\w)#|\bissues?[ #:-]{1,3}|\bgh-)(\d{1,6})\b")


class SessionFacts(Struct, frozen=True, kw_only=True):
    """Facts about a session that its transcript does not contain."""

    root: str = ""
    branch: str = ""
    issue: str = ""
    todos: tuple[Todo, ...] = ()
    """Open items only."""
    done: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    """Blockers that earlier sessions met on this branch."""
    before: Content | None = None
    """Content of the handoff that this session itself continued."""
    differing: frozenset[str] | None = None
    """Files that differ from the last commit; None if unknown."""
    last_text: str = ""
    """The agent's last text, for a host without a transcript."""


def extract_content(
    entries: Iterable[TranscriptEntry], facts: SessionFacts, redact: Callable[[str], str]
) -> Content | None:
    """Return the content of a handoff, redacted by *redact*; None if there is none."""
    last_words = [Message(by="agent", text=facts.last_text)] if facts.last_text else []
    every = [
        entry for entry in (*entries, *last_words) if not isinstance(entry, Message) or entry.text.strip()
    ]
    recent = [_redact_entry(entry, redact) for entry in _first_and_last(every)]
    previous = facts.before or Content()
    task = find_task(recent, previous.task)
    if not task.text and not any(isinstance(entry, ToolUse) for entry in recent) and not facts.todos:
        return None
    return shorten(_compose(recent, facts, previous, task), redact)


def _compose(
    entries: Sequence[TranscriptEntry], facts: SessionFacts, previous: Content, task: Task
) -> Content:
    files = follow_files(entries, facts.root, facts.differing)
    todos = [todo for todo in facts.todos if not todo.blocked and not is_obsolete(todo.text, task, entries)]
    done = [text for text in facts.done if not rejects(task.prompts[1:], text)]
    finished = not todos and is_finished(entries, task)
    replies = [entry.text for entry in entries if isinstance(entry, Message) and entry.by == "agent"]
    steps = () if finished else find_next(entries, task)
    first_todo = [todo.text for todo in sorted(todos, key=lambda todo: todo.status not in _ACTIVE_STATUSES)]
    return Content(
        issue=_find_issue(task.text) or facts.issue or previous.issue,
        branch=facts.branch,
        task=task.text,
        status=replies[-1] if replies else previous.status,
        blockers=_drop_contained(
            (*_find_blockers(entries), *(() if finished else _find_open_blockers(entries, facts, previous)))
        ),
        next=()
        if finished
        else steps
        or previous.next * (not replies)
        or find_unread(entries, task, *first_todo[:1])
        or find_rest(entries, task, files),
        doing=tuple(todo.text for todo in todos if todo.status in _ACTIVE_STATUSES),
        todos=tuple(todo.text for todo in todos if todo.status not in _ACTIVE_STATUSES),
        done=(*previous.done, *done, *find_commits(entries)),
        decisions=(*previous.decisions, *find_decisions(entries, task)),
        failed=() if finished else (*previous.failed, *find_failures(entries, files)),
        files=tuple(reversed(files.changed)) or previous.files,
        commands=find_commands(entries[task.start :], replies[-1] if replies else ""),
    )


def _first_and_last(entries: list[TranscriptEntry]) -> list[TranscriptEntry]:
    """Return the first and the last entries; those between are out of date and would take too long."""
    is_short = len(entries) <= FIRST_ENTRIES + LAST_ENTRIES
    return entries if is_short else entries[:FIRST_ENTRIES] + entries[-LAST_ENTRIES:]


def _redact_entry(entry: TranscriptEntry, redact: Callable[[str], str]) -> TranscriptEntry:
    """Redact whole texts, because a secret may not be recognised once a sentence or a cut has split it."""
    if isinstance(entry, Message):
        return replace(entry, text=redact_start(entry.text, MAX_TEXT_LENGTH, redact))
    if isinstance(entry, ToolResult):
        return replace(entry, error=redact_start(entry.error, MAX_ITEM_LENGTH, redact))
    command, path = (redact_start(text, MAX_ITEM_LENGTH, redact) for text in (entry.command, entry.path))
    return replace(entry, command=command, path=path)


_ACTIVE_STATUSES = frozenset({"in_progress", "in-progress", "doing", "active"})


def _find_issue(text: str) -> str:
    match = _ISSUE.search(text[:MAX_TEXT_LENGTH])
    return match[1] if match else ""


def _find_blockers(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the blockers, the latest first, without those that a later statement ends.

    An agent that continues after a blocker has solved it, unless it labels the blocker.
    """
    stated: list[Found] = []
    messages = [entry for entry in entries if isinstance(entry, Message)]
    last = [message for message in messages if message.by == "agent"][-1:]
    for message in messages:
        labelled = [text for label, text in find_labelled(message.text) if label == "blockers"]
        lasts = message.by == "person" or message in last
        stated += [one for one in find_stated([message]) if lasts or one.kind == RESOLVED]
        stated += [Found("blocker", text, 1.0) for text in labelled if not is_personal(text)]
    return tuple(reversed([found.text for found in drop_resolved(stated) if found.kind == "blocker"]))


def _drop_contained(texts: Iterable[str]) -> tuple[str, ...]:
    """Remove duplicates, texts without words, and texts that contain another of the texts.

    Case and a final mark do not count.
    """
    unique: dict[str, str] = {}
    for text in texts:
        plain = " ".join(text.split())
        unique.setdefault(plain.casefold().rstrip("….! "), plain)
    unique.pop("", None)
    return tuple(
        text
        for key, text in unique.items()
        if not any(other != key and contains_name(other, key) for other in unique)
    )


def _find_open_blockers(
    entries: Sequence[TranscriptEntry], facts: SessionFacts, previous: Content
) -> Iterator[str]:
    """Yield blocked todos, and earlier blockers unless the session reports them as resolved."""
    yield from (todo.text for todo in facts.todos if todo.blocked)
    ends = [found.text for found in find_stated(entries) if found.kind == RESOLVED]
    yield from (
        blocker
        for blocker in (*previous.blockers, *facts.blockers)
        if not any(ends_blocker(text, blocker) for text in ends)
    )
