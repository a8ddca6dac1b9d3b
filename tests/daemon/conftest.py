"""Fixtures: a user with their own installation, daemon folder and clients."""

import errno
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hatch_build import compile_client, write_client
from tests.conftest import SCRATCH

from hookline import __version__
from hookline.cli._bench.world import copy_installation
from hookline.daemon import control
from hookline.daemon.paths import DaemonFolder

SOURCES = Path(__file__).parents[2] / "src/hookline/daemon"
BUILT = Path(tempfile.mkdtemp(prefix="client-", dir=SCRATCH))
FORCE = "git push --force"


def build(name):
    """Build the client *name* and return its path, or None without a C compiler."""
    path = BUILT / name
    if path.exists():
        return path
    if name == "python":
        write_client(SOURCES / "client.py", str(path), __version__)
    elif not compile_client(SOURCES / "client.c", str(path), __version__):
        return None
    return path


CLIENTS = tuple(name for name in ("c", "python") if build(name))


class House:
    """A user's home and an installation beside it. Its processes are found and ended by id."""

    def __init__(self, user, root):
        self.user, self.root = user, Path(root)
        copy_installation(str(root))
        self.folder, self.place = self.root / "run", DaemonFolder(path=f"{root}/run")
        self.client = self.root / "bin/hookline-client"
        self.process = None

    def use(self, name):
        self.client.unlink()
        shutil.copy(build(name), self.client)
        return self

    def environment(self, **more):
        usual = {"PATH": f"{self.root}/bin:/usr/bin:/bin", "HOOKLINE_DAEMON": "on"}
        return self.user.environment(**{**usual, **more})

    def running(self):
        """Return the ids of the daemons of this installation."""
        return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal() and self._ours(one)]

    def _ours(self, process):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return b"hookline.daemon" in words and f"{self.root}/bin".encode() in words

    def end(self):
        for number in (signal.SIGCONT, signal.SIGKILL):
            for process in self.running():
                with suppress(ProcessLookupError):
                    os.kill(process, number)
        if self.process is not None:
            self.process.wait(20)
        self.until(lambda: not self.running())
        shutil.rmtree(self.root, ignore_errors=True)

    def until(self, holds, seconds=30):
        until = time.monotonic() + seconds
        while not (found := holds()):
            assert time.monotonic() < until, "timeout while waiting for a condition"
            time.sleep(0.02)
        return found

    def start(self, *words):
        with (self.root / "said").open("ab") as said:
            self.process = subprocess.Popen(
                [self.root / "bin/python", "-I", "-m", "hookline.daemon", f"{self.root}/bin", *words],
                env={"LANG": "C"},
                cwd="/",
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        self.until(lambda: control.status(self.place))
        return self

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        return self.process.wait(20)

    def status(self):
        return control.status(self.place)

    def calls(self):
        return (self.status() or {}).get("calls")

    def run(self, *words, **env):
        """Run `hookline` of this installation."""
        return subprocess.run(
            [self.root / "bin/hookline", *words],
            capture_output=True,
            text=True,
            cwd=self.user.project,
            env=self.environment(**env),
            check=False,
            timeout=60,
        )

    def ask(self, payload, /, *words, host="claude-code", client=(), **env):
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return subprocess.run(
            [*map(str, client or (self.client,)), "hook", host, *words],
            input=data,
            capture_output=True,
            cwd=self.user.project,
            env=self.environment(**env),
            check=False,
            timeout=60,
        )

    def ask_force(self, **how):
        """Return whether a forced push is denied."""
        return b'"deny"' in self.ask(self.user.shell(FORCE), **how).stdout

    def ask_until_served(self):
        """Ask until a daemon answers. On a busy machine it may start after the first caller's timeout."""
        self.until(lambda: self.ask_force() and self.calls())

    def logged(self):
        return [one["action"] for one in self.user.log() if one["event"] == "PreToolUse"]


@pytest.fixture
def house(user):
    made = House(user, os.path.realpath(tempfile.mkdtemp(prefix="h-", dir=SCRATCH)))
    yield made
    made.end()


@pytest.fixture(params=CLIENTS)
def each(request, house):
    """Return the house with each of the clients."""
    return house.use(request.param)


@pytest.fixture
def daemon(house):
    return house.start()


@pytest.fixture
def asked(each):
    """Return a house with each of the clients, and a running daemon."""
    return each.start()


def can_unshare(*words):
    if not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", *words, "true"], capture_output=True, check=False).returncode == 0


FORBID = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte)]
    _fields_ += [("k", ctypes.c_uint)]
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Step))]
load, same = Step(0x20, 0, 0, 0), Step(0x15, 0, 1, NUMBER)
refuse, allow = Step(0x06, 0, 0, 0x00050000 + ERROR), Step(0x06, 0, 0, 0x7FFF0000)
steps = (Step * 4)(load, same, refuse, allow)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(4, steps))) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
SYSTEM_CALLS = {
    "x86_64": {"socket": 41, "connect": 42, "memfd_create": 319, "reboot": 169, "clone": 56, "clone3": 435},
    "aarch64": {
        "socket": 198,
        "connect": 203,
        "memfd_create": 279,
        "reboot": 142,
        "clone": 220,
        "clone3": 435,
    },
}


def forbid(name, error=errno.EPERM):
    """Return Python code that executes its arguments with a system call forbidden, as sandboxes do."""
    number = SYSTEM_CALLS.get(os.uname().machine, {}).get(name, 0)
    return FORBID.replace("NUMBER", str(number)).replace("ERROR", str(error))
