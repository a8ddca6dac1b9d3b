"""Carry out what responses wanted done, after the answer and off its path; failures are told, not raised."""

import errno
from collections.abc import Iterable

from hookline.core.response import Effect, Notify
from hookline.core.terminal import plain
from hookline.core.terminal import sequence as shown

NO_TERMINAL = (errno.ENXIO, errno.ENOENT, errno.ENODEV, errno.ENOTTY)


def carry_out(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Show what is to be shown; what could not be done, in sentences."""
    problems = (_notify(effect) for effect in effects if isinstance(effect, Notify))
    return tuple(problem for problem in problems if problem)


def _notify(effect: Notify) -> str:
    try:
        with open("/dev/tty", "wb", buffering=0) as terminal:
            terminal.write(sequence(effect))
    except OSError as error:
        if error.errno in NO_TERMINAL:  # nobody sits there who could see it
            return ""
        return f"the notification {plain(effect.title)!r} could not be shown: {error.strerror}"
    return ""


def sequence(effect: Notify) -> bytes:
    """A desktop notification, as a terminal takes it."""
    return shown(effect).encode("utf-8", "replace")
