"""Rules of gitleaks files: their patterns, keywords, entropy and exceptions.

The patterns are written for another regular expression engine and for files. Here each one is matched only
around its keywords, in ranges of bounded length, so that the time is linear in the length of the text.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from msgspec import Struct

from hookline.redact._text_views import Span

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


_BEFORE, _BEHIND = 200, 1000
"""Characters around a keyword in which a rule looks."""


class Rule(Struct, frozen=True, kw_only=True):
    """One rule."""

    id: str
    pattern: str
    keywords: tuple[str, ...] = ()
    group: int = 0
    """Which group of the pattern is the secret; 0 is the first that took part, else the whole."""
    entropy: float = 0.0
    """Bits a character that a secret has at least."""
    but: tuple[str, ...] = ()
    """Patterns of what is none."""
    stopwords: tuple[str, ...] = ()

    def find(self, text: str, lower: str) -> Iterator[Span]:
        for start, end in _stretches(lower, self.keywords):
            for found in _compiled(self.pattern).finditer(text, start, end):
                span = _secret(found, self.group)
                if span[0] < span[1] and self._counts(text[slice(*span)]):
                    yield Span(*span, self.id)

    def _counts(self, value: str) -> bool:
        return (
            _bits(value) >= self.entropy
            and not any(_compiled(pattern).search(value) for pattern in self.but)
            and not any(word in value.lower() for word in self.stopwords)
        )


class RuleFile(Struct, frozen=True, kw_only=True):
    """The rules of one file; called with a text, it yields what they find."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    """What of the file cannot be used, in sentences."""

    def __call__(self, text: str) -> Iterator[Span]:
        lower = text.lower() if len(text.lower()) == len(text) else text
        for rule in self.rules:
            yield from rule.find(text, lower)


def load(text: str) -> RuleFile:
    """The rules of a gitleaks file."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers and depths without end are not TOML's to tell
        return RuleFile(problems=(f"is no TOML: {error}",))
    rules, problems = [], ["extends another file, which is not read"] if "extend" in data else []
    everywhere = _exceptions(data)
    for entry in _tables(data.get("rules")):
        rule = _rule(entry, everywhere)
        if isinstance(rule, str):
            problems.append(f"rule {str(entry.get('id', '?'))!r} {rule}")
        elif rule:
            rules.append(rule)
    return RuleFile(rules=tuple(rules), problems=tuple(problems))


def _rule(entry: Mapping[str, Any], everywhere: Sequence[Mapping[str, Any]]) -> Rule | str | None:
    """The rule; what is wrong with it; None for one about files' names, which mean nothing here."""
    if "regex" not in entry or entry.get("path"):
        return None
    try:
        exceptions = [*everywhere, *_exceptions(entry)]
        rule = Rule(
            id=str(entry["id"]),
            pattern=translated(entry["regex"]),
            keywords=tuple(word.lower() for word in entry.get("keywords", ())),
            group=int(entry.get("secretGroup", 0)),
            entropy=float(entry.get("entropy", 0.0)),
            but=tuple(translated(one) for exception in exceptions for one in exception.get("regexes", ())),
            stopwords=tuple(
                word.lower() for exception in exceptions for word in exception.get("stopwords", ())
            ),
        )
        for pattern in (rule.pattern, *rule.but):
            _compiled(pattern)
    except (
        re.error,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        return f"cannot be used: {error}"
    return (
        rule
        if 0 <= rule.group <= _compiled(rule.pattern).groups
        else "names a group that its pattern has not"
    )


def _exceptions(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a rule, or the whole file, lets pass; only as far as it is about the secret itself."""
    both = [*_tables(entry.get("allowlists")), *_tables([entry["allowlist"]] if "allowlist" in entry else ())]
    return [one for one in both if one.get("regexTarget", "secret") != "line" and "paths" not in one]


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _stretches(lower: str, keywords: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where to look: around every keyword, overlapping ones together."""
    if not keywords:
        yield 0, len(lower)
        return
    start = end = -1
    for place in sorted(_places(lower, keywords)):
        if place - _BEFORE > end:
            if end >= 0:
                yield start, end
            start = max(0, place - _BEFORE)
        end = min(len(lower), place + _BEHIND)
    if end >= 0:
        yield start, end


def _places(lower: str, keywords: Sequence[str]) -> Iterator[int]:
    for word in keywords:
        place = lower.find(word) if word else -1
        while place >= 0:
            yield place
            place = lower.find(word, place + len(word))


def _secret(found: re.Match[str], group: int) -> tuple[int, int]:
    if group:
        return found.span(group)
    return next((found.span(n) for n, value in enumerate(found.groups(), 1) if value), found.span())


def _bits(value: str) -> float:
    """Shannon's entropy of the characters."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
