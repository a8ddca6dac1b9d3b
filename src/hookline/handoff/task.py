"""Find the task that a person gave last, with the additions to it, and the person's choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.handoff.content import CONTINUE_PROMPT, MAX_TEXT_LENGTH
from hookline.handoff.prompts import (
    CONSTRAINT,
    QUESTION,
    PromptKind,
    classify_prompt,
    find_conditions,
    strip_opening,
)
from hookline.handoff.statements import classify, is_result
from hookline.language.segment import split_sentences
from hookline.lazy import re

_PUBLISHED = re.compile(r"\bgit\b[^|;&]*\b(?:commit|push|merge)\b|\bgh pr (?:create|merge)\b")
_COMPLAINT = re.compile(
    r"(?i)(?:(?:no|hm+|but|it|that|this)\W+(?:'s |is )?)*still\b"
    r"|[^.,;:]* (?:feels?|looks?|seems?|sounds?|is|are) (?:a bit |way |far )?(?:too \w+|off|odd|wrong)\W*$"
)
_MAX_ADDITIONS, _MAX_ANSWER, _GREETING = 2, 160, 3


class Prompt(NamedTuple):
    """A prompt of the person with its position among the entries."""

    number: int
    text: str
    kind: PromptKind
    settled: bool
    """True if the agent had just reported a result, or the person praises it."""
    published: bool
    """True if all changes before it were committed."""


class Task(NamedTuple):
    """The latest substantive request; empty if there is none."""

    text: str = ""
    start: int = 0
    """Position of the entry with the request."""
    prompts: tuple[Prompt, ...] = ()
    """All prompts of the session."""
    is_question: bool = False
    """True if the session has no request for work."""


def find_task(entries: Sequence[TranscriptEntry], before: str) -> Task:
    """Return the task of a session that continues one with the task *before*."""
    prompts = tuple(read_prompts(entries))
    if prompts and not before and _is_statement(prompts[0].text):
        prompts = (prompts[0]._replace(kind="task"), *prompts[1:])
    main, additions = Prompt(0, before, "task", settled=False, published=False), list[Prompt]()
    for prompt in prompts:
        begins = prompt.kind != "reply" and not main.text
        if begins or prompt.kind == "task" or (prompt.kind == "addition" and prompt.published):
            main, additions = prompt, []
        elif prompt.kind == "addition" or (prompt.kind == "choice" and prompt.settled):
            additions = [*(one for one in additions if not prompt.published), prompt]
    main = main if main.text else next(iter(prompts), main)
    text = _join(main.text, [prompt.text for prompt in additions])
    return Task(text, main.number, prompts, is_question=main.kind == "reply")


def _is_statement(text: str) -> bool:
    """Return whether a first prompt, in any language, is more than a greeting or a question."""
    return len(text.split()) > _GREETING and not QUESTION.match(text)


def _join(text: str, additions: list[str]) -> str:
    added = "".join(f" \u2013 then: {addition}" for addition in additions[-_MAX_ADDITIONS:])
    kept = max(MAX_TEXT_LENGTH - len(added), MAX_TEXT_LENGTH // 2)
    return f"{text[:kept]}{added}" if added else text


def read_prompts(entries: Sequence[TranscriptEntry]) -> Iterator[Prompt]:
    failed = {entry.call for entry in entries if isinstance(entry, ToolResult) and entry.error}
    settled = published = asked = proved = False
    edited = set[str]()
    for number, entry in enumerate(entries):
        if isinstance(entry, ToolUse):
            published = _is_published(entry, published=published)
            settled = settled and not entry.command and published
            proved = _is_proved(entry, failed, proved=proved)
            edited |= _find_edited([entry])
        elif isinstance(entry, Message) and entry.by == "agent":
            settled, asked = is_result(entry.text), "?" in entry.text
        elif isinstance(entry, Message) and not entry.text.lstrip().startswith(CONTINUE_PROMPT):
            uses = _take_turn(entries[number + 1 :])
            edits = _find_edited(uses)
            differs = not edits & edited if edits else bool(uses) and published
            kind = classify_prompt(
                entry.text,
                settled=settled or published,
                asked=asked,
                acted=bool(edits),
                differs=proved and differs,
            )
            yield Prompt(number, entry.text, kind, settled or strip_opening(entry.text)[1], published)
            proved, edited = False, edited if kind != "task" else set()


EDITS = ("edit", "write")


def has_edits(entries: Sequence[TranscriptEntry]) -> bool:
    """Return whether the agent changes files before the person's next prompt."""
    return bool(_find_edited(_take_turn(entries)))


def _take_turn(entries: Sequence[TranscriptEntry]) -> list[ToolUse]:
    """Return the tool calls before the person's next prompt."""
    turn = takewhile(lambda entry: not isinstance(entry, Message) or entry.by == "agent", entries)
    return [entry for entry in turn if isinstance(entry, ToolUse)]


def _find_edited(uses: Sequence[ToolUse]) -> set[str]:
    return {use.path for use in uses if use.kind in EDITS}


def _is_proved(use: ToolUse, failed: set[str], *, proved: bool) -> bool:
    """Return whether a command succeeded after the last edit of the turn."""
    return use.call not in failed if use.command else proved and use.kind not in EDITS


def _is_published(use: ToolUse, *, published: bool) -> bool:
    if use.command:
        return published or _PUBLISHED.search(use.command) is not None
    return published and use.kind not in EDITS


def find_decisions(entries: Sequence[TranscriptEntry], task: Task) -> Iterator[str]:
    """Yield the person's choices with the agent's answer, conditions of the task, and stated decisions."""
    edited = _find_edited([entry for entry in entries if isinstance(entry, ToolUse)])
    choices = {prompt.number for prompt in task.prompts[1:] if _is_choice(prompt)}
    for number, entry in enumerate(entries):
        if not isinstance(entry, Message):
            continue
        if entry.by == "agent":
            yield from (text for text in split_sentences(entry.text) if classify(text) == "decision")
        elif number == task.start and not (task.is_question and edited):
            yield from find_conditions(entry.text)
        elif number in choices:
            yield _add_answer(entry.text, next(iter(entries[number + 1 : number + 2]), None))


def _is_choice(prompt: Prompt) -> bool:
    adds = prompt.kind == "addition" and CONSTRAINT.search(prompt.text) is not None
    return adds or (prompt.kind == "choice" and not _COMPLAINT.match(prompt.text))


def _add_answer(choice: str, answer: TranscriptEntry | None) -> str:
    """Return a choice with the first sentence of the agent's direct answer."""
    is_answer = isinstance(answer, Message) and answer.by == "agent"
    reply = next(iter(split_sentences(answer.text)), "") if isinstance(answer, Message) and is_answer else ""
    return f"{choice} ({reply})" if 0 < len(reply) < _MAX_ANSWER else choice
