"""A temporary home, project and daemon for one measurement, and the calls to it."""

import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from msgspec import Struct

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.payload import compose
from hookline.daemon import control
from hookline.daemon.installation import PACKAGE
from hookline.daemon.paths import DaemonFolder
from hookline.system import own_command
from hookline.system.own_command import CLIENT

HOST = "claude-code"
SHELL_COMMAND = "ls -la src"
"""A shell command as agents run it."""
START_TIMEOUT_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 20.0
CHUNK_BYTES = 1 << 16


class Sandbox(Struct, frozen=True, kw_only=True):
    """A temporary folder with a home, a project and programs."""

    folder: str

    @property
    def project(self) -> str:
        return os.path.join(self.folder, "project")

    @property
    def place(self) -> DaemonFolder:
        return DaemonFolder(path=os.path.join(self.folder, "run"))

    @property
    def client(self) -> str:
        return os.path.join(self.folder, "bin", CLIENT)

    @property
    def env(self) -> dict[str, str]:
        """Environment with the caller's PATH only: no switches, and no settings of Python."""
        path = os.pathsep.join((os.path.join(self.folder, "bin"), os.environ.get("PATH", os.defpath)))
        return {"HOME": os.path.join(self.folder, "home"), "PATH": path, "LANG": "C"}

    def payload(self, session: str, number: int) -> bytes:
        """Return the payload of a shell call before it runs; each *number* is another call."""
        host = hosts.load(HOST)
        shell = next(name for name, row in host.tools.items() if row.kind == "shell")
        name = next(name for name, row in host.moments.items() if row.event is PreToolUse)
        event = PreToolUse(
            host=HOST,
            session=session,
            cwd=self.project,
            tool=shell,
            call=f"call-{number}",
            input={"command": SHELL_COMMAND},
        )
        return json.dumps(compose(host, event, name)).encode()


@contextmanager
def open_sandbox() -> Iterator[Sandbox]:
    """Create a sandbox; its path is short, because the path of a socket must be."""
    with tempfile.TemporaryDirectory(prefix="hl-") as path:
        folder = os.path.realpath(path)
        for name in ("home", "project/.git"):
            os.makedirs(os.path.join(folder, name))
        copy_installation(folder)
        yield Sandbox(folder=folder)


def copy_installation(folder: str) -> None:
    """Make *folder* a virtual environment with the packages of this one and a daemon of its own."""
    packages = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    programs, base = os.path.join(folder, "bin"), os.path.realpath(sys.executable)
    for name in (programs, os.path.join(folder, packages)):
        os.makedirs(name)
    os.mkdir(os.path.join(folder, "run"), 0o700)
    os.symlink(base, os.path.join(programs, "python"))
    shutil.copy(own_command.client_path(), programs)
    _write(folder, "pyvenv.cfg", f"home = {os.path.dirname(base)}\ninclude-system-site-packages = false\n")
    imports = [f"import site; site.addsitedir({folder_name!r})" for folder_name in site.getsitepackages()]
    _write(folder, f"{packages}/packages.pth", "\n".join([*imports, os.path.dirname(PACKAGE), ""]))
    script = "import sys\nfrom hookline.cli import main\nsys.exit(main())\n"
    os.chmod(_write(folder, "bin/hookline", f"#!{programs}/python -I\n{script}"), 0o700)


def _write(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


@contextmanager
def run_daemon(sandbox: Sandbox, core: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a daemon, on one *core* if given, and end it afterwards."""
    with (
        open(os.path.join(sandbox.folder, "said"), "wb") as log,
        pin_to_cores({core} if core is not None else set()),
    ):
        process = subprocess.Popen(
            [
                os.path.join(sandbox.folder, "bin", "python"),
                "-I",
                "-m",
                "hookline.daemon",
                f"{sandbox.folder}/bin",
            ],
            env={"LANG": "C"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_ready(sandbox, process)
        yield process
    finally:
        _end(process)


@contextmanager
def pin_to_cores(cores: set[int]) -> Iterator[None]:
    """Run this process, and processes that it starts, on these *cores* only; on any if empty."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _wait_until_ready(sandbox: Sandbox, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + START_TIMEOUT_SECONDS
    while control.status(sandbox.place) is None:
        if process.poll() is not None or time.monotonic() > until:
            with open(os.path.join(sandbox.folder, "said"), encoding="utf-8", errors="replace") as log:
                raise OSError(f"the measured daemon does not answer: {log.read(500).strip()}")
        time.sleep(0.02)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class ProcessResult(Struct, frozen=True, kw_only=True):
    """Duration, exit code and output of a process."""

    seconds: float
    code: int
    out: bytes


def spawn(argv: Sequence[str], payload: bytes, env: Mapping[str, str]) -> ProcessResult:
    """Run a process to its end, and measure the time from before its start until it is gone.

    `posix_spawn` has the least overhead; the overhead of `subprocess` is not the cost of a hook.
    The payload fits into the buffer of a pipe, so it can be written before the process starts.
    """
    stdin_read, stdin_write = os.pipe()
    stdout_read, stdout_write = os.pipe()
    os.write(stdin_write, payload)
    os.close(stdin_write)
    actions = [
        (os.POSIX_SPAWN_DUP2, stdin_read, 0),
        (os.POSIX_SPAWN_DUP2, stdout_write, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    began = time.perf_counter()
    child = os.posix_spawn(argv[0], [*argv], env, file_actions=actions)
    os.close(stdin_read)
    os.close(stdout_write)
    out = b"".join(iter(partial(os.read, stdout_read, CHUNK_BYTES), b""))
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - began
    os.close(stdout_read)
    return ProcessResult(seconds=seconds, code=os.waitstatus_to_exitcode(status), out=out)


@contextmanager
def change_folder(folder: str) -> Iterator[None]:
    """Change the working folder for the duration of the context."""
    before = os.open(".", os.O_RDONLY)
    os.chdir(folder)
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)
