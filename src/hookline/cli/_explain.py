"""Explanations of verdicts: recorded hook calls, reasons drawn as a tree, and secrets masked.

Redaction alone misses a secret that a command line assembles from variables. A mask hides every piece of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from rich.tree import Tree

from hookline.cli._output import sanitize
from hookline.core.events import Event
from hookline.core.explanation import Branch, Judgement, branch, walk_branches
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed
from hookline.core.outcome import Outcome, Step
from hookline.core.state import State
from hookline.core.values import replace
from hookline.redact import find_secrets

Mask = Callable[[str], str]
PIECE_LENGTH = 8
"""Characters of a secret in a row that must not be shown."""
_MARK = "[redacted]"


def build_mask(source: str) -> Mask:
    """Return a function that hides every piece of the secrets in *source*."""
    values = [source[match.start : match.end] for match in find_secrets(source)]
    pieces = frozenset(piece for value in values for piece in _split_pieces(value))
    return lambda text: _hide_pieces(text, pieces)


def _split_pieces(value: str) -> Iterator[str]:
    yield from (value[start : start + PIECE_LENGTH] for start in range(max(1, len(value) - PIECE_LENGTH + 1)))


def _hide_pieces(text: str, pieces: frozenset[str]) -> str:
    hidden: set[int] = set()
    for length in {len(piece) for piece in pieces}:
        starts = (start for start in range(len(text) - length + 1) if text[start : start + length] in pieces)
        hidden.update(index for start in starts for index in range(start, start + length))
    runs = groupby(range(len(text)), key=hidden.__contains__)
    return "".join(_MARK if hide else "".join(text[start] for start in run) for hide, run in runs)


def mask_branch(node: Branch, hide: Mask) -> Branch:
    below = tuple(mask_branch(inner, hide) for inner in node.below)
    return replace(node, text=hide(node.text), because=hide(node.because), below=below)


def mask_outcome(outcome: Outcome, hide: Mask) -> Outcome:
    return replace(
        outcome,
        blocked=_mask_optional(outcome.blocked, hide),
        asked=_mask_optional(outcome.asked, hide),
        allowed=_mask_optional(outcome.allowed, hide),
        context=tuple(map(hide, outcome.context)),
        held_context=tuple(map(hide, outcome.held_context)),
        warnings=tuple(map(hide, outcome.warnings)),
        trail=tuple(_mask_step(step, hide) for step in outcome.trail),
    )


def _mask_optional(text: str | None, hide: Mask) -> str | None:
    return None if text is None else hide(text)


def _mask_step(step: Step, hide: Mask) -> Step:
    return replace(step, reason=hide(step.reason), note=hide(step.note))


MAX_BRANCHES = 20
"""Branches drawn below one node; those with a verdict are preferred."""
MAX_LENGTH = 200
"""Characters of a branch."""
_WORDS: Mapping[Judgement, str] = {
    "block": "blocks",
    "ask": "asks",
    "warn": "warns",
    "modify": "modifies",
    "allow": "allows",
    "excepted": "exempt",
    "off": "off",
}
_COLOURS: Mapping[Judgement, str] = {
    "block": "bold red",
    "ask": "yellow",
    "warn": "yellow",
    "modify": "cyan",
    "allow": "green",
    "excepted": "green",
}


def draw_tree(title: str, branches: Sequence[Branch]) -> Tree:
    """Return the *branches* below their *title* as a tree of rich."""
    root = Tree(Text(title, "bold"), guide_style="dim")
    _add_branches(root, branches)
    return root


def _add_branches(tree: Tree, branches: Sequence[Branch]) -> None:
    selected = _select_branches(branches)
    for node in selected:
        _add_branches(tree.add(Text(_format_branch(node), _COLOURS.get(node.judgement, ""))), node.below)
    if len(selected) < len(branches):
        tree.add(Text(f"… and {len(branches) - len(selected):,} more", "dim"))


def _select_branches(branches: Sequence[Branch]) -> list[Branch]:
    if len(branches) <= MAX_BRANCHES:
        return list(branches)
    with_verdict = [
        index
        for index, node in enumerate(branches)
        if any(inner.judgement for inner in walk_branches([node]))
    ]
    preferred = dict.fromkeys((*with_verdict, *range(len(branches))))
    return [branches[index] for index in sorted(list(preferred)[:MAX_BRANCHES])]


def _format_branch(node: Branch) -> str:
    verdict = _WORDS.get(node.judgement, "")
    because = f": {node.because}" if node.because else ""
    text = sanitize(f"{node.text}{f' · {verdict}' if verdict else ''}{because}")
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"


INDENT = "  "


def underline(text: str, span: tuple[int, int] | None) -> "Text":
    """Return *text*, indented, with carets under the characters of *span*."""
    start, end = _clamp(text, span)
    result, offset = Text(), 0
    for line in text.split("\n"):
        low, high = max(start - offset, 0), min(end - offset, len(line))
        result.append(INDENT).append(_highlight(line, low, high)).append("\n")
        if low < high:
            padding = " " * _width(line[:low])
            result.append(f"{INDENT}{padding}{'^' * _width(line[low:high])}\n", "bold red")
        offset += len(line) + 1
    return result


def _clamp(text: str, span: tuple[int, int] | None) -> tuple[int, int]:
    start, end = span or (0, 0)
    return max(start, 0), min(end, len(text))


def _highlight(line: str, low: int, high: int) -> "Text":
    styled = Text(sanitize(line))
    if low < high:
        styled.stylize("bold red", low, high)
    return styled


def _width(text: str) -> int:
    """Return the columns on a terminal: some characters take two, some none."""
    return cell_len(sanitize(text))


Branches = tuple[Branch, ...]
_UNANSWERED = ("failed", "timed-out")


class HookCall(NamedTuple):
    hook: Hook
    event: Event
    state: State


class CallRecorder:
    """Records the arguments of each hook call, in order."""

    def __init__(self) -> None:
        self._calls: dict[str, list[HookCall]] = {}

    def wrap(self, hook: Hook) -> Hook:
        """Return the same hook, with its calls recorded."""

        def judge(event: Event, state: State, *more: Any, **settings: Any) -> Any:
            len(state.memory)  # read now, because the hook did not see what its answer adds
            self._calls.setdefault(hook.name, []).append(HookCall(hook, event, state))
            return hook.judge(event, state, *more, **settings)

        return replace(hook, judge=judge) if hook.why is not None else hook

    def explain(self, trail: Iterable[Step]) -> list[tuple[Step, Branches]]:
        """Return each step of the *trail* with its explanation; empty if the hook has none."""
        remaining = {name: iter(calls) for name, calls in self._calls.items()}
        return [(step, _explain_step(step, remaining.get(step.hook, iter(())))) for step in trail]


def _explain_step(step: Step, calls: Iterator[HookCall]) -> Branches:
    call = None if step.action == "skipped" else next(calls, None)
    if call is None or call.hook.why is None or step.action in _UNANSWERED:
        return ()
    try:
        return tuple(call.hook.why(call.event, call.state, **call.hook.settings))
    except (HookFailed, TimeoutError) as error:
        return (branch(f"no explanation: {error}"),)
