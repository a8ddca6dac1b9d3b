"""Regular expressions as Go writes them, in Python's words.

They differ in flags, which Go takes anywhere and Python only around a group; in the end of the text; and in
classes with a name.
"""

import re
from itertools import accumulate

_CLASSES = {
    "alnum": "A-Za-z0-9",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_PART = re.compile(
    r"\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?[imsU-]+\)|\(|\)|\||[^\\\[()|]+", re.DOTALL
)
_INSIDE = re.compile(r"\\.|\[:(?P<named>\^?\w+):\]|\[|--|&&|\|\||~~", re.DOTALL)
"""What in a set of characters has another meaning for Python, now or some day."""
_DEPTH = {"(": 1, ")": -1}


def translated(pattern: str) -> str:
    """*pattern* for Python; raises `ValueError` where there are no words for it."""
    out: list[str] = []
    flags = [""]  # those set at each depth of groups, so that they end where their group does
    for part in _parts(pattern):
        if part == "(":
            flags.append("")
        elif part == ")":
            out.append(")" * bool(flags.pop()))
        elif part.startswith("(?"):
            out.append(")" * bool(flags[-1]))
            flags[-1] = part[2:-1]
        out.append(_plain(part, flags[-1]))
    return "".join(out) + ")" * bool(flags[0])


def _parts(pattern: str) -> list[str]:
    parts = _PART.findall(pattern)
    if "".join(parts) != pattern or min(accumulate(_DEPTH.get(part, 0) for part in parts), default=0) < 0:
        raise ValueError(f"{pattern[:60]!r} is no pattern that can be read")
    return parts


def _plain(part: str, flags: str) -> str:
    if part.startswith("["):
        return f"[{_INSIDE.sub(_inside, part[1:-1])}]"
    if part.startswith("(?"):
        return f"(?{flags}:"
    if part == "|" and flags:
        return f")|(?{flags}:"
    return {r"\z": r"\Z", r"\C": "."}.get(part, part)


def _inside(found: re.Match[str]) -> str:
    name = found["named"]
    if not name:
        return found[0] if found[0].startswith("\\") else f"{found[0][:-1]}\\{found[0][-1]}"
    if name not in _CLASSES:
        raise ValueError(f"no class is called {name!r}")
    return _CLASSES[name]
