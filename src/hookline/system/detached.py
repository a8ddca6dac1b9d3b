"""Start a process that nobody waits for, and that outlives whoever started it."""

import subprocess
import threading
from collections.abc import Mapping, Sequence


def start(argv: Sequence[str], *, stdin: bytes, env: Mapping[str, str]) -> None:
    """Start *argv* with *stdin* to read, away from every terminal; raises `OSError`."""
    child = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(env),
        cwd="/",
        start_new_session=True,
    )
    if child.stdin:
        child.stdin.write(stdin)
        child.stdin.close()
    # A program that lives longer than its child must take leave of it; one that does not, need not.
    threading.Thread(target=child.wait, daemon=True).start()
