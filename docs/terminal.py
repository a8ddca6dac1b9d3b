"""Run a command in a new terminal, and answer its questions with yes: `terminal.py COMMAND`."""

import os
import pty
import sys

QUESTION, ANSWER = b"[y/N] ", b"y\n"


def read_and_answer(terminal: int) -> bytes:
    output = os.read(terminal, 4096)
    if output.endswith(QUESTION):
        os.write(terminal, ANSWER)
    return output


if __name__ == "__main__":
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(["/bin/sh", "-c", sys.argv[1]], read_and_answer)))
