"""Find the next steps: in the agent's last words, in the person's answer to them, else by the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hookline.core.conversation import Message, ToolUse, TranscriptEntry
from hookline.core.records import split_identifiers
from hookline.handoff.failures import SHOWN_FILES, first_line
from hookline.handoff.prompts import EDITS, Prompt, find_stems, is_thanks
from hookline.handoff.task import THEN, Task, has_edits
from hookline.handoff.work import Files, find_commits, pair_calls
from hookline.language.dialogue import is_result, label_message
from hookline.language.segment import is_heading, is_item, split_clauses, split_sentences, strip_marks
from hookline.lazy import re

_LABEL = re.compile(
    r"(?i)^(?:the )?(?P<next>next(?: steps?)?|remaining(?: work| steps)?|to ?do|(?:what is "
    r"|what's )?left(?: to do)?)(?: is| are)?\s*[:\u2013\u2014]\s*(?P<text>.*)$|^(?P<blockers>blockers?"
    r"|blocked(?: by| on)?)\s*[:\u2013\u2014]\s*(?P<what>.*)$"
)
_NONE = re.compile(
    r"(?i)^(?:none|nothing|n/?a\b|no(?:\W*$| (?:blockers?|more|open|known|next|further)\b)|-+$)"
)
_INLINE_LABEL = re.compile(
    r"(?i)^(?:next(?: steps?)?|als nächstes|nächste\w* schritte?|noch offen|remaining(?: \w+)?|to ?do"
    r"|left(?: to do)?|(?:still )?open|up next|missing|what(?:'s| is) \w+)\s*[:\u2013\u2014]\s*"
)

_ONLY = re.compile(
    r"(?i)only\b.*\b(?:left|missing|remains?|open)\b|(?:what(?:'s| is) )?(?:left|missing|open|remaining)\b"
    r"|.*\bremains?\W*$"
)
"""Sentences that tell all that is left."""
_DENIES = re.compile(r"(?i)\b(?:not|no|never|skip|drop|without|forget)\b|n't\b")
_SHARED_WORDS = 2
"""Words that a denial and a step have in common."""
_MAX_ACKNOWLEDGEMENT = 20
"""Words of an answer that only agrees with the person."""
_JOINT = re.compile(r"(?<=[,;:.!?])\s|\s[\u2013\u2014&+-]\s|\b(?:and|then)\b")
"""Separators of the parts of a request."""
_REFERS, _SHORT = re.compile(r"(?i).*\b(?:it|that|this|them|these|here|more|one|task|please)\b"), 4
"""Short parts that name no subject, and the number of their words."""
UNREPORTED = "not mentioned in the agent's reports: "
UNSTATED = "not stated; last words: "
"""Text before last words that announce nothing."""
_LAST_SENTENCES, _MAX_SENTENCES = 2, 6
"""Sentences taken from the end of a text that announces nothing, and at most of any text."""


def find_next(entries: Sequence[TranscriptEntry], task: Task) -> tuple[str, ...]:
    """Return the person's last words that the agent has not answered, and the open work in the agent's."""
    number, text = find_last_text(entries, task)
    later = find_unanswered(task, number)
    steps = find_steps(text)
    kept = [step for step in steps if not rejects(later, step)]
    failed = find_failed(entries[task.start :]) if steps or later else ()
    return tuple(dict.fromkeys((*(prompt.text for prompt in later), *kept, *failed)))


def find_unanswered(task: Task, number: int) -> list[Prompt]:
    """Return the prompts since the task and the agent's text at *number* that are more than a reply."""
    start = max(number, task.start)
    return [prompt for prompt in task.prompts if prompt.number > start and prompt.kind != "reply"]


