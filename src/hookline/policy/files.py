"""Text of hookline.toml, hooks.json and mcp.json → declarations and settings; reads no file itself.

Whatever is wrong becomes a `Problem` with file, line and what is allowed; the rest of the file still holds.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hookline.core.frozen import Frozen, frozen
from hookline.core.kind import Declaration, Kind
from hookline.core.values import replace
from hookline.policy.entries import ENTRY, bad_import, entries
from hookline.policy.line_numbers import Path, json_lines, toml_lines
from hookline.policy.mcp_servers import servers
from hookline.policy.model import FAILURES, File, Given, Layer, Problem
from hookline.policy.strict_reader import Reader, every_key, sound, worded

__all__ = [
    "ENTRY",
    "FAILURES",
    "OPTIONS",
    "PROFILES",
    "File",
    "Given",
    "Layer",
    "Problem",
    "read_hooks",
    "read_mcp",
    "read_toml",
]

OPTIONS: Mapping[str, tuple[type, ...]] = {
    "profile": (str,),
    "import": (list,),
    "store": (str,),
    "store_address": (str,),
    "keep_days": (int, float),
    "keep_records": (int,),
    "answer_within": (int, float),
    "context_cap": (int,),
    "continuations": (int,),
}
"""What hookline.toml may say besides `[hooks.<name>]`."""
PROFILES = ("default", "none", "unattended")
LARGEST = {
    "answer_within": 86_400,
    "context_cap": 10_000_000,
    "continuations": 1_000,
    "keep_days": 36_500,
    "keep_records": 1_000_000_000,
}
"""What nobody means to exceed; more is a slip of the pen."""


NOTHING_HOLDS = "nothing in it holds until it is mended"
OLD_HOLDS = "what it said before holds until it is mended"


Declared = Callable[[Reader, Mapping[str, Any]], Iterable[Declaration]]
"""The hooks that the settings of others declare, by their tables."""


def read_toml(
    file: File,
    stores: Iterable[str] = (),
    sinks: Iterable[str] = (),
    declared: Declared = lambda reader, tables: (),
) -> Layer:
    """A `hookline.toml` or `hookline.local.toml`; *stores* and *sinks* are the names that may stand in it."""
    names = [*stores], [*sinks]
    return _read(file, tomllib.loads, lambda data: _toml(Reader(file, toml_lines), data, *names, declared))


def read_hooks(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """A `hooks.json`: `{"version": 1, "hooks": {EVENT: [entry, ...]}}`."""
    return _read_json(file, kinds, ("version", "hooks"))


def read_mcp(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """An `mcp.json`: servers, and hooks that are tools of theirs."""
    return _read_json(file, kinds, ("version", "hooks", "mcpServers"))


def _read(file: File, parse: Callable[[str], Any], layer: Callable[[Any], Layer]) -> Layer:
    try:
        data = parse(file.text)
    except RecursionError:
        return _broken(file, "it is nested too deeply")
    except ValueError as error:
        return _broken(file, str(error))
    return layer(data)


def _broken(file: File, text: str) -> Layer:
    found = re.search(r"\bline (\d+)", text)
    line = int(found[1]) if found else file.text.count("\n") + 1 if "end of document" in text else 1
    what = f"cannot be read: {text}; {NOTHING_HOLDS}"
    problem = Problem(file=file.name, line=line, text=what)
    return Layer(source=file.source, file=file.name, problems=(problem,), broken=True)


def as_before(broken: Layer, before: Layer) -> Layer:
    """What a file said *before* somebody broke it, with what is wrong now."""
    told = [replace(one, text=one.text.replace(NOTHING_HOLDS, OLD_HOLDS)) for one in broken.problems]
    return replace(before, problems=(*told, *before.problems))


def _toml(
    reader: Reader, data: dict[str, Any], stores: list[str], sinks: list[str], declared: Declared
) -> Layer:
    tables = reader.table(data.pop("hooks", {}), ("hooks",))
    settings = {name: _settings(reader, ("hooks", name), table) for name, table in tables.items()}
    sunk = reader.table(data.pop("sinks", {}), ("sinks",))
    known = [*reader.known(sunk, ("sinks",), sinks, "'sinks'")]
    given = {
        key: Given(value=frozen(data[key]), origin=reader.origin((key,)))
        for key in reader.known(data, (), OPTIONS, "hookline.toml")
    }
    options = {key: one for key, one in given.items() if _option_holds(reader, key, data[key], stores)}
    return Layer(
        source=reader.file.source,
        file=reader.file.name,
        options=Frozen(options),
        settings=Frozen(settings),
        tables=Frozen({name: reader.origin(("hooks", name)) for name in tables}),
        refused=Frozen({key: one.origin for key, one in given.items() if key not in options}),
        sinks=Frozen({name: _settings(reader, ("sinks", name), sunk[name]) for name in known}),
        declarations=tuple(declared(reader, tables)),
        problems=tuple(reader.problems),
    )


def _settings(reader: Reader, path: Path, table: Any) -> Mapping[str, Given]:
    return Frozen(
        {
            key: Given(value=frozen(value), origin=reader.origin((*path, key)))
            for key, value in reader.table(table, path).items()
            if _sound(reader, value, (*path, key))
        }
    )


def _sound(reader: Reader, value: Any, path: Path) -> bool:
    if sound(value):
        return True
    reader.wrong(path, f"{path[-1]!r} must have numbers of at most 64 bits, and neither nan nor inf")
    return False


def _option_holds(reader: Reader, key: str, value: Any, stores: list[str]) -> bool:
    if not _sound(reader, value, (key,)) or not reader.typed(value, OPTIONS[key], (key,)):
        return False
    wrong = [*_wrong(key, value, stores)]
    for steps, text in wrong:
        reader.wrong((key, *steps), text)
    return not wrong


def _wrong(key: str, value: Any, stores: list[str]) -> Iterator[tuple[Path, str]]:
    """What is wrong with the value of an option, and where inside of it."""
    if key == "import":
        bad = ((str(number), bad_import(item)) for number, item in enumerate(value))
        yield from (((number,), f"item {int(number) + 1} of 'import' {text}") for number, text in bad if text)
    named = {"profile": PROFILES, "store": tuple(stores)}.get(key)
    if named and value not in named:
        yield (), f"no {key} is called {value!r}; there are: {', '.join(named)}"
    most = LARGEST.get(key)
    if most and not (0 < value <= most):
        yield (), f"{key!r} must be more than 0 and at most {most:,}, not {value!r}"


def _read_json(file: File, kinds: Mapping[str, Kind], allowed: tuple[str, ...]) -> Layer:
    if not file.text.strip():
        return _broken(file, 'it is empty; one that says nothing is {"version": 1}')

    def parse(text: str) -> Any:
        return json.loads(text, object_pairs_hook=every_key)

    return _read(file, parse, lambda data: _json(Reader(file, json_lines), data, kinds, allowed))


def _json(reader: Reader, data: Any, kinds: Mapping[str, Kind], allowed: tuple[str, ...]) -> Layer:
    once = reader.table(data, ())
    known = set(reader.known(once, (), allowed, "the file"))
    version = once.get("version", 1)
    if type(version) is not int or version != 1:
        told = worded(version) if type(version) is not int else f"version {version}"
        reader.wrong(("version",), f"{told} is not known here; this hookline reads version 1")
        known = set()
    return Layer(
        source=reader.file.source,
        file=reader.file.name,
        declarations=tuple(entries(reader, data, kinds)) if "hooks" in known else (),
        servers=Frozen(servers(reader, data)) if "mcpServers" in known else Frozen(),
        problems=tuple(reader.problems),
    )
