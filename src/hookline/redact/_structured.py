"""Secrets told by a shape around a literal: web tokens, keys of several parts, webhooks, password hashes."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hookline.redact._text_views import Span, stands_apart
from hookline.redact._values import placeholder, random

_D = "A-Za-z0-9_-"
_TEAMS = r"[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}(?:/[A-Za-z0-9_-]{20,90})?"
_HTTPS = r"(?:https?://)?(?:[a-z0-9-]{1,20}\.){0,2}"
_HASHES = (
    r"2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}",
    r"argon2(?:id|i|d)\$[A-Za-z0-9=,$]{1,80}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}",
    r"[56]\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}",
    r"y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}",
    r"(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}",
)


class Shape(NamedTuple):
    kind: str
    literal: str
    after: str
    """From the literal on."""
    before: str = ""
    """What leads up to the literal."""
    most: int = 0
    """Characters that may be."""
    inside: str = ""
    """What is part of a word besides letters and digits."""
    odd: bool = False
    """Must look random."""


SHAPES = (
    Shape("jwt", "eyJ", rf"eyJ[{_D}]{{10,}}+(?:\.[{_D}]{{4,}}){{1,4}}", inside="-_"),
    Shape("jwt", "eyJ", rf"eyJ[{_D}]{{20,}}+(?=\Z|…|\.\.\.)", inside="-_", odd=True),
    Shape("sendgrid-key", "SG.", rf"SG\.[{_D}]{{16,32}}\.[{_D}]{{32,64}}"),
    Shape("telegram-token", ":AA", rf":AA[{_D}]{{32,}}", "(?:bot)?[0-9]{8,10}", 13),
    Shape("azure-secret", "Q~", rf"Q~[.~{_D}]{{31,}}", rf"[.~{_D}]{{3}}[0-9]", 4, "._-~"),
    Shape("maxmind-key", "_mmk", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}", 36),
    Shape("salesforce-token", "00D", "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,}"),
    Shape("terraform-token", ".atlasv1.", rf"\.atlasv1\.[{_D}]{{40,}}", "[A-Za-z0-9]{14}", 14),
    Shape("airtable-token", ".", r"\.[0-9a-f]{64}(?![0-9A-Za-z])", "pat[A-Za-z0-9]{14}", 17),
    Shape(
        *("discord-token", ".", rf"\.[{_D}]{{6}}\.[{_D}]{{27,40}}(?![.{_D}])", rf"[MNO][{_D}]{{23,27}}", 28),
        inside="._-",
        odd=True,
    ),
    Shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{30,200}",
        *(_HTTPS, 60),
    ),
    Shape(
        "discord-webhook",
        "/webhooks/",
        rf"/webhooks/[0-9]{{15,22}}/[{_D}]{{50,100}}",
        rf"{_HTTPS}com/api",
        60,
    ),
    Shape("teams-webhook", "/webhookb2/", f"/webhookb2/{_TEAMS}", rf"{_HTTPS}office\.com", 60),
    Shape("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/[0-9]{4,12}/[a-z0-9]{6,16}"),
    Shape("password-hash", "$", rf"\$(?:{'|'.join(_HASHES)})", "", 0),
)


def shapes(text: str) -> Iterator[Span]:
    """The secrets in *text* that are told by their shape."""
    for number, shape in enumerate(SHAPES):
        if shape.literal in text:
            for start, end in _whole(text, number) if shape.before else _begun(text, number):
                stretch = text[start:end]
                if not (placeholder(stretch) or (shape.odd and not random(stretch))):
                    yield Span(start, end, shape.kind)


def _begun(text: str, number: int) -> Iterator[tuple[int, int]]:
    """Where a shape is that begins with its literal: a place that cannot be its beginning is not scanned."""
    shape = SHAPES[number]
    place = text.find(shape.literal)
    while place >= 0:
        apart = shape.literal == "$" or stands_apart(text, place, shape.inside)
        found = _pattern(number).match(text, place) if apart else None
        if found:
            yield found.span()
        place = text.find(shape.literal, found.end() if found else place + 1)


def _whole(text: str, number: int) -> Iterator[tuple[int, int]]:
    """Where a shape is that begins before its literal: looked at only where the rest is there."""
    shape = SHAPES[number]
    for found in _pattern(number).finditer(text):
        first = _before(number).search(text, max(0, found.start() - shape.most), found.start())
        if first and stands_apart(text, first.start(), shape.inside):
            yield first.start(), found.end()


@cache
def _pattern(number: int) -> re.Pattern[str]:
    return re.compile(SHAPES[number].after)


@cache
def _before(number: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{SHAPES[number].before})\Z")
