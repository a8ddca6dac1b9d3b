"""Our compiled modules and regular expressions in one file, of which a call reads those that it needs.

Python lists folders for each module, asks twice for its source and opens a file of its own. A process that
answers one call imports more than a hundred, and a host waits for it. So what one call had to look for lies
ready for the next, as one more file among those in which Python itself keeps compiled modules: it is written
by the first who needs it and may write there, and nobody could write it who could not write those. It lies
where `bundled.py` would be compiled to, so that whoever removes the package removes it too.

Regular expressions are compiled by Python at each start, and `re` is imported for it; what comes of it is a
row of numbers, the same for the same expression, and lies there too.

A module is taken from it only while its source is as old and as long as it was, which is Python's own rule.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # what `importlib.machinery` has it from
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader  # ditto
from contextlib import suppress

from hookline import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import CodeType

    Pattern = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
    """Flags, the engine's code, how many groups, and their names both ways."""
    Source = tuple[str, int, int]
    """The file below the package, when it was changed (in nanoseconds), and how long it is."""

PACKAGE, _, _HERE = __name__.partition(".")
FOLDER = __file__.removesuffix(f"{_HERE.replace('.', os.sep)}.py")
"""Of the package, with a separator behind it."""
HEAD = MAGIC_NUMBER + b"hookline\2"
NUMBER = 8
"""Bytes of the number that tells how long the index is."""
OTHERS_MAY_WRITE = 0o022
UNREADABLE = (ValueError, EOFError, TypeError)
"""What `marshal` says of data that is not what it wrote."""
PATTERNS = "*"
"""Under which the regular expressions lie."""


def use() -> Bundle:
    """Have our modules that this process imports from now on found there."""
    folder, _, ending = (__spec__.cached or "").rpartition("bundle.")
    bundle = Bundle(f"{folder}bundled.{ending}" if folder else "")  # an archive has no place for it
    sys.meta_path.insert(0, bundle)
    pattern.READY.update(bundle.patterns())
    return bundle


class Bundle:
    """Compiled modules in the file at *path*; there need be none yet."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._before = frozenset(sys.modules)
        self._file, self._begin = -1, 0
        self._index: Mapping[str, tuple[Source, int, int]] = {}
        """By name: of which source, and where its code lies: where it begins, and how long it is."""
        try:
            self._open()
        except (OSError, *UNREADABLE):
            return  # none, or not a whole one

    def _open(self) -> None:
        self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        if _trusted(self._file) and os.read(self._file, len(HEAD)) == HEAD:
            size = int.from_bytes(os.read(self._file, NUMBER), "big")
            self._index = marshal.loads(os.read(self._file, size))  # noqa: S302 -- see `_trusted`
            self._begin = len(HEAD) + NUMBER + size

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """What Python asks for each module: None leaves it to whoever else finds it."""
        known = self._index.get(name)
        if known is None or _source(known[0][0]) != known[0]:
            return None
        code, place = self._code(name), f"{FOLDER}{known[0][0]}"
        if not code:
            return None
        spec = ModuleSpec(name, Ready(name, place, code), origin=place)
        if place.endswith("__init__.py"):
            spec.submodule_search_locations = [os.path.dirname(place)]
        spec.has_location, spec.cached = True, self.path
        return spec

    def _code(self, name: str) -> bytes:
        _, begin, size = self._index[name]
        code = os.pread(self._file, size, self._begin + begin)
        return code if len(code) == size else b""

    def patterns(self) -> dict[tuple[str, int], Pattern]:
        code = self._code(PATTERNS) if PATTERNS in self._index else b""
        try:
            return marshal.loads(code) if code else {}  # noqa: S302 -- ditto
        except UNREADABLE:
            return {}

    def keep(self) -> None:
        """Add what this process had to look for, so that the next one need not."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self.path), os.W_OK):
            return
        try:
            self._keep()
        except Exception:  # noqa: BLE001 -- the answer is out, and holds; the next one looks for itself, too
            return

    def _keep(self) -> None:
        found = dict(self._looked_for())
        if new := {key: engine(*key) for key in pattern.COMPILED}:
            found[PATTERNS] = ("", 0, 0), marshal.dumps(self.patterns() | new)
        if found:
            old = {name: (known[0], self._code(name)) for name, known in self._index.items()}
            self._write({**old, **found})

    def _looked_for(self) -> Iterator[tuple[str, tuple[Source, bytes]]]:
        ours = (name for name in sys.modules.copy() if name.startswith(f"{PACKAGE}."))
        for name in ours:
            loader = getattr(sys.modules[name], "__loader__", None)
            if type(loader) is SourceFileLoader and name not in self._before:
                source = _source(loader.path.removeprefix(FOLDER))
                if source:
                    yield name, (source, marshal.dumps(loader.get_code(name)))

    def _write(self, modules: Mapping[str, tuple[Source, bytes]]) -> None:
        new = f"{self.path}.{os.getpid()}"
        try:
            with open(new, "xb") as file:
                os.fchmod(file.fileno(), 0o644)  # whatever this process leaves to others
                file.write(_packed(modules))
            os.replace(new, self.path)  # who reads meanwhile has the one or the other, whole
        except OSError:  # the next one looks for itself, too
            with suppress(OSError):
                os.unlink(new)


class Ready(SourceFileLoader):
    """Loads a module whose code was read already."""

    def __init__(self, name: str, path: str, code: bytes) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            code: CodeType = marshal.loads(self._code)  # noqa: S302 -- ditto
        except UNREADABLE:
            return super().get_code(fullname)
        return code


def engine(text: str, flags: int) -> Pattern:
    """What `re` makes of an expression, for its engine."""
    from array import array  # noqa: PLC0415 -- the answer is out
    from re import _compiler, _parser  # type: ignore[attr-defined]  # noqa: PLC0415 -- ditto

    parsed = _parser.parse(text, flags)
    code = array("I", _compiler._code(parsed, flags)).tobytes()  # noqa: SLF001 -- nobody else tells it
    names: dict[str, int] = parsed.state.groupdict
    named = {number: name for name, number in names.items()}
    numbers = tuple(map(named.get, range(parsed.state.groups)))
    return flags | parsed.state.flags, code, parsed.state.groups - 1, names, numbers


def _source(name: str) -> Source | None:
    try:
        found = os.stat(f"{FOLDER}{name}")
    except OSError:
        return None
    return name, found.st_mtime_ns, found.st_size


def _trusted(file: int) -> bool:
    """Python asks nothing of the files beside it; but these two would be wrong in any case."""
    found = os.fstat(file)
    return found.st_uid in (0, os.getuid()) and not found.st_mode & OTHERS_MAY_WRITE


def _packed(modules: Mapping[str, tuple[Source, bytes]]) -> bytes:
    index, begin = {}, 0
    for name, (source, code) in modules.items():
        index[name] = source, begin, len(code)
        begin += len(code)
    told = marshal.dumps(index)
    return b"".join([HEAD, len(told).to_bytes(NUMBER, "big"), told, *(code for _, code in modules.values())])
