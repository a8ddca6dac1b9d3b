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
from hookline.core.frozen import frozen
from hookline.core.kind import Declaration, HookFailed, Machine
from hookline.core.values import replace
from hookline.kinds._sources import Source, digest
from hookline.kinds._workers import ask

_OTHERS_WRITE = 0o022
_LARGEST = 1024 * 1024


def recall(scratch: str, source: Source) -> Mapping[str, Any] | None:
    if not scratch or not source.digest:
        return None
    try:
        said = json.loads(_read(_place(scratch, source)))
        holds = all(_is_still(file, known, source) for file, known in said["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return said if holds and isinstance(said, dict) else None


def _is_still(file: str, known: str, source: Source) -> bool:
    trusted = source.trusted is None or source.trusted.get(os.path.realpath(file)) == known
    return trusted and digest(Path(file).read_bytes()) == known


def remember(scratch: str, source: Source, said: Mapping[str, Any]) -> None:
    if not scratch or not source.digest:
        return
    place = _place(scratch, source)
    new = place.with_name(f"{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as file:
            json.dump({"hooks": said["hooks"], "files": said["files"]}, file)
        new.replace(place)


def _place(scratch: str, source: Source) -> Path:
    parts = (__version__, sys.version, source.root, source.path, source.module, source.digest)
    return Path(scratch, f"python-{sha256(json.dumps(parts).encode()).hexdigest()}.json")


def _read(place: Path) -> bytes:
    fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        seen = os.fstat(fd)
        if not S_ISREG(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & _OTHERS_WRITE:
            raise PermissionError
        return file.read(_LARGEST)


IMPORT_LIMIT = 5.0
"""How many seconds the import of one file or module may take."""


class Found(Struct, frozen=True, kw_only=True):
    """The hooks that were found, and what was wrong with the rest."""

    declarations: tuple[Declaration, ...] = ()
    problems: tuple[str, ...] = ()
    """Each with the file, and the line where there is one."""


def find(sources: Sequence[Source], machine: Machine, limit: float = IMPORT_LIMIT) -> Found:
    """The hooks that the *sources* declare; each may take *limit* seconds, and none spoils another."""
    found = [_find(source, machine, limit) for source in sources]
    return Found(
        declarations=tuple(one for each in found for one in each.declarations),
        problems=tuple(one for each in found for one in each.problems),
    )


def _find(source: Source, machine: Machine, limit: float) -> Found:
    try:
        known = digest(Path(source.file).read_bytes()) if source.file else ""
    except OSError as error:
        return _wrong(source, f"cannot be read: {error.strerror}")
    if source.digest not in ("", known):
        return _wrong(source, "changed while it was looked at; look again")
    pinned = replace(source, digest=known)
    return _recall(pinned, machine) or _describe(pinned, machine, limit)


def _recall(source: Source, machine: Machine) -> Found | None:
    said = recall(machine.scratch, source)
    try:
        return None if said is None else Found(declarations=_declarations(said, source))
    except (KeyError, TypeError, ValueError):
        return None  # whatever that is, we did not write it


def _describe(source: Source, machine: Machine, limit: float) -> Found:
    try:
        said = ask(machine, source, {"do": "describe", "source": source.asked()}, limit)
    except TimeoutError:
        return _wrong(source, f"its import did not end within {limit:g} s")
    except HookFailed as error:
        return _wrong(source, f"its import {error}")
    if "problem" in said:
        return _wrong(source, said["problem"]["text"], said["problem"]["line"])
    try:
        declarations = _declarations(said, source)
    except (KeyError, TypeError, ValueError) as error:
        return _wrong(source, f"declares a hook that cannot be: {error}")
    remember(machine.scratch, source, said)
    return Found(declarations=declarations)


def _wrong(source: Source, text: str, line: int = 0) -> Found:
    return Found(problems=(f"{source.shown}:{line}: {text}" if line else f"{source.shown}: {text}",))


def _declarations(said: Mapping[str, Any], source: Source) -> tuple[Declaration, ...]:
    return tuple(_declaration(hook, source) for hook in said["hooks"])


_TYPES: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "events": (list,),
    "priority": (int,),
    "priorities": (dict,),
    "nature": (str,),
    "aliases": (list,),
    "limit": (int, float, type(None)),
    "settings": (dict,),
    "about": (str,),
    "enabled": (bool,),
    "file": (str,),
    "line": (int,),
}


def _declaration(said: Mapping[str, Any], source: Source) -> Declaration:
    """The declaration that was said; raises `KeyError`, `TypeError` or `ValueError` if it is none."""
    for key, types in _TYPES.items():
        if not isinstance(said[key], types):
            raise TypeError(f"{key!r} of a hook cannot be {said[key]!r}")
    for key in ("on_failure", "on_timeout"):
        if said[key] not in ("warn", "block") and not (said[key] is None and key == "on_timeout"):
            raise ValueError(f"{key!r} of a hook cannot be {said[key]!r}")
    where = replace(source, path=said["file"]).shown
    own = ("settings", "nature", "about", "priorities", "aliases", "enabled")
    place = {"path": source.path} if source.path else {"module": source.module}
    telling = {"why": True} if said.get("why") is True else {}
    return Declaration(
        kind="python",
        name=said["name"],
        on=tuple(_event(name) for name in said["events"]),
        spec=frozen(
            {
                **place,
                "digest": source.digest,
                "function": said["name"],
                **telling,
                **{k: said[k] for k in own},
            }
        ),
        priority=said["priority"],
        timeout=said["limit"],
        on_failure=said["on_failure"],
        on_timeout=said["on_timeout"],
        observer=said["nature"] == "observer",
        source=source.source,
        origin=f"{where}:{said['line']}",
        root=source.root,
    )


def _event(name: str) -> type[Event]:
    if name == "Event":
        return Event
    if name not in EVENTS:
        raise ValueError(f"no event is called {name!r}; there are: {', '.join(EVENTS)}")
    return EVENTS[name]
