"""Run `hookline` inside the process of the test, with the streams, folder and environment of another user."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from hookline.cli import main
from hookline.runtime.answer import parse_call
from hookline.system.process import identity

HOOKLINE = str(Path(sys.executable).parent / "hookline")
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
ERRORS = ("strict", "strict", "backslashreplace")
READ_AT_START = ("PYTHON", "LC_", "LD_")
"""Prefixes of variables that only a new interpreter reads."""


def run(words, *, stdin=b"", cwd, env):
    """Run the command and return a `subprocess.CompletedProcess`."""
    if any(name.startswith(READ_AT_START) for name in env):
        return start(words, stdin=stdin, cwd=cwd, env=env)
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        started = identity.now()
        begun = patch.dict(parse_call.__kwdefaults__, begun=lambda: started)
        with _streams(files), _surroundings(cwd, env), _signal_handlers(), begun:
            code = _call_main(words)
        for file in files:
            file.seek(0)
        return subprocess.CompletedProcess([HOOKLINE, *words], code, files[1].read(), files[2].read())


def start(words, *, stdin=b"", cwd, env):
    """Run the command in a new process and return a `subprocess.CompletedProcess`."""
    return subprocess.run(
        [HOOKLINE, *words], input=stdin, capture_output=True, cwd=cwd, env=env, check=False, timeout=60
    )


def run_and_exit(words, *, cwd, env):
    """Run the command in a forked child, whose standard streams are a terminal, and end the process."""
    code = 70
    try:
        os.chdir(cwd)
        _set_environment(env)
        _open_streams()
        code = _call_main(words)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _call_main(words):
    """Call `main()` and return the exit code of the command."""
    former, sys.argv = sys.argv, [HOOKLINE, *words]
    try:
        return main([*words])  # not main(), which leaves the store open for the end of the process
    except SystemExit as error:
        return error.code or 0
    finally:
        sys.argv = former


@contextmanager
def _streams(files):
    """Replace the standard streams, the objects and the descriptors, by *files*."""
    former = (sys.stdin, sys.stdout, sys.stderr)
    saved = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    _open_streams()
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = former
        for number, descriptor in enumerate(saved):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _open_streams():
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        for number, (mode, errors) in enumerate(zip("rww", ERRORS, strict=True))
    )


@contextmanager
def _surroundings(cwd, env):
    folder, former = os.getcwd(), dict(os.environ)
    _set_environment(env)
    os.chdir(cwd)
    try:
        yield
    finally:
        os.chdir(folder)
        _set_environment(former)


def _set_environment(env):
    os.environ.clear()
    os.environ.update(env)
    time.tzset()


@contextmanager
def _signal_handlers():
    former = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
