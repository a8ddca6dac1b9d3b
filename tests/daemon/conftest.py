"""A daemon of a user's own, in a scratch home, and the clients that ask it."""

import compileall
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hookline.daemon import installation
from hookline.system import compiled

ROOM = Path(__file__).parents[2] / "src/hookline/daemon"
CLIENT = ROOM / "client.sh"
_INSTALLED = Path(sys.executable).with_name("hookline-client")
if _INSTALLED.exists() and _INSTALLED.read_bytes() == CLIENT.read_bytes():
    CLIENT = _INSTALLED  # which has the interpreter beside it
CLIENTS = {"bash": (CLIENT, "hook"), "python": (sys.executable, "-I", "-S", ROOM / "ask.py", "hook")}
compileall.compile_dir(ROOM.parent, quiet=2)  # as an installer does: not in the middle of an answer
COMPILED = compiled.client(
    os.environ, tempfile.mkdtemp(prefix="hookline-client-"), installation.word(), build=True
)
if COMPILED:
    CLIENTS["c"] = (COMPILED, "hook")


class House:
    """A user's home with a folder for the daemon; everything is started by its id and ended by it."""

    def __init__(self, user, runtime):
        self.user, self.runtime = user, runtime
        self.process = None
        self.client = CLIENTS["bash"]

    @property
    def folder(self):
        return self.runtime / "hookline"

    def environment(self, **more):
        own = str(Path(sys.executable).parent)
        usual = {
            "XDG_RUNTIME_DIR": str(self.runtime),
            "PATH": f"{own}:/usr/bin:/bin",
            "HOOKLINE_DAEMON": "on",
        }
        return self.user.environment(**{**usual, **more})

    def running(self):
        """The daemons of this house, by their ids: also those that a call has started."""
        return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal() and self._ours(one)]

    def _ours(self, process):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            env = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            return False
        return b"hookline.daemon" in words and f"XDG_RUNTIME_DIR={self.runtime}".encode() in env

    def end(self):
        """Whatever was started here is gone afterwards."""
        for number in (signal.SIGCONT, signal.SIGKILL):
            for process in self.running():
                with suppress(ProcessLookupError):
                    os.kill(process, number)
        if self.process is not None:
            self.process.wait(20)
        self.until(lambda: not self.running())

    def until(self, holds, seconds=30):
        """Wait for what must come."""
        until = time.monotonic() + seconds
        while not (found := holds()):
            assert time.monotonic() < until, "it did not come"
            time.sleep(0.02)
        return found

    def start(self, **env):
        with (self.runtime / "said").open("ab") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hookline.daemon"],
                env=self.environment(**env),
                cwd="/",
                stderr=said,
                start_new_session=True,
            )
        self.wait()
        return self

    def wait(self):
        until = time.monotonic() + 30
        while not (self.folder / "address").exists():
            assert time.monotonic() < until, (self.runtime / "said").read_text()
            time.sleep(0.02)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        return self.process.wait(20)

    def ask(self, payload, /, *words, host="claude-code", client=None, **env):
        data = payload if isinstance(payload, bytes) else payload.encode()
        return subprocess.run(
            [*map(str, client or self.client), host, *words],
            input=data,
            capture_output=True,
            cwd=self.user.project,
            env=self.environment(**env),
            check=False,
            timeout=60,
        )


@pytest.fixture
def house(user, tmp_path):
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    made = House(user, runtime)
    made.folder.mkdir(mode=0o700)  # so that no client looks for one elsewhere
    yield made
    made.end()


@pytest.fixture
def daemon(house):
    return house.start()


@pytest.fixture(params=CLIENTS)
def asked(request, house):
    """A daemon that is asked by each of the clients."""
    house.client = CLIENTS[request.param]
    return house.start()
