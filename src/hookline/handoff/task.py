"""Find the task that a person gave last, with the additions to it, and the person's choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookline.core.conversation import Message, TranscriptEntry
from hookline.handoff.content import MAX_TEXT_LENGTH
from hookline.handoff.prompts import Prompt, find_edited, read_prompts, take_turn
from hookline.language.segment import split_sentences
from hookline.lazy import re

THEN = " \u2013 then: "
"""Text before an addition to a task."""
_MAX_ADDITIONS, _MAX_ANSWER = 2, 160
_QUESTION = re.compile(
    r"(?i)\b(?:what|why|how|which|who|where|when|does|did|is|are|warum|wie|wo|pourquoi|comment|qué|cómo)\b"
    r"[^.!?]*\?\s*$"
)
"""Prompts that end with a question about facts."""


class Task(NamedTuple):
    """The latest substantive request; empty if there is none."""

    text: str = ""
    start: int = 0
    """Position of the entry with the request."""
    prompts: tuple[Prompt, ...] = ()
    """All prompts of the session."""
    is_question: bool = False
    """True if the session has no request for work, and changed nothing."""


def find_task(entries: Sequence[TranscriptEntry], before: str) -> Task:
    """Return the task of a session that continues one with the task *before*."""
    prompts = tuple(read_prompts(entries))
    main, additions = Prompt(0, before, "task"), list[str]()
    for prompt in prompts:
        if prompt.kind == "task" or (prompt.kind != "reply" and not main.text):
            main, additions = prompt, []
        elif prompt.kind == "addition":
            additions.append(prompt.text)
    main = main if main.text else next(iter(prompts), main)
    asks = main.kind == "reply" or _QUESTION.search(main.text) is not None
    is_question = asks and not additions and not has_edits(entries[main.number + 1 :])
    return Task(_join(main.text, additions), main.number, prompts, is_question=is_question)


def _join(text: str, additions: list[str]) -> str:
    added = "".join(f"{THEN}{addition}" for addition in additions[-_MAX_ADDITIONS:])
    kept = max(MAX_TEXT_LENGTH - len(added), MAX_TEXT_LENGTH // 2)
    return f"{text[:kept]}{added}" if added else text


def has_edits(entries: Sequence[TranscriptEntry]) -> bool:
    """Return whether the agent changes files before the person's next prompt."""
    return bool(find_edited(take_turn(entries)))


def find_decisions(entries: Sequence[TranscriptEntry], task: Task) -> Iterator[str]:
    """Yield the person's choices since the request, with the agent's answer."""
    for prompt in task.prompts:
        if prompt.kind == "choice" and prompt.number > task.start:
            yield _add_answer(prompt.text, next(iter(entries[prompt.number + 1 : prompt.number + 2]), None))


def _add_answer(choice: str, answer: TranscriptEntry | None) -> str:
    """Return a choice with the first sentence of the agent's direct answer."""
    is_answer = isinstance(answer, Message) and answer.by == "agent"
    reply = next(iter(split_sentences(answer.text)), "") if isinstance(answer, Message) and is_answer else ""
    return f"{choice} ({reply})" if 0 < len(reply) < _MAX_ANSWER else choice
