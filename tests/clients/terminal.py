"""Run a program on a pseudo-terminal, type keys, and print its screen: `terminal.py KEYS PROGRAM ARGUMENT…`.

KEYS is a JSON list of pairs: text to wait for on the screen, and keys to type. The driver starts this file as
the client, so that a scenario can have a person at the terminal.
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # this file runs by its path, outside the package
    from .client import Client

SECONDS = 60.0
"""Seconds to wait for each text, and for the program's end."""
PAUSE = 0.5
"""Seconds between a text on the screen and the next key."""


def attended(client: "Client", *keys: tuple[str, str]) -> "Client":
    """Return *client* on a terminal, without its arguments, with a person who types *keys*."""
    here = [sys.executable, os.path.abspath(__file__), json.dumps(keys)]
    return replace(client, command=lambda program: [*here, program])


def main() -> None:
    keys, argv = json.loads(sys.argv[1]), sys.argv[2:]
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
    program = subprocess.Popen(
        argv,
        env={**os.environ, "TERM": "xterm-256color"},
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 -- no other thread runs
    )
    os.close(inner)
    for text, typed in keys:
        screen = read_until(outer, lambda screen, text=text: text in screen)
        sys.stdout.write(f"{screen}\n[typed {typed!r}]\n")
        for key in typed if len(typed) < 4 else [typed[:-1], typed[-1]]:
            os.write(outer, key.encode())
            time.sleep(PAUSE)
    sys.stdout.write(read_until(outer, lambda screen: program.poll() is not None))
    program.terminate()
    sys.exit(program.wait())


def read_until(terminal: int, seen: Callable[[str], bool]) -> str:
    """Return the screen once it is *seen*, after a pause in which the program draws the rest."""
    screen, until, found = "", time.monotonic() + SECONDS, False
    while time.monotonic() < until:
        if not found and seen(screen):
            found, until = True, time.monotonic() + PAUSE
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                screen += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:  # the program has ended
                return screen
    return screen


if __name__ == "__main__":
    main()
