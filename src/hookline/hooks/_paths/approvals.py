"""Approvals by a person: paths asked about, paths granted and how, and approvals already used.

A prompt or an answer to the host's question approves a path. In doubt, nothing is approved: not by a
question, a condition, a quotation, or a clause with a negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.response import Response, remember
from hookline.core.state import State
from hookline.hooks._paths.spelling import absolute, segments
from hookline.hooks._paths.tool_fields import PREFIX
from hookline.lazy import re
from hookline.shell.options import word_set

ASKED = "privacy-block.asked"
QUESTIONS = "privacy-block.questions"
GRANTED = "privacy-block.granted"
USED = ("privacy-block.used", "scout-block.used")
_MOST = 50
"""Maximum number of entries that a session keeps of each kind."""


class Approval(NamedTuple):
    id: str
    path: str
    how: str
    """The source of the approval: "prompt", "answer" or "terminal"."""


def asked(paths: Iterable[str], state: State) -> Response:
    """Record the paths that a person is asked about, so that their answer can be matched."""
    known = list(_texts(state.memory.get(ASKED)))
    return remember(**{ASKED: list(dict.fromkeys([*known, *paths]))[-_MOST:]})


def heard(event: UserPromptSubmit | PreToolUse | PostToolUse, state: State) -> Response | None:
    """Record the paths that a person's prompt or answer approves, and the questions without an answer.

    Prompts and results of subagents do not count.
    """
    if event.subagent is not None:
        return None
    if isinstance(event, PreToolUse):
        return _unanswered(event, state)
    if isinstance(event, PostToolUse) and not _answered_by_person(event, state):
        return None
    known = _texts(state.memory.get(ASKED))
    if isinstance(event, UserPromptSubmit):
        return _granted(approved(event.prompt, known), "prompt", event, state)
    return _granted(answered(event.input, event.output, known), "answer", event, state)


def _unanswered(event: PreToolUse, state: State) -> Response | None:
    if not event.call or has_answers(event.input):
        return None
    return remember(**{QUESTIONS: [*_texts(state.memory.get(QUESTIONS)), event.call][-_MOST:]})


def _answered_by_person(event: PostToolUse, state: State) -> bool:
    """Return whether the host got the answers; some hosts add them to the input, which the agent writes."""
    if event.kind != "question" or not event.success:
        return False
    return not has_answers(event.input) or event.call in _texts(state.memory.get(QUESTIONS))


def _granted(
    paths: Sequence[str], how: str, event: UserPromptSubmit | PostToolUse, state: State
) -> Response | None:
    if not paths:
        return None
    at = event.at or state.now
    new = [{"id": f"{how}:{at:.6f}:{path}", "path": path, "how": how} for path in paths]
    return remember(**{GRANTED: [*_entries(state.memory.get(GRANTED)), *new][-_MOST:]})


def approval(path: str, event: PreToolUse, state: State, taken: Iterable[str] = ()) -> Approval | None:
    """Return an unused approval of *path* that is not *taken* for another path of the same call."""
    used = {*taken, *(one for key in USED for one in _texts(state.memory.get(key)))}
    for one in _known(state):
        if one.id not in used and _covers(one.path, path, event.cwd or state.root, state.home):
            return one
    return None


def approvals(paths: Iterable[str], event: PreToolUse, state: State) -> dict[str, Approval | None]:
    """Return an approval, or None, for each of the *paths*."""
    found: dict[str, Approval | None] = {}
    for path in dict.fromkeys(paths):
        taken = [one.id for one in found.values() if one is not None]
        found[path] = approval(path, event, state, taken)
    return found


def used(approvals: Iterable[Approval], key: str, state: State) -> Response:
    """Mark the *approvals* as used; each counts once."""
    return remember(**{key: [*_texts(state.memory.get(key)), *(one.id for one in approvals)][-4 * _MOST :]})


def _known(state: State) -> Iterable[Approval]:
    for one in _entries(state.memory.get(GRANTED)):
        yield Approval(one["id"], one["path"], str(one.get("how", "")))
    for one in state.facts.get("approvals", ()):
        if one["until"] > state.now:
            yield Approval(one["id"], one["path"], "terminal")


def _covers(granted: str, path: str, cwd: str, home: str) -> bool:
    """Return whether an approval of *granted*, a path or the end of one, covers *path*."""
    whole = segments(absolute(path, cwd, home))
    if granted.startswith(("/", "~", "..")) or granted[1:3] in (":\\", ":/"):
        return segments(absolute(granted, cwd, home)) == whole
    end = segments(granted)
    return bool(end) and whole[-len(end) :] == end


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


def _entries(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list | tuple):
        return []
    return [one for one in value if isinstance(one, Mapping) and {"id", "path"} <= set(one)]


LONGEST = 20_000
"""Maximum length in characters of a prompt that can approve a path; a longer one was not typed for that."""
_YES = re.compile(r"\b(?:yes|ok|okay|approved?|allow(?:ed)?|go\s+ahead)\b", re.IGNORECASE)
_ONLY_YES = re.compile(
    r"(?:\W*\b(?:yes|ok|okay|approved?|allowed|go\s+ahead|sure|fine|please|you\s+may|you\s+can|do\s+it)\b)+\W*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no|not|never|nor|neither|none|nothing|don'?t|doesn'?t|didn'?t|won'?t|can'?t|cannot|mustn'?t|shouldn'?t"
    r"|isn'?t|aren'?t|wasn'?t|without|except|excluding|besides|deny|denied|denies|refuse[ds]?|reject(?:ed)?|stop"
    r"|forbid(?:den)?|disallow(?:ed)?|disapproved?|instead|rather|avoid|skip|leave|keep\s+(?:out|away)|hands\s+off"
    r"|revoked?|cancel(?:led)?|wait|anything\s+but|other\s+than)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|until|whether|when|once|after|before|provided)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:read|open|view|show|see|look|print|cat|load|use|using|access|edit|write|change|update|modify|check|inspect"
    r"|search|copy|fill|approve|allow|touch|retry)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    rf"\W*(?:please\s+|just\s+)?(?:you\s+(?:may|can)\s+(?:now\s+)?)?(?:{_VERB.pattern})", re.IGNORECASE
)
"""Clause that names the object of an approval after it: `you may read .env, approved`."""
_SMALL = word_set("the file files and both is are fine good too please for to") | {""}
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(r",\s|;|\s[–—-]\s|\b(?:but|however|although|though|yet)\b", re.IGNORECASE)
_EDGE = " \t\"'`“”‘’()[]{}<>*,;:!?"
_PATHLIKE = re.compile(r"[./\\_]")
_LONGEST_ANSWER = 300


def approved(prompt: str, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that a person's *prompt* approves: those *asked* about, and all that it names."""
    if len(prompt) > LONGEST or prompt.lstrip().startswith("<"):
        return ()
    found: dict[str, None] = {}
    agreed = False
    for sentence in _sentences(prompt):
        if sentence.endswith("?") or _CONDITION.search(sentence):
            agreed = False
            continue
        offered = ""
        for clause in _CLAUSE.split(sentence):
            if _NO.search(clause):
                agreed, offered = False, ""
                continue
            only = _ONLY_YES.fullmatch(clause) is not None
            if _YES.search(clause) or (agreed and (_VERB.search(clause) or _only_path(clause))):
                found |= dict.fromkeys(mentioned(offered if only else clause, asked))
            agreed, offered = agreed or only, clause if _OFFER.match(clause) else ""
    return _apart(found)


