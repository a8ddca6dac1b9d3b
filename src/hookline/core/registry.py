"""A family is a package with one member a file: a member joins by being there.

Names are read from the file names, so that listing costs nothing and only what is used is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from os import listdir
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from msgspec import Struct


class Family(Struct, frozen=True, kw_only=True):
    """The members of *package*, each its module's *constant* (with none: what is named like the module)."""

    package: str
    noun: str
    constant: str = ""

    def names(self) -> tuple[str, ...]:
        return _members(tuple(_package(self.package).__path__))

    def load(self, name: str) -> Any:
        """The member called *name*; raises `LookupError` that lists who there is."""
        there = self.names()
        if name not in there:
            raise LookupError(f"no {self.noun} is called {name!r}; there are: {', '.join(there)}")
        module = name.replace("-", "_")
        return _member(f"{self.package}.{module}", self.constant or module)

    def members(self) -> Iterator[Any]:
        for name in self.names():
            yield self.load(name)


@cache
def _package(name: str) -> ModuleType:
    return import_module(name)


@cache
def _member(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


@cache
def _members(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Looked up once: what is installed does not change under a program that runs."""
    found = {name for path in paths for name in _modules(path)}
    return tuple(sorted(name.replace("_", "-") for name in found if name[0] != "_"))


def _modules(path: str) -> Iterator[str]:
    """The modules in a folder, or wherever else packages lie."""
    try:
        found = listdir(path)
    except OSError:
        yield from (module.name for module in iter_modules([path]))
        return
    yield from (name.partition(".")[0] for name in found if name.endswith((".py", ".pyc")))
