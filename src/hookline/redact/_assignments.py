"""Random values that are assigned to something called a secret: in code, settings, headers, flags, markup."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._names import Name, identity, named
from hookline.redact._separators import BARE, assignment, changed, item, turned
from hookline.redact._text_views import Span
from hookline.redact._values import (
    cased,
    code,
    identifier,
    made_up,
    placeholder,
    random,
    reference,
    shuffled,
)

STEMS = ("pass", "pwd", "pw", "secret", "credential", "key", "token", "auth", "bearer", "sig")
"""What every name of a secret contains, in lower case."""
_MOST = 4096
"""Characters of a quoted value that are taken once its beginning was found out."""
_LINE = 80
"""Characters before a name in which its line may begin."""
_ITEMS = 500
"""Strings of a list that are looked at behind its first."""
_LEAST = 8
"""Characters of the shortest value."""
_ENDS = frozenset("(){}[],;&|")
"""What ends a bare value, unless that alone fills the rest of its line."""
_PLAIN = frozenset({"password", "secret"})
"""Kinds that people make up themselves."""


def assigned(text: str) -> Iterator[Span]:
    """The values in *text* that are assigned to a secret's name and look like one."""
    lower = _lowered(text)
    yield from _behind_names(text, lower)
    if "value" in lower:
        yield from _before_names(text, lower)
    if "cookie" in lower:
        yield from _cookies(text, lower)


def _behind_names(text: str, lower: str) -> Iterator[Span]:
    for stem in STEMS:
        place = lower.find(stem)
        while place >= 0:
            found = assignment(stem).match(lower, place)
            span = _value(text, lower, found, stem) if found else None
            if found and span:
                yield span
            if found and (span or _lists(found)):
                yield from _others(text, lower, found, stem)
            place = lower.find(stem, span.end if span else place + len(stem))


def _before_names(text: str, lower: str) -> Iterator[Span]:
    """Of `{"value": "…", "name": "DB_PASSWORD"}`: judged as if they stood the other way round."""
    for found in turned().finditer(lower):
        start, end = found.span("quoted" if found["quote"] else "bare")
        if any(stem in found["name"] for stem in STEMS):
            name = text[slice(*found.span("name"))]
            for one in _behind_names(
                f'"{name}":"{text[start:end]}"', f'"{found["name"]}":"{lower[start:end]}"'
            ):
                yield Span(start, end, one.kind)


def _value(text: str, lower: str, found: re.Match[str], stem: str) -> Span | None:
    start, end = found.span("quoted" if found["quote"] else "bare")
    if end - start < _LEAST and (found["quote"] or text[end : end + 1] not in _ENDS):
        return None
    end = end if found["quote"] else _open_ended(text, lower, found)
    name = named(text, lower, found, stem) if end - start >= _LEAST else None
    if name is None or end - start < (_LEAST if _basic(found) else name.least):
        return None
    value = text[start:end]
    if not _secret(text, value, found, name.kind) or (identifier(value) and identity(lower, found, stem)):
        return None
    return Span(start, _closed(text, found) if found["quote"] else _bare_end(text, end), name.kind)


def _others(text: str, lower: str, found: re.Match[str], stem: str) -> Iterator[Span]:
    """What is listed behind the value, or what it is changed to."""
    name, next_ = named(text, lower, found, stem), item() if _lists(found) else changed()
    more = next_.match(lower, _end(text, found)) if name else None
    for _ in range(_ITEMS):
        if more is None or name is None:
            return
        start, end = more.start("quoted" if more["quote"] else "bare"), _end(text, more)
        if _listed(text[start:end], name) and not (
            identifier(text[start:end]) and identity(lower, found, stem)
        ):
            yield Span(start, end, name.kind)
        more = next_.match(lower, end)


def _lists(found: re.Match[str]) -> bool:
    joint = found["joint"].rstrip(" \t")
    return joint.rstrip().endswith("[") or joint.rpartition("\n")[2].strip() == "-"


def _end(text: str, found: re.Match[str]) -> int:
    return _closed(text, found) if found["quote"] else found.end()


def _listed(value: str, name: Name) -> bool:
    return len(value) >= name.least and _issued(value, name.kind)


