"""Find the approaches that an agent gave up, from its words, reverted changes and abandoned commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookline.core.conversation import Message, ToolUse, TranscriptEntry
from hookline.handoff.statements import classify
from hookline.handoff.work import Files, find_abandoned
from hookline.language.segment import split_sentences
from hookline.lazy import re
from hookline.memory.extract import first_line

SHOWN_FILES = 3
"""Files named in one line."""
_REFERS = re.compile(
    r"(?i)(?:so |but |\w+ing )?(?:that|this|it|these|both|i take|no(?:t|ne)?)\b|\w+(?:\s\w+){0,2}\W*$"
)
"""Sentences that cannot be understood without the one before: by a pronoun, or of at most three words."""
_SWITCHES = re.compile(
    r"(?i)^(?:so |then |ok,? )?(?:resetting|reverting|undoing|switching|better:|(?:use|using|i'll use"
    r"|taking) .*\binstead\b|back to|i(?:'ll| will| am|'m) (?:now )?(?:switch|go)(?:ing)? (?:to|for|with)"
    r"|let me (?:take|try) (?:a )?(?:different|another))"
)
"""Sentences after one that says why an approach was given up."""
_NEAR = 6
"""Entries before a revert among which its reason is looked for."""


def find_failures(entries: Sequence[TranscriptEntry], files: Files) -> Iterator[str]:
    """Yield approaches that the agent gave up, reverted changes that nobody explained, and commands."""
    for number, entry in enumerate(entries):
        if isinstance(entry, Message) and entry.by == "agent":
            yield from _find_stated(entry.text)
        elif isinstance(entry, ToolUse) and entry.call in files.reverted and not _has_reason(entries, number):
            yield f"changes in {', '.join(files.reverted[entry.call][:SHOWN_FILES])} were reverted"
    for line, error in find_abandoned(entries):
        yield f"`{line}`: {first_line(error)}"


def _has_reason(entries: Sequence[TranscriptEntry], number: int) -> bool:
    return any(isinstance(near, Message) for near in entries[max(number - _NEAR, 0) : number])


def _find_stated(text: str) -> Iterator[str]:
    sentences = split_sentences(text)
    start = end = 0
    for number, sentence in enumerate(sentences):
        start = start if number and _continues(sentence) else number
        if classify(sentence) == "failed" or _is_replaced(sentence, sentences[number + 1 : number + 2]):
            yield " ".join(sentences[max(start, end) : number + 1])
            end = number + 1


def _continues(sentence: str) -> bool:
    return sentence[0].islower() or _REFERS.match(sentence) is not None


def _is_replaced(sentence: str, following: Sequence[str]) -> bool:
    switches = any(map(_SWITCHES.search, following))
    return switches and not classify(sentence) and not sentence.endswith("?")