def find_last_text(entries: Sequence[TranscriptEntry], task: Task) -> tuple[int, str]:
    """Return the position and the text of the agent's last words since the task, without courtesies."""
    texts = [
        (number, entry.text)
        for number, entry in enumerate(entries)
        if number > task.start
        and isinstance(entry, Message)
        and entry.by == "agent"
        and any(label != "other" for _, label in label_message(entry.text))
    ]
    if len(texts) > 1 and (_acknowledges(entries, task, *texts[-2:]) or _continues(*texts[-2:])):
        return texts[-1][0], "\n".join((texts[-2][1], texts[-1][1]))
    return texts[-1] if texts else (task.start, "")


def _acknowledges(
    entries: Sequence[TranscriptEntry], task: Task, before: tuple[int, str], last: tuple[int, str]
) -> bool:
    """Return whether a short text without an edit only answers a reply or choice of the person."""
    prompts = [prompt for prompt in task.prompts if before[0] < prompt.number < last[0]][-1:]
    is_short = len(last[1].split()) <= _MAX_ACKNOWLEDGEMENT and not find_steps(last[1])
    answers = any(prompt.kind in ("reply", "choice") for prompt in prompts)
    return is_short and answers and not has_edits(entries[prompts[0].number + 1 :])


def _continues(before: tuple[int, str], last: tuple[int, str]) -> bool:
    """Return whether the *last* text directly follows a labelled next step, and reports no result."""
    is_next = last[0] == before[0] + 1 and not is_result(label_message(last[1]))
    return is_next and any(label == "next" for label, _ in find_labelled(before[1]))


def is_obsolete(todo: str, task: Task, entries: Sequence[TranscriptEntry]) -> bool:
    """Return whether the person rejected a todo, or its list is older than the task or a report about it."""
    lists = [at for at, entry in enumerate(entries) if isinstance(entry, ToolUse) and entry.kind == "todo"]
    words, rejected = find_stems(todo), rejects(task.prompts[1:], todo)
    if not lists or not words or rejected:
        return rejected
    if lists[-1] <= task.start:
        return not words & find_stems(task.text)
    later = entries[lists[-1] :]
    texts = [entry.text for entry in later if isinstance(entry, Message) and entry.by == "agent"]
    committed = any(words <= find_stems(subject) for subject in find_commits(later))
    return committed or any(reports_done(todo, text) for text in texts) or excludes(todo, "".join(texts[-1:]))


def rejects(prompts: Sequence[Prompt], step: str) -> bool:
    """Return whether a clause of the person denies what a step is about."""
    words = find_stems(step)
    texts = [prompt.text for prompt in prompts if prompt.kind not in ("task", "addition")]
    clauses = [one for text in texts for one in split_clauses(text) if _DENIES.search(one)]
    return any(0 < min(_SHARED_WORDS, len(words)) <= len(words & find_stems(clause)) for clause in clauses)


def reports_done(todo: str, text: str) -> bool:
    """Return whether a sentence of the agent that tells no open work is about a todo."""
    words = find_stems(todo)
    told = [label for sentence, label in label_message(text) if words <= find_stems(sentence)]
    return "done" in told or ("other" in told and len(words) > 1)


def excludes(todo: str, text: str) -> bool:
    """Return whether the agent tells all that is left, and a todo is not part of it."""
    tells_all = any(map(_ONLY.match, split_sentences(text)))
    return tells_all and not find_stems(todo) & find_stems(text)


def find_rest(entries: Sequence[TranscriptEntry], task: Task, files: Files) -> tuple[str, ...]:
    """Return last words that are not a result, a failed command, else changes, else the last words."""
    text = find_last_text(entries, task)[1]
    names = ", ".join(list(files.changed)[-SHOWN_FILES:])
    uses_git = any(isinstance(entry, ToolUse) and "git " in entry.command for entry in entries)
    accepted = not uses_git and any(is_thanks(prompt.text) for prompt in task.prompts[-1:])
    changes = (f"check and commit the changes in {names}",) if names and not accepted else ()
    words = () if task.is_question else _quote(text)
    told = find_unreported(entries, task) if is_result(label_message(text)) else words
    request = (task.text,) if task.text and not task.is_question else ()
    return (*told, *find_failed(entries[task.start :])) or changes or words or request


