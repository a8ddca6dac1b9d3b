"""The sessions that a command told of: who asks over http has no environment and no folder of its own.

All of an environment is kept in memory only. What outlives the daemon, in files that nobody else can read,
is what we go by ourselves: switches, budgets, places, and how a host is recognised.
"""

import json
import os
import threading
from _blake2 import blake2b
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from hookline import hosts
from hookline.events import SessionStart
from hookline.host import Host
from hookline.record import record
from hookline.wiring import Listed

MOST = 256
"""Sessions that are known at most."""
LARGEST = 1 << 20
LONGEST_TOLD = 1 << 20
"""Bytes of a payload that is looked into: what is longer tells no more about a session."""
PREFIXES = ("AR_", "AUTORESEARCH_", "HOOKLINE_", "XDG_")
NAMES = frozenset(("HOME", "PATH", "LANG", "LC_ALL", "TZ", "USER", "SHELL", "PYTHONPYCACHEPREFIX"))
ASIDE = frozenset(("HOOKLINE_CALL",))
"""What belongs to one call."""


@record
class Caller:
    env: Mapping[str, str]
    cwd: str


class Sessions:
    """What is known of each session, the least recently told of first.

    Each has a file of its own, which a command also writes that was not answered by the daemon.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, Caller]] = {}
        _forget(folder)

    def find(self, host: Host, payload: Any) -> Caller | None:
        """Whoever sent the *payload*; None where no command has told of that session."""
        path = _path(self._folder, host, payload)
        if not path:
            return None
        known, now = self._known.get(path), _version(path)
        if known is not None and known[0] == now:
            return known[1]
        found = _read(path)
        if found is not None:
            self._know(path, found)
        return found

    def note(self, host: str, payload: bytes, env: Mapping[str, str], cwd: str) -> None:
        """Remember what a command told of its session; nothing where its host asks by commands only."""
        path, new = _told(self._folder, host, payload, env, cwd)
        known = self._known.get(path)
        if not path or (known and known[1] == new and known[0] == _version(path)):
            return
        before = known[1] if known else _read(path)
        if before and not begins(host, payload) and kept(new) != kept(before):
            return  # whoever speaks for a session later has no say in how it is guarded
        if known is None or kept(known[1]) != kept(new) or known[0] != _version(path):
            _write(path, new)
        self._know(path, new)

    def _know(self, path: str, caller: Caller) -> None:
        with self._lock:
            self._known.pop(path, None)
            self._known[path] = (_version(path), caller)
            while len(self._known) > MOST:
                oldest = next(iter(self._known))
                del self._known[oldest]
                with suppress(OSError):
                    os.unlink(oldest)


def begins(host: str, payload: bytes) -> bool:
    """Whether the *host* tells that a session starts."""
    known = hosts.load(host)
    try:
        moment = json.loads(payload).get(known.names_event)
    except (ValueError, RecursionError, AttributeError):
        return False
    row = known.moments.get(moment) if isinstance(moment, str) else None
    return row is not None and row.event is SessionStart


def tell(folder: str, host: str, payload: bytes, env: Mapping[str, str], cwd: str) -> None:
    """What a command that the daemon did not answer leaves for it."""
    path, new = _told(folder, host, payload, env, cwd)
    before = _read(path) if path else None
    if before and not begins(host, payload):
        return
    if path and before != Caller(env=kept(new), cwd=cwd):  # the daemon may know more, and keeps that
        _write(path, new)


def _told(folder: str, host: str, payload: bytes, env: Mapping[str, str], cwd: str) -> tuple[str, Caller]:
    new = Caller(env={name: env[name] for name in env if name not in ASIDE}, cwd=cwd)
    if not asks(host) or len(payload) > LONGEST_TOLD:
        return "", new
    try:
        sent = json.loads(payload)
    except (ValueError, RecursionError):
        return "", new
    return _path(folder, hosts.load(host), sent), new


def _path(folder: str, host: Host, payload: Any) -> str:
    """The file of a session; empty where none is named. Nothing that anybody wrote is part of its name."""
    told = payload.get(host.common.get("session", "")) if isinstance(payload, dict) else None
    if not isinstance(told, str) or not told:
        return ""
    name = f"{host.name}\0{told}".encode(errors="surrogatepass")
    return os.path.join(folder, blake2b(name, digest_size=20).hexdigest())


def _version(path: str) -> int:
    """Another whenever the file was written anew; 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _write(path: str, caller: Caller) -> None:
    """What cannot be written is known only until the daemon ends."""
    scratch = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with suppress(OSError):
        with suppress(FileExistsError):
            os.mkdir(os.path.dirname(path), 0o700)
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump({"env": kept(caller), "cwd": caller.cwd}, file, ensure_ascii=False)
        os.replace(scratch, path)


def _read(path: str) -> Caller | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            told = json.loads(file.read(LARGEST))
        env = {str(name): str(value) for name, value in told["env"].items()}
        return Caller(env=env, cwd=str(told["cwd"]))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def _forget(folder: str) -> None:
    """The oldest files, beyond as many as are known at most."""
    with suppress(OSError):
        found = [os.path.join(folder, name) for name in os.listdir(folder)]
        for path in sorted(found, key=_version, reverse=True)[MOST:]:
            with suppress(OSError):
                os.unlink(path)


@cache
def asks(host: str) -> bool:
    """Whether the *host* can ask over http."""
    if host not in hosts.names():
        return False
    wiring = hosts.load(host).wiring
    return wiring is not None and isinstance(wiring.way, Listed) and wiring.way.http is not None


def kept(caller: Caller) -> dict[str, str]:
    """What is kept of an environment for the daemon that comes after."""
    return {
        name: value
        for name, value in caller.env.items()
        if name.startswith(PREFIXES) or name in NAMES or name in _marks()
    }


@cache
def _marks() -> frozenset[str]:
    """The variables by which hosts are recognised."""
    found = set[str]()
    for host in map(hosts.load, hosts.names()):
        found |= {*host.telltales, host.project_env, *(one for many in host.run_by.values() for one in many)}
    return frozenset(found)
