"""The machine: its clock, its client, the Python that runs us, and how long a call takes here."""

import os
import shlex
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import median

from msgspec import Struct

from hookline.cli._bench.bars import MS
from hookline.cli._bench.world import inside, spawned
from hookline.cli._doctor import Finding, attention, note
from hookline.cli._doctor.daemon import ours
from hookline.cli._doctor.store import AHEAD
from hookline.daemon.start import SWITCH
from hookline.install import probe
from hookline.install.inspect import Call, Wire
from hookline.system import own_command
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places

BIRTH = 1_704_067_200.0
"""The first second of 2024: no clock that is right shows less."""
APART = 60.0
"""Seconds that the disk's clock may differ from the system's."""
ELF = b"\x7fELF"
TRUE = "/bin/true"
RUNS = 3
SLOW = 50.0
"""Times `/bin/true` above which a call through the daemon is slow."""


def clock(at: Places) -> Iterator[Finding]:
    """What a wrong clock would spoil: records by age, passes, budgets."""
    now = time.time()
    if now < BIRTH:
        when = time.strftime("%Y-%m-%d", time.localtime(now))
        text = f"the clock says {when}: set it, or records are forgotten and budgets end at the wrong time"
        yield attention("clock.early", text)
    ahead = [path for path in _files(at) if os.stat(path).st_mtime > now + AHEAD]
    if ahead:
        text = f"{ahead[0]} was changed at a time that is still to come: set the clock right, then `touch` it"
        yield attention("clock.future", text)
    apart = _apart(at.state)
    if abs(apart) > APART:
        text = f"the clock of the disk with {at.state} is {abs(apart):,.0f} seconds "
        text += "ahead of" if apart > 0 else "behind"
        yield attention("clock.disk", f"{text} this machine's: set the one that is wrong")


def _files(at: Places) -> Iterator[str]:
    for folder in (at.config, at.state):
        with suppress(OSError), os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.is_file())


def _apart(folder: str) -> float:
    """Seconds by which a file that is made now seems to be of another time."""
    try:
        with tempfile.TemporaryFile(dir=folder if os.path.isdir(folder) else None) as made:
            made.write(b".")
            made.flush()
            return os.fstat(made.fileno()).st_mtime - time.time()
    except OSError:
        return 0.0


def client() -> Finding:
    """Which client this installation has."""
    path = own_command.client_path()
    if not path:
        text = "this installation has no hookline-client, so no daemon is used: install hookline with pip"
        return attention("client.missing", text)
    with open(path, "rb") as file:
        compiled = file.read(4) == ELF
    made = "compiled" if compiled else "in Python, because no C compiler was found when it was installed"
    return note("client", f"the client is {made}: {path}")


class Latency(Struct, frozen=True, kw_only=True):
    """Milliseconds, each the median of a few runs in turn; None where it could not be measured."""

    true: float
    cold: float
    """The configured command, without the daemon."""
    daemon: float | None = None
    """Through the daemon."""
    by: str = ""
    """Which command that went by."""


def latency(wire: Wire, call: Call, at: Places, env: Mapping[str, str]) -> Latency:
    """How long a host waits on this machine for what is configured."""
    warm = _through_daemon(wire, call, env)
    true, cold, through = list[float](), list[float](), list[float]()
    with probe.scratch(lingering=bool(warm)) as folder:
        told = probe.ready(wire.host, at, env, folder)
        alone = {**told.env, SWITCH: "off"}
        with inside(told.root):
            for _ in range(RUNS):
                true.append(spawned([TRUE], b"", told.env).seconds)
                cold.append(spawned(["/bin/sh", "-c", call.command], told.payload, alone).seconds)
                if warm:
                    through.append(spawned(["/bin/sh", "-c", warm], told.payload, told.env).seconds)
    return Latency(
        true=median(true) * MS,
        cold=median(cold) * MS,
        daemon=median(through) * MS if through else None,
        by="" if warm == call.command else CLIENT,
    )


def _through_daemon(wire: Wire, call: Call, env: Mapping[str, str]) -> str:
    """The command by which the daemon is asked: what is configured, else the client; empty for neither."""
    if not ours(env):
        return ""
    if CLIENT in call.line:
        return call.command
    client = own_command.client_path()
    return f"{shlex.quote(client)} hook {wire.host.name}" if client else ""


def slow(took: Latency) -> Finding:
    """What was measured, in a sentence."""
    alone = f"{_times(took.cold, took.true)} without"
    if took.daemon is None:
        return note("latency", f"a call takes {alone} a daemon; none of this installation could be asked")
    by = f" by `{took.by}`, which is not what is configured" if took.by else ""
    text = f"a call takes {_times(took.daemon, took.true)} through the daemon{by}, and {alone}"
    if took.daemon > SLOW * took.true:
        return attention("latency", f"{text}: that is slow; `hookline bench` tells more")
    return note("latency", text)


def _times(ms: float, true: float) -> str:
    return f"{ms:.1f} ms ({ms / true:.0f} × /bin/true)"
