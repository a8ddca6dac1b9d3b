"""Approvals of a person: what was asked, what was granted and by which yes, and what has been used up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.response import Response, remember
from hookline.core.state import State
from hookline.hooks._paths import consent
from hookline.hooks._paths.spelling import absolute, segments

ASKED = "privacy-block.asked"
GRANTED = "privacy-block.granted"
USED = ("privacy-block.used", "scout-block.used")
_MOST = 50
"""Of each that a session remembers."""


class Approval(NamedTuple):
    id: str
    path: str
    how: str
    """By which yes."""


def asked(paths: Iterable[str], state: State) -> Response:
    """Remember what a person has to be asked about, so that their yes is understood."""
    known = list(_texts(state.memory.get(ASKED)))
    return remember(**{ASKED: list(dict.fromkeys([*known, *paths]))[-_MOST:]})


def heard(event: UserPromptSubmit | PostToolUse, state: State) -> Response | None:
    """What a person's words grant; helpers and background results are no persons."""
    if event.subagent is not None:
        return None
    if isinstance(event, PostToolUse) and (event.kind != "question" or not event.success):
        return None
    known = _texts(state.memory.get(ASKED))
    if isinstance(event, UserPromptSubmit):
        return _granted(consent.approved(event.prompt, known), "prompt", event, state)
    return _granted(consent.answered(event.input, event.output, known), "answer", event, state)


def _granted(
    paths: Sequence[str], how: str, event: UserPromptSubmit | PostToolUse, state: State
) -> Response | None:
    if not paths:
        return None
    at = event.at or state.now
    new = [{"id": f"{how}:{at:.6f}:{path}", "path": path, "how": how} for path in paths]
    return remember(**{GRANTED: [*_entries(state.memory.get(GRANTED)), *new][-_MOST:]})


def approval(path: str, event: PreToolUse, state: State, taken: Iterable[str] = ()) -> Approval | None:
    """A yes for *path* that has not been used up yet, nor is *taken* for another path of the same call."""
    used = {*taken, *(one for key in USED for one in _texts(state.memory.get(key)))}
    for one in _known(state):
        if one.id not in used and _covers(one.path, path, event.cwd or state.root, state.home):
            return one
    return None


def approvals(paths: Iterable[str], event: PreToolUse, state: State) -> dict[str, Approval | None]:
    """A yes for each of the *paths*, or None."""
    found: dict[str, Approval | None] = {}
    for path in dict.fromkeys(paths):
        taken = [one.id for one in found.values() if one is not None]
        found[path] = approval(path, event, state, taken)
    return found


def used(approvals: Iterable[Approval], key: str, state: State) -> Response:
    """Use them up: each counts once."""
    return remember(**{key: [*_texts(state.memory.get(key)), *(one.id for one in approvals)][-4 * _MOST :]})


def _known(state: State) -> Iterable[Approval]:
    for one in _entries(state.memory.get(GRANTED)):
        yield Approval(one["id"], one["path"], str(one.get("how", "")))
    for one in state.facts.get("approvals", ()):
        if one["until"] > state.now:
            yield Approval(one["id"], one["path"], "terminal")


def _covers(granted: str, path: str, cwd: str, home: str) -> bool:
    """Whether a yes to *granted*, a path or the end of one, is a yes to *path*."""
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
