"""What somebody's entry says otherwise than the one that init would write in its place."""

import json
import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.install.host_command import unguarded
from hookline.install.ownership import as_module, calls_us
from hookline.redact import redact
from hookline.system.own_command import CLIENT

USUAL = ("", "*", ".*", False, None)
"""What says no more than if it were not there."""
LONGEST = 120
NAME = "hookline"


class Differs(Struct, frozen=True, kw_only=True):
    """Something that init would write otherwise."""

    text: str
    moments: tuple[str, ...] = ()
    grave: bool = True
    """Whether it may keep us from being called or heard; more time to answer does not."""


def differences(there: Any, wanted: Any, host: str, at: str = "") -> Iterator[Differs]:
    """Everything, from the outside in; what is somebody else's beside it is not looked at."""
    if isinstance(there, Mapping) and isinstance(wanted, Mapping):
        for key, value in wanted.items():
            where = f"{at}.{key}" if at else key
            yield from differences(there[key], value, host, where) if key in there else _missing(where, value)
        yield from _added(there, wanted, at)
    elif isinstance(there, list) and isinstance(wanted, list) and any(texts(wanted, host)):
        ours = [one for one in there if any(texts(one, host))]
        if len(ours) == len(wanted):
            for one, other in zip(ours, wanted, strict=True):
                yield from differences(one, other, host, at)
        else:
            yield Differs(text=f"`{at}` calls us {len(ours)} times, not {len(wanted)}")
    elif there != wanted:
        yield _other(there, wanted, at)


def _missing(at: str, wanted: Any) -> Iterator[Differs]:
    yield Differs(text=f"`{at}` is missing", grave=not _number(wanted))


def _added(there: Mapping[str, Any], wanted: Mapping[str, Any], at: str) -> Iterator[Differs]:
    for key, value in there.items():
        if key not in wanted and value not in USUAL:
            where = f"{at}.{key}" if at else key
            yield Differs(text=f"`{where}` is {_shown(value)}, and init does not write it")


def _other(there: Any, wanted: Any, at: str) -> Differs:
    longer = _number(there) and _number(wanted) and there > wanted
    return Differs(text=f"`{at}` is {_shown(there)}, not {_shown(wanted)}", grave=not longer)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = redact(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def texts(value: Any, host: str, near: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each text in *value* that calls us, with the keys and texts around it."""
    if isinstance(value, str) and reaches(value, host):
        yield value, near
    if isinstance(value, dict):
        yield from ((line, near) for line in _joined(value) if reaches(line, host))
        beside = (*near, *(one for one in value.values() if isinstance(one, str)))
        for key, inner in value.items():
            yield from texts(inner, host, (*beside, key))
    for inner in value if isinstance(value, list) else ():
        yield from texts(inner, host, near)


def _joined(value: dict[str, Any]) -> Iterator[str]:
    """A program and its words, where an entry has them apart."""
    programs = [one for one in value.values() if isinstance(one, str) and NAME in one]
    words = [one for one in value.values() if isinstance(one, list) and all(isinstance(x, str) for x in one)]
    yield from (shlex.join([one, *more]) for one in programs for more in words if more)


def reaches(line: str, host: str) -> bool:
    """Whether a command line calls us for that *host*, by whatever stands before or around it."""
    return calls_us(line, host) or bool(program(line, host))


def program(line: str, host: str) -> str:
    """The program that a command line starts us by, quoted for a shell; empty where init writes none such."""
    words, found, rest = unguarded(line).partition(f" hook {host}")
    try:
        first, *more = shlex.split(words)
    except ValueError:
        return ""
    named = as_module((first, *more)) or (not more and posixpath.basename(first) in (NAME, CLIENT))
    whole = bool(found) and rest[:1] in ("", " ")
    return words if named and whole and words == shlex.join((first, *more)) else ""


def together(found: Iterable[Differs]) -> Iterator[Differs]:
    """The same at several moments, once."""
    moments: dict[tuple[str, bool], tuple[str, ...]] = {}
    for one in found:
        key = one.text, one.grave
        moments[key] = (*moments.get(key, ()), *one.moments)
    for (text, grave), names in moments.items():
        yield Differs(text=text, grave=grave, moments=tuple(dict.fromkeys(names)))
