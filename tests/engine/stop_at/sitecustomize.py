"""Stop the engine at a point that it logs, to test that nothing is lost there.

This folder is on the PYTHONPATH of the engine's processes, so Python imports this file when they start.
"""

import logging
import os
import signal
from collections import Counter

POINT, _, TIMES = os.environ.get("STOP_AT", "").partition(":")
"""The point, and the count of the occurrence at which to stop; the first by default."""
HOW = os.environ.get("STOP_HOW")
"""`kill` kills the process, `all` also kills its parent, `stop` suspends it until the test continues it."""
MARK = os.environ.get("STOP_MARK", "")
"""Path of a file that the first stopping process creates; other processes continue."""


class Stopper(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.passed = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        name = record.getMessage()
        self.passed[name] += 1
        if (name, self.passed[name]) != (POINT, int(TIMES or 1)) or not first():
            return
        if HOW == "all":
            os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGSTOP if HOW == "stop" else signal.SIGKILL)


def first() -> bool:
    try:
        os.close(os.open(MARK, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


if POINT:
    LOG = logging.getLogger("hookline.engine")
    LOG.setLevel(logging.DEBUG)
    LOG.addHandler(Stopper())
    LOG.propagate = False
