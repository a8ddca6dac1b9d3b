"""Passwords that programs take without a telling name: `curl -u me:…`, `mysql -p…`, `IDENTIFIED BY …`."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
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
    (("mongo -u", "mongosh", "mongodump", "mongorestore", "az login"), rf"-p[ ]{_VALUE}"),
    (("sqlcmd",), rf"-P[ ]?{_VALUE}"),
    (("redis-cli",), rf"-a[ ]{_VALUE}"),
    (("ldap",), rf"-w[ ]{_VALUE}"),
    (("gh secret set",), rf"(?:-b|--body)[ =]{{0,2}}{_VALUE}"),
    (("smbclient",), r"""-U[ ]?["']?[^\s%\\]{1,64}%(?P<value>[^\s"'`\\]{4,})"""),
)

_STRING = r"""\\?["'](?P<value>[^\s"'\\]{4,200})"""
_HOW = r"(?:\s{1,8}WITH\s{1,8}['\"`]?\w{1,40}['\"`]?)?\s{1,8}BY\s{1,8}(?:PASSWORD\s{1,8})?"
_WORD = (
    r"""(?:\\?["']?%s(?:\\n)?\\?["']? {1,4})?\\?["']?(?P<value>[^\s"'`|&;<>()\\]{4,200})(?:\\n)?\\?["']?"""
)
_STDIN = r"(?:sudo (?:--?[a-z-]{1,20} ){0,4}(?:-[a-z]{0,4}(?-i:S)|--stdin)|[^\n|]{0,200}--password-stdin)\b"
STATEMENTS = (
    (("identified", "IDENTIFIED"), rf"\bIDENTIFIED{_HOW}{_STRING}"),
    (("SecureString", "securestring"), rf"\bConvertTo-SecureString(?: -String)? {{1,4}}{_STRING}"),
    (
        ("--password-stdin", "sudo -"),
        rf"\b(?:echo|printf) (?:-[ne]{{1,3}} )?{_WORD} {{0,4}}\| {{0,4}}{_STDIN}",
    ),
)
"""Words that tell, and what then holds a password: `CREATE USER me IDENTIFIED BY '…'`, `echo … | sudo -S`."""


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
    for words, pattern in STATEMENTS:
        if any(word in text for word in words):
            found_in = (found for found in _statement(pattern).finditer(text) if _password(found["value"]))
            yield from (Span(*found.span("value"), "password") for found in found_in)


def _password(value: str) -> bool:
    return len(value) >= _SHORT and not (placeholder(value) or reference(value) or value.startswith("/"))


@cache
def _dash() -> re.Pattern[str]:
    return re.compile(r""" -(?:[uUpPawb](?=[\s"'=\w])|-(?:(?:proxy-)?user|body)\b)""")


@cache
def _statement(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _option(option: str) -> re.Pattern[str]:
    return re.compile(option)
