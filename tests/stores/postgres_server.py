"""PostgreSQL server for the tests, on a Unix socket in a temporary folder, as an unprivileged user."""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

SYSTEM = Path("/usr/lib/postgresql")
FAST = ("fsync=off", "full_page_writes=off", "max_connections=60")
START = 60.0


class Server:
    """A PostgreSQL server that can be stopped and restarted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def address(self, database: str, user: str = "hookline") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def database(self, encoding: str = "UTF8") -> str:
        """Create an empty database and return its address."""
        import psycopg

        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as db:
            made = (
                f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
            )
            db.execute(made)
        return self.address(name)

    def start(self) -> None:
        options = [
            f"-c{option}" for option in (*FAST, "listen_addresses=", f"unix_socket_directories={self.folder}")
        ]
        log = (self.folder / "log").open("ab")
        command = [program("postgres"), "-D", str(self.data), *options]
        self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **as_whom())
        log.close()
        self._wait()

    def _wait(self) -> None:
        import psycopg

        ends = time.monotonic() + START
        while True:
            try:
                psycopg.connect(self.address("postgres")).close()
            except psycopg.OperationalError:
                if time.monotonic() > ends or (self._process and self._process.poll() is not None):
                    raise
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """Stop the server at once, as on a power failure."""
        if self._process is not None:
            for number in (signal.SIGCONT, signal.SIGQUIT):
                with suppress(ProcessLookupError):
                    self._process.send_signal(number)
            self._process.wait(START)
            self._process = None


@contextmanager
def running():
    """Run a server during a `with` block."""
    folder = Path(tempfile.mkdtemp(prefix="hookline-pg-", dir="/tmp"))  # the path of a socket must be short
    server = Server(folder)
    try:
        if os.geteuid() == 0:
            who = pwd.getpwnam(unprivileged())
            os.chown(folder, who.pw_uid, who.pw_gid)
        made = [
            program("initdb"),
            "-D",
            str(server.data),
            "-U",
            "hookline",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "-N",
        ]
        subprocess.run(made, check=True, capture_output=True, cwd=folder, timeout=300, **as_whom())
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def program(name: str) -> str:
    """Return the path of a program of the newest PostgreSQL, and install PostgreSQL first if possible."""
    if found := _found(name):
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _install()
    if found := _found(name):
        return found
    raise LookupError(f"no program is called {name!r} here; install postgresql and try again")


def _install() -> None:
    # One of several test processes installs it and the others wait, because apt's own lock fails at once.
    with (Path(tempfile.gettempdir()) / "hookline-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _found("postgres"):
            _apt("update")
            _apt("install", "-y", "--no-install-recommends", "postgresql")


def _apt(*words: str) -> None:
    # RUNLEVEL prevents the package from starting its own server.
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(["apt-get", "-qq", *words], check=True, timeout=900, env=env, stdout=sys.stderr)


def _found(name: str) -> str | None:
    places = sorted(SYSTEM.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return str(places[-1]) if places else shutil.which(name)


def as_whom() -> dict[str, object]:
    """Return options for subprocess that drop root, because the server refuses to run as root."""
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    if os.geteuid() != 0:
        return {"env": env}
    who = pwd.getpwnam(unprivileged())
    return {"env": env, "user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def unprivileged() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
