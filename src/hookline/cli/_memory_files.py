"""Files of memories: JSON, a line each; those that were written are known, so forgetting reaches them."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

from msgspec import to_builtins

from hookline.core.frozen import frozen
from hookline.core.records import KINDS, RELATIONS, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory.learn import worded
from hookline.redact import redact

EXPORTS = "hookline.memory_exports"
"""The note of the files that were written."""
_KNOWN = {*Memory.__struct_fields__}


def export(store: Store, memories: Sequence[Memory], path: str) -> int:
    text = "".join(map(_line, memories))
    if path == "-":
        sys.stdout.write(text)
        return len(memories)
    whole = os.path.abspath(path)
    store.note("", {EXPORTS: [*dict.fromkeys((*_exported(store), whole))]})
    _write(whole, text)
    return len(memories)


def rewrite(store: Store, changed: Mapping[str, Memory | None]) -> tuple[list[str], list[str]]:
    """Have the files that were exported say what holds now, or nothing of what was forgotten.

    Which were written anew, and what is wrong with those that could not be.
    """
    touched, left = [], []
    for path in _exported(store):
        try:
            lines = _lines(path)
            holds = [one for one in (_as_it_is(line, changed) for line in lines) if one]
            if holds != lines:
                _write(path, "".join(holds))
                touched.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            left.append(f"{path}: {error.strerror}")
    return touched, left


def _exported(store: Store) -> tuple[str, ...]:
    return tuple(store.notes("").get(EXPORTS) or ())


def _as_it_is(line: str, changed: Mapping[str, Memory | None]) -> str:
    try:
        name = json.loads(line).get("id")
    except (ValueError, AttributeError):
        return line
    now = changed.get(name)
    return line if name not in changed else _line(now) if now else ""


def _line(memory: Memory) -> str:
    return json.dumps(to_builtins(memory), ensure_ascii=False, default=list) + "\n"


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.readlines()


def _write(path: str, text: str) -> None:
    """All of it or nothing: what a full disk cuts off would be lost."""
    if os.path.exists(path) and not os.path.isfile(path):  # such as a pipe
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return
    real = os.path.realpath(path)
    new = f"{real}.{os.urandom(6).hex()}"
    try:
        with open(new, "x", encoding="utf-8", errors="surrogateescape") as file:
            if os.path.exists(real):
                os.chmod(new, os.stat(real).st_mode & 0o7777)
            file.write(text)
        os.replace(new, real)
    except OSError as error:
        with suppress(OSError):
            os.unlink(new)
        raise OSError(error.errno, error.strerror, path) from None


def read(path: str, project: str | None) -> list[Memory]:
    """The memories of a file, without secrets; raises `ValueError` for a line that is none."""
    lines = sys.stdin.readlines() if path == "-" else _lines(path)
    return [
        _memory(line, f"{path}:{number}", project) for number, line in enumerate(lines, 1) if line.strip()
    ]


def _memory(line: str, where: str, project: str | None) -> Memory:
    try:
        told: Any = json.loads(line)
        values = {name: frozen(value) for name, value in told.items() if name in _KNOWN}
        one = _checked(Memory(**values))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{where}: this is no memory: {error}") from None
    return one if project is None else replace(one, project=project)


def _checked(one: Memory) -> Memory:
    """*one* as it may be kept; raises `ValueError` that says what is wrong with it."""
    texts = (one.id, one.text, one.kind, one.project, one.branch, one.issue, one.source, *one.tags)
    if not all(isinstance(text, str) for text in texts) or not one.id or isinstance(one.tags, str):
        raise ValueError("a text is missing or is none")
    if one.kind not in KINDS:
        raise ValueError(f"no kind is called {one.kind!r}; there are: {', '.join(KINDS)}")
    if not all(map(_number, (one.at, one.used or 0.0, one.uses))) or not isinstance(one.pinned, bool):
        raise ValueError("`at`, `used` and `uses` are numbers, and `pinned` is true or false")
    if not all(map(_relation, one.relations)):
        raise ValueError(f"a relation is one of {', '.join(RELATIONS)}, and an id")
    return replace(one, text=worded(one.text), tags=tuple(map(redact, one.tags)))


def _relation(pair: Any) -> bool:
    return len(pair) == len(("what", "other")) and pair[0] in RELATIONS and isinstance(pair[1], str)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
