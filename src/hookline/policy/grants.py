"""A person's own ways past the guards, for a while: a rule allowed once, or the guards off for some minutes.

Kept in a file of the user's. An agent cannot write it: the commands that do need a terminal, and
self-protect guards the folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from hookline.system import file_lock

OFF = "off"
"""What the guards' own pass is for; any other is for a rule."""


class Pass(Struct, frozen=True, kw_only=True):
    """One way past, in one project, until then."""

    id: str
    root: str
    what: str
    """A rule's id, or `off` for all guards."""
    until: float


def granted(file: str, root: str, now: float) -> tuple[Pass, ...]:
    """The passes that hold in the project at *root*; none where the file cannot be believed."""
    found = _read(file)
    if not found:
        return ()
    return tuple(one for one in found if one.root == os.path.realpath(root) and now < one.until)


def grant(file: str, root: str, what: str, *, now: float, seconds: float) -> Pass:
    one = Pass(id=os.urandom(16).hex(), root=os.path.realpath(root), what=what, until=now + seconds)
    _change(file, lambda passes: [*(p for p in passes if now < p.until), one])
    return one


def use(file: str, one: Pass) -> bool:
    """Take the pass; False where another call was quicker."""
    before: list[Pass] = []

    def without(passes: Sequence[Pass]) -> list[Pass]:
        before.extend(passes)
        return [other for other in passes if other.id != one.id]

    _change(file, without)
    return any(other.id == one.id for other in before)


def withdraw(file: str, root: str) -> int:
    """End every pass of the project at *root*; how many there were."""
    place, gone = os.path.realpath(root), list[Pass]()

    def others(passes: Sequence[Pass]) -> list[Pass]:
        gone.extend(one for one in passes if one.root == place)
        return [one for one in passes if one.root != place]

    _change(file, others)
    return len(gone)


def _read(file: str) -> list[Pass]:
    if not os.access(file, os.F_OK):  # as nearly always: no exception for each
        return []
    try:
        with open(file, encoding="utf-8") as opened:
            info = os.fstat(opened.fileno())
            mine = info.st_uid == os.getuid() and not info.st_mode & 0o077
            return [_pass(entry) for entry in json.loads(opened.read())] if mine else []
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _pass(entry: dict[str, Any]) -> Pass:
    return Pass(id=entry["id"], root=entry["root"], what=entry["what"], until=float(entry["until"]))


def _change(file: str, change: Callable[[Sequence[Pass]], list[Pass]]) -> None:
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    with file_lock.lock(f"{file}.lock"):
        passes = change(_read(file))
        new = f"{file}.new"
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(json.dumps([to_builtins(one) for one in passes]))
        os.replace(new, file)
