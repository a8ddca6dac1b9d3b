"""Messages outside the reply: desktop notifications, and warnings that a host does not show."""

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress

from hookline.core import terminal
from hookline.core.response import Effect, Notify
from hookline.core.terminal import clean_text
from hookline.system.process.procfs import read_process

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


MAX_ANCESTORS = 5
"""Processes between a hook and its host, such as shells."""


def write_to_host(process: int, warnings: Sequence[str]) -> None:
    """Write *warnings* to the standard error of the host that started the *process*, 0 for this one.

    The host may start hooks without a terminal, and read their standard error itself.
    """
    text = "".join(f"hookline: {warning}\n" for warning in warnings)
    printable = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    with suppress(OSError):  # the host has ended, or belongs to another user
        path = _find_host_stderr(process or os.getpid())
        if path:
            flags = os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_NONBLOCK
            with open(os.open(path, flags), "wb", buffering=0) as stream:
                stream.write(printable.encode("utf-8", "replace"))


def _find_host_stderr(process: int) -> str:
    """Return the path of the standard error of the nearest ancestor with another one than the *process*."""
    own = os.readlink(f"/proc/{process}/fd/2")
    for _ in range(MAX_ANCESTORS):
        info = read_process(process)
        if info is None:
            break
        process = info.parent
        path = f"/proc/{process}/fd/2"
        if os.readlink(path) != own:
            return path if _appends(process) else ""
    return ""


def _appends(process: int) -> bool:
    """Return whether the *process* appends to its standard error: else it would overwrite what we write."""
    if not stat.S_ISREG(os.stat(f"/proc/{process}/fd/2").st_mode):
        return True
    with open(f"/proc/{process}/fdinfo/2", encoding="ascii") as file:
        flags = next(line.split()[1] for line in file if line.startswith("flags:"))
    return bool(int(flags, 8) & os.O_APPEND)
