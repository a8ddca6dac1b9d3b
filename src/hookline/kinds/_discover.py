"""Discovery of the hooks in users' files and modules, cached so that later processes need not import them."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

from msgspec import Struct

from hookline import __version__
from hookline.core.events import EVENTS, Event
from hookline.core.frozen import freeze
from hookline.core.kind import Declaration, HookFailed, Machine
from hookline.core.registry import describe_unknown
from hookline.core.values import replace
from hookline.kinds._sources import Source, digest
from hookline.kinds._worker_pool import ask
from hookline.system.paths import create_private

_WRITABLE_BY_OTHERS = 0o022
_MAX_BYTES = 1024 * 1024


def read_cache(scratch: str, source: Source) -> Mapping[str, Any] | None:
    if not scratch or not source.digest:
        return None
    try:
        cached = json.loads(_read_private_file(_cache_path(scratch, source)))
        valid = all(_is_unchanged(file, expected, source) for file, expected in cached["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return cached if valid and isinstance(cached, dict) else None


def _is_unchanged(file: str, expected: str, source: Source) -> bool:
    trusted = source.trusted is None or source.trusted.get(os.path.realpath(file)) == expected
    return trusted and digest(Path(file).read_bytes()) == expected


def write_cache(scratch: str, source: Source, description: Mapping[str, Any]) -> None:
    if not scratch or not source.digest:
        return
    path = _cache_path(scratch, source)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    with suppress(OSError):
        create_private(str(path.parent))
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as file:
            json.dump({"hooks": description["hooks"], "files": description["files"]}, file)
        temporary.replace(path)


def _cache_path(scratch: str, source: Source) -> Path:
    parts = (__version__, sys.version, source.root, source.path, source.module, source.digest)
    return Path(scratch, f"python-{sha256(json.dumps(parts).encode()).hexdigest()}.json")


def _read_private_file(path: Path) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not S_ISREG(info.st_mode) or info.st_uid != os.getuid() or info.st_mode & _WRITABLE_BY_OTHERS:
            raise PermissionError
        return file.read(_MAX_BYTES)


IMPORT_SECONDS = 5.0
"""Seconds that the import of one file or module may take."""


class Discovery(Struct, frozen=True, kw_only=True):
    """Hooks that were found, and problems with the sources."""

    declarations: tuple[Declaration, ...] = ()
    problems: tuple[str, ...] = ()
    """Messages that begin with the file, and the line if it is known."""


def find_hooks(sources: Sequence[Source], machine: Machine, limit: float = IMPORT_SECONDS) -> Discovery:
    """Return the hooks of *sources*; each may take *limit* seconds, and a broken one affects no other."""
    results = [_find_in_source(source, machine, limit) for source in sources]
    return Discovery(
        declarations=tuple(item for result in results for item in result.declarations),
        problems=tuple(item for result in results for item in result.problems),
    )


def _find_in_source(source: Source, machine: Machine, limit: float) -> Discovery:
    try:
        content_digest = digest(Path(source.file).read_bytes()) if source.file else ""
    except OSError as error:
        return _report_problem(source, f"cannot be read: {error.strerror}")
    if source.digest not in ("", content_digest):
        return _report_problem(source, "changed while it was read; try again")
    pinned = replace(source, digest=content_digest)
    return _find_in_cache(pinned, machine) or _find_by_import(pinned, machine, limit)


def _find_in_cache(source: Source, machine: Machine) -> Discovery | None:
    cached = read_cache(machine.scratch, source)
    try:
        return None if cached is None else Discovery(declarations=_parse_declarations(cached, source))
    except (KeyError, TypeError, ValueError):
        return None  # not a cache file that hookline wrote


def _find_by_import(source: Source, machine: Machine, limit: float) -> Discovery:
    try:
        reply = ask(machine, source, {"do": "describe", "source": source.to_request()}, limit)
    except TimeoutError:
        return _report_problem(source, f"its import timed out after {limit:g} s")
    except HookFailed as error:
        return _report_problem(source, f"its import {error}")
    if "problem" in reply:
        return _report_problem(source, reply["problem"]["text"], reply["problem"]["line"])
    try:
        declarations = _parse_declarations(reply, source)
    except (KeyError, TypeError, ValueError) as error:
        return _report_problem(source, f"declares an invalid hook: {error}")
    write_cache(machine.scratch, source, reply)
    return Discovery(declarations=declarations)


def _report_problem(source: Source, text: str, line: int = 0) -> Discovery:
    return Discovery(
        problems=(f"{source.display_path}:{line}: {text}" if line else f"{source.display_path}: {text}",)
    )


def _parse_declarations(description: Mapping[str, Any], source: Source) -> tuple[Declaration, ...]:
    return tuple(_parse_declaration(hook, source) for hook in description["hooks"])


_FIELD_TYPES: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "events": (list,),
    "priority": (int,),
    "priorities": (dict,),
    "nature": (str,),
    "aliases": (list,),
    "timeout": (int, float, type(None)),
    "settings": (dict,),
    "about": (str,),
    "enabled": (bool,),
    "file": (str,),
    "line": (int,),
}


def _parse_declaration(description: Mapping[str, Any], source: Source) -> Declaration:
    """Return the declaration; raise `KeyError`, `TypeError` or `ValueError` if *description* is invalid."""
    for key, types in _FIELD_TYPES.items():
        if not isinstance(description[key], types):
            raise TypeError(f"invalid {key!r} of a hook: {description[key]!r}")
    for key in ("on_failure", "on_timeout"):
        if description[key] not in ("warn", "block") and not (
            description[key] is None and key == "on_timeout"
        ):
            raise ValueError(f"invalid {key!r} of a hook: {description[key]!r}")
    file = replace(source, path=description["file"]).display_path
    extra_keys = ("settings", "nature", "about", "priorities", "aliases", "enabled")
    location = {"path": source.path} if source.path else {"module": source.module}
    explained = {"why": True} if description.get("why") is True else {}
    return Declaration(
        kind="python",
        name=description["name"],
        on=tuple(_find_event(name) for name in description["events"]),
        spec=freeze(
            {
                **location,
                "digest": source.digest,
                "function": description["name"],
                **explained,
                **{k: description[k] for k in extra_keys},
            }
        ),
        priority=description["priority"],
        timeout=description["timeout"],
        on_failure=description["on_failure"],
        on_timeout=description["on_timeout"],
        observer=description["nature"] == "observer",
        source=source.source,
        origin=f"{file}:{description['line']}",
        root=source.root,
    )


def _find_event(name: str) -> type[Event]:
    if name == "Event":
        return Event
    if name not in EVENTS:
        raise ValueError(describe_unknown("event", name, EVENTS))
    return EVENTS[name]
