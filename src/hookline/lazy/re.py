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
_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

if TYPE_CHECKING:
    from re import compile  # noqa: A004 -- the name in the standard module
else:

    class compile:  # noqa: A001, N801 -- ditto
        """A pattern; after the first use its methods are those of the compiled pattern, as fast as before."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self.pattern, self._flags = pattern, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(self.pattern, self._flags)
            self.__dict__ |= {method: getattr(compiled, method) for method in _METHODS}
            return getattr(compiled, name)
