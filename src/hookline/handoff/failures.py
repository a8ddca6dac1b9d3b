"""Find the approaches that an agent gave up, from its words, reverted changes and abandoned commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookline.core.conversation import Message, ToolUse, TranscriptEntry
from hookline.handoff.work import Files, find_abandoned
from hookline.language.dialogue import Labelled, label_message
from hookline.lazy import re

SHOWN_FILES = 3
"""Files named in one line."""
_REFERS = re.compile(
    r"(?i)(?:so |but |\w+ing )?(?:that|this|it|these|both|i (?:take|drop it)|no(?:t|ne)?)\b"
    r"|\w+(?:\s\w+){0,2}\W*$"
)
"""Sentences that cannot be understood without the one before: by a pronoun, or of at most three words."""
_POINTS_BACK, _TOLD_BEFORE = re.compile(r"(?i)(?:same|that|this|it|neither|both)\b"), 2
"""Beginnings of a text about the approach that the last sentences of the text before name."""
_UNDOES = re.compile(r"(?i)(?:i )?(?:roll(?:ed)?[ -]?back|revert(?:ed)?|undo|undid)\b")
"""Requests to undo changes, and reports of it."""
_FRAGMENT = re.compile(
    r"(?i)(?:so )?(?:i(?:'m| am)? )?(?:revert|undo|dropp?|remov)(?:ing|ed)? (?:it|that|this)\W*"
)
"""Sentences that add nothing to the failure told before."""
MAX_ERROR = 160
"""Characters of an error message."""
_NEAR = 6
"""Entries before a revert among which its reason is looked for."""


def find_failures(entries: Sequence[TranscriptEntry], files: Files) -> Iterator[str]:
    """Yield approaches that the agent gave up, reverted changes that nobody explained, and commands."""
    before: list[str] = []
    asked = False
    for number, entry in enumerate(entries):
        if isinstance(entry, Message) and entry.by == "person":
            asked = _UNDOES.search(entry.text) is not None
        elif isinstance(entry, Message) and entry.by == "agent":
            sentences = label_message(entry.text)
            stated = _find_stated(sentences, before)
            yield from (text for text in stated if not (asked and _UNDOES.match(text)))
            before = [text for text, _ in sentences[-_TOLD_BEFORE:]]
        elif isinstance(entry, ToolUse) and entry.call in files.reverted and not _has_reason(entries, number):
            yield f"changes in {', '.join(files.reverted[entry.call][:SHOWN_FILES])} were reverted"
    for line, error in find_abandoned(entries):
        yield f"`{line}`: {first_line(error)}"


def _has_reason(entries: Sequence[TranscriptEntry], number: int) -> bool:
    texts = (near.text for near in entries[max(number - _NEAR, 0) : number] if isinstance(near, Message))
    return any(label == "failed" for text in texts for _, label in label_message(text))


def _find_stated(sentences: Sequence[Labelled], before: Sequence[str]) -> Iterator[str]:
    """Yield the failures among the sentences of a text, each from its subject on; *before* may name it."""
    start = end = 0
    for number, (sentence, label) in enumerate(sentences):
        start = start if number and _continues(sentence) else number
        if number == end > 0 and _FRAGMENT.fullmatch(sentence):
            end += 1
        elif label == "failed":
            told = before if start == end == 0 and _POINTS_BACK.match(sentence) else ()
            yield " ".join((*told, *(text for text, _ in sentences[max(start, end) : number + 1])))
            end = number + 1


def _continues(sentence: str) -> bool:
    return sentence[0].islower() or _REFERS.match(sentence) is not None


def first_line(error: str) -> str:
    """Return the line of an error message that names the error, or else its first one."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    naming = [line for line in lines if "error" in line.lower() or "not found" in line.lower()]
    return (naming or lines or ["no message"])[0][:MAX_ERROR]
