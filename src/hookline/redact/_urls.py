"""Passwords and tokens in URLs, before the host."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._spans import Span
from hookline.redact._values import random, reference

_MOST = 256
"""Characters of a user name or a password."""
_NAME = 20
"""Characters from which a user name may be a token."""
_SHORT = 4
"""Characters from which a password is one."""


def urls(text: str) -> Iterator[Span]:
    """The secrets in the URLs of *text*."""
    place = text.find("://")
    while place >= 0:
        found = _userinfo().match(text, place)
        if found:
            yield from _secrets(found)
        place = text.find("://", place + 3)


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
