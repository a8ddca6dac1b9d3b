"""What a terminal is to show its user, as terminals take it."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.core.response import Effect, Notify

ESCAPE, BELL = "\N{ESCAPE}", "\N{BEL}"
LONGEST = 200


def sequences(effects: Iterable[Effect]) -> str:
    """All that is to be shown, one after the other."""
    return "".join(sequence(one) for one in effects if isinstance(one, Notify))


def sequence(notice: Notify) -> str:
    """A desktop notification (OSC 777)."""
    return f"{ESCAPE}]777;notify;{plain(notice.title)};{plain(notice.text)}{BELL}"


def plain(text: str) -> str:
    """Without what would end or split the terminal's sequence."""
    return "".join(c if c.isprintable() and c != ";" else " " for c in text)[:LONGEST]
