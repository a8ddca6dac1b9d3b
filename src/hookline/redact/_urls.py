"""Passwords and tokens in URLs before the host, and in what names a database without being one."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
from hookline.redact._values import placeholder, random, reference

_MOST = 256
"""Characters of a user name or a password."""
_NAME = 20
"""Characters from which a user name may be a token."""
_SHORT = 4
"""Characters from which a password is one."""
_SOME = r"""[^\s:@"'`<>\\()/[]{1,64}"""
_GO = (
    rf"(?<![\w.])(?!redacted:){_SOME}:[^\s@\"'`<>\\()]{{1,128}}\Z",
    rf"(?P<user>{_SOME}):(?P<password>[^\s@]{{1,128}})@",
)
_PGPASS = (
    r"(?:^|(?<=[\n\"']))[\w.*-]{1,80}(?::[0-9*]{1,5})?\Z",
    r"""[\w.*-]{1,80}:[0-9*]{1,5}:[\w.*-]{1,64}:(?P<user>[\w.@*-]{1,64}):(?P<password>[^\s:"'`\\]{6,128})(?=[\s"'`]|\Z)""",
)
DATABASES = (
    ("@tcp(", *_GO),
    ("@unix(", *_GO),
    (":thin:", r"oracle\Z", r"oracle:thin:(?P<user>[^\s/@:]{1,64})/(?P<password>[^\s@/\"'`]{4,128})@"),
    (":5432:", *_PGPASS),
    (":*:", *_PGPASS),
)
"""What tells it, what leads up to that, and the whole from where that begins."""


def urls(text: str) -> Iterator[Span]:
    """The secrets in the URLs of *text*."""
    place = text.find("://")
    while place >= 0:
        found = _userinfo().match(text, place)
        if found:
            yield from _secrets(found)
        place = text.find("://", place + 3)
    for literal, before, behind in DATABASES:
        place = text.find(literal)
        while place >= 0:
            yield from _database(text, place, before, behind)
            place = text.find(literal, place + len(literal))


def _database(text: str, place: int, before: str, behind: str) -> Iterator[Span]:
    """The password of a database that *text* names around *place*."""
    begin = _part(before).search(text, max(0, place - _MOST), place)
    found = _part(behind).match(text, begin.start()) if begin else None
    if found and not _word(found["password"], found["user"]) and not placeholder(found["password"]):
        yield Span(*found.span("password"), "url-password")


def _secrets(found: re.Match[str]) -> Iterator[Span]:
    user, password = found["user"], found["password"]
    if password is None:
        if len(user) >= _NAME and random(user):
            yield Span(*found.span("user"), "url-token")
    elif "[redacted" not in user and not _word(password, user):
        yield Span(*found.span("password"), "url-password")


def _word(password: str, user: str) -> bool:
    return len(password) < _SHORT or reference(password) or password == user or "example" in password


@cache
def _userinfo() -> re.Pattern[str]:
    part = r"""[^\s/:@"'`<>\\]"""
    return re.compile(
        rf"://(?P<user>{part}{{0,{_MOST}}}+)(?::(?P<password>[^\s/\"'`<>\\]{{1,{_MOST}}}))?@(?=[^\s@])"
    )


@cache
def _part(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
