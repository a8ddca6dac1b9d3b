"""Secrets with a fixed structure around a literal: web tokens, multi-part keys, webhooks, password hashes."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hookline.redact._text_views import Span, starts_word
from hookline.redact._values import is_placeholder, looks_random

_DASHED = "A-Za-z0-9_-"
_TEAMS_PATH = (
    r"[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}(?:/[A-Za-z0-9_-]{20,90})?"
)
_HOST_PREFIX = r"(?:https?://)?(?:[a-z0-9-]{1,20}\.){0,2}"
_HASHES = (
    r"2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}",
    r"argon2(?:id|i|d)\$[A-Za-z0-9=,$]{1,80}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}",
    r"[56]\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}",
    r"y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}",
    r"(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}",
)


class Shape(NamedTuple):
    """The structure of one kind of secret."""

    kind: str
    literal: str
    after: str
    """Pattern of the text from the literal on."""
    before: str = ""
    """Pattern of the text before the literal."""
    max_before: int = 0
    """Maximum characters before the literal."""
    word_characters: str = ""
    """Characters of a word besides letters and digits; a secret does not start after one of them."""
    random: bool = False
    """True if the secret must look random."""


SHAPES = (
    Shape("jwt", "eyJ", rf"eyJ[{_DASHED}]{{10,}}+(?:\.[{_DASHED}]{{4,}}){{1,4}}", word_characters="-_"),
    Shape("jwt", "eyJ", rf"eyJ[{_DASHED}]{{20,}}+(?=\Z|…|\.\.\.)", word_characters="-_", random=True),
    Shape("sendgrid-key", "SG.", rf"SG\.[{_DASHED}]{{16,32}}\.[{_DASHED}]{{32,64}}"),
    Shape("telegram-token", ":AA", rf":AA[{_DASHED}]{{32,}}", "(?:bot)?[0-9]{8,10}", 13),
    Shape("azure-secret", "Q~", rf"Q~[.~{_DASHED}]{{31,}}", rf"[.~{_DASHED}]{{3}}[0-9]", 4, "._-~"),
    Shape("maxmind-key", "_mmk", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}", 36),
    Shape("salesforce-token", "00D", "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,}"),
    Shape("terraform-token", ".atlasv1.", rf"\.atlasv1\.[{_DASHED}]{{40,}}", "[A-Za-z0-9]{14}", 14),
    Shape("airtable-token", ".", r"\.[0-9a-f]{64}(?![0-9A-Za-z])", "pat[A-Za-z0-9]{14}", 17),
    Shape(
        *(
            "discord-token",
            ".",
            rf"\.[{_DASHED}]{{6}}\.[{_DASHED}]{{27,40}}(?![.{_DASHED}])",
            rf"[MNO][{_DASHED}]{{23,27}}",
            28,
        ),
        word_characters="._-",
        random=True,
    ),
    Shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{30,200}",
        *(_HOST_PREFIX, 60),
    ),
    Shape(
        "discord-webhook",
        "/webhooks/",
        rf"/webhooks/[0-9]{{15,22}}/[{_DASHED}]{{50,100}}",
        rf"{_HOST_PREFIX}com/api",
        60,
    ),
    Shape("teams-webhook", "/webhookb2/", f"/webhookb2/{_TEAMS_PATH}", rf"{_HOST_PREFIX}office\.com", 60),
    Shape("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/[0-9]{4,12}/[a-z0-9]{6,16}"),
    Shape("password-hash", "$", rf"\$(?:{'|'.join(_HASHES)})", "", 0),
)


def find_shapes(text: str) -> Iterator[Span]:
    """Yield the secrets in *text* that have one of the `SHAPES`."""
    for index, shape in enumerate(SHAPES):
        if shape.literal in text:
            for start, end in (
                _find_around_literal(text, index) if shape.before else _find_from_literal(text, index)
            ):
                value = text[start:end]
                if not (is_placeholder(value) or (shape.random and not looks_random(value))):
                    yield Span(start, end, shape.kind)


def _find_from_literal(text: str, index: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a shape that begins with its literal; only possible starts are matched."""
    shape = SHAPES[index]
    position = text.find(shape.literal)
    while position >= 0:
        is_start = shape.literal == "$" or starts_word(text, position, shape.word_characters)
        match = _literal_pattern(index).match(text, position) if is_start else None
        if match:
            yield match.span()
        position = text.find(shape.literal, match.end() if match else position + 1)


def _find_around_literal(text: str, index: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a shape that begins before its literal; the part after it is matched first."""
    shape = SHAPES[index]
    for match in _literal_pattern(index).finditer(text):
        prefix = _prefix_pattern(index).search(text, max(0, match.start() - shape.max_before), match.start())
        if prefix and starts_word(text, prefix.start(), shape.word_characters):
            yield prefix.start(), match.end()


@cache
def _literal_pattern(index: int) -> re.Pattern[str]:
    return re.compile(SHAPES[index].after)


@cache
def _prefix_pattern(index: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{SHAPES[index].before})\Z")
