"""Hide what a verdict tells of the secrets in what was judged.

What a command line puts together out of its variables no longer looks like the secret that it came from, so
that redaction alone would not know it.
"""

from collections.abc import Callable, Iterator
from itertools import groupby

from hookline.outcome import Outcome, Step
from hookline.redact import find
from hookline.values import replace
from hookline.why import Branch

Mask = Callable[[str], str]
PIECE = 8
"""Characters in a row that tell something of a secret."""
_MARK = "[redacted]"


def mask(judged: str) -> Mask:
    """What hides every piece of the secrets in *judged*."""
    values = [judged[one.start : one.end] for one in find(judged)]
    pieces = frozenset(piece for value in values for piece in _pieces(value))
    return lambda text: _without(text, pieces)


def _pieces(value: str) -> Iterator[str]:
    yield from (value[at : at + PIECE] for at in range(max(1, len(value) - PIECE + 1)))


def _without(text: str, pieces: frozenset[str]) -> str:
    hidden: set[int] = set()
    for length in {len(piece) for piece in pieces}:
        starts = (at for at in range(len(text) - length + 1) if text[at : at + length] in pieces)
        hidden.update(place for at in starts for place in range(at, at + length))
    runs = groupby(range(len(text)), key=hidden.__contains__)
    return "".join(_MARK if hide else "".join(text[at] for at in run) for hide, run in runs)


def hidden_in_branch(one: Branch, hide: Mask) -> Branch:
    below = tuple(hidden_in_branch(inner, hide) for inner in one.below)
    return replace(one, text=hide(one.text), because=hide(one.because), below=below)


def hidden_in_outcome(outcome: Outcome, hide: Mask) -> Outcome:
    return replace(
        outcome,
        blocked=_maybe(outcome.blocked, hide),
        asked=_maybe(outcome.asked, hide),
        allowed=_maybe(outcome.allowed, hide),
        context=tuple(map(hide, outcome.context)),
        kept=tuple(map(hide, outcome.kept)),
        warnings=tuple(map(hide, outcome.warnings)),
        trail=tuple(_step(step, hide) for step in outcome.trail),
    )


def _maybe(text: str | None, hide: Mask) -> str | None:
    return None if text is None else hide(text)


def _step(step: Step, hide: Mask) -> Step:
    return replace(step, reason=hide(step.reason), note=hide(step.note))
