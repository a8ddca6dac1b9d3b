"""Secrets told by a shape around a literal: private keys, web tokens, credentials in URLs, hashes."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._formats import apart
from hookline.redact._values import placeholder, random, reference

_D = "A-Za-z0-9_-"
_MOST = 256  # characters of a user name or a password in a URL


def shapes(text: str) -> Iterator[tuple[int, int, str]]:
    """The secrets in *text* that are told by their shape."""
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)
    if "://" in text:
        yield from _in_urls(text)
    yield from _discord_tokens(text)
    for place, (kind, literal, _) in enumerate(_SHAPES):
        if literal in text:
            for found in _shape(place).finditer(text):
                if not placeholder(found[0]):
                    yield found.start(), found.end(), kind


# Each begins with its literal, or with a stretch before it that is bounded: nothing is scanned twice.
_SHAPES = (
    ("jwt", "eyJ", rf"eyJ{apart('eyJ', _D)}[{_D}]{{10,}}(?:\.[{_D}]{{4,}}){{1,4}}"),
    ("sendgrid-key", "SG.", rf"SG\.{apart('SG.')}[{_D}]{{16,32}}\.[{_D}]{{32,64}}"),
    ("telegram-token", ":AA", rf"{apart('')}(?:bot)?[0-9]{{8,10}}:AA[{_D}]{{32,}}"),
    ("terraform-token", ".atlasv1.", rf"{apart('')}[A-Za-z0-9]{{14}}\.atlasv1\.[{_D}]{{40,}}"),
    ("azure-secret", "Q~", rf"{apart('', '.~' + _D)}[.~{_D}]{{3}}[0-9]Q~[.~{_D}]{{31,}}"),
    ("airtable-token", "pat", rf"pat{apart('pat')}[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"),
    ("password-hash", "$2", r"\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    (
        "password-hash",
        "$argon2",
        r"\$argon2(?:id|i|d)\$[A-Za-z0-9=,$]{1,80}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}",
    ),
    ("password-hash", "$6$", r"\$6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    ("password-hash", "$apr1$", r"\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
)


@cache
def _shape(place: int) -> re.Pattern[str]:
    return re.compile(_SHAPES[place][2])


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    while found := _key_begins().search(text, done):
        end = _key_ends().search(text, found.end())
        done = end.end() if end else len(text)
        yield found.start(), done, "private-key"


@cache
def _key_begins() -> re.Pattern[str]:
    # Followed by what a key is made of: code that only names the marker is left alone.
    inside = r"""(?:\\+[nr]|[\s"'`+>|,;:()\\-]){0,200}(?:[A-Za-z0-9+/]{16}|[A-Z][A-Za-z-]{2,20}: )"""
    return re.compile(rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----{inside}")


@cache
def _key_ends() -> re.Pattern[str]:
    return re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def _discord_tokens(text: str) -> Iterator[tuple[int, int, str]]:
    # Known only by the lengths of its three parts; looked for from the first dot, which is quicker.
    for found in _two_parts().finditer(text):
        first = _part_before().search(text[max(0, found.start() - 29) : found.start()])
        if first and random(first[1] + found[0]):
            yield found.start() - len(first[1]), found.end(), "discord-token"


@cache
def _two_parts() -> re.Pattern[str]:
    return re.compile(rf"\.[{_D}]{{6}}\.[{_D}]{{27,40}}(?![.{_D}])")


@cache
def _part_before() -> re.Pattern[str]:
    return re.compile(rf"{apart('', '.' + _D)}([MNO][{_D}]{{23,27}})\Z")


def _in_urls(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _url().finditer(text):
        user, password = found["user"], found["password"]
        if password is None:
            if len(user) >= 20 and random(user):  # noqa: PLR2004 -- a token in place of a name
                yield *found.span("user"), "url-token"
        elif len(password) > 3 and not (reference(password) or password == user or "example" in password):  # noqa: PLR2004
            yield *found.span("password"), "url-password"


@cache
def _url() -> re.Pattern[str]:
    # No slash in either part: two beginnings never scan the same stretch.
    part = r"""[^\s/:@"'`<>\\]"""
    return re.compile(
        rf"://(?P<user>{part}{{0,{_MOST}}})(?::(?P<password>[^\s/\"'`<>\\]{{1,{_MOST}}}))?@(?=[^\s@])"
    )
