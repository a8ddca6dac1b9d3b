"""Export and import of memories as JSON lines.

The store keeps the paths of exported files, so that forgetting a memory reaches them.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

from msgspec import to_builtins

from hookline.core.frozen import freeze
from hookline.core.memory_kinds import KINDS, RELATIONS
from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.memory.learn import normalize_text
from hookline.redact import redact

EXPORTS = "hookline.memory_exports"
"""Name of the note that lists the exported files."""
_FIELDS = {*Memory.__struct_fields__}


def export_memories(store: Store, memories: Sequence[Memory], path: str) -> int:
    text = "".join(map(_format_line, memories))
    if path == "-":
        sys.stdout.write(text)
        return len(memories)
    absolute = os.path.abspath(path)
    store.set_notes("", {EXPORTS: [*dict.fromkeys((*_list_exports(store), absolute))]})
    _write(absolute, text)
    return len(memories)


def rewrite_exports(store: Store, changed: Mapping[str, Memory | None]) -> tuple[list[str], list[str]]:
    """Update changed memories in the exported files, and remove forgotten ones.

    Return the paths that were rewritten, and a message for each file that could not be.
    """
    rewritten, problems = [], []
    for path in _list_exports(store):
        try:
            lines = _read_lines(path)
            updated = [text for text in (_update_line(line, changed) for line in lines) if text]
            if updated != lines:
                _write(path, "".join(updated))
                rewritten.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(f"{path}: {error.strerror}")
    return rewritten, problems


def _list_exports(store: Store) -> tuple[str, ...]:
    return tuple(store.notes("").get(EXPORTS) or ())


def _update_line(line: str, changed: Mapping[str, Memory | None]) -> str:
    try:
        id_ = json.loads(line).get("id")
    except (ValueError, AttributeError):
        return line
    if not isinstance(id_, str) or id_ not in changed:
        return line
    memory = changed[id_]
    return _format_line(memory) if memory else ""


def _format_line(memory: Memory) -> str:
    return json.dumps(to_builtins(memory), ensure_ascii=False, default=list) + "\n"


def _read_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.readlines()


def _write(path: str, text: str) -> None:
    """Write all of *text* or nothing, because a full disk could truncate the file."""
    if os.path.exists(path) and not os.path.isfile(path):  # such as a pipe
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return
    real = os.path.realpath(path)
    temporary = f"{real}.{os.urandom(6).hex()}"
    try:
        with open(temporary, "x", encoding="utf-8", errors="surrogateescape") as file:
            if os.path.exists(real):
                os.chmod(temporary, os.stat(real).st_mode & 0o7777)
            file.write(text)
        os.replace(temporary, real)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise OSError(error.errno, error.strerror, path) from None


def read_memories(path: str, project: str | None) -> list[Memory]:
    """Return the memories of a file, redacted; raise `ValueError` for an invalid line."""
    lines = sys.stdin.readlines() if path == "-" else _read_lines(path)
    return [
        _parse_memory(line, f"{path}:{number}", project)
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def _parse_memory(line: str, position: str, project: str | None) -> Memory:
    try:
        fields: Any = json.loads(line)
        known = {name: freeze(value) for name, value in fields.items() if name in _FIELDS}
        memory = _validate(Memory(**known))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{position}: invalid memory: {error}") from None
    return memory if project is None else replace(memory, project=project)


def _validate(memory: Memory) -> Memory:
    """Return *memory* redacted; raise `ValueError` for an invalid field."""
    texts = (
        memory.id,
        memory.text,
        memory.kind,
        memory.project,
        memory.branch,
        memory.issue,
        memory.source,
        *memory.tags,
    )
    if not all(isinstance(text, str) for text in texts) or not memory.id or isinstance(memory.tags, str):
        raise ValueError("a text field is missing or is not a string")
    if memory.kind not in KINDS:
        raise ValueError(f"no kind named {memory.kind!r}; available: {', '.join(KINDS)}")
    if not all(map(_is_number, (memory.at, memory.used or 0.0, memory.uses))) or not isinstance(
        memory.pinned, bool
    ):
        raise ValueError("`at`, `used` and `uses` must be numbers, and `pinned` true or false")
    if not all(map(_is_relation, memory.relations)):
        raise ValueError(f"invalid relation: expected one of {', '.join(RELATIONS)}, and an id")
    return replace(memory, text=normalize_text(memory.text), tags=tuple(map(redact, memory.tags)))


def _is_relation(pair: Any) -> bool:
    relation, *others = pair
    return relation in RELATIONS and [type(other) for other in others] == [str]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
