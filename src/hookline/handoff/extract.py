"""Extract the content of a handoff from a session's transcript, without a model.

Issue, branch, blockers and the next step come first, because a session that knows these can continue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.ranking import remove_stop_words
from hookline.core.records import stem_word
from hookline.core.todos import Todo
from hookline.core.values import replace
from hookline.handoff.content import (
    CONTINUE_PROMPT,
    MAX_ITEM_LENGTH,
    MAX_TEXT_LENGTH,
    Content,
    redact_start,
    shorten,
)
from hookline.handoff.statements import CONSTRAINT, classify, is_result, split_sentences
from hookline.handoff.work import Files, find_abandoned, find_commands, pair_calls
from hookline.memory.extract import RESOLVED, Found, drop_resolved, find_stated, first_line, resolves

FIRST_ENTRIES, LAST_ENTRIES = 20, 600
"""Entries read from the beginning and from the end of a transcript."""
_RECENT_TEXTS = 3
"""Last texts of the agent that are searched for the next step; older ones are out of date."""
_LABEL = re.compile(
    r"(?i)^(?:the )?(?P<next>next(?: steps?)?|remaining(?: work| steps)?|to ?do|"
    r"(?:what is |what's )?left(?: to do)?)(?: is| are)?\s*[:\u2013\u2014]\s*(?P<text>.*)$"
    r"|^(?P<blockers>blockers?|blocked(?: by| on)?)\s*[:\u2013\u2014]\s*(?P<what>.*)$"
)
_NONE = re.compile(r"(?i)^(?:none|nothing|n/?a\b|no(?:\W*$| (?:blockers?|more|open|known|next)\b)|-+$)")
_ISSUE = re.compile(r"(?i)(?:(?<!\w)#|\bissues?[ #:-]{1,3}|\bgh-)(\d{1,6})\b")
_COMMIT = re.compile(r"""\bgit\b[^|;&]*\bcommit\b[^|;&]*?\s-[a-z]*m\s*(?:"([^"]+)"|'([^']+)')""")
_INLINE_LABEL = re.compile(
    r"(?i)^(?:next(?: steps?)?|als nächstes|nächste\w* schritte?|noch offen|remaining(?: \w+)?|to ?do"
    r"|left(?: to do)?|(?:still )?open|up next|missing"
    r"|what(?:'s| is) \w+)\s*[:\u2013\u2014]\s*"
)
_PRONOUN = re.compile(r"(?i)^(?:so |but )?(?:that|this|it|replacing it|reverting|not worth it|i take)\b")
_MAX_ANSWER, _SHOWN_FILES = 160, 3
_PUBLISHED = re.compile(r"\bgit\b[^|;&]*\b(?:commit|push|merge)\b|\bgh pr (?:create|merge)\b")
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
    task, current = _find_task(recent, previous)
    if not task and not any(isinstance(entry, ToolUse) for entry in recent) and not facts.todos:
        return None
    replies = [entry.text for entry in recent if isinstance(entry, Message) and entry.by == "agent"]
    finished = not facts.todos and _is_finished(current)
    files = _follow_files(recent, facts.root)
    todos = [todo for todo in facts.todos if not todo.blocked and not _is_obsolete(todo.text, task, recent)]
    content = Content(
        issue=_find_issue(task) or facts.issue or previous.issue,
        branch=facts.branch,
        task=task,
        asked=_find_unanswered(current),
        status=replies[-1] if replies else previous.status,
        blockers=_drop_contained(
            (*_find_blockers(recent), *(() if finished else _find_open_blockers(recent, facts, previous)))
        ),
        next=()
        if finished
        else _find_next_steps(current, todos) or previous.next * (not replies) or _find_rest(current, files),
        doing=tuple(todo.text for todo in todos if todo.status in _ACTIVE_STATUSES),
        todos=tuple(todo.text for todo in todos if todo.status not in _ACTIVE_STATUSES),
        done=(*previous.done, *facts.done, *_find_commits(recent)),
        decisions=(*previous.decisions, *_find_decisions(recent, task)),
        failed=() if finished else (*previous.failed, *_find_failures(recent, files)),
        files=tuple(reversed(files.changed)) or previous.files,
        commands=find_commands(recent),
    )
    return shorten(content, redact)


