"""Places in an experiment at which a test may end the engine, to see that nothing is lost there.

Without the variable, which nobody but a test sets, passing one does nothing.
"""

import os
import signal

AT = "HOOKLINE_ENGINE_STOP_AT"
"""The name of a point, and behind a colon at which passing of it."""
HOW = "HOOKLINE_ENGINE_STOP_HOW"
"""kill: as a power cut would; all: a worker, and who started it; stop: wait until a test lets go on."""
_passed: dict[str, int] = {}


def passed(name: str) -> None:
    wanted = os.environ.get(AT)
    if not wanted:
        return
    _passed[name] = _passed.get(name, 0) + 1
    point, _, which = wanted.partition(":")
    if (point, which or "1") == (name, str(_passed[name])):
        how = os.environ.get(HOW)
        if how == "all":
            os.kill(os.getppid(), signal.SIGKILL)
        stops = how == "stop"
        os.kill(os.getpid(), signal.SIGSTOP if stops else signal.SIGKILL)
