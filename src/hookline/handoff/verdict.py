"""Decide whether the whole latest request is done.

A missing verdict costs little: the next session then reads the agent's last words. A wrong one ends the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookline.core.conversation import ToolUse, TranscriptEntry
from hookline.handoff.next_steps import find_last_text, find_unanswered, find_unreported
from hookline.handoff.prompts import EDITS, is_thanks
from hookline.handoff.task import Task
from hookline.handoff.work import pair_calls
from hookline.language.dialogue import is_result, label_message
from hookline.lazy import re

_WHOLE = re.compile(
    r"(?i)\b(?:all|everything)(?: of it)?(?: is|'s)? (?:now )?(?:done|finished|complete)(?=[.!]|$)"
    r"|\bnothing (?:else )?(?:is )?(?:left|missing|to do)(?=[.!]|$)"
    r"|\balles (?:ist )?(?:erledigt|fertig)(?=[.!]|$)"
)
"""Sentences which say that no work is left."""
_SEARCHES = re.compile(r"(?:grep|rg|ls|cat|find|test|diff|which)\b")
"""Commands that fail if they find nothing."""


def is_finished(entries: Sequence[TranscriptEntry], task: Task) -> bool:
    """Return whether the agent reports all parts of the request, and it or the person says that is all."""
    number, text = find_last_text(entries, task)
    thanked = any(is_thanks(prompt.text) for prompt in task.prompts[-1:] if prompt.number > number)
    if not (thanked or _WHOLE.search(text)) or not is_result(label_message(text)):
        return False
    return not find_unreported(entries, task) and not _is_contradicted(entries, task, number)


def _is_contradicted(entries: Sequence[TranscriptEntry], task: Task, number: int) -> bool:
    """Return whether a request or an edit follows the last words, or the last run of a command failed."""
    edits = any(isinstance(entry, ToolUse) and entry.kind in EDITS for entry in entries[number:])
    calls = [(use.command, result.error) for use, result in pair_calls(entries[task.start :]) if use.command]
    last = {tuple(line.split()[:2]): error for line, error in calls if not _SEARCHES.match(line)}
    return edits or bool(find_unanswered(task, number)) or any(last.values())