def _find_task(
    entries: Sequence[TranscriptEntry], previous: Content
) -> tuple[str, Sequence[TranscriptEntry]]:
    """Return the latest substantive request, and the entries from it on."""
    prompts = list(_classify_prompts(entries))
    requests = [(number, text) for number, text, kind in prompts if kind != "reply"]
    tasks = [(number, text) for number, text, kind in prompts if kind == "task"]
    first = [(0, previous.task)] if previous.task else requests[:1] or [prompt[:2] for prompt in prompts[:1]]
    number, task = [(0, ""), *first, *tasks][-1]
    return task, entries[number:]


def _classify_prompts(entries: Sequence[TranscriptEntry]) -> Iterator[tuple[int, str, str]]:
    """Yield the person's prompts with their positions and kinds."""
    settled = False
    for number, entry in enumerate(entries):
        if isinstance(entry, ToolUse) and entry.command:
            settled = _PUBLISHED.search(entry.command) is not None
        elif isinstance(entry, ToolUse):
            settled = settled and entry.kind not in ("edit", "write")
        elif isinstance(entry, Message) and entry.by == "agent":
            settled = is_result(entry.text)
        elif isinstance(entry, Message) and not entry.text.lstrip().startswith(CONTINUE_PROMPT):
            yield number, entry.text, classify(entry.text, "person", settled=settled)


def _find_unanswered(entries: Sequence[TranscriptEntry]) -> str:
    """Return the person's last choice, if the agent has said nothing since."""
    last = next((entry for entry in reversed(entries) if isinstance(entry, Message)), None)
    prompts = list(_classify_prompts(entries))
    is_choice = last is not None and last.by == "person" and len(prompts) > 1 and prompts[-1][2] == "choice"
    return prompts[-1][1] if is_choice else ""


def _is_finished(entries: Sequence[TranscriptEntry]) -> bool:
    texts = [entry.text for entry in entries if isinstance(entry, Message) and entry.by == "agent"]
    return bool(texts) and says_finished(texts[-1])


def says_finished(text: str) -> bool:
    """Return whether a text of the agent says that the work is finished."""
    kinds = [classify(sentence, "agent") for sentence in split_sentences(text)]
    return "finished" in kinds and "next" not in kinds and not any(find_labelled(text))


def _is_obsolete(todo: str, task: str, entries: Sequence[TranscriptEntry]) -> bool:
    """Return whether the list of todos is older than the task, and an item has nothing to do with it."""
    lists = [
        number for number, entry in enumerate(entries) if isinstance(entry, ToolUse) and entry.kind == "todo"
    ]
    asked = [n for n, entry in enumerate(entries) if isinstance(entry, Message) and entry.text == task]
    if not lists or not asked or lists[-1] > asked[-1]:
        return False
    return not set(map(stem_word, remove_stop_words(todo))) & set(map(stem_word, remove_stop_words(task)))


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


def _find_decisions(entries: Sequence[TranscriptEntry], task: str) -> Iterator[str]:
    """Yield the person's choices with the agent's answer, conditions of the task, and stated decisions."""
    prompts = list(_classify_prompts(entries))
    kinds = {number: kind for number, _, kind in prompts[1:]}
    for number, entry in enumerate(entries):
        if isinstance(entry, Message) and entry.by == "agent":
            yield from (text for text in split_sentences(entry.text) if classify(text, "agent") == "decision")
        elif isinstance(entry, Message) and entry.text == task:
            yield from (text for text in list(split_sentences(task))[1:] if CONSTRAINT.search(text))
        elif isinstance(entry, Message) and kinds.get(number) == "choice":
            yield _add_answer(entry.text, next(iter(entries[number + 1 : number + 2]), None))


def _add_answer(choice: str, answer: TranscriptEntry | None) -> str:
    """Return a choice with the first sentence of the agent's direct answer."""
    is_answer = isinstance(answer, Message) and answer.by == "agent"
    reply = next(split_sentences(answer.text), "") if isinstance(answer, Message) and is_answer else ""
    return f"{choice} ({reply})" if 0 < len(reply) < _MAX_ANSWER else choice


