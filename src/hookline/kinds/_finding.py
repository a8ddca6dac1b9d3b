"""Which hooks users' files and modules declare; remembered, so that a later process need not import them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from hookline.events import EVENTS, Event
from hookline.frozen import frozen
from hookline.kind import Declaration, HookFailed, Machine
from hookline.kinds import _remembered
from hookline.kinds._sources import Source, digest
from hookline.kinds._workers import ask
from hookline.values import replace

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
    said = _remembered.recall(machine.scratch, source)
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
    _remembered.remember(machine.scratch, source, said)
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
