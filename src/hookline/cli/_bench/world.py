"""A user who exists for one measurement: a home, a project and a daemon of their own, and the calls."""

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
from hookline.daemon.paths import Place
from hookline.system import own_command
from hookline.system.own_command import CLIENT

HOST = "claude-code"
LINE = "ls -la src"
"""A shell call as agents make it."""
UP_WITHIN = 30.0
GONE_WITHIN = 20.0
PIECE = 1 << 16


class World(Struct, frozen=True, kw_only=True):
    """Everything lies in one folder that goes afterwards."""

    folder: str

    @property
    def project(self) -> str:
        return os.path.join(self.folder, "project")

    @property
    def place(self) -> Place:
        return Place(folder=os.path.join(self.folder, "run"))

    @property
    def client(self) -> str:
        return os.path.join(self.folder, "bin", CLIENT)

    @property
    def env(self) -> dict[str, str]:
        """Nothing of the caller's environment but where programs are: no switch, and no setting of Python."""
        path = os.pathsep.join((os.path.join(self.folder, "bin"), os.environ.get("PATH", os.defpath)))
        return {"HOME": os.path.join(self.folder, "home"), "PATH": path, "LANG": "C"}

    def payload(self, session: str, number: int) -> bytes:
        """A shell call before it is made, as the host tells of it; each with another *number* is another."""
        host = hosts.load(HOST)
        shell = next(name for name, row in host.tools.items() if row.kind == "shell")
        name = next(name for name, row in host.moments.items() if row.event is PreToolUse)
        event = PreToolUse(
            host=HOST,
            session=session,
            cwd=self.project,
            tool=shell,
            call=f"call-{number}",
            input={"command": LINE},
        )
        return json.dumps(compose(host, event, name)).encode()


@contextmanager
def world() -> Iterator[World]:
    """A scratch one; its path is short, because a socket's must be."""
    with tempfile.TemporaryDirectory(prefix="hl-") as made:
        folder = os.path.realpath(made)
        for name in ("home", "project/.git"):
            os.makedirs(os.path.join(folder, name))
        copy_installation(folder)
        yield World(folder=folder)


def copy_installation(folder: str) -> None:
    """Make *folder* a virtual environment with the packages of this one and a daemon of its own."""
    packages = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    programs, base = os.path.join(folder, "bin"), os.path.realpath(sys.executable)
    for name in (programs, os.path.join(folder, packages)):
        os.makedirs(name)
    os.mkdir(os.path.join(folder, "run"), 0o700)
    os.symlink(base, os.path.join(programs, "python"))
    shutil.copy(own_command.client_path(), programs)
    _write(folder, "pyvenv.cfg", f"home = {os.path.dirname(base)}\n")
    added = [f"import site; site.addsitedir({one!r})" for one in site.getsitepackages()]
    _write(folder, f"{packages}/packages.pth", "\n".join([*added, os.path.dirname(PACKAGE), ""]))
    script = "import sys\nfrom hookline.cli import main\nsys.exit(main())\n"
    os.chmod(_write(folder, "bin/hookline", f"#!{programs}/python -I\n{script}"), 0o700)


def _write(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


@contextmanager
def daemon(at: World, core: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon that answers, on one *core* if that is told; gone afterwards."""
    with open(os.path.join(at.folder, "said"), "wb") as said, on({core} if core is not None else set()):
        process = subprocess.Popen(
            [os.path.join(at.folder, "bin", "python"), "-I", "-m", "hookline.daemon", f"{at.folder}/bin"],
            env={"LANG": "C"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        _await(at, process)
        yield process
    finally:
        _end(process)


@contextmanager
def on(cores: set[int]) -> Iterator[None]:
    """This process, and what is started meanwhile, runs on those alone; anywhere where there are none."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _await(at: World, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + UP_WITHIN
    while control.status(at.place) is None:
        if process.poll() is not None or time.monotonic() > until:
            with open(os.path.join(at.folder, "said"), encoding="utf-8", errors="replace") as said:
                raise OSError(f"the daemon to be measured does not answer: {said.read(500).strip()}")
        time.sleep(0.02)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(GONE_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Ran(Struct, frozen=True, kw_only=True):
    """A process as the one who waits for it sees it."""

    seconds: float
    code: int
    out: bytes


def spawned(argv: Sequence[str], payload: bytes, env: Mapping[str, str]) -> Ran:
    """Start it, read it to the end and wait for it: from before it was there until it is gone.

    By the least that a host could do: what Python's own way of starting processes costs is no hook's fault.
    The payload is shorter than what a pipe holds, so that it lies there already.
    """
    reading, feeding = os.pipe()
    listening, answering = os.pipe()
    os.write(feeding, payload)
    os.close(feeding)
    actions = [
        (os.POSIX_SPAWN_DUP2, reading, 0),
        (os.POSIX_SPAWN_DUP2, answering, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    began = time.perf_counter()
    child = os.posix_spawn(argv[0], [*argv], env, file_actions=actions)
    os.close(reading)
    os.close(answering)
    out = b"".join(iter(partial(os.read, listening, PIECE), b""))
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - began
    os.close(listening)
    return Ran(seconds=seconds, code=os.waitstatus_to_exitcode(status), out=out)


@contextmanager
def inside(folder: str) -> Iterator[None]:
    """What is started meanwhile is started there."""
    before = os.open(".", os.O_RDONLY)
    os.chdir(folder)
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)
