"""The command in a process of its own that need not be started: forked off one that has imported it all.

What a process is does not change: its own memory, folder, environment, streams, signals and end. What is
left out is the start of the interpreter and its imports, which take longer than most of the commands.
Nothing is left out with HOOKLINE_LONG, and for `hookline hook`, whose start is half of what it is about.
"""

import atexit
import fcntl
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress
from pathlib import Path

HOOKLINE = str(Path(sys.executable).parent / "hookline")
PLAIN = {"LANG": "C.UTF-8"}
"""What an interpreter reads in the environment when it is started here; who wants other words starts one."""
READ_AT_START = ("PYTHON", "LC_", "LD_", "LANG")
LATER = (
    "argparse",
    "asyncio",
    "concurrent.futures",
    "difflib",
    "encodings.utf_8_sig",
    "hashlib",
    "html",
    "http.client",
    "http.server",
    "json",
    "logging",
    "secrets",
    "shlex",
    "shutil",
    "sqlite3",
    "statistics",
    "tempfile",
    "tomllib",
    "uuid",
    "zoneinfo",
    "httpx",
    "msgspec",
    "pathspec",
    "rich.box",
    "rich.console",
    "rich.live",
    "rich.markup",
    "rich.padding",
    "rich.panel",
    "rich.rule",
    "rich.table",
    "rich.text",
    "rich.tree",
)
"""What commands import when they need it."""


def can(words, env):
    """Whether a fork of a process that was started plainly is what would have been started."""
    told = {name: value for name, value in env.items() if name.startswith(READ_AT_START)}
    return not os.environ.get("HOOKLINE_LONG") and words[:1] != ("hook",) and told == PLAIN


def run(words, *, stdin=b"", cwd, env, timeout=60):
    """What came of the command, as `subprocess.run` has it."""
    line = [HOOKLINE, *words]
    if not can(words, env):
        return subprocess.run(
            line, input=stdin, capture_output=True, cwd=cwd, env=env, check=False, timeout=timeout
        )
    ends = time.monotonic() + timeout
    pipes = [os.pipe() for _ in range(3)]
    started = Started(words, (pipes[0][0], pipes[1][1], pipes[2][1]), cwd=cwd, env=env)
    out, err = [], []
    threads = [
        threading.Thread(target=_write, args=(pipes[0][1], stdin)),
        threading.Thread(target=_read, args=(pipes[1][0], out)),
        threading.Thread(target=_read, args=(pipes[2][0], err)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, ends - time.monotonic()))
    try:
        code = started.wait(max(0.01, ends - time.monotonic()))
    except TimeoutError:
        raise subprocess.TimeoutExpired(line, timeout) from None
    return subprocess.CompletedProcess(line, code, b"".join(out), b"".join(err))


def _read(end, into):
    with open(end, "rb", buffering=0) as stream:
        into.extend(iter(lambda: stream.read(65536), b""))


def _write(end, data):
    with suppress(BrokenPipeError), open(end, "wb") as stream:
        stream.write(data)


class Started:
    """One that runs with *streams*, which are its own from now on; at a *terminal* if they are one."""

    _server = None
    _lock = threading.Lock()

    def __init__(self, words, streams, *, cwd, env, terminal=False):
        told = {"words": words, "cwd": str(cwd), "env": env, "terminal": terminal}
        request = json.dumps(told).encode()
        self._line, theirs = socket.socketpair()
        with theirs, self._lock:
            socket.send_fds(self._served(), [b"."], [theirs.fileno(), *streams])
        for end in {*streams}:
            os.close(end)
        self._line.sendall(len(request).to_bytes(4) + request)
        self.pid = int.from_bytes(self._line.recv(4))

    @classmethod
    def _served(cls):
        """To the process that all are forked off: one for this process, with which it ends."""
        if cls._server is None:
            cls._server, theirs = socket.socketpair()
            pipes = [os.pipe() for _ in range(3)]  # streams look at what they are when they are made
            streams = (pipes[0][0], pipes[1][1], pipes[2][1])
            subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                **dict(zip(("stdin", "stdout", "stderr"), streams, strict=True)),
                pass_fds=(theirs.fileno(),),
                cwd="/",
                env={**PLAIN, "PATH": os.environ["PATH"]},
            ).returncode = 0  # nobody waits for it
            for end in (theirs, *streams):
                end.close() if end is theirs else os.close(end)
        return cls._server

    def wait(self, timeout=60):
        """Its exit code; one that takes longer is ended."""
        self._line.settimeout(timeout)
        try:
            with self._line:
                return int.from_bytes(self._line.recv(4), signed=True)
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
            raise


def serve(control):
    """In the process that is forked: until nobody is left to ask."""
    _import_all()
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        asked, fds, _, _ = socket.recv_fds(control, 1, 4)
        if not asked:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            return _attend(socket.socket(fileno=fds[0]), fds[1:])
        for end in fds:
            os.close(end)


def _reap(*_):
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(client, streams):
    """Start it, and tell how it ended."""
    size = int.from_bytes(client.recv(4, socket.MSG_WAITALL))
    request = json.loads(client.recv(size, socket.MSG_WAITALL))
    if child := os.fork():
        for end in (*streams, 0, 1, 2):
            os.close(end)
        with suppress(OSError):
            client.sendall(child.to_bytes(4))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(OSError):
            client.sendall(code.to_bytes(4, signed=True))
        os._exit(0)
    client.close()
    for number, end in enumerate(streams):
        os.dup2(end, number)
        os.close(end)
    if request["terminal"]:
        _at_terminal()
    return _become(request)


def _at_terminal():
    os.setsid()
    fcntl.ioctl(1, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding=now.encoding, errors=now.errors, buffering=1, closefd=False)  # noqa: SIM115
        for number, (mode, now) in enumerate(zip("rww", (sys.stdin, sys.stdout, sys.stderr), strict=True))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


def _become(request):
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    sys.argv = [HOOKLINE, *request["words"]]
    from hookline.cli import main

    try:
        code = main()
    except SystemExit as leaves:
        if not isinstance(leaves.code, int | None):
            raise
        code = leaves.code or 0
    threading._shutdown()  # noqa: SLF001 -- what the interpreter does before it ends
    atexit._run_exitfuncs()  # noqa: SLF001 -- ditto
    sys.stdout.flush()
    os._exit(code)  # to take every module apart takes longer than most of the commands


def _import_all():
    import pkgutil
    from importlib import import_module

    import hookline

    sys.path[0] = os.path.dirname(HOOKLINE)  # as if that had been started
    for found in pkgutil.iter_modules(hookline.__path__, "hookline."):
        if not found.name.endswith(("__main__", "frameworks", "engine", "sinks")):
            _import(found)
    for name in LATER:
        import_module(name)
    gc.freeze()  # whoever looks for garbage would copy all of it


def _import(found):
    import pkgutil
    from importlib import import_module

    module = import_module(found.name)
    for inner in pkgutil.iter_modules(module.__path__, f"{found.name}.") if found.ispkg else ():
        if not inner.name.endswith(("__main__", "postgres")):
            _import(inner)


if __name__ == "__main__":
    sys.exit(serve(socket.socket(fileno=int(sys.argv[1]))))
