"""The verdict on a request to ship, by the number of changed lines."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.core.events import UserPromptSubmit
from hookline.core.explanation import Branch, branch
from hookline.core.response import Response, block, inject, warn
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hooks._explain import format_count
from hookline.language.pasted_text import join_typed_lines
from hookline.language.ship_requests import find_request
from hookline.lazy import re

_ANYWAY = re.compile(r"^[ \t]*ship anyway:[ \t]*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE)
_LONGEST_REASON = 300


def verdict(prompt: str, state: State, warn_from: int, block_over: int) -> Response | None:
    anyway = find_override(prompt)
    if anyway is None and find_request(prompt) is None:
        return None
    lines = state.facts.get("changed_lines")
    if lines is None:
        return _warn_uncounted() if state.branch else None
    if lines > block_over:
        return _allow_override(lines, anyway) if anyway else _block_large(lines, block_over)
    return _warn_large(lines, block_over) if lines >= warn_from else None


def find_override(prompt: str) -> str | None:
    """Return the reason that the person gives for shipping anyway, or None."""
    found = _ANYWAY.search(prompt) and _ANYWAY.search(join_typed_lines(prompt))
    return None if found is None else found.group(1).strip()[:_LONGEST_REASON]


def _block_large(lines: int, most: int) -> Response:
    return block(
        f"{lines:,} lines have changed, and more than {most:,} are hard to review, so nothing ships yet. "
        "Simplify first: remove what is not needed, or split it into parts that stand alone. "
        "To ship it as it is, the person writes: ship anyway: REASON",
        rule="too-large",
    )


def _warn_large(lines: int, most: int) -> Response:
    return inject(
        f"{lines:,} lines have changed; over {most:,} shipping is held up. Look once more for what can be "
        "simplified or left out before you ship, and say in the summary how large the change is.",
        rule="large",
    )


def _allow_override(lines: int, reason: str) -> Response:
    response = warn(f"simplify-gate let {lines:,} changed lines pass, because: {reason}")
    return replace(response, rule="override", reason=reason)


def _warn_uncounted() -> Response:
    return warn("simplify-gate could not count the changed lines in time, so this is shipped unchecked")


def tree(event: UserPromptSubmit, state: State, *, warn_from: int, block_over: int) -> Iterator[Branch]:
    anyway = find_override(event.prompt)
    request = find_request(event.prompt)
    if request is not None:
        yield branch(f"{request!r}: a request to ship")
    if anyway is not None:
        yield branch("the person writes: ship anyway", because=anyway)
    elif request is None:
        yield branch("nothing in it asks to ship")
        return
    yield _counted(event, state, warn_from, block_over)


def _counted(event: UserPromptSubmit, state: State, warn_from: int, block_over: int) -> Branch:
    """Return the branch for the gate's verdict, with the number of lines."""
    response = verdict(event.prompt, state, warn_from, block_over)
    lines = state.facts.get("changed_lines")
    if lines is None:
        unknown = "the changed lines could not be counted" if state.branch else "this is not a repository"
        return branch(unknown, judgement="warn" if response is not None else "")
    changed = f"{format_count(lines, 'line')} {'has' if lines == 1 else 'have'} changed"
    text = f"{changed}; from {warn_from:,} it warns, over {block_over:,} it blocks"
    if response is None:
        return branch(text)
    if response.verdict == "block":
        return branch(text, judgement="block", rule=response.rule)
    return branch(text, judgement="warn", rule=response.rule, because=response.reason)
