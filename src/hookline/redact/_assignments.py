"""Values assigned to the name of a secret: in code, settings, headers, command-line options and markup."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hookline.redact._layouts import find_cells
from hookline.redact._names import Name, classify_name, may_name_identifier
from hookline.redact._separators import (
    BARE_CHARACTER,
    assignment_pattern,
    changed_value_pattern,
    next_item_pattern,
    value_first_pattern,
)
from hookline.redact._text_views import Span
from hookline.redact._values import (
    has_mixed_case,
    is_code,
    is_identifier,
    is_placeholder,
    is_reference,
    is_short_hash,
    looks_made_up,
    looks_random,
    looks_shuffled,
)

NAME_STEMS = ("pass", "pwd", "pw", "psk", "secret", "credential", "key", "token", "auth", "bearer", "sig")
"""Substrings, in lower case; every name of a secret contains one of them."""
_MAX_QUOTED = 4096
"""Maximum characters of a quoted value that are redacted."""
_MAX_LINE_PREFIX = 80
"""Maximum characters between the start of a line and a name."""
_MAX_ITEMS = 500
"""Maximum strings of a list that are examined after its first."""
_MIN_VALUE = 8
"""Minimum characters of a value."""
_VALUE_ENDS = frozenset("(){}[],;&|")
"""Characters that end a bare value, unless it fills the rest of its line."""
_CHOSEN_KINDS = frozenset({"password", "secret"})
"""Kinds of secrets that people choose themselves."""


def find_assigned(text: str) -> Iterator[Span]:
    """Yield the values in *text* that are assigned to the name of a secret and look like one."""
    lower = _lower(text)
    stems = [stem for stem in NAME_STEMS if stem in lower]
    yield from _find_after_names(text, lower, stems)
    yield from _find_named(text, lower, stems)
    if "cookie" in lower:
        yield from _find_cookies(text, lower)


def _find_after_names(text: str, lower: str, stems: Sequence[str]) -> Iterator[Span]:
    for stem in stems:
        position = lower.find(stem)
        while position >= 0:
            match = assignment_pattern(stem).match(lower, position)
            span = _find_value(text, lower, match, stem) if match else None
            if match and span:
                yield span
            if match and (span or _starts_list(match)):
                yield from _find_further_values(text, lower, match, stem)
            position = lower.find(stem, span.end if span else position + len(stem))


def _find_named(text: str, lower: str, stems: Sequence[str]) -> Iterator[Span]:
    """Yield the values of `{"value": "…", "name": "DB_PASSWORD"}` and of the cells of tables."""
    if "value" in lower:
        for match in value_first_pattern().finditer(lower):
            start, end = match.span("quoted" if match["quote"] else "bare")
            yield from _judge_pair(text[slice(*match.span("name"))], text[start:end], start)
    for name, start, end in find_cells(text, lower, stems):
        if not (is_short_hash(text[start:end]) or is_code(text[start:end])):
            yield from _judge_pair(name, text[start:end], start)


def _judge_pair(name: str, value: str, start: int) -> Iterator[Span]:
    """Yield the span of *value*, which begins at *start*, if it is a secret in JSON under this *name*."""
    lower_name = name.lower()
    stems = [stem for stem in NAME_STEMS if stem in lower_name]
    if stems:
        pair = f'"{name}":"{value}"'
        found = _find_after_names(pair, _lower(pair), stems)
        yield from (Span(start, start + len(value), span.kind) for span in found)


def _find_value(text: str, lower: str, match: re.Match[str], stem: str) -> Span | None:
    start, end = match.span("quoted" if match["quote"] else "bare")
    if end - start < _MIN_VALUE and (match["quote"] or text[end : end + 1] not in _VALUE_ENDS):
        return None
    end = end if match["quote"] else _find_line_end(text, lower, match)
    name = classify_name(text, lower, match, stem) if end - start >= _MIN_VALUE else None
    if name is None or end - start < (_MIN_VALUE if _has_basic_scheme(match) else name.min_length):
        return None
    value = text[start:end]
    if not _is_secret(text, value, match, name.kind) or (
        is_identifier(value) and may_name_identifier(lower, match, stem)
    ):
        return None
    return Span(
        start, _find_closing_quote(text, match) if match["quote"] else _find_bare_end(text, end), name.kind
    )


def _find_further_values(text: str, lower: str, match: re.Match[str], stem: str) -> Iterator[Span]:
    """Yield the items of a list after its first, or the value that the first is changed to."""
    name, pattern = (
        classify_name(text, lower, match, stem),
        next_item_pattern() if _starts_list(match) else changed_value_pattern(),
    )
    item = pattern.match(lower, _value_end(text, match)) if name else None
    for _ in range(_MAX_ITEMS):
        if item is None or name is None:
            return
        start, end = item.start("quoted" if item["quote"] else "bare"), _value_end(text, item)
        if _is_listed_secret(text[start:end], name) and not (
            is_identifier(text[start:end]) and may_name_identifier(lower, match, stem)
        ):
            yield Span(start, end, name.kind)
        item = pattern.match(lower, end)


def _starts_list(match: re.Match[str]) -> bool:
    joint = match["joint"].rstrip(" \t")
    return joint.rstrip().endswith("[") or joint.rpartition("\n")[2].strip() == "-"


def _value_end(text: str, match: re.Match[str]) -> int:
    return _find_closing_quote(text, match) if match["quote"] else match.end()


def _is_listed_secret(value: str, name: Name) -> bool:
    return len(value) >= name.min_length and _looks_issued(value, name.kind)


def _has_basic_scheme(match: re.Match[str]) -> bool:
    return (match["scheme"] or "").startswith("basic")


def _is_secret(text: str, value: str, match: re.Match[str], kind: str) -> bool:
    if (
        not match["quote"]
        and not _is_environment_variable(text, match)
        and _is_code_value(text, value, match)
    ):
        return False
    if _has_basic_scheme(match):
        return not (is_placeholder(value) or is_reference(value))
    if _looks_issued(value, kind) or looks_shuffled(value):
        return True
    return kind == "password" and match["joint"].isspace() and has_mixed_case(value)


def _looks_issued(value: str, kind: str) -> bool:
    return looks_random(value) or (kind in _CHOSEN_KINDS and looks_made_up(value))


def _is_environment_variable(text: str, match: re.Match[str]) -> bool:
    return match["joint"] == "=" and text[match.start()].isupper()


def _is_code_value(text: str, value: str, match: re.Match[str]) -> bool:
    return text[match.end() : match.end() + 1] in {"(", "["} or is_code(value)


def _find_line_end(text: str, lower: str, match: re.Match[str]) -> int:
    """Return the end of a value; one that fills the rest of its line may contain `_VALUE_ENDS`."""
    start = max(0, match.start() - _MAX_LINE_PREFIX)
    line_start = text.rfind("\n", start, match.start()) + 1
    if not (line_start or start == 0) or not _line_start_pattern().fullmatch(
        lower, line_start, match.start()
    ):
        return match.end()
    rest = _rest_of_line_pattern().match(lower, match.end())
    return rest.end() if rest else match.end()


def _find_bare_end(text: str, end: int) -> int:
    """Return the end of a value that is longer than the part that was judged."""
    rest = _bare_pattern().match(text, end)
    return rest.end() if rest else end


def _find_closing_quote(text: str, match: re.Match[str]) -> int:
    """Return the position of the closing quote on the same line, after blanks and escapes too."""
    quote, start = match["mark"], match.end()
    escapes = len(match["quote"]) - 1
    for candidate in _quote_pattern().finditer(text, start, start + _MAX_QUOTED):
        backslashes = len(candidate[1])
        if candidate[2] == quote and (backslashes < escapes or backslashes % (2 * escapes + 2) == escapes):
            return candidate.end() - 1 - min(backslashes, escapes)
        if candidate[2] not in "'`" and candidate[2] != quote:
            break  # the end of the line, or of the surrounding JSON string
    return start


def _find_cookies(text: str, lower: str) -> Iterator[Span]:
    for line in _cookie_line_pattern().finditer(lower):
        for match in _cookie_pattern().finditer(text, *line.span("pairs")):
            if looks_random(match[1]):
                yield Span(*match.span(1), "cookie")


@cache
def _bare_pattern() -> re.Pattern[str]:
    return re.compile(f"{BARE_CHARACTER}+")


@cache
def _quote_pattern() -> re.Pattern[str]:
    return re.compile(r"""(\\*)(["'`\n\r\v\f\x1c-\x1e\x85\u2028\u2029])""")


@cache
def _line_start_pattern() -> re.Pattern[str]:
    """Return the pattern of the text before a name at the start of a line."""
    word = "(?:export |set |setx |env |arg |declare -x )?"
    return re.compile(rf"[-+> \t]{{0,40}}{word}(?:[a-z0-9_.]{{1,60}}[-_.])?[a-z0-9_]{{0,20}}")


@cache
def _rest_of_line_pattern() -> re.Pattern[str]:
    return re.compile(r"""(?:[^\s"'`<>\\,;&]|[,;&](?![\s"'`]|[a-z0-9_. -]{1,40}[=:]|$)){1,400}(?=\s|$)""")


@cache
def _cookie_line_pattern() -> re.Pattern[str]:
    return re.compile(r"""cookie["']?[ \t]{0,20}[:=](?P<pairs>[^\r\n]{1,8192})""")


@cache
def _cookie_pattern() -> re.Pattern[str]:
    return re.compile(r"""=([^;\s,"'\\(){}<>]{16,})""")


def _lower(text: str) -> str:
    lower = text.lower()
    # Some capitals become two characters: then only ASCII is lowered, so that positions stay the same.
    return lower if len(lower) == len(text) else text.translate(_ascii_lower_table())


@cache
def _ascii_lower_table() -> dict[int, int]:
    return {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
