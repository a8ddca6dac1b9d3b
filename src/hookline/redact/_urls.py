"""Passwords and tokens before the host of a URL, and in database addresses that are not URLs."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
from hookline.redact._values import is_placeholder, is_reference, looks_random

_MAX_LENGTH = 256
"""Maximum characters of a user name or a password."""
_MIN_TOKEN = 20
"""Minimum characters of a user name that may be a token."""
_MIN_PASSWORD = 4
"""Minimum characters of a password."""
_USER = r"""[^\s:@"'`<>\\()/[]{1,64}"""
_GO_DSN = (
    rf"(?<![\w.])(?!redacted:){_USER}:[^\s@\"'`<>\\()]{{1,128}}\Z",
    rf"(?P<user>{_USER}):(?P<password>[^\s@]{{1,128}})@",
)
_PGPASS = (
    r"(?<![\w.*:@-])[\w.*-]{1,80}(?::[0-9*]{1,5})?\Z",
    r"""[\w.*-]{1,80}:[0-9*]{1,5}:[\w.*-]{1,64}:(?P<user>(?!\d+:)[\w.@*-]{1,64}):(?P<password>[^\s:"'`\\]{6,128})(?=[\s"'`]|\Z)""",
)
DATABASE_URLS = (
    ("@tcp(", *_GO_DSN),
    ("@unix(", *_GO_DSN),
    (":thin:", r"oracle\Z", r"oracle:thin:(?P<user>[^\s/@:]{1,64})/(?P<password>[^\s@/\"'`]{4,128})@"),
    (":5432:", *_PGPASS),
    (":*:", *_PGPASS),
)
"""A literal of each address format, the pattern before it, and the pattern of the whole address."""


def find_url_secrets(text: str) -> Iterator[Span]:
    """Yield the secrets in the URLs and database addresses of *text*."""
    position = text.find("://")
    while position >= 0:
        match = _userinfo_pattern().match(text, position)
        if match:
            yield from _find_userinfo_secrets(match)
        position = text.find("://", position + 3)
    for literal, before, whole in DATABASE_URLS:
        position = text.find(literal)
        while position >= 0:
            yield from _find_database_password(text, position, before, whole)
            position = text.find(literal, position + len(literal))


def _find_database_password(text: str, position: int, before: str, whole: str) -> Iterator[Span]:
    """Yield the password of the database address around *position*."""
    start = _compile(before).search(text, max(0, position - _MAX_LENGTH), position)
    match = _compile(whole).match(text, start.start()) if start else None
    if (
        match
        and not _is_not_password(match["password"], match["user"])
        and not is_placeholder(match["password"])
    ):
        yield Span(*match.span("password"), "url-password")


def _find_userinfo_secrets(match: re.Match[str]) -> Iterator[Span]:
    user, password = match["user"], match["password"]
    if password is None:
        if len(user) >= _MIN_TOKEN and looks_random(user):
            yield Span(*match.span("user"), "url-token")
    elif "[redacted" not in user and not _is_not_password(password, user):
        yield Span(*match.span("password"), "url-password")


def _is_not_password(password: str, user: str) -> bool:
    return (
        len(password) < _MIN_PASSWORD or is_reference(password) or password == user or "example" in password
    )


@cache
def _userinfo_pattern() -> re.Pattern[str]:
    part = r"""[^\s/:@"'`<>\\]"""
    return re.compile(
        rf"://(?P<user>{part}{{0,{_MAX_LENGTH}}}+)(?::(?P<password>[^\s/\"'`<>\\]{{1,{_MAX_LENGTH}}}))?@(?=[^\s@])"
    )


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
