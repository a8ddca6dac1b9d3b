"""Decide whether the whole latest request is done: by positive evidence that no fact contradicts.

A missing verdict costs little: the next session then reads the agent's last words. A wrong one ends the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookline.core.conversation import ToolUse, TranscriptEntry
from hookline.core.ranking import remove_stop_words
from hookline.core.records import split_identifiers, stem_word
from hookline.handoff.next_steps import find_last_text, find_unanswered, tells_rest
from hookline.handoff.prompts import REQUESTS, is_thanks
from hookline.handoff.statements import classify, find_statements, has_doubt, is_settled
from hookline.handoff.task import EDITS, Task, has_edits
from hookline.handoff.work import Files, find_commits, pair_calls
from hookline.lazy import re

MIN_COVERED = 0.5
"""Share of the words of a request, from 0 to 1, that a report about all of it contains."""
_JOINT = re.compile(r"[,;:.]\s|\s[\u2013\u2014&+-]\s|\b(and)\b")
_NEEDED = re.compile(r"\d+|prod(?:uction)?|everyone|customers")
_MANY = re.compile(r"(?i)\b(?:all|every\w*|each|both|whole|entire|across|two|three|four|five|six|seven)\b")
_TOTAL = re.compile(r"(?i)\b(?:all|every\w*|each|both|whole|entire)\b(?! \d* ?(?:tests|checks)\b)")
_CLOSES = re.compile(r"(?i)\b(?:that's|that is|that was|we're|we are) (?:all|it|done)\b(?! (?:for|so|i)\b)")
"""Prompts of a person who says that the work is done."""
_SEARCHES = re.compile(r"(?:grep|rg|ls|cat|find|test|diff|which)\b")
"""Commands that fail if they find nothing."""
_PUBLISHES = re.compile(r"(?i)\b(?:commit|push|merg|releas|deploy|publish)")


def is_finished(
    entries: Sequence[TranscriptEntry], task: Task, files: Files, *, listed: bool = False
) -> bool:
    """Return whether the agent's last words say that all is done, or report each part of the request.

    *listed*: all items of a todo list are done. Then thanks of the person are enough, in any language.
    """
    number, text = find_last_text(entries, task)
    report = " ".join((text, *find_commits(entries[task.start :])))
    unpublished = files.changed and (report != text or _PUBLISHES.search(f"{task.text} {text}"))
    if unpublished or tells_rest(text) or "?" in text or _is_contradicted(entries, task, number):
        return False
    thanked = any(is_thanks(prompt.text) for prompt in task.prompts[-1:] if prompt.number > number)
    if thanked and listed and _has_list(entries[task.start :]):
        return not has_doubt(text, task.text)
    if not is_settled(text, task.text):
        return False
    if any(_CLOSES.search(prompt.text) for prompt in task.prompts[-1:] if prompt.number > task.start):
        return True
    if _covers(report, task.text) and (thanked or not files.changed):
        return True
    return _answers_request(entries, task, number) and _says_done(text, report, task, number)


def _covers(report: str, request: str) -> bool:
    """Return whether a report names each part of a request, and half of its words."""
    asked = _stems(request)
    is_covered = len(asked & _stems(report)) >= MIN_COVERED * len(asked)
    return is_covered and _names_parts(report, request)


def _names_parts(report: str, request: str) -> bool:
    has_total = not _MANY.search(request) or _TOTAL.search(report)
    return bool(has_total) and _find_parts(request) <= _stems(report)


def _answers_request(entries: Sequence[TranscriptEntry], task: Task, number: int) -> bool:
    """Return whether the last words are about the task, not about a prompt such as `commit what you have`."""
    prompts = [prompt for prompt in task.prompts if task.start < prompt.number < number]
    return all(prompt.settled or has_edits(entries[prompt.number + 1 :]) for prompt in prompts[-1:])


def _says_done(text: str, report: str, task: Task, number: int) -> bool:
    """Return whether a sentence says that all is done, or `done` alone as the answer to the request."""
    kinds = set(map(classify, find_statements(text)))
    prompts = [prompt for prompt in task.prompts if task.start < prompt.number < number]
    is_direct = all(prompt.settled and prompt.kind != "choice" for prompt in prompts)
    is_whole = _names_parts(report, task.text) or not _stems(task.text) & _stems(text)
    return "finished" in kinds or ("bare" in kinds and is_direct and is_whole)


def _has_list(entries: Sequence[TranscriptEntry]) -> bool:
    return any(isinstance(entry, ToolUse) and entry.kind == "todo" for entry in entries)


def _is_contradicted(entries: Sequence[TranscriptEntry], task: Task, number: int) -> bool:
    """Return whether a request or an edit follows the last words, or the last run of a command failed."""
    edits = any(isinstance(entry, ToolUse) and entry.kind in EDITS for entry in entries[number:])
    calls = [(use.command, result.error) for use, result in pair_calls(entries[task.start :]) if use.command]
    last = {tuple(line.split()[:2]): error for line, error in calls if not _SEARCHES.match(line)}
    return edits or bool(find_unanswered(task, number)) or any(last.values())


def _find_parts(request: str) -> set[str]:
    """Return the first word of each part of a request, the last before each `and`, numbers and places."""
    first, *others = _JOINT.split(REQUESTS.sub("", request))
    parts = [_telling(text) for text in (first, *others[1::2])]
    ends = [part[-1:] for part, joint in zip(parts, others[::2], strict=False) if joint]
    numbers = [word for word in _telling(request) if _NEEDED.fullmatch(word)]
    return set(map(stem_word, sum((*(part[:1] for part in parts[1:]), *ends), numbers)))


def _stems(text: str) -> set[str]:
    return set(map(stem_word, _telling(split_identifiers(text))))


def _telling(text: str) -> list[str]:
    return list(remove_stop_words(f"0 {text}")[1:])
