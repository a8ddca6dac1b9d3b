"""Passwords that programs take without a telling name: `curl -u me:…`, `mysql -p…`, `IDENTIFIED BY …`."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._spans import Span
from hookline.redact._values import placeholder, reference

_SHORT = 6
"""Characters from which an option's value may be a password."""
_LINE = 200
"""Characters before an option in which its program is looked for."""
_VALUE = r"""["']?(?P<value>[^\s"'`|&;<>()\\-][^\s"'`|&;<>()\\]{3,})"""
_NAMED = r"""["']?[^\s:"'`$\\[]{1,64}:(?P<value>[^\s"'`|&;<>()@\\]{4,})"""
_OPTIONS = (
    (("curl",), rf"(?:-u|-U|--(?:proxy-)?user)[ =]{{0,2}}{_NAMED}"),
    (("mysql", "mariadb"), rf"-p{_VALUE}"),
    (("sshpass", "docker login", "podman login", "registry login"), rf"-p[ ]{{0,2}}{_VALUE}"),
    (("redis-cli",), rf"-a[ ]{_VALUE}"),
    (("ldap",), rf"-w[ ]{_VALUE}"),
    (("gh secret set",), rf"(?:-b|--body)[ =]{{0,2}}{_VALUE}"),
    (("smbclient",), r"""-U[ ]?["']?[^\s%\\]{1,64}%(?P<value>[^\s"'`\\]{4,})"""),
)


def typed(text: str) -> Iterator[Span]:
    """The passwords in command lines and SQL statements of *text*."""
    for dash in _dash().finditer(text):
        start = dash.start() + 1
        line = text[max(0, start - _LINE) : start].rpartition("\n")[2]
        for programs, option in _OPTIONS:
            if any(program in line for program in programs):
                found = _option(option).match(text, start)
                if found and _password(found["value"]):
                    yield Span(*found.span("value"), "password")
    if "identified" in text or "IDENTIFIED" in text:
        found_in = (found for found in _statement().finditer(text) if _password(found["value"]))
        yield from (Span(*found.span("value"), "password") for found in found_in)


def _password(value: str) -> bool:
    return len(value) >= _SHORT and not (placeholder(value) or reference(value) or value.startswith("/"))


@cache
def _dash() -> re.Pattern[str]:
    return re.compile(r""" -(?:[uUpawb](?=[\s"'=\w])|-(?:(?:proxy-)?user|body)\b)""")


@cache
def _statement() -> re.Pattern[str]:
    """`CREATE USER me IDENTIFIED BY '…'`."""
    how = r"(?:\s{1,8}WITH\s{1,8}['\"`]?\w{1,40}['\"`]?)?\s{1,8}BY\s{1,8}(?:PASSWORD\s{1,8})?"
    return re.compile(rf"""\bIDENTIFIED{how}(?P<mark>\\?["'])(?P<value>[^\s"'\\]{{4,200}})""", re.IGNORECASE)


@cache
def _option(option: str) -> re.Pattern[str]:
    return re.compile(option)
