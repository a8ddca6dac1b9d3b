"""Random values that are assigned to something called a secret: in code, settings, headers, flags, markup."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hookline.redact._values import placeholder, random, reference


class Name(NamedTuple):
    kind: str
    literals: str
    """What the name of such a thing contains, in lower case, apart from each other by blanks."""
    least: int = 8
    """Shorter values are not taken for one."""


_NAMES = (
    Name("password", "password passwd passphrase passwort pwd"),
    Name("secret", "secret credential"),
    Name("api-key", "api_key api-key apikey", 12),
    Name("access-key", "access_key access-key accesskey account_key accountkey shared_key sharedkey", 12),
    Name(
        "private-key", "private_key private-key privatekey signing_key encryption_key master_key auth_key", 12
    ),
    Name("token", "token", 12),
    Name("authorization", "authorization bearer", 12),
    Name("password", "pass pw"),
    Name("key", "_key", 20),
    Name("auth", "auth", 16),
    Name("signature", "sig signature", 20),
)
# Only the whole word counts of these, because they are part of harmless ones.
_WHOLE = frozenset({"pass", "pw", "_key", "auth", "sig", "signature", "bearer"})
_IN_QUERIES = frozenset({"sig", "signature"})
_NOT_BEFORE = ("page", "next", "cursor", "continuation", "cancellation", "public", "pub", "publickey")
_NOT_BEHIND = re.compile(
    r"(?:id|ids|name|type|url|uri|path|file|header|hash|counts?|length|limits?|size|ttl|arn|version|expires|expiry|"
    r"at|ref|field|label|policy|used|usage|env|var|digest|fingerprint|sha256|provider|prefix)$"
)
_OPTION = re.compile(r"(?:^|[\s\"'`=])--?[a-z0-9_-]{0,32}$")


def assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """The values in *text* that are assigned to a secret's name and look like one."""
    lower = _lowered(text)
    for place, name in enumerate(_NAMES):
        for literal in name.literals.split():
            if literal in lower:
                yield from _values(text, lower, place, literal)
    if "cookie" in lower:
        yield from _cookies(text, lower)


def _values(text: str, lower: str, place: int, literal: str) -> Iterator[tuple[int, int, str]]:
    kind, _, least = _NAMES[place]
    for found in _assignment(literal).finditer(lower):
        start, end = found.span("value")
        value = text[start:end]
        if (
            len(value) >= least
            and _secret_name(text, lower, found, literal)
            and _secret_value(text, value, found)
        ):
            yield start, end, kind


def _secret_value(text: str, value: str, found: re.Match[str]) -> bool:
    if not found["quote"] and text[found.end() : found.end() + 1] in {"(", "["}:
        return False  # a call or a subscript in code
    if (found["scheme"] or "").startswith("basic"):
        return not (placeholder(value) or reference(value))
    return random(value)


def _secret_name(text: str, lower: str, found: re.Match[str], literal: str) -> bool:
    before, behind = lower[max(0, found.start() - 40) : found.start()], found["behind"]
    if before.rstrip("-_").endswith(_NOT_BEFORE) or (behind and _NOT_BEHIND.search(behind)):
        return False
    if found["joint"].isspace() and not (literal == "bearer" or _spoken(before)):
        return False
    if literal == "_key" and text[found.start() + 1].islower():
        return False  # in lower case it is the key of a cache, a row, a map
    if literal in _WHOLE:
        return not behind and _stands_alone(before[-1:], literal)
    return not behind or _word_ends(text, found.start() + len(literal))


def _stands_alone(before: str, literal: str) -> bool:
    if literal in _IN_QUERIES:
        return before in {"?", "&", ";", "-"}
    return literal.startswith("_") or not before.isalpha()


def _spoken(before: str) -> bool:
    # A blank assigns behind an option and in a .netrc.
    line = before.rsplit("\n", 1)[-1]
    return "login " in line or bool(_OPTION.search(line))


def _word_ends(text: str, place: int) -> bool:
    # token_github, tokens, tokenProd, token2; not tokenizer.
    last, first = text[place - 1], text[place]
    plural = first in "sS" and not text[place + 1 : place + 2].isalpha()
    return plural or not first.isalpha() or (last.islower() and first.isupper())


def _cookies(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    for line in _cookie_line().finditer(lower):
        for found in _cookie().finditer(text, *line.span("pairs")):
            if random(found[1]):
                yield *found.span(1), "cookie"


@cache
def _assignment(literal: str) -> re.Pattern[str]:
    # `NAME = "VALUE"`, `"name": "value"` (also escaped), `name: Bearer value`, `<name>value`, `--name value`.
    quote = r"""\\{0,3}["'`]"""
    joint = rf"(?:{quote})?\]?(?P<joint>[ \t]{{0,20}}(?::=|=>|[=:>])[ \t]{{0,20}}|[ \t]{{1,4}})"
    scheme = r"(?P<scheme>(?:bearer|basic|token|bot|apikey)[ ]{1,4})?"
    inside, bare = r"""[^\s"'`\\]{8,}""", r"""[^\s"'`,;&<>(){}\[\]|\\]{8,}"""
    value = rf"(?P<value>(?(quote){inside}|{bare}))"
    return re.compile(
        rf"{re.escape(literal)}(?P<behind>[a-z0-9_.-]{{0,32}}+){joint}(?P<quote>{quote})?{scheme}{value}"
    )


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
