"""Lines appended to a file since the last read, even if the file was truncated or rewritten in between."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.values import replace

MAX_READ_BYTES = 8 * 1024 * 1024
"""Bytes read at a time; the next read continues after them."""
MAX_LINE_BYTES = 4 * 1024 * 1024
"""Bytes of a line; longer lines are skipped."""
HEAD_LINES = 50
"""Lines kept from the beginning of a transcript that is too long to be read whole."""
SAMPLE_BYTES = 256
"""Bytes at both ends of the part already read, by which a file is recognised."""


class ReadPosition(Struct, frozen=True, kw_only=True):
    """Position up to which a file was read, and checksums that tell whether it is still the same file."""

    path: str = ""
    inode: int = 0
    offset: int = 0
    head: int = 0
    """Checksum of the first bytes, at most `SAMPLE_BYTES` of those already read."""
    tail: int = 0
    """Checksum of the last bytes already read."""
    behind: bool = False
    """True if the file has more than one read returned."""
    inside: bool = False
    """True if the position is inside a line that is too long."""


class NewLines(Struct, frozen=True, kw_only=True):
    """Result of one read."""

    lines: tuple[bytes, ...] = ()
    position: ReadPosition
    restarted: bool = False
    """True if the file was truncated or rewritten; the lines then start again at its beginning."""


def read_new_lines(
    path: str, position: ReadPosition, patterns: Iterable[bytes], max_bytes: int = MAX_READ_BYTES
) -> NewLines:
    """Return the complete lines after *position* that contain one of the *patterns*."""
    try:
        # O_NONBLOCK: opening a pipe must not block.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return NewLines(position=position)
            same = position.path == path and position.inode == status.st_ino
            if same and status.st_size == position.offset:
                return NewLines(position=position)
            return _read_from(file.fileno(), status, path, position, tuple(patterns), max_bytes)
    except (OSError, ValueError):
        return NewLines(position=position)


def _read_from(
    file: int,
    status: os.stat_result,
    path: str,
    mark: ReadPosition,
    patterns: tuple[bytes, ...],
    max_bytes: int,
) -> NewLines:
    read_before = bool(mark.path) and mark.offset > 0
    same_head = read_before and _checksum(file, 0, min(mark.offset, SAMPLE_BYTES)) == mark.head
    continues = (
        same_head
        and status.st_size >= mark.offset
        and _checksum(file, max(mark.offset - SAMPLE_BYTES, 0), min(mark.offset, SAMPLE_BYTES)) == mark.tail
    )
    start = mark if continues else ReadPosition()
    data = os.pread(file, max_bytes, start.offset)
    lines, consumed, inside = _matching_lines(
        data, patterns, full=len(data) == max_bytes, inside=start.inside
    )
    if read_before and not continues and not consumed:
        # Wait for a complete line: until then, nothing shows whether the file was rewritten.
        return NewLines(position=mark)
    offset = start.offset + consumed
    reached = ReadPosition(
        path=path,
        inode=status.st_ino,
        offset=offset,
        head=_checksum(file, 0, min(offset, SAMPLE_BYTES)),
        tail=_checksum(file, max(offset - SAMPLE_BYTES, 0), min(offset, SAMPLE_BYTES)),
        behind=len(data) == max_bytes and status.st_size > offset,
        inside=inside,
    )
    return NewLines(lines=lines, position=reached, restarted=same_head and not continues)


def _checksum(file: int, start: int, length: int) -> int:
    return zlib.crc32(os.pread(file, length, start))


def _matching_lines(
    data: bytes, patterns: tuple[bytes, ...], *, full: bool, inside: bool
) -> tuple[tuple[bytes, ...], int, bool]:
    """Return the matching lines, the number of bytes consumed, and whether the last line is too long."""
    end = data.rfind(b"\n") + 1
    if not end:
        too_long = full or len(data) > MAX_LINE_BYTES
        return (), len(data) if too_long else 0, inside or too_long
    start = data.find(b"\n") + 1 if inside else 0
    lines = (line for line in data[start:end].split(b"\n") if line and len(line) <= MAX_LINE_BYTES)
    return tuple(line for line in lines if any(pattern in line for pattern in patterns)), end, False


def read_both_ends(
    path: str, patterns: Iterable[bytes], max_bytes: int = MAX_READ_BYTES
) -> tuple[bytes, ...]:
    """Return the lines that contain one of the *patterns*; of a long file those of its head and its tail."""
    needles = tuple(patterns)
    head = read_new_lines(path, ReadPosition(), needles, max_bytes)
    if not head.position.behind:
        return head.lines
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        start = max(os.fstat(file.fileno()).st_size - max_bytes, head.position.offset)
        # The start is in the middle of a line; `inside` skips the rest of it.
        lines, _, _ = _matching_lines(
            os.pread(file.fileno(), max_bytes, start), needles, full=True, inside=True
        )
    return head.lines[:HEAD_LINES] + lines


def mark_from(value: Any) -> ReadPosition:
    """Return the mark stored in a note; an empty one if the value is invalid."""
    if not isinstance(value, Mapping):
        return ReadPosition()
    default = ReadPosition()
    valid = {
        name: value[name]
        for name in ("path", "inode", "offset", "head", "tail", "behind", "inside")
        if type(value.get(name)) is type(getattr(default, name))
    }
    return replace(default, **valid)
