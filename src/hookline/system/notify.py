"""Desktop notifications that responses ask for, written to the terminal after the reply."""

import errno
from collections.abc import Iterable

from hookline.core import terminal
from hookline.core.response import Effect, Notify
from hookline.core.terminal import clean_text

NO_TERMINAL = (errno.ENXIO, errno.ENOENT, errno.ENODEV, errno.ENOTTY)
"""Errors of opening a terminal that does not exist."""


def show(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Show all notifications among *effects*; return the error messages."""
    problems = (_notify(effect) for effect in effects if isinstance(effect, Notify))
    return tuple(problem for problem in problems if problem)


def _notify(effect: Notify) -> str:
    try:
        with open("/dev/tty", "wb", buffering=0) as tty:
            tty.write(sequence(effect))
    except OSError as error:
        if error.errno in NO_TERMINAL:  # nobody can see it
            return ""
        return f"the notification {clean_text(effect.title)!r} could not be shown: {error.strerror}"
    return ""


def sequence(effect: Notify) -> bytes:
    """Return the escape sequence with which a terminal shows a desktop notification."""
    return terminal.encode_notification(effect).encode("utf-8", "replace")
