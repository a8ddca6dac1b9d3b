"""The module `re`, with patterns that are compiled when they are first used.

A call uses few of the patterns that its modules define, and compiling all of them takes longer than the call.
The standard module compiles patterns of users and reports mistakes at once; thus `error` is missing here.
"""

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import TYPE_CHECKING, Any

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "Match",
    "Pattern",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]

if TYPE_CHECKING:
    from re import compile  # noqa: A004 -- the name in the standard module
else:

    class compile:  # noqa: A001, N801 -- ditto
        """A pattern that becomes a `_Compiled` one at the first use of a method or attribute."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self.pattern, self._flags = pattern, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(self.pattern, self._flags)
            vars(self).update({public: getattr(compiled, public) for public in _PUBLIC})
            self.__class__ = _Compiled
            return getattr(compiled, name)


class _Compiled:
    """A pattern with the methods of the compiled one; without `__getattr__`, which slows each access down."""


_PUBLIC = [name for name in dir(Pattern) if not name.startswith("_")]
