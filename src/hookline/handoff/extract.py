"""Extract the content of a handoff from a session's transcript, without a model.

Issue, branch, blockers and the next step come first, because a session that knows these can continue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.todos import Todo
from hookline.core.values import replace
from hookline.handoff.content import (
    CONTINUE_PROMPT,
    MAX_ITEM_LENGTH,
    MAX_ITEMS,
    MAX_TEXT_LENGTH,
    Content,
    redact_start,
    shorten,
)
from hookline.memory.extract import cleared_at, first_line, program, said, sentences
from hookline.memory.sentences import cleared

FIRST_ENTRIES, LAST_ENTRIES = 20, 600
"""Entries read from the beginning and from the end of a transcript."""
_RECENT_TEXTS = 3
"""Last texts of the agent that are searched for the next step; older ones are out of date."""
_LABEL = re.compile(
    r"(?i)^(?:the )?(?P<next>next(?: steps?)?|remaining(?: work| steps)?|to ?do|"
    r"(?:what is |what's )?left(?: to do)?)(?: is| are)?\s*[:\u2013\u2014]\s*(?P<text>.*)$"
    r"|^(?P<blockers>blockers?|blocked(?: by| on)?)\s*[:\u2013\u2014]\s*(?P<what>.*)$"
)
_NEXT_STEP = re.compile(
    r"(?i)\b(?:the next step (?:is|will be)|next,? (?:i|we)(?:'ll| will| need)|(?:is|are) left to do|"
    r"(?:i|we) still (?:have|need) to|still to do|remains to be)\b"
)
_FINISHED = re.compile(
    r"(?i)\b(?:all(?: of it)?(?: is|'s)? (?:done|finished|complete)|nothing (?:is )?(?:left|remains)|"
    r"(?:everything|the (?:task|work|issue)) is (?:now )?(?:done|finished|complete|implemented))\b"
)
_NONE = re.compile(r"(?i)^(?:none|nothing|n/?a\b|no(?:\W*$| (?:blockers?|more|open|known|next)\b)|-+$)")
_ISSUE = re.compile(r"(?i)(?:(?<!\w)#|\bissues?[ #:-]{1,3}|\bgh-)(\d{1,6})\b")
_COMMIT = re.compile(r"""\bgit\b[^|;&]*\bcommit\b[^|;&]*?\s-[a-z]*m\s*(?:"([^"]+)"|'([^']+)')""")
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s+")


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
    prompts = [entry.text for entry in recent if isinstance(entry, Message) and entry.by == "person"]
    requests = [text for text in prompts if not text.lstrip().startswith(CONTINUE_PROMPT)]
    task = previous.task or (requests[0] if requests else "")
    if not task and not any(isinstance(entry, ToolUse) for entry in recent) and not facts.todos:
        return None
    replies = [entry.text for entry in recent if isinstance(entry, Message) and entry.by == "agent"]
    finished = bool(replies) and bool(_FINISHED.search(replies[-1])) and not facts.todos
    content = Content(
        issue=facts.issue or previous.issue or _find_issue(task),
        branch=facts.branch,
        task=task,
        asked=requests[-1] if requests and requests[-1] != task else "",
        status=replies[-1] if replies else previous.status,
        blockers=_drop_contained(
            (*_find_blockers(recent), *(() if finished else _find_open_blockers(recent, facts, previous)))
        ),
        next=_find_next_steps(
            replies[-1:] if finished else replies, facts, previous if not replies else Content()
        ),
        doing=tuple(todo.text for todo in facts.todos if todo.status in _ACTIVE_STATUSES),
        todos=tuple(
            todo.text for todo in facts.todos if todo.status not in _ACTIVE_STATUSES and not todo.blocked
        ),
        done=(*previous.done, *facts.done, *_find_commits(recent)),
        decisions=(*previous.decisions, *_find_decisions(recent)),
        failed=(*previous.failed, *_find_failures(recent)),
        files=_find_changed_files(recent, facts.root) or previous.files,
        commands=_find_commands(recent),
    )
    return shorten(content, redact)


def _first_and_last(entries: list[TranscriptEntry]) -> list[TranscriptEntry]:
    """Return the first and the last entries; those between are out of date and would take too long."""
    return (
        entries
        if len(entries) <= FIRST_ENTRIES + LAST_ENTRIES
        else entries[:FIRST_ENTRIES] + entries[-LAST_ENTRIES:]
    )


def _redact_entry(entry: TranscriptEntry, redact: Callable[[str], str]) -> TranscriptEntry:
    """Redact whole texts, because a secret may not be recognised once a sentence or a cut has split it."""
    if isinstance(entry, Message):
        return replace(entry, text=redact_start(entry.text, MAX_TEXT_LENGTH, redact))
    if isinstance(entry, ToolResult):
        return (
            replace(entry, error=redact_start(entry.error, MAX_ITEM_LENGTH, redact)) if entry.error else entry
        )
    command, path = (redact_start(text, MAX_ITEM_LENGTH, redact) for text in (entry.command, entry.path))
    return replace(entry, command=command, path=path)


