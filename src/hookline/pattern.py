"""A regular expression that is compiled when it is first asked something.

A host waits while we start, and a call needs few of the patterns that our modules hold: the others must cost
it nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 2, 8, 16, 64, 256
"""As `re` has them."""
READY: dict[tuple[str, int], Any] = {}
"""By pattern and flags: what the engine makes one of that was compiled before (see `system/bundle.py`)."""
COMPILED: set[tuple[str, int]] = set()
"""What this process had to compile."""

_ASKED = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "search", "split",
    "sub", "subn",
)  # fmt: skip


class _Lazy:
    """Becomes what it is asked for: from the first question on, the compiled pattern's own methods answer."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._wanted = pattern, int(flags)

    def __getattr__(self, name: str) -> object:
        if name not in _ASKED:
            raise AttributeError(f"a pattern has no {name!r}; it has: {', '.join(_ASKED)}")
        asked = compiled(self.pattern, self._wanted)
        self.__dict__.update((known, getattr(asked, known)) for known in _ASKED)
        return self.__dict__[name]

    def __repr__(self) -> str:
        return f"lazy({self.pattern!r})"


def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """What `re.compile` gives, now."""
    ready = READY.get((pattern, flags))
    if ready is not None:
        from _sre import compile as made  # type: ignore[import-not-found]  # noqa: PLC0415 -- what `re` asks

        whole, code, groups, names, numbers = ready
        found: re.Pattern[str] = made(pattern, whole, [*memoryview(code).cast("I")], groups, names, numbers)
        return found
    import re  # noqa: PLC0415 -- a call may get by without

    COMPILED.add((pattern, flags))
    return re.compile(pattern, flags)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, later; for module constants, whose correctness a test proves."""
    return _Lazy(pattern, flags)  # type: ignore[return-value]


def fnmatchcase(name: str, glob: str) -> bool:
    """As that of `fnmatch`, which is imported when it is first asked."""
    from fnmatch import fnmatchcase as fits  # noqa: PLC0415 -- most commands have no glob

    return fits(name, glob)