def _find_blockers(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the blockers, the latest first, without those that a later statement ends."""
    stated: list[Found] = []
    for entry in entries:
        if isinstance(entry, Message):
            labelled = [text for label, text in find_labelled(entry.text) if label == "blockers"]
            stated += [*find_stated([entry]), *(("blocker", text, 1.0) for text in labelled)]
    return tuple(reversed([text for kind, text, _ in drop_resolved(stated) if kind == "blocker"]))


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
    """Yield blocked todos, and earlier blockers unless the session reports them as resolved."""
    yield from (todo.text for todo in facts.todos if todo.blocked)
    ends = [text for kind, text, _ in find_stated(entries) if kind == RESOLVED]
    yield from (
        blocker
        for blocker in (*previous.blockers, *facts.blockers)
        if not any(resolves(text, blocker) for text in ends)
    )


def _find_next_steps(entries: Sequence[TranscriptEntry], todos: Sequence[Todo]) -> tuple[str, ...]:
    """Return the next steps in the agent's last texts since the task, else its first open todo."""
    replies = [entry.text for entry in entries if isinstance(entry, Message) and entry.by == "agent"]
    for text in reversed(replies[-_RECENT_TEXTS:]):
        if steps := find_steps(text):
            return steps
    ranked = sorted(todos, key=lambda todo: todo.status not in _ACTIVE_STATUSES)
    return tuple(todo.text for todo in ranked[:1])


def find_steps(text: str) -> tuple[str, ...]:
    """Return the steps that a text of the agent names or announces."""
    labelled = [step for label, step in find_labelled(text) if label == "next"]
    return tuple(dict.fromkeys(labelled or _find_announced(text)))


def _find_announced(text: str) -> list[str]:
    """Return the sentences that announce a step, with those after a label within a line."""
    sentences = list(split_sentences(text))
    labels = [number for number, sentence in enumerate(sentences) if _INLINE_LABEL.match(sentence)]
    if labels:
        return [_INLINE_LABEL.sub("", sentence) for sentence in sentences[labels[0] :]]
    return [sentence for sentence in sentences if classify(sentence, "agent") == "next"]


def _find_rest(entries: Sequence[TranscriptEntry], files: Files) -> tuple[str, ...]:
    """Return the work left by the facts: an unanswered task, a failed command, uncommitted changes."""
    if entries and not any(isinstance(entry, ToolUse | Message) for entry in entries[1:]):
        return (entries[0].text,) if isinstance(entries[0], Message) else ()
    calls = [(use, result) for use, result in pair_calls(entries) if use.command]
    if calls and calls[-1][1].error:
        return (f"`{calls[-1][0].command}` failed last: {first_line(calls[-1][1].error)}",)
    names = ", ".join(list(files.changed)[-_SHOWN_FILES:])
    return (f"check and commit the changes in {names}",) if names else ()


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


def _find_commits(entries: Sequence[TranscriptEntry]) -> Iterator[str]:
    for use, result in pair_calls(entries):
        match = _COMMIT.search(use.command) if use.command and not result.error else None
        if match:
            yield f"committed: {(match[1] or match[2]).splitlines()[0]}"


def _find_failures(entries: Sequence[TranscriptEntry], files: Files) -> Iterator[str]:
    """Yield approaches that the agent gave up, reverted changes that it did not explain, and commands."""
    stated = [
        f"{before} {sentence}".strip() if _PRONOUN.search(sentence) else sentence
        for entry in entries
        if isinstance(entry, Message) and entry.by == "agent"
        for before, sentence in pairwise(["", *split_sentences(entry.text)])
        if classify(sentence, "agent") == "failed"
    ]
    yield from stated
    for names in files.reverted[len(stated) :]:
        yield f"changes in {', '.join(names[:_SHOWN_FILES])} were reverted"
    for line, error in find_abandoned(entries):
        yield f"`{line}`: {first_line(error)}"


def _follow_files(entries: Sequence[TranscriptEntry], root: str) -> Files:
    files = Files(root)
    for use, result in pair_calls(entries):
        if not result.error:
            files.follow(use)
    return files
