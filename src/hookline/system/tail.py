"""Read what was added to a file of lines since the last look, whatever became of the file in between."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.values import replace

AT_ONCE = 8 * 1024 * 1024
"""Bytes that one look reads at most; where there are more, the next look goes on."""
LONGEST = 4 * 1024 * 1024
"""Bytes of a line: a longer one tells nothing of ours."""
FIRST = 50
"""Lines of the beginning of a recording that is too long to be looked at as a whole."""
SAMPLE = 256
"""Bytes by which a file is known again."""


class Mark(Struct, frozen=True, kw_only=True):
    """How far a file was read, and how to tell that it is still the same."""

    path: str = ""
    inode: int = 0
    offset: int = 0
    head: int = 0
    """A checksum of its first bytes, at most `SAMPLE` of those that were read."""
    tail: int = 0
    """Of the last ones that were read."""
    behind: bool = False
    """Whether there is more than one look could read."""
    inside: bool = False
    """Whether it stands inside of a line that is too long."""


class Look(Struct, frozen=True, kw_only=True):
    """What one look found."""

    lines: tuple[bytes, ...] = ()
    mark: Mark
    again: bool = False
    """Whether the file was cut or written anew, so that the lines are all of it, told again."""


def look(path: str, mark: Mark, marks: Iterable[bytes], most: int = AT_ONCE) -> Look:
    """The whole lines behind *mark* that have one of the *marks* in them."""
    try:
        # O_NONBLOCK: a pipe in its place must not make us wait.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                return Look(mark=mark)
            same = mark.path == path and mark.inode == there.st_ino
            if same and there.st_size == mark.offset:
                return Look(mark=mark)
            return _read(file.fileno(), there, path, mark, tuple(marks), most)
    except (OSError, ValueError):
        return Look(mark=mark)


def _read(
    handle: int, there: os.stat_result, path: str, mark: Mark, marks: tuple[bytes, ...], most: int
) -> Look:
    known = bool(mark.path) and mark.offset > 0
    begun = known and _sum(handle, 0, min(mark.offset, SAMPLE)) == mark.head
    goes_on = (
        begun
        and there.st_size >= mark.offset
        and _sum(handle, max(mark.offset - SAMPLE, 0), min(mark.offset, SAMPLE)) == mark.tail
    )
    start = mark if goes_on else Mark()
    data = os.pread(handle, most, start.offset)
    lines, taken, inside = _lines(data, marks, full=len(data) == most, inside=start.inside)
    if known and not goes_on and not taken:
        return Look(mark=mark)  # as long as no line of it is there, nobody can tell what became of it
    offset = start.offset + taken
    reached = Mark(
        path=path,
        inode=there.st_ino,
        offset=offset,
        head=_sum(handle, 0, min(offset, SAMPLE)),
        tail=_sum(handle, max(offset - SAMPLE, 0), min(offset, SAMPLE)),
        behind=len(data) == most and there.st_size > offset,
        inside=inside,
    )
    return Look(lines=lines, mark=reached, again=begun and not goes_on)


def _sum(handle: int, start: int, length: int) -> int:
    return zlib.crc32(os.pread(handle, length, start))


def _lines(
    data: bytes, marks: tuple[bytes, ...], *, full: bool, inside: bool
) -> tuple[tuple[bytes, ...], int, bool]:
    """The lines that tell something, how many bytes are done with, and whether a line goes on without end."""
    end = data.rfind(b"\n") + 1
    if not end:
        endless = full or len(data) > LONGEST
        return (), len(data) if endless else 0, inside or endless
    start = data.find(b"\n") + 1 if inside else 0
    found = (line for line in data[start:end].split(b"\n") if line and len(line) <= LONGEST)
    return tuple(line for line in found if any(mark in line for mark in marks)), end, False


def both_ends(path: str, marks: Iterable[bytes], most: int = AT_ONCE) -> tuple[bytes, ...]:
    """The lines of a file that have one of the *marks* in them; of a long one its beginning and its end."""
    wanted = tuple(marks)
    found = look(path, Mark(), wanted, most)
    if not found.mark.behind:
        return found.lines
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        start = max(os.fstat(file.fileno()).st_size - most, found.mark.offset)
        # From the middle of a line, which counts as one that goes on for too long.
        lines, _, _ = _lines(os.pread(file.fileno(), most, start), wanted, full=True, inside=True)
    return found.lines[:FIRST] + lines


def mark_from(kept: Any) -> Mark:
    """The mark that was kept; none where that is not what we keep."""
    if not isinstance(kept, Mapping):
        return Mark()
    usual = Mark()
    fitting = {
        name: kept[name]
        for name in ("path", "inode", "offset", "head", "tail", "behind", "inside")
        if type(kept.get(name)) is type(getattr(usual, name))
    }
    return replace(usual, **fitting)
