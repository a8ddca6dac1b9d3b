"""Text of hookline.toml, hooks.json and mcp.json → declarations and settings; reads no file itself.

Whatever is wrong becomes a `Problem` with file, line and what is allowed; the rest of the file still holds.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hookline.events import EVENTS
from hookline.frozen import Frozen, frozen
from hookline.hook import good_name
from hookline.kind import Declaration, Kind
from hookline.lines import Path, json_lines, nearest, toml_lines

OPTIONS: Mapping[str, tuple[type, ...]] = {
    "profile": (str,),
    "import": (list,),
    "store": (str,),
    "answer_within": (int, float),
    "context_cap": (int,),
}
"""What hookline.toml may say besides `[hooks.<name>]`."""
PROFILES = ("default", "none")
ENTRY: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "priority": (int,),
    "match": (str,),
    "timeout": (int, float),
    "on_failure": (str,),
    "on_timeout": (str,),
    "observer": (bool,),
}
"""What an entry of any kind may say."""
FAILURES = ("warn", "block")
LONGEST_TIMEOUT = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong in a file, for whoever wrote it."""

    file: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.line else f"{self.file}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value, and where it was given."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one file says."""

    source: str
    """user, project or local."""
    file: str
    options: Mapping[str, Given] = field(default_factory=Frozen)
    settings: Mapping[str, Mapping[str, Given]] = field(default_factory=Frozen)
    """By hook name."""
    declarations: tuple[Declaration, ...] = ()
    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=Frozen)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A configuration file that was read, and whose it is."""

    name: str
    """As a person would write it."""
    text: str
    source: str
    root: str


class _Reader:
    """Collects what is good and what is wrong of one file while it is read."""

    def __init__(self, file: File, lines: Callable[[str], Mapping[Path, int]]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._lines_of = lines
        self._lines: Mapping[Path, int] | None = None

    def line(self, path: Path) -> int:
        if self._lines is None:
            self._lines = self._lines_of(self.file.text)
        return nearest(self._lines, path)

    def wrong(self, path: Path, text: str) -> None:
        self.problems.append(Problem(file=self.file.name, line=self.line(path), text=text))

    def origin(self, path: Path) -> str:
        return f"{self.file.name}:{self.line(path)}"

    def table(self, value: Any, path: Path) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        self.wrong(path, f"{path[-1] if path else 'the file'!r} must be a table of keys, not {_type(value)}")
        return {}

    def known(self, table: Mapping[str, Any], path: Path, allowed: Iterable[str], what: str) -> Iterator[str]:
        """The keys that are allowed; the others are said."""
        names = sorted(allowed)
        for key in table:
            if key in names:
                yield key
            else:
                self.wrong((*path, key), f"{what} has no {key!r}; there are: {', '.join(names)}")

    def typed(self, value: Any, wanted: tuple[type, ...], path: Path) -> bool:
        if isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool)):
            return True
        names = " or ".join(_NAMES[kind] for kind in wanted)
        self.wrong(path, f"{path[-1]!r} must be {names}, not {_type(value)}")
        return False


_NAMES: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def _type(value: Any) -> str:
    return _NAMES.get(type(value), "null" if value is None else type(value).__name__)


def read_toml(file: File) -> Layer:
    """A `hookline.toml` or `hookline.local.toml`."""
    import tomllib  # noqa: PLC0415 -- most calls have no such file

    reader = _Reader(file, toml_lines)
    try:
        data = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        return _broken(file, str(error))
    settings = {
        name: _settings(reader, name, table)
        for name, table in reader.table(data.pop("hooks", {}), ("hooks",)).items()
    }
    options = {
        key: Given(value=frozen(data[key]), origin=reader.origin((key,)))
        for key in reader.known(data, (), [*OPTIONS], "hookline.toml")
        if reader.typed(data[key], OPTIONS[key], (key,)) and _option_holds(reader, key, data[key])
    }
    return Layer(
        source=file.source,
        file=file.name,
        options=Frozen(options),
        settings=Frozen(settings),
        problems=tuple(reader.problems),
    )


def _settings(reader: _Reader, name: str, table: Any) -> Mapping[str, Given]:
    path = ("hooks", name)
    return Frozen(
        {
            key: Given(value=frozen(value), origin=reader.origin((*path, key)))
            for key, value in reader.table(table, path).items()
        }
    )


def _option_holds(reader: _Reader, key: str, value: Any) -> bool:
    if key == "profile" and value not in PROFILES:
        reader.wrong((key,), f"no profile is called {value!r}; there are: {', '.join(PROFILES)}")
        return False
    if key == "import" and not all(isinstance(item, str) for item in value):
        reader.wrong((key,), "'import' must be a list of import paths such as \"package.module:name\"")
        return False
    if key in ("answer_within", "context_cap") and value <= 0:
        reader.wrong((key,), f"{key!r} must be more than 0, not {value!r}")
        return False
    return True


