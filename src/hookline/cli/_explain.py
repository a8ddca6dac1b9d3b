"""Explanations of verdicts: recorded hook calls, reasons drawn as a tree, and secrets masked.

A value that a command line assembles from variables no longer looks like the secret that it came from, so
redaction alone would miss it; a mask hides every piece of a secret.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from rich.tree import Tree

from hookline.cli._output import visible
from hookline.core.events import Event
from hookline.core.explanation import Branch, Said, branch, walked
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed
from hookline.core.outcome import Outcome, Step
from hookline.core.state import State
from hookline.core.values import replace
from hookline.redact import find

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


MOST = 20
"""Branches of one that are drawn; those that say something go first."""
LONGEST = 200
"""Characters of a branch."""
_WORDS: Mapping[Said, str] = {
    "block": "blocks",
    "ask": "asks",
    "warn": "warns",
    "modify": "changes it",
    "allow": "allows",
    "excepted": "excepted",
    "off": "off",
}
_COLOURS: Mapping[Said, str] = {
    "block": "bold red",
    "ask": "yellow",
    "warn": "yellow",
    "modify": "cyan",
    "allow": "green",
    "excepted": "green",
}


def drawn(title: str, branches: Sequence[Branch]) -> Tree:
    """The *branches* below their *title*, for a terminal or a pipe."""
    root = Tree(Text(title, "bold"), guide_style="dim")
    _grow(root, branches)
    return root


def _grow(tree: Tree, branches: Sequence[Branch]) -> None:
    shown = _chosen(branches)
    for one in shown:
        _grow(tree.add(Text(_line(one), _COLOURS.get(one.said, ""))), one.below)
    if len(shown) < len(branches):
        tree.add(Text(f"… and {len(branches) - len(shown):,} more", "dim"))


def _chosen(branches: Sequence[Branch]) -> list[Branch]:
    if len(branches) <= MOST:
        return list(branches)
    telling = [number for number, one in enumerate(branches) if any(inner.said for inner in walked([one]))]
    first = dict.fromkeys((*telling, *range(len(branches))))
    return [branches[number] for number in sorted(list(first)[:MOST])]


def _line(one: Branch) -> str:
    said = _WORDS.get(one.said, "")
    because = f": {one.because}" if one.because else ""
    text = visible(f"{one.text}{f' · {said}' if said else ''}{because}")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


INDENT = "  "


def underlined(text: str, span: tuple[int, int] | None) -> "Text":
    """*text*, indented, with carets under the characters of *span*; in colour where there is any."""
    start, end = _within(text, span)
    shown, at = Text(), 0
    for line in text.split("\n"):
        low, high = max(start - at, 0), min(end - at, len(line))
        shown.append(INDENT).append(_marked(line, low, high)).append("\n")
        if low < high:
            room = " " * _width(line[:low])
            shown.append(f"{INDENT}{room}{'^' * _width(line[low:high])}\n", "bold red")
        at += len(line) + 1
    return shown


def _within(text: str, span: tuple[int, int] | None) -> tuple[int, int]:
    start, end = span or (0, 0)
    return max(start, 0), min(end, len(text))


def _marked(line: str, low: int, high: int) -> "Text":
    marked = Text(visible(line))
    if low < high:
        marked.stylize("bold red", low, high)
    return marked


def _width(text: str) -> int:
    """Columns on a terminal: some characters take two, some none."""
    return cell_len(visible(text))


Branches = tuple[Branch, ...]
_UNANSWERED = ("failed", "timed-out")


class Question(NamedTuple):
    hook: Hook
    event: Event
    state: State


class Asked:
    """What each hook was asked, in order."""

    def __init__(self) -> None:
        self._asked: dict[str, list[Question]] = {}

    def watched(self, hook: Hook) -> Hook:
        """The same hook, whose questions are kept."""

        def judge(event: Event, state: State, *more: Any, **settings: Any) -> Any:
            len(state.memory)  # fetched now: what the answer adds to it was not known to the hook
            self._asked.setdefault(hook.name, []).append(Question(hook, event, state))
            return hook.judge(event, state, *more, **settings)

        return replace(hook, judge=judge) if hook.why is not None else hook

    def explained(self, trail: Iterable[Step]) -> list[tuple[Step, Branches]]:
        """Each step of the *trail*, and why it came about; empty where nobody can tell."""
        left = {name: iter(asked) for name, asked in self._asked.items()}
        return [(step, _tree(step, left.get(step.hook, iter(())))) for step in trail]


def _tree(step: Step, asked: Iterator[Question]) -> Branches:
    question = None if step.said == "skipped" else next(asked, None)
    if question is None or question.hook.why is None or step.said in _UNANSWERED:
        return ()
    try:
        return tuple(question.hook.why(question.event, question.state, **question.hook.settings))
    except (HookFailed, TimeoutError) as error:
        return (branch(f"why is not known: {error}"),)