def find_unreported(entries: Sequence[TranscriptEntry], task: Task) -> tuple[str, ...]:
    """Return the parts of the request that the agent names in no report, commit or edited file."""
    since = entries[task.start + 1 :]
    messages = [entry.text for entry in since if isinstance(entry, Message) and entry.by == "agent"]
    texts = [text for message in messages for text, label in label_message(message) if label != "open"]
    paths = [entry.path for entry in since if isinstance(entry, ToolUse) and entry.kind in EDITS]
    told = find_stems(split_identifiers(" ".join((*texts, *paths, *find_commits(since)))))
    words = _find_parts(task.text)
    missing = [part for part, own in words.items() if own and not own & told]
    has_some = any(own & told for own in words.values())
    return (f"{UNREPORTED}{'; '.join(missing)}",) if missing and has_some else ()


def _find_parts(request: str) -> dict[str, set[str]]:
    """Return the parts of a request, each with the words that no other part has, or else all its words."""
    parts = [part.strip(" .,;:!?") for prompt in request.split(THEN) for part in _split_parts(prompt)]
    kept = [part for part in parts if len(part.split()) > _SHORT or not _REFERS.match(part)]
    stems = [{one for one in find_stems(split_identifiers(part)) if len(one) > 1} for part in kept]
    counts = Counter(one for some in stems for one in some)
    own = ({one for one in some if counts[one] == 1} or some for some in stems)
    return dict(zip(kept, own, strict=True))


def _split_parts(prompt: str) -> list[str]:
    """Return the parts of a prompt without a single word before them, such as `good`."""
    first, *others = _JOINT.split(prompt)
    return [first, *others] if len(first.split()) > 1 or not others else others


def find_unread(entries: Sequence[TranscriptEntry], task: Task, todo: str = "") -> tuple[str, ...]:
    """Return an open todo, after last words that tell no known result and are newer than its list."""
    number, text = find_last_text(entries, task)
    lists = [at for at, entry in enumerate(entries) if isinstance(entry, ToolUse) and entry.kind == "todo"]
    is_newer = bool(lists) and lists[-1] < number and not is_result(label_message(text))
    return (*(_quote(text) if is_newer else ()), todo) if todo else ()


def _quote(text: str) -> tuple[str, ...]:
    words = " ".join(sentence for sentence, _ in label_message(text)[-_LAST_SENTENCES:])
    return (f"{UNSTATED}{words}",) if words else ()


def find_failed(entries: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    calls = [(use, result) for use, result in pair_calls(entries) if use.command]
    if not calls or not calls[-1][1].error:
        return ()
    return (f"`{calls[-1][0].command}` failed last: {first_line(calls[-1][1].error)}",)


def find_steps(text: str) -> tuple[str, ...]:
    """Return the steps that a text of the agent names, announces or leaves open."""
    named = [step for label, step in find_labelled(text) if label == "next"]
    told = [sentence for sentence, label in label_message(text) if label == "open" and len(sentence) > _SHORT]
    return tuple(dict.fromkeys(named or (_INLINE_LABEL.sub("", step) for step in told)))[:_MAX_SENTENCES]


def find_labelled(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts after labels such as `Next step:` and `Blockers:`, on that line or in the list below."""
    label = ""
    for line in text.splitlines():
        plain = strip_marks(line)
        match = _LABEL.search(f"{plain.rstrip(':')}:" if is_heading(line) else plain)
        if match:
            label = "next" if match["next"] else "blockers"
            plain = (match["text"] if match["next"] else match["what"]).strip()
        elif not plain or not (label and is_item(line)):
            label = label if label and not plain else ""
            continue
        if plain and not _NONE.search(plain):
            yield label, plain