def _only_path(clause: str) -> bool:
    """Return whether the clause only names paths: `.env`, `the .env file is fine`."""
    words = [_bare(word) for word in clause.split()]
    return all(_PATHLIKE.search(word) or word.lower() in _SMALL for word in words)


def _apart(paths: Iterable[str]) -> tuple[str, ...]:
    """Return *paths* without those that are the end of another one, because each approval is for one file."""
    every = {path: segments(path) for path in paths}
    return tuple(
        path
        for path, names in every.items()
        if not any(len(other) > len(names) and other[-len(names) :] == names for other in every.values())
    )


def _sentences(prompt: str) -> Iterator[str]:
    """Yield the person's own sentences, without quotations and fenced code."""
    own, fenced = list[str](), False
    for line in prompt.replace("’", "'").split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            own.append(line)
    yield from (text.strip() for text in _SENTENCE.split("\n".join(own)) if text.strip())


def mentioned(text: str, asked: Sequence[str]) -> Iterator[str]:
    """Yield the paths in *text*: words that look like one, or that name the path *asked* about last."""
    words = [_bare(word) for word in text.split()]
    yield from (word for word in words if _PATHLIKE.search(word) and segments(word))
    plain = {word.lower() for word in words if not _PATHLIKE.search(word)}
    yield from [path for path in asked if plain.intersection(segments(path)[-1:])][-1:]


def _bare(word: str) -> str:
    return word.strip(_EDGE).removesuffix(".").removeprefix(PREFIX).rstrip(_EDGE)


def answered(given: Mapping[str, Any], output: Any, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that a person approved in answers to the host's questions.

    The agent writes the questions. Only answers reported by the host count, and only to a question about an
    action on the path.
    """
    found: dict[str, None] = {}
    for question, answer in _pairs(given, output):
        if _VERB.search(question) and not _NO.search(question) and _agrees(answer):
            found |= dict.fromkeys(mentioned(f"{question} {answer}", asked))
    return _apart(found)


def has_answers(given: Mapping[str, Any]) -> bool:
    """Return whether the input of a question has answers, which an agent could have written."""
    return any("answer" in str(key).lower() for key in given)


def _agrees(answer: str) -> bool:
    short = 0 < len(answer) <= _LONGEST_ANSWER and "?" not in answer
    plain = answer.replace("’", "'")
    return short and _YES.search(plain) is not None and not _NO.search(plain) and not _CONDITION.search(plain)


def _pairs(given: Mapping[str, Any], output: Any) -> Iterator[tuple[str, str]]:
    if isinstance(output, Mapping):
        answers = output.get("answers", output.get("answer"))
        if isinstance(answers, Mapping):
            yield from ((str(question), _said(answer)) for question, answer in answers.items())
        elif isinstance(answers, str) and len(questions := list(_questions(given))) == 1:
            yield questions[0], answers
    elif isinstance(output, str):
        questions = list(_questions(given))
        yield from ((one, output) for one in questions if len(questions) == 1 and one not in output)


def _said(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    several = isinstance(answer, Iterable) and not isinstance(answer, Mapping)
    return ", ".join(str(one) for one in answer) if several else ""


def _questions(given: Mapping[str, Any]) -> Iterator[str]:
    for key, value in given.items():
        if isinstance(value, str) and key in ("question", "prompt", "message", "text"):
            yield value
        elif key == "questions" and isinstance(value, Sequence):
            yield from (
                str(one["question"]) for one in value if isinstance(one, Mapping) and "question" in one
            )
