"""A regular expression that is compiled when it is first asked something.

A host waits while we start, and a call needs few of the patterns that our modules hold: the others must cost
it nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_ASKED = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "search", "split",
    "sub", "subn",
)  # fmt: skip


class _Lazy:
    """Becomes what it is asked for: from the first question on, the compiled pattern's own methods answer."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._wanted = pattern, flags

    def __getattr__(self, name: str) -> object:
        if name not in _ASKED:
            raise AttributeError(f"a pattern has no {name!r}; it has: {', '.join(_ASKED)}")
        import re  # noqa: PLC0415 -- a call may get by without

        compiled = re.compile(self.pattern, self._wanted)
        self.__dict__.update((known, getattr(compiled, known)) for known in _ASKED)
        return self.__dict__[name]

    def __repr__(self) -> str:
        return f"lazy({self.pattern!r})"


def lazy(pattern: str, flags: int = 0) -> "re.Pattern[str]":
    """What `re.compile` gives, later; for module constants, whose correctness a test proves."""
    return _Lazy(pattern, flags)  # type: ignore[return-value]