_ACTIVE_STATUSES = frozenset({"in_progress", "in-progress", "doing", "active"})


def _find_issue(text: str) -> str:
    match = _ISSUE.search(text[:MAX_TEXT_LENGTH])
    return match[1] if match else ""


def _find_decisions(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    return tuple(text for kind, text, _ in said(entries) if kind == "decision")


def _find_blockers(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the blockers, the latest first, without those mentioned before the blocker was cleared."""
    since = entries[cleared_at(entries) or 0 :]
    stated = [text for kind, text, _ in said(since) if kind == "blocker" and not cleared(text)]
    labelled_texts = [
        text
        for entry in since
        if isinstance(entry, Message)
        for label, text in find_labelled(entry.text)
        if label == "blockers"
    ]
    return tuple(reversed([*stated, *labelled_texts]))


def _drop_contained(texts: Iterable[str]) -> tuple[str, ...]:
    """Remove duplicates and texts that contain another of the texts."""
    unique = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    normalized = [text.casefold().rstrip(".! ") for text in unique]
    return tuple(
        text
        for text, own in zip(unique, normalized, strict=True)
        if not any(other != own and other in own for other in normalized)
    )


def _find_open_blockers(
    entries: Sequence[TranscriptEntry], facts: SessionFacts, previous: Content
) -> Iterator[str]:
    """Yield blocked todos, and earlier blockers unless the session reports them as cleared."""
    yield from (todo.text for todo in facts.todos if todo.blocked)
    if cleared_at(entries) is None:
        yield from previous.blockers
        yield from facts.blockers


def _find_next_steps(replies: Sequence[str], facts: SessionFacts, previous: Content) -> tuple[str, ...]:
    """Return the next steps in the agent's last texts, else its first open todo, else the previous ones."""
    for text in reversed(replies[-_RECENT_TEXTS:]):
        steps = [*(step for label, step in find_labelled(text) if label == "next")]
        steps += [sentence for sentence in sentences(text) if _NEXT_STEP.search(sentence)]
        if steps:
            return tuple(dict.fromkeys(steps))
    active = [todo.text for todo in facts.todos if todo.status in _ACTIVE_STATUSES]
    return (*active, *(todo.text for todo in facts.todos if todo.text not in active and not todo.blocked))[
        :1
    ] or previous.next


def find_labelled(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts after labels such as `Next step:` and `Blockers:`, on that line or in the list below."""
    label = ""
    for line in text.splitlines():
        plain = _BULLET.sub("", line).replace("**", "").replace("__", "").lstrip("# ").strip()
        match = _LABEL.search(plain)
        if match:
            label = "next" if match["next"] else "blockers"
            plain = (match["text"] if match["next"] else match["what"]).strip()
        elif not plain or not (label and _BULLET.search(line)):
            label = label if label and not plain else ""
            continue
        if plain and not _NONE.search(plain):
            yield label, plain


def _pair_calls(entries: Sequence[TranscriptEntry]) -> Iterator[tuple[ToolUse, ToolResult]]:
    """Yield each tool call with its result, in the order of the results."""
    calls = {entry.call: entry for entry in entries if isinstance(entry, ToolUse)}
    for result in entries:
        if isinstance(result, ToolResult) and result.call in calls:
            yield calls[result.call], result


def _find_commits(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    for use, result in _pair_calls(entries):
        match = _COMMIT.search(use.command) if use.command and not result.error else None
        if match:
            yield f"committed: {(match[1] or match[2]).splitlines()[0]}"


def _find_failures(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the commands whose program failed and did not succeed later."""
    failures: dict[str, str] = {}
    for use, result in _pair_calls(entries):
        name = program(" ".join(use.command.split())) if use.command else ""
        if name and result.error:
            failures[name] = (
                f"`{' '.join(use.command.split())[:MAX_ITEM_LENGTH]}`: {first_line(result.error)}"
            )
        elif name:
            failures.pop(name, None)
    return tuple(failures.values())


def _find_changed_files(entries: Sequence[TranscriptEntry], root: str) -> tuple[str, ...]:
    """Return the changed files, the most often changed first."""
    changed = [use.path for use, result in _pair_calls(entries) if _is_edit(use) and not result.error]
    return tuple(_relative_path(path, root) for path, _ in Counter(reversed(changed)).most_common(MAX_ITEMS))


def _is_edit(use: ToolUse) -> bool:
    return bool(use.path) and use.kind in ("edit", "write")


def _relative_path(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/") if root else path


def _find_commands(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the informative commands that succeeded, the latest last."""
    succeeded = [
        " ".join(use.command.split())
        for use, result in _pair_calls(entries)
        if use.command and not result.error
    ]
    return tuple(reversed(dict.fromkeys(line for line in reversed(succeeded) if program(line))))
