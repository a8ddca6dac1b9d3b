"""Terminal escape sequences of notifications."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.core.response import Effect, Notify

ESCAPE, BELL = "\N{ESCAPE}", "\N{BEL}"
MAX_CHARS = 200


def encode_notifications(effects: Iterable[Effect]) -> str:
    """Return the escape sequences of all notifications in *effects*."""
    return "".join(encode_notification(effect) for effect in effects if isinstance(effect, Notify))


def encode_notification(notice: Notify) -> str:
    """Return the escape sequence of a desktop notification (OSC 777)."""
    return f"{ESCAPE}]777;notify;{clean_text(notice.title)};{clean_text(notice.text)}{BELL}"


def clean_text(text: str) -> str:
    """Replace characters that would end or split the escape sequence, and truncate the text."""
    return "".join(c if c.isprintable() and c != ";" else " " for c in text)[:MAX_CHARS]
