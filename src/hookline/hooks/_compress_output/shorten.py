"""Cut a long text down to head, tail, and every line that looks like an error with its neighbours."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from hookline.core.events import PostToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.frozen import Frozen
from hookline.core.state import State
from hookline.hooks._compress_output.errors import found
from hookline.hooks._explain import count

_ALARM = re.compile(
    "error|fail|fatal|panic|exception|traceback|abort|denied|refused|cannot|can't|undefined|unresolved"
    "|unexpected|not found|no such|assert|segfault|segmentation|core dumped|killed|timed out|timeout|conflict"
    "|err!|✗|✘|×|●|❌"
)
"""Words of alarm in lower case; without a word's edge in front, which makes the search many times faster."""
_RAISED = "E  "
"""How a test runner marks the lines of what went wrong."""
_NONE = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed|conflicts?)\b")
_ENDED_WELL = re.compile(r"\b(?:passed|ok)\s*(?:\[\s*\d+%\])?$")
_LOOKED_AT = 400
"""Characters of a line that are searched for a word of alarm."""
_WIDEST = 500
"""Characters of a line that are shown."""
_MOST_ERRORS = 30


class Limits(Struct, frozen=True, kw_only=True):
    lines: int = 400
    size: int = 32 * 1024
    """Characters."""
    head: int = 60
    tail: int = 100
    around: int = 2
    """Lines before and after one that looks like an error."""

    def exceeded(self, text: str) -> bool:
        return len(text) > self.size or text.count("\n") > self.lines


def shortened(text: str, limits: Limits, whole: str) -> str:
    """*text* within *limits*; *whole* says where all of it lies."""
    lines = text.split("\n")
    shape = _shape(text)
    kept = _kept(lines, shape, limits)
    shown = "\n".join(_told(lines, kept))
    cut = f"{len(lines) - len(kept):,} of {len(lines):,} lines cut ({len(text):,} characters in all)"
    return "\n".join((f"[hookline: {cut}; {whole}]", *shape, shown))


class Shown(NamedTuple):
    """How many lines of a text are shown, and of those how many because they look like an error."""

    lines: int
    alarming: int
    errors: int
    """Of known tools, each in a line of its own on top."""


def shown(text: str, limits: Limits) -> Shown:
    """What `shortened` keeps of *text*."""
    lines = text.split("\n")
    kept = _kept(lines, _shape(text), limits)
    return Shown(len(kept), sum(_alarming(lines[number]) for number in kept), len(found(text)))


def _kept(lines: Sequence[str], shape: Sequence[str], limits: Limits) -> list[int]:
    room = max(limits.size - sum(map(len, shape)) - _OVERHEAD, limits.size // 4)
    return _within(lines, _chosen(lines, limits), room)


_OVERHEAD = 400


def _shape(text: str) -> tuple[str, ...]:
    """The errors of known tools, each in one line of one shape."""
    errors = found(text)
    if not errors:
        return ()
    more = (f"... and {len(errors) - _MOST_ERRORS:,} more",) if len(errors) > _MOST_ERRORS else ()
    return (
        f"[hookline: {len(errors):,} errors]",
        *map(str, errors[:_MOST_ERRORS]),
        *more,
        "[hookline: output]",
    )


def _chosen(lines: Sequence[str], limits: Limits) -> list[int]:
    """The numbers of the lines to show, the most wanted first: end, beginning, alarms, neighbours."""
    last = len(lines)
    wanted = [*range(max(last - limits.tail, 0), last), *range(min(limits.head, last))]
    alarms = [number for number, line in enumerate(lines) if _alarming(line)]
    half = limits.lines // 2
    first = alarms if len(alarms) <= limits.lines else alarms[:half] + alarms[-half:]
    near = [
        n for alarm in first for n in range(alarm - limits.around, alarm + limits.around + 1) if 0 <= n < last
    ]
    return list(dict.fromkeys((*wanted, *first, *near)))[: limits.lines]


def _alarming(line: str) -> bool:
    start = line[:_LOOKED_AT].lower()
    if line.startswith(_RAISED):
        return True
    if _ALARM.search(start) is None or _ENDED_WELL.search(start):
        return False
    return _ALARM.search(_NONE.sub("", start)) is not None


def _within(lines: Sequence[str], wanted: Sequence[int], room: int) -> list[int]:
    """As many of the *wanted* lines as fit into *room* characters, in the order of the text."""
    kept: list[int] = []
    for number in wanted:
        room -= min(len(lines[number]), _WIDEST) + 1
        if room < 0:
            break
        kept.append(number)
    return sorted(kept)


def _told(lines: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    before = -1
    for number in (*kept, len(lines)):
        if number - before > 1:
            gap = number - before - 1
            yield f"[... {gap:,} {'line' if gap == 1 else 'lines'} cut ...]"
        if number < len(lines):
            yield _narrow(lines[number])
        before = number


def _narrow(line: str) -> str:
    if len(line) <= _WIDEST:
        return line
    half = _WIDEST // 2 - 20
    return f"{line[:half]} [... {len(line) - 2 * half:,} characters cut ...] {line[-half:]}"


_DATA = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=_-]{2000}")
_DEEPEST = 6


def fine(text: str, limits: Limits) -> bool:
    """Whether it stays as it is; data in letters has no lines to choose from."""
    return not limits.exceeded(text) or _DATA.match(text) is not None


def mapped(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """The same JSON value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        return Frozen({key: mapped(item, change, depth + 1) for key, item in value.items()})
    if depth < _DEEPEST and isinstance(value, tuple | list):
        return tuple(mapped(item, change, depth + 1) for item in value)
    return value


def tree(
    event: PostToolUse, state: State, *, kinds: tuple[str, ...], lines: int, size: int, **more: int
) -> Iterator[Branch]:
    if event.kind not in kinds:
        yield branch(f"output of the kind {event.kind} stays whole; `kinds` has: {', '.join(kinds)}")
        return
    limits, texts = Limits(lines=lines, size=size, **more), list[str]()

    def heard(text: str) -> str:
        texts.append(text)
        return text

    mapped(event.output, heard)
    yield from (_text(text, limits) for text in texts if text)
    if not any(texts):
        yield branch("there is no text in the output")


def _text(text: str, limits: Limits) -> Branch:
    long = f"{count(text.count(chr(10)) + 1, 'line')}, {count(len(text), 'character')}"
    most = f"{count(limits.lines, 'line')}, {count(limits.size, 'character')}"
    if fine(text, limits):
        data = "; it is data without lines" if limits.exceeded(text) else ""
        return branch(f"{long}; at most {most}{data}")
    kept = shown(text, limits)
    below = branch(
        f"{count(kept.lines, 'line')} shown, out of the first {limits.head}, the last {limits.tail}, "
        f"and what looks like an error ({kept.alarming:,}) with {count(limits.around, 'line')} around it"
    )
    listed = [branch(f"on top: {count(kept.errors, 'error')} of known tools")] if kept.errors else []
    return branch(f"{long}; at most {most}", below, *listed, said="modify", rule="long-output")
