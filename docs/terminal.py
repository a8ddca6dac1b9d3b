"""Run a command at a terminal of its own, as a person who says yes when asked: `terminal.py COMMAND`."""

import os
import pty
import sys

ASKED, ANSWER = b"[y/N] ", b"y\n"


def heard(terminal: int) -> bytes:
    said = os.read(terminal, 4096)
    if said.endswith(ASKED):
        os.write(terminal, ANSWER)
    return said


if __name__ == "__main__":
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(["/bin/sh", "-c", sys.argv[1]], heard)))
