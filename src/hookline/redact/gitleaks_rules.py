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

_CHARACTER_CLASSES = {
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
_SET_CONTENT = re.compile(r"\\.|\[:(?P<named>\^?\w+):\]|\[|--|&&|\|\||~~", re.DOTALL)
"""Text in a character set that has another meaning in Python, or may have in the future."""
_DEPTH_CHANGES = {"(": 1, ")": -1}


def translate_pattern(pattern: str) -> str:
    """Return the Go *pattern* as a Python one; raise `ValueError` if that is not possible."""
    translated: list[str] = []
    flags = [""]  # flags by depth of groups: they end with their group
    for part in _split_pattern(pattern):
        if part == "(":
            flags.append("")
        elif part == ")":
            translated.append(")" * bool(flags.pop()))
        elif part.startswith("(?"):
            translated.append(")" * bool(flags[-1]))
            flags[-1] = part[2:-1]
        translated.append(_translate_part(part, flags[-1]))
    return "".join(translated) + ")" * bool(flags[0])


def _split_pattern(pattern: str) -> list[str]:
    parts = _PART.findall(pattern)
    if (
        "".join(parts) != pattern
        or min(accumulate(_DEPTH_CHANGES.get(part, 0) for part in parts), default=0) < 0
    ):
        raise ValueError(f"unsupported pattern {pattern[:60]!r}")
    return parts


def _translate_part(part: str, flags: str) -> str:
    if part.startswith("["):
        return f"[{_SET_CONTENT.sub(_translate_set_content, part[1:-1])}]"
    if part.startswith("(?"):
        return f"(?{flags}:"
    if part == "|" and flags:
        return f")|(?{flags}:"
    return {r"\z": r"\Z", r"\C": "."}.get(part, part)


def _translate_set_content(match: re.Match[str]) -> str:
    name = match["named"]
    if not name:
        return match[0] if match[0].startswith("\\") else f"{match[0][:-1]}\\{match[0][-1]}"
    if name not in _CHARACTER_CLASSES:
        raise ValueError(f"unknown character class {name!r}")
    return _CHARACTER_CLASSES[name]


_CHARS_BEFORE, _CHARS_AFTER = 200, 1000
"""Characters before and after a keyword that a rule searches."""


class Rule(Struct, frozen=True, kw_only=True):
    """One rule."""

    id: str
    pattern: str
    keywords: tuple[str, ...] = ()
    group: int = 0
    """The group of the pattern that is the secret; 0 is the first that matched, or else the whole."""
    entropy: float = 0.0
    """Minimum entropy of a secret in bits per character."""
    exceptions: tuple[str, ...] = ()
    """Patterns of values that are not secrets."""
    stopwords: tuple[str, ...] = ()

    def find(self, text: str, lower: str) -> Iterator[Span]:
        """Yield the secrets in *text*; *lower* is the text in lower case."""
        for start, end in _search_ranges(lower, self.keywords):
            for match in _compile(self.pattern).finditer(text, start, end):
                span = _secret_span(match, self.group)
                if span[0] < span[1] and self._is_secret(text[slice(*span)]):
                    yield Span(*span, self.id)

    def _is_secret(self, value: str) -> bool:
        return (
            _entropy(value) >= self.entropy
            and not any(_compile(pattern).search(value) for pattern in self.exceptions)
            and not any(word in value.lower() for word in self.stopwords)
        )


class RuleFile(Struct, frozen=True, kw_only=True):
    """The rules of one file; calling it with a text yields their findings."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    """Descriptions of the parts of the file that cannot be used."""

    def __call__(self, text: str) -> Iterator[Span]:
        lower = text.lower() if len(text.lower()) == len(text) else text
        for rule in self.rules:
            yield from rule.find(text, lower)


def parse_rules(text: str) -> RuleFile:
    """Return the rules in the *text* of a gitleaks file."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # huge numbers and deep nesting are not TOML errors
        return RuleFile(problems=(f"is not TOML: {error}",))
    rules, problems = [], ["extends another file, which is not supported"] if "extend" in data else []
    global_exceptions = _find_exceptions(data)
    for entry in _tables(data.get("rules")):
        rule = _parse_rule(entry, global_exceptions)
        if isinstance(rule, str):
            problems.append(f"rule {str(entry.get('id', '?'))!r} {rule}")
        elif rule:
            rules.append(rule)
    return RuleFile(rules=tuple(rules), problems=tuple(problems))


def _parse_rule(
    entry: Mapping[str, Any], global_exceptions: Sequence[Mapping[str, Any]]
) -> Rule | str | None:
    """Return the rule, or the reason why it cannot be used; None for a rule about file names."""
    if "regex" not in entry or entry.get("path"):
        return None
    try:
        exceptions = [*global_exceptions, *_find_exceptions(entry)]
        rule = Rule(
            id=str(entry["id"]),
            pattern=translate_pattern(entry["regex"]),
            keywords=tuple(word.lower() for word in entry.get("keywords", ())),
            group=int(entry.get("secretGroup", 0)),
            entropy=float(entry.get("entropy", 0.0)),
            exceptions=tuple(
                translate_pattern(regex) for exception in exceptions for regex in exception.get("regexes", ())
            ),
            stopwords=tuple(
                word.lower() for exception in exceptions for word in exception.get("stopwords", ())
            ),
        )
        for pattern in (rule.pattern, *rule.exceptions):
            _compile(pattern)
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
        if 0 <= rule.group <= _compile(rule.pattern).groups
        else "names a group that its pattern does not have"
    )


def _find_exceptions(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the allowlists of a rule or of the whole file that are about the secret itself."""
    tables = [
        *_tables(entry.get("allowlists")),
        *_tables([entry["allowlist"]] if "allowlist" in entry else ()),
    ]
    return [
        table for table in tables if table.get("regexTarget", "secret") != "line" and "paths" not in table
    ]


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _search_ranges(lower: str, keywords: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the ranges around all keywords; overlapping ones are merged."""
    if not keywords:
        yield 0, len(lower)
        return
    start = end = -1
    for position in sorted(_find_keywords(lower, keywords)):
        if position - _CHARS_BEFORE > end:
            if end >= 0:
                yield start, end
            start = max(0, position - _CHARS_BEFORE)
        end = min(len(lower), position + _CHARS_AFTER)
    if end >= 0:
        yield start, end


def _find_keywords(lower: str, keywords: Sequence[str]) -> Iterator[int]:
    for word in keywords:
        position = lower.find(word) if word else -1
        while position >= 0:
            yield position
            position = lower.find(word, position + len(word))


def _secret_span(match: re.Match[str], group: int) -> tuple[int, int]:
    if group:
        return match.span(group)
    return next((match.span(number) for number, value in enumerate(match.groups(), 1) if value), match.span())


def _entropy(value: str) -> float:
    """Return the Shannon entropy of *value* in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
