"""Find the approaches that an agent gave up, from its words, reverted changes and abandoned commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hookline.core.conversation import Message, ToolUse, TranscriptEntry
from hookline.handoff.statements import classify, split_sentences
from hookline.handoff.work import Files, find_abandoned
from hookline.memory.extract import first_line

SHOWN_FILES = 3
"""Files named in one line."""
_PRONOUN = re.compile(
    r"(?i)^(?:so |but )?(?:that|this|it|replacing it|reverting|not worth it|i take|no gain|not usable"
    r"|undoing|undone)\b"
)
_SWITCHES = re.compile(
    r"(?i)^(?:so |then |ok,? )?(?:resetting|reverting|undoing|switching|better:|(?:use|using|i'll use"
    r"|taking) .*\binstead\b"
    r"|back to|i(?:'ll| will| am|'m) (?:now )?(?:switch|go)(?:ing)? (?:to|for|with)|let me (?:take|try)"
    r" (?:a )?(?:different|another))"
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
    sentences = list(split_sentences(text))
    for (before, sentence), after in zip(pairwise(["", *sentences]), [*sentences[1:], ""], strict=True):
        kind = classify(sentence)
        refers = _PRONOUN.search(sentence) is not None
        if kind == "failed" and not (refers and classify(before) == "failed"):
            yield f"{before} {sentence}".strip() if refers else sentence
        elif _SWITCHES.search(after) and kind == "" and not sentence.endswith("?"):
            yield sentence
