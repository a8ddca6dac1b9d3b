"""Passwords in command lines and SQL: `curl -u me:…`, `mysql -p…`, `IDENTIFIED BY …`."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span
from hookline.redact._values import is_placeholder, is_reference

_MIN_LENGTH = 6
"""Minimum characters of a password."""
_MAX_DISTANCE = 200
"""Maximum characters between a program and its option."""
_VALUE = r"""["']?(?P<value>[^\s"'`|&;<>()\\-][^\s"'`|&;<>()\\]{3,})"""
_USER_AND_VALUE = r"""["']?[^\s:"'`$\\[]{1,64}:(?P<value>[^\s"'`|&;<>()@\\]{4,})"""
_OPTIONS = (
    (("curl",), rf"(?:-u|-U|--(?:proxy-)?user)[ =]{{0,2}}{_USER_AND_VALUE}"),
    (("mysql", "mariadb", "7z"), rf"-p{_VALUE}"),
    (("sshpass", "docker login", "podman login", "registry login"), rf"-p[ ]{{0,2}}{_VALUE}"),
    (("mongo -u", "mongosh", "mongodump", "mongorestore", "az login"), rf"-p[ ]{_VALUE}"),
    (("sqlcmd", "zip"), rf"-P[ ]?{_VALUE}"),
    (("openssl",), rf"-k[ ]{_VALUE}"),
    (("redis-cli",), rf"-a[ ]{_VALUE}"),
    (("ldap",), rf"-w[ ]{_VALUE}"),
    (("gh secret set",), rf"(?:-b|--body)[ =]{{0,2}}{_VALUE}"),
    (("smbclient",), r"""-U[ ]?["']?[^\s%\\]{1,64}%(?P<value>[^\s"'`\\]{4,})"""),
)
"""Programs, and the options with their password."""

_QUOTED_VALUE = r"""\\?["'](?P<value>[^\s"'\\]{4,200})"""
_IDENTIFIED_BY = r"(?:\s{1,8}WITH\s{1,8}['\"`]?\w{1,40}['\"`]?)?\s{1,8}BY\s{1,8}(?:PASSWORD\s{1,8})?"
_PIPED_VALUE = (
    r"""(?:\\?["']?%s(?:\\n)?\\?["']? {1,4})?\\?["']?(?P<value>[^\s"'`|&;<>()\\]{4,200})(?:\\n)?\\?["']?"""
)
_STDIN_READER = (
    r"(?:sudo (?:--?[a-z-]{1,20} ){0,4}(?:-[a-z]{0,4}(?-i:S)|--stdin)|[^\n|]{0,200}--password-stdin)\b"
)
_NAME_END = r"(?:pass|passwd|password|passphrase|pwd|secret|token|key)"
"""The end of the name of a variable with a secret."""
STATEMENTS = (
    (("identified", "IDENTIFIED"), rf"\bIDENTIFIED{_IDENTIFIED_BY}{_QUOTED_VALUE}"),
    (("SecureString", "securestring"), rf"\bConvertTo-SecureString(?: -String)? {{1,4}}{_QUOTED_VALUE}"),
    ((".psk ",), rf"\b(?:wifi-sec|wireless-security)\.psk {{1,4}}{_VALUE}"),
    (
        ("htpasswd",),
        rf"\bhtpasswd (?:-\w{{1,6}} ){{0,3}}-\w{{0,5}}b\w{{0,5}} (?:[^\s-]\S{{0,200}} ){{1,2}}{_VALUE}",
    ),
    (
        ("chpasswd",),
        rf"\b(?:echo|printf) (?:-[ne]{{1,3}} )?{_USER_AND_VALUE}['\"]? {{0,4}}\| {{0,4}}(?:sudo )?chpasswd\b",
    ),
    (
        ("setenv ", "set -"),
        rf"\b(?:setenv|set(?: --?[a-z]{{1,9}}){{1,3}}) {{1,4}}\w{{0,60}}{_NAME_END} {{1,4}}{_VALUE}",
    ),
    (
        ("--pass", "--token", "--secret"),
        rf"--(?:pass|password|passwd|token|secret)\\?[\"'], {{0,8}}{_QUOTED_VALUE}",
    ),
    (("psk",), r'''(?-i:psk)(?<!\wpsk) {0,4}= {0,4}"(?P<value>[^"\\\r\n,:\]}\s][^"\\\r\n]{7,62})"'''),
    (
        ("--password-stdin", "sudo -"),
        rf"\b(?:echo|printf) (?:-[ne]{{1,3}} )?{_PIPED_VALUE} {{0,4}}\| {{0,4}}{_STDIN_READER}",
    ),
)
"""Required words, and the pattern of a password: `CREATE USER me IDENTIFIED BY '…'`, `echo … | sudo -S`."""


def find_cli_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords in command lines and SQL statements of *text*."""
    for dash in _dash_pattern().finditer(text):
        start = dash.start() + 1
        line = text[max(0, start - _MAX_DISTANCE) : start].rpartition("\n")[2]
        for programs, option in _OPTIONS:
            if any(program in line for program in programs):
                match = _option_pattern(option).match(text, start)
                if match and _looks_like_password(match["value"]):
                    yield Span(*match.span("value"), "password")
    for words, pattern in STATEMENTS:
        if any(word in text for word in words):
            matches = (
                match
                for match in _statement_pattern(pattern).finditer(text)
                if _looks_like_password(match["value"])
            )
            yield from (Span(*match.span("value"), "password") for match in matches)


def _looks_like_password(value: str) -> bool:
    return len(value) >= _MIN_LENGTH and not (
        is_placeholder(value) or is_reference(value) or value.startswith("/")
    )


@cache
def _dash_pattern() -> re.Pattern[str]:
    return re.compile(r""" -(?:[uUpPawbk](?=[\s"'=\w])|-(?:(?:proxy-)?user|body)\b)""")


@cache
def _statement_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _option_pattern(option: str) -> re.Pattern[str]:
    return re.compile(option)
