"""Passwords that programs take as an option without a telling name: `curl -u me:…`, `mysql -p…`."""

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
    (("smbclient",), r"""-U[ ]?["']?[^\s%\\]{1,64}%(?P<value>[^\s"'`\\]{4,})"""),
)


def typed(text: str) -> Iterator[Span]:
    """The passwords in command lines of *text*."""
    for dash in _dash().finditer(text):
        start = dash.start() + 1
        line = text[max(0, start - _LINE) : start].rpartition("\n")[2]
        for programs, option in _OPTIONS:
            if any(program in line for program in programs):
                found = _option(option).match(text, start)
                if found and _password(found["value"]):
                    yield Span(*found.span("value"), "password")


def _password(value: str) -> bool:
    return len(value) >= _SHORT and not (placeholder(value) or reference(value) or value.startswith("/"))


@cache
def _dash() -> re.Pattern[str]:
    return re.compile(r""" -(?:[uUpaw](?=[\s"'=\w])|-(?:proxy-)?user\b)""")


@cache
def _option(option: str) -> re.Pattern[str]:
    return re.compile(option)
