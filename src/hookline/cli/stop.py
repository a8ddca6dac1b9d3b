"""End a running run of the engine."""

import os
import signal
import time
from argparse import Namespace

from hookline.cli._output import sanitize
from hookline.engine import lock, runs
from hookline.engine.git import repository

TIMEOUT = 60.0
"""Seconds to wait for the end of the run."""


def run(args: Namespace) -> int:
    root = repository.open_repository(os.getcwd(), dict(os.environ)).root
    chosen = runs.find(root, args.name)
    pid = lock.running_pid(chosen)
    if not pid:
        raise LookupError(f"run {chosen.id!r} is not running; see `hookline runs`")
    os.kill(pid, signal.SIGINT if args.finish else signal.SIGTERM)
    name = sanitize(chosen.id)
    if args.finish:
        print(f"run {name} ends after its running experiments")
        return 0
    deadline = time.monotonic() + TIMEOUT
    while lock.is_running(chosen):
        if time.monotonic() > deadline:
            raise OSError(f"run {chosen.id!r} did not end within {TIMEOUT:g} s; process {pid}")
        time.sleep(0.05)
    print(f"run {name} ended; continue with `hookline run --resume {name}`")
    return 0
