"""A registry of the members of a package: each module in it is one member.

Names are derived from file names, so that listing imports nothing; only members that are used are imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from os import listdir
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NamedTuple


class Registry(NamedTuple):
    """The members of *package*; a member is its module's *constant*, by default named like the module."""

    package: str
    noun: str
    constant: str = ""

    def names(self) -> tuple[str, ...]:
        return _list_members(tuple(_import_package(self.package).__path__))

    def load(self, name: str) -> Any:
        """Return the member named *name*; raise `LookupError` that lists the members."""
        names = self.names()
        if name not in names:
            raise LookupError(describe_unknown(self.noun, name, names))
        module = name.replace("-", "_")
        return _load_member(f"{self.package}.{module}", self.constant or module)

    def members(self) -> Iterator[Any]:
        for name in self.names():
            yield self.load(name)


def describe_unknown(noun: str, name: str, names: Iterable[str]) -> str:
    """Return the message about a name that does not exist, with the closest existing name, or all of them."""
    available = list(names)
    close = import_module("difflib").get_close_matches(name, available, n=1)  # only loaded for a mistake
    hint = f"did you mean {close[0]!r}?" if close else f"available: {', '.join(available) or 'none'}"
    return f"no {noun} named {name!r}; {hint}"


@cache
def _import_package(name: str) -> ModuleType:
    return import_module(name)


@cache
def _load_member(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


@cache
def _list_members(paths: tuple[str, ...]) -> tuple[str, ...]:
    # Cached: the installed modules do not change while the program runs.
    modules = {name for path in paths for name in _list_modules(path)}
    return tuple(sorted(name.replace("_", "-") for name in modules if name[0] != "_"))


def _list_modules(path: str) -> Iterator[str]:
    try:
        files = listdir(path)
    except OSError:  # the package is not in a folder, but for example in a zip file
        yield from (module.name for module in iter_modules([path]))
        return
    yield from (name.partition(".")[0] for name in files if name.endswith((".py", ".pyc")))
