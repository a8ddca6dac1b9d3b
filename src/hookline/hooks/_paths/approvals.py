"""Approvals by a person: paths asked about, paths granted and how, and approvals already used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.response import Response, remember
from hookline.core.state import State
from hookline.hooks._paths import consent
from hookline.hooks._paths.spelling import absolute, segments

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
        return _granted(consent.approved(event.prompt, known), "prompt", event, state)
    return _granted(consent.answered(event.input, event.output, known), "answer", event, state)


def _unanswered(event: PreToolUse, state: State) -> Response | None:
    if not event.call or consent.has_answers(event.input):
        return None
    return remember(**{QUESTIONS: [*_texts(state.memory.get(QUESTIONS)), event.call][-_MOST:]})


def _answered_by_person(event: PostToolUse, state: State) -> bool:
    """Return whether the host got the answers; some hosts add them to the input, which the agent writes."""
    if event.kind != "question" or not event.success:
        return False
    return not consent.has_answers(event.input) or event.call in _texts(state.memory.get(QUESTIONS))


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
