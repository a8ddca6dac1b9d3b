"""Shorten a long text to its head, its tail, and the lines that decide with their neighbours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from hookline.core.events import PostToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.frozen import Frozen
from hookline.core.state import State
from hookline.hooks._compress_output.errors import find_errors
from hookline.hooks._compress_output.rank import ERROR_WEIGHT, rank_lines, weigh_words
from hookline.hooks._explain import format_count
from hookline.lazy import re

_MAX_SHOWN = 500
"""Characters of a line that are shown."""
_MAX_ERRORS = 30


class Limits(Struct, frozen=True, kw_only=True):
    lines: int = 400
    size: int = 32 * 1024
    """Number of characters."""
    head: int = 60
    tail: int = 100
    around: int = 2
    """Lines shown before and after one that looks like an error; more if there is room."""

    def exceeded(self, text: str) -> bool:
        return len(text) > self.size or text.count("\n") > self.lines


def shorten(text: str, limits: Limits, whole: str) -> str:
    """Return *text* within *limits*; *whole* names the place of the full text."""
    lines = text.split("\n")
    errors = _list_errors(text)
    kept = _select_lines(lines, errors, limits)
    shown = "\n".join(_format_lines(lines, kept))
    cut = f"{len(lines) - len(kept):,} of {len(lines):,} lines cut ({len(text):,} characters in total)"
    return "\n".join((f"[hookline: {cut}; {whole}]", *errors, shown))


class LineCounts(NamedTuple):
    """Number of lines shown, and how many of them look like an error."""

    lines: int
    alarming: int
    errors: int
    """Number of errors of known tools, each on a line of its own at the top."""


def count_lines(text: str, limits: Limits) -> LineCounts:
    """Count the lines of *text* that `shorten` keeps."""
    lines = text.split("\n")
    kept = _select_lines(lines, _list_errors(text), limits)
    return LineCounts(
        len(kept), sum(weigh_words(lines[number]) >= ERROR_WEIGHT for number in kept), len(find_errors(text))
    )


def _select_lines(lines: Sequence[str], error_lines: Sequence[str], limits: Limits) -> list[int]:
    room = max(limits.size - sum(map(len, error_lines)) - _OVERHEAD, limits.size // 4)
    ranked = rank_lines(lines, limits.head, limits.tail, limits.around)[: limits.lines]
    return _fit_lines(lines, ranked, room)


_OVERHEAD = 400


def _list_errors(text: str) -> tuple[str, ...]:
    """Return the errors of known tools, each on one line."""
    errors = find_errors(text)
    if not errors:
        return ()
    more = (f"... and {len(errors) - _MAX_ERRORS:,} more",) if len(errors) > _MAX_ERRORS else ()
    return (
        f"[hookline: {len(errors):,} errors]",
        *map(str, errors[:_MAX_ERRORS]),
        *more,
        "[hookline: output]",
    )


def _fit_lines(lines: Sequence[str], ranked: Sequence[int], room: int) -> list[int]:
    """Return as many of the *ranked* lines as fit into *room* characters, in the order of the text.

    A gap of one line is filled, because the note about it is as long as the line.
    """
    kept: set[int] = set()
    for number in ranked:
        gaps = {n for n in (number - 1, number + 1) if n not in kept and 2 * n - number in kept}
        new = {number, *gaps} - kept
        length = sum(min(len(lines[n]), _MAX_SHOWN) + 1 for n in new) - len(gaps) * len(_ONE_CUT)
        if length <= room:
            room -= length
            kept |= new
    return sorted(kept)


_ONE_CUT = "[... 1 line cut ...]"


def _format_lines(lines: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    before = -1
    for number in (*kept, len(lines)):
        if number - before > 1:
            gap = number - before - 1
            yield f"[... {gap:,} lines cut ...]" if gap > 1 else _ONE_CUT
        if number < len(lines):
            yield _shorten_line(lines[number])
        before = number


def _shorten_line(line: str) -> str:
    if len(line) <= _MAX_SHOWN:
        return line
    half = _MAX_SHOWN // 2 - 20
    return f"{line[:half]} [... {len(line) - 2 * half:,} characters cut ...] {line[-half:]}"


_DATA = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=_-]{2000}")
_MAX_DEPTH = 6


def stays_whole(text: str, limits: Limits) -> bool:
    """Return whether a text is not shortened: it is short, or encoded data without lines."""
    return not limits.exceeded(text) or _DATA.match(text) is not None


def map_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """Return a JSON value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if depth < _MAX_DEPTH and isinstance(value, Mapping):
        return Frozen({key: map_texts(item, change, depth + 1) for key, item in value.items()})
    if depth < _MAX_DEPTH and isinstance(value, tuple | list):
        return tuple(map_texts(item, change, depth + 1) for item in value)
    return value


def tree(
    event: PostToolUse, state: State, *, kinds: tuple[str, ...], lines: int, size: int, **more: int
) -> Iterator[Branch]:
    if event.kind not in kinds:
        yield branch(f"output of kind {event.kind!r} is not shortened; `kinds` lists: {', '.join(kinds)}")
        return
    limits, texts = Limits(lines=lines, size=size, **more), list[str]()

    def collect(text: str) -> str:
        texts.append(text)
        return text

    map_texts(event.output, collect)
    yield from (_explain_text(text, limits) for text in texts if text)
    if not any(texts):
        yield branch("the output contains no text")


def _explain_text(text: str, limits: Limits) -> Branch:
    size = f"{format_count(text.count(chr(10)) + 1, 'line')}, {format_count(len(text), 'character')}"
    limit_text = f"{format_count(limits.lines, 'line')}, {format_count(limits.size, 'character')}"
    if stays_whole(text, limits):
        data = "; encoded data is not shortened" if limits.exceeded(text) else ""
        return branch(f"{size}; at most {limit_text}{data}")
    counts = count_lines(text, limits)
    below = branch(
        f"{format_count(counts.lines, 'line')} shown, from the first {limits.head}, "
        f"the last {limits.tail}, and possible errors ({counts.alarming:,}) "
        f"with {format_count(limits.around, 'line')} around each"
    )
    error_branches = (
        [branch(f"{format_count(counts.errors, 'error')} of known tools listed at the top")]
        if counts.errors
        else []
    )
    return branch(
        f"{size}; at most {limit_text}", below, *error_branches, judgement="modify", rule="long-output"
    )