def _basic(found: re.Match[str]) -> bool:
    return (found["scheme"] or "").startswith("basic")


def _secret(text: str, value: str, found: re.Match[str], kind: str) -> bool:
    if not found["quote"] and not _of_environment(text, found) and _code(text, value, found):
        return False
    if _basic(found):
        return not (placeholder(value) or reference(value))
    if _issued(value, kind) or (_said(text, found) and shuffled(value)):
        return True
    return kind == "password" and found["joint"].isspace() and cased(value)


def _issued(value: str, kind: str) -> bool:
    return random(value) or (kind in _PLAIN and made_up(value))


def _said(text: str, found: re.Match[str]) -> bool:
    """Whether it can be nothing but a value: in quotes, behind an option, or to the end of the line."""
    return bool(
        found["quote"] or found["joint"].isspace() or text[found.end() : found.end() + 1] in {"", "\n", "\r"}
    )


def _of_environment(text: str, found: re.Match[str]) -> bool:
    return found["joint"] == "=" and text[found.start()].isupper()


def _code(text: str, value: str, found: re.Match[str]) -> bool:
    return text[found.end() : found.end() + 1] in {"(", "["} or code(value)


def _open_ended(text: str, lower: str, found: re.Match[str]) -> int:
    """A value that alone fills the rest of a line may hold what elsewhere ends one."""
    start = max(0, found.start() - _LINE)
    line = text.rfind("\n", start, found.start()) + 1
    if not (line or start == 0) or not _alone().fullmatch(lower, line, found.start()):
        return found.end()
    rest = _rest().match(lower, found.end())
    return rest.end() if rest else found.end()


def _bare_end(text: str, end: int) -> int:
    """Of a value that is longer than what was judged of it."""
    more = _bare().match(text, end)
    return more.end() if more else end


def _closed(text: str, found: re.Match[str]) -> int:
    """Where the quote ends in which the value begins: behind blanks and escapes too, on the same line."""
    quote, start = found["mark"], found.end()
    escapes = len(found["quote"]) - 1
    for other in _quotes().finditer(text, start, start + _MOST):
        before = len(other[1])
        if other[2] == quote and (before < escapes or before % (2 * escapes + 2) == escapes):
            return other.end() - 1 - min(before, escapes)
        if other[2] not in "'`" and other[2] != quote:
            break  # the end of the line, or of JSON around it
    return start


def _cookies(text: str, lower: str) -> Iterator[Span]:
    for line in _cookie_line().finditer(lower):
        for found in _cookie().finditer(text, *line.span("pairs")):
            if random(found[1]):
                yield Span(*found.span(1), "cookie")


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(f"{BARE}+")


@cache
def _quotes() -> re.Pattern[str]:
    return re.compile(r"""(\\*)(["'`\n\r\v\f\x1c-\x1e\x85\u2028\u2029])""")


@cache
def _alone() -> re.Pattern[str]:
    """What may stand before a name that begins its line."""
    word = "(?:export |set |setx |env |arg |declare -x )?"
    return re.compile(rf"[-+> \t]{{0,40}}{word}(?:[a-z0-9_.]{{1,60}}[-_.])?[a-z0-9_]{{0,20}}")


@cache
def _rest() -> re.Pattern[str]:
    return re.compile(r"""(?:[^\s"'`<>\\,;&]|[,;&](?![\s"'`]|[a-z0-9_. -]{1,40}[=:]|$)){1,400}(?=\s|$)""")


@cache
def _cookie_line() -> re.Pattern[str]:
    return re.compile(r"""cookie["']?[ \t]{0,20}[:=](?P<pairs>[^\r\n]{1,8192})""")


@cache
def _cookie() -> re.Pattern[str]:
    return re.compile(r"""=([^;\s,"'\\]{16,})""")


def _lowered(text: str) -> str:
    lower = text.lower()
    # Some capitals become two characters; then only ASCII ones are lowered, so that places stay the same.
    return lower if len(lower) == len(text) else text.translate(_ascii_lower())


@cache
def _ascii_lower() -> dict[int, int]:
    return {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
