"""Read the prompts of a session with their kinds, and with what the agent did before and after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.ranking import remove_stop_words
from hookline.core.records import split_words, stem_word
from hookline.handoff.content import CONTINUE_PROMPT
from hookline.language.dialogue import Labelled, PromptKind, classify_prompt, is_result, label_message
from hookline.lazy import re

EDITS = ("edit", "write")
_PUBLISHED = re.compile(r"\bgit\b[^|;&]*\b(?:commit|push|merge)\b|\bgh pr (?:create|merge)\b")
_THANKS = frozenset(
    """thanks thank thx danke merci gracias grazie obrigado obrigada bedankt tack tak kiitos dzieki спасибо
    great perfect awesome super excellent lgtm parfait perfecto""".split()
)
_MAX_THANKS = 12
"""Words of a prompt that only thanks."""
_MAX_SHARED = 3
"""Words in common with earlier texts, from which their number no longer counts."""


class Prompt(NamedTuple):
    """A prompt of the person with its position among the entries."""

    number: int
    text: str
    kind: PromptKind


def read_prompts(entries: Sequence[TranscriptEntry]) -> Iterator[Prompt]:
    for number, text, facts in describe_prompts(entries, label_message):
        yield Prompt(number, text, classify_prompt(text, facts))


def describe_prompts(
    entries: Sequence[TranscriptEntry], label: Callable[[str], Sequence[Labelled]]
) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the position and text of each prompt, and facts about what the agent did before and after it."""
    turn = Turn({entry.call for entry in entries if isinstance(entry, ToolResult) and entry.error})
    for number, entry in enumerate(entries):
        if isinstance(entry, ToolUse):
            turn.add_call(entry)
        elif isinstance(entry, Message) and entry.by == "agent":
            turn.add_message(label(entry.text))
        elif isinstance(entry, Message) and not entry.text.lstrip().startswith(CONTINUE_PROMPT):
            yield number, entry.text, turn.describe(entry.text, take_turn(entries[number + 1 :]))
            turn.end(entry.text)


class Turn:
    """The work of the agent since the last prompt, and the words of the session so far."""

    def __init__(self, failed: set[str]) -> None:
        self._failed = failed
        self._message: Sequence[Labelled] = ()
        self._asked, self._told = set[str](), set[str]()
        self._edited = set[str]()
        self._state = {"message last": False, "published": False, "proved": False, "failed": False}
        self._first = True

    def add_call(self, use: ToolUse) -> None:
        state = self._state
        state["message last"] = False
        self._edited |= find_edited([use])
        if use.command:
            state["failed"] = use.call in self._failed
            state["proved"] = not state["failed"]
            state["published"] |= _PUBLISHED.search(use.command) is not None
        elif use.kind in EDITS:
            state["proved"] = state["published"] = False

    def add_message(self, message: Sequence[Labelled]) -> None:
        self._message, self._state["message last"] = message, True
        self._told = find_stems(" ".join(text for text, _ in message))

    def describe(self, prompt: str, later: Sequence[ToolUse]) -> list[str]:
        """Return the facts about a prompt, after which the calls *later* follow."""
        if self._first:
            return ["first"]
        labels = [label for _, label in self._message]
        edits, words = find_edited(later), find_stems(prompt)
        facts = [*(name for name, holds in self._state.items() if holds)]
        facts += [f"told {label}" for label in sorted(set(labels))] + [
            f"last {label}" for label in labels[-1:]
        ]
        facts += ["result"] if is_result(self._message) else []
        facts += ["asked"] if any("?" in text for text, _ in self._message) else []
        facts += ["edits" if edits else "calls" if later else "no call"]
        facts += ["other files"] if edits and not edits & self._edited else []
        shared = ((len(words & self._asked), "asked"), (len(words & self._told), "told"))
        return facts + [f"{min(count, _MAX_SHARED)} {name}" for count, name in shared]

    def end(self, prompt: str) -> None:
        self._first, self._message, self._told = False, (), set()
        self._asked |= find_stems(prompt)
        self._state.update({"proved": False, "failed": False, "message last": False})


def take_turn(entries: Sequence[TranscriptEntry]) -> list[ToolUse]:
    """Return the tool calls before the person's next prompt."""
    turn = takewhile(lambda entry: not isinstance(entry, Message) or entry.by == "agent", entries)
    return [entry for entry in turn if isinstance(entry, ToolUse)]


def find_edited(uses: Sequence[ToolUse]) -> set[str]:
    return {use.path for use in uses if use.kind in EDITS}


def find_stems(text: str) -> set[str]:
    return set(map(stem_word, remove_stop_words(text)))


def is_thanks(text: str) -> bool:
    """Return whether a prompt thanks for or praises the work, and asks nothing."""
    words = split_words(text)
    return "?" not in text and len(words) <= _MAX_THANKS and not _THANKS.isdisjoint(words)
