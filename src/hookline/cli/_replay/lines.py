"""Read recorded sessions from files, whatever is in them: a line that cannot be read is told, never fatal."""

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
from hookline.core.frozen import thawed
from hookline.core.store import Query

LONGEST = 64 * 1024 * 1024
"""Bytes of a line that are read; recorded images of a few megabytes are usual, this is not."""
DATABASE = b"SQLite format 3\x00"


class Line(Struct, frozen=True, kw_only=True):
    """One line of a file."""

    number: int
    size: int
    value: Any = None
    """What it holds; None where it cannot be read, and then `wrong` says why."""
    wrong: str = ""


def lines(file: str) -> Iterator[Line]:
    """Every line of *file*, `-` being stdin; of a store every record. Raises `OSError`."""
    with _opened(file) as stream:
        start = stream.peek(len(DATABASE))[: len(DATABASE)]  # type: ignore[attr-defined]  # of a buffered reader
        if start != DATABASE:
            yield from _texts(stream)
            return
    yield from _records(file)


def _opened(file: str) -> IO[bytes]:
    return open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-")


def _texts(stream: IO[bytes]) -> Iterator[Line]:
    number = 0
    while text := stream.readline(LONGEST + 1):
        number += 1
        if len(text) <= LONGEST:
            yield _line(number, text)
        else:
            yield Line(number=number, size=len(text) + _skipped(stream), wrong=f"over {LONGEST:,} bytes")


def _skipped(stream: IO[bytes]) -> int:
    size = 0
    while (rest := stream.readline(LONGEST)) and not rest.endswith(b"\n"):
        size += len(rest)
    return size + len(rest)


def _line(number: int, text: bytes) -> Line:
    if not text.strip():
        return Line(number=number, size=len(text), wrong="empty")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        wrong = "nested too deeply" if isinstance(error, RecursionError) else "no JSON"
        return Line(number=number, size=len(text), wrong=wrong)
    if not isinstance(value, dict):
        return Line(number=number, size=len(text), wrong="no JSON object")
    return Line(number=number, size=len(text), value=value)


def _records(file: str) -> Iterator[Line]:
    """The records of a store; of a copy, because opening a store may mend or renew it."""
    with tempfile.TemporaryDirectory(prefix="hookline-replay-") as folder:
        copy = f"{folder}/hookline.db"
        _copied(file, copy)
        with closing(stores.load("sqlite")(copy)) as store:
            for position, record in store.records(Query()):
                yield Line(number=position, size=0, value=thawed(to_builtins(record)))


def _copied(file: str, copy: str) -> None:
    # Without a log beside it nobody is writing; then sqlite is told so, and leaves no log of its own.
    how = "mode=ro" if os.path.exists(f"{file}-wal") else "immutable=1"
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(os.path.abspath(file))}?{how}", uri=True)) as theirs,
            closing(sqlite3.connect(copy)) as ours,
        ):
            theirs.backup(ours)
    except sqlite3.Error as error:
        raise OSError(f"the store {file!r} cannot be read: {error}") from error
