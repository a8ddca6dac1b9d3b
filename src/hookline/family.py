"""A family is a package with one member a file: a member joins by being there.

Names are read from the file names, so that listing costs nothing and only what is used is imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The members of *package*, each its module's *constant* (with none: what is named like the module)."""

    package: str
    noun: str
    constant: str = ""

    def names(self) -> tuple[str, ...]:
        return _members(tuple(import_module(self.package).__path__))

    def load(self, name: str) -> Any:
        """The member called *name*; raises `LookupError` that lists who there is."""
        if name not in self.names():
            raise LookupError(f"no {self.noun} is called {name!r}; there are: {', '.join(self.names())}")
        module = name.replace("-", "_")
        return getattr(import_module(f"{self.package}.{module}"), self.constant or module)

    def members(self) -> Iterator[Any]:
        for name in self.names():
            yield self.load(name)


@cache
def _members(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Looked up once: what is installed does not change under a program that runs."""
    return tuple(sorted(m.name.replace("_", "-") for m in iter_modules(paths) if m.name[0] != "_"))