def read_hooks(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """A `hooks.json`: `{"version": 1, "hooks": {EVENT: [entry, ...]}}`."""
    return _read_json(file, kinds, {"version", "hooks"})


def read_mcp(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """An `mcp.json`: servers, and hooks that are tools of theirs."""
    return _read_json(file, kinds, {"version", "hooks", "mcpServers"})


def _read_json(file: File, kinds: Mapping[str, Kind], allowed: set[str]) -> Layer:
    reader = _Reader(file, json_lines)
    try:
        data = json.loads(file.text)
    except json.JSONDecodeError as error:
        return _broken(file, f"{error.msg} (at line {error.lineno}, column {error.colno})", error.lineno)
    except RecursionError:
        return _broken(file, "is nested too deeply to be read")
    data = reader.table(data, ())
    list(reader.known(data, (), allowed, "the file"))
    if data.get("version", 1) != 1:
        reader.wrong(
            ("version",), f"version {data['version']!r} is not known here; this hookline reads version 1"
        )
        data = {}
    declarations = tuple(_entries(reader, data.get("hooks", {}), kinds))
    servers = {
        name: frozen(reader.table(server, ("mcpServers", name)))
        for name, server in reader.table(data.get("mcpServers", {}), ("mcpServers",)).items()
    }
    return Layer(
        source=file.source,
        file=file.name,
        declarations=declarations,
        servers=Frozen({name: _server(file, server) for name, server in servers.items()}),
        problems=tuple(reader.problems),
    )


def _server(file: File, server: Mapping[str, Any]) -> Mapping[str, Any]:
    return Frozen({"cwd": file.root, **server})


def _broken(file: File, text: str, line: int = 0) -> Layer:
    problem = Problem(
        file=file.name, line=line, text=f"cannot be read: {text}; nothing in it holds until it is mended"
    )
    return Layer(source=file.source, file=file.name, problems=(problem,))


def _entries(reader: _Reader, hooks: Any, kinds: Mapping[str, Kind]) -> Iterator[Declaration]:
    hooks = reader.table(hooks, ("hooks",))
    for event in reader.known(hooks, ("hooks",), EVENTS, "the list of events"):
        entries = hooks[event]
        if not reader.typed(entries, (list,), ("hooks", event)):
            continue
        for number, entry in enumerate(entries):
            path = ("hooks", event, str(number))
            declaration = _entry(reader, reader.table(entry, path), path, kinds)
            if declaration:
                yield declaration


def _entry(
    reader: _Reader, entry: Mapping[str, Any], path: Path, kinds: Mapping[str, Kind]
) -> Declaration | None:
    keys = {kind.key: kind for kind in kinds.values()}
    told = [keys[key] for key in entry if key in keys]
    if len(told) != 1:
        reader.wrong(path, f"an entry says by exactly one of {', '.join(sorted(keys))} what to run")
        return None
    kind = told[0]
    allowed = {**ENTRY, **kind.fields}
    before = len(reader.problems)
    good = {
        key: entry[key]
        for key in reader.known(entry, path, allowed, f"a {kind.name} hook")
        if reader.typed(entry[key], allowed[key], (*path, key))
        and _entry_holds(reader, key, entry[key], (*path, key))
    }
    if len(reader.problems) > before:
        return None
    return _declaration(reader, kind, good, path)


def _entry_holds(reader: _Reader, key: str, value: Any, path: Path) -> bool:
    if key in ("on_failure", "on_timeout") and value not in FAILURES:
        reader.wrong(path, f"{key!r} is {value!r}; there are: {', '.join(FAILURES)}")
        return False
    if key == "timeout" and not 0 < value <= LONGEST_TIMEOUT:
        reader.wrong(
            path, f"'timeout' is {value!r}; it is in seconds, more than 0 and at most {LONGEST_TIMEOUT}"
        )
        return False
    if key == "name" and not good_name(value):
        reader.wrong(path, f"{value!r} is no name of a hook; use small letters, digits, '.', '_' and '-'")
        return False
    return not (key == "match" and _bad_match(reader, value, path))


def _bad_match(reader: _Reader, value: str, path: Path) -> bool:
    import re  # noqa: PLC0415 -- only where a match is given

    try:
        re.compile(value)
    except re.error as error:
        reader.wrong(path, f"{value!r} is no pattern: {error}")
        return True
    return False


def _declaration(reader: _Reader, kind: Kind, entry: Mapping[str, Any], path: Path) -> Declaration:
    event, number = path[1], path[2]
    usual = f"{reader.file.source}.{event.lower()}.{kind.name}-{int(number) + 1}"
    return Declaration(
        kind=kind.name,
        name=entry.get("name", usual),
        on=(EVENTS[event],),
        spec=frozen({key: value for key, value in entry.items() if key in kind.fields}),
        source=reader.file.source,
        origin=reader.origin(path),
        root=reader.file.root,
        **{key: entry[key] for key in ENTRY if key in entry and key != "name"},
    )
