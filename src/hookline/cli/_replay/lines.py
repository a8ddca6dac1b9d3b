"""Lines of recorded sessions; a line that cannot be read is reported and never fatal."""

import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from typing import IO, Any
from urllib.parse import quote

from msgspec import Struct, to_builtins

from hookline import stores
from hookline.core.frozen import thaw
from hookline.core.store import Query

MAX_BYTES = 64 * 1024 * 1024
"""Maximum length of a line, in bytes; recorded images of a few megabytes are usual."""
DATABASE = b"SQLite format 3\x00"


class Line(Struct, frozen=True, kw_only=True):
    """A line of a file."""

    number: int
    size: int
    value: Any = None
    """The JSON object; None if the line cannot be read, and then `wrong` is the reason."""
    wrong: str = ""


def read_lines(file: str) -> Iterator[Line]:
    """Yield every line of *file*, `-` for stdin, or every record of a store; raise `OSError`."""
    with _open(file) as stream:
        start = stream.peek(len(DATABASE))[: len(DATABASE)]  # type: ignore[attr-defined]  # of a buffered reader
        if start != DATABASE:
            yield from _read_texts(stream)
            return
    yield from _read_records(file)


def _open(file: str) -> IO[bytes]:
    return open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-")


def _read_texts(stream: IO[bytes]) -> Iterator[Line]:
    number = 0
    while text := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(text) <= MAX_BYTES:
            yield _parse_line(number, text)
        else:
            yield Line(number=number, size=len(text) + _skip_line(stream), wrong=f"over {MAX_BYTES:,} bytes")


def _skip_line(stream: IO[bytes]) -> int:
    size = 0
    while (rest := stream.readline(MAX_BYTES)) and not rest.endswith(b"\n"):
        size += len(rest)
    return size + len(rest)


def _parse_line(number: int, text: bytes) -> Line:
    if not text.strip():
        return Line(number=number, size=len(text), wrong="empty")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        wrong = "nested too deeply" if isinstance(error, RecursionError) else "invalid JSON"
        return Line(number=number, size=len(text), wrong=wrong)
    if not isinstance(value, dict):
        return Line(number=number, size=len(text), wrong="not a JSON object")
    return Line(number=number, size=len(text), value=value)


def _read_records(file: str) -> Iterator[Line]:
    """Yield the records of a copy of a store, because opening a store may repair or upgrade it."""
    with tempfile.TemporaryDirectory(prefix="hookline-replay-") as folder:
        copy = f"{folder}/hookline.db"
        _copy_database(file, copy)
        with closing(stores.load("sqlite")(copy)) as store:
            for position, record in store.records(Query()):
                yield Line(number=position, size=0, value=thaw(to_builtins(record)))


def _copy_database(file: str, copy: str) -> None:
    # Without a write-ahead log no process is writing; `immutable` keeps SQLite from creating a log.
    mode = "mode=ro" if os.path.exists(f"{file}-wal") else "immutable=1"
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(os.path.abspath(file))}?{mode}", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        raise OSError(f"the store {file!r} cannot be read: {error}") from error
