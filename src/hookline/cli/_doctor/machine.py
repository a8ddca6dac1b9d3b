"""Checks of the machine: its clock, the client, and the latency of a call."""

import os
import shlex
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import median

from msgspec import Struct

from hookline.cli._bench.bars import MS
from hookline.cli._bench.world import change_folder, spawn
from hookline.cli._doctor import Finding, attention, note
from hookline.cli._doctor.daemon import is_daemon_ours
from hookline.cli._doctor.store import MAX_AHEAD_SECONDS
from hookline.daemon.control import SWITCH
from hookline.install import probe
from hookline.install.inspect import InstalledCommand, InstalledFile
from hookline.system import own_command
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places

EARLIEST_TIME = 1_704_067_200.0
"""Unix time of the start of 2024; an earlier clock is wrong."""
MAX_CLOCK_DIFFERENCE = 60.0
"""Maximum difference, in seconds, between the disk's clock and the system's."""
ELF = b"\x7fELF"
TRUE = "/bin/true"
RUNS = 3
SLOW_FACTOR = 50.0
"""Multiple of the time of `/bin/true` above which a call through the daemon is slow."""


def check_clock(places: Places) -> Iterator[Finding]:
    """Report a wrong clock, which would falsify the age of records, grants and budgets."""
    now = time.time()
    if now < EARLIEST_TIME:
        when = time.strftime("%Y-%m-%d", time.localtime(now))
        text = f"the clock shows {when}: set it, or records and budgets expire at the wrong time"
        yield attention("clock.early", text)
    ahead = [path for path in _list_files(places) if os.stat(path).st_mtime > now + MAX_AHEAD_SECONDS]
    if ahead:
        text = f"{ahead[0]} has a modification time in the future: correct the clock, then `touch` the file"
        yield attention("clock.future", text)
    difference = _clock_difference(places.state)
    if abs(difference) > MAX_CLOCK_DIFFERENCE:
        text = f"the clock of the disk with {places.state} is {abs(difference):,.0f} seconds "
        text += "ahead of" if difference > 0 else "behind"
        yield attention("clock.disk", f"{text} the system clock: correct the wrong one")


def _list_files(places: Places) -> Iterator[str]:
    for folder in (places.config, places.state):
        with suppress(OSError), os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.is_file())


def _clock_difference(folder: str) -> float:
    """Return the seconds by which the timestamp of a new file differs from the system's clock."""
    try:
        with tempfile.TemporaryFile(dir=folder if os.path.isdir(folder) else None) as file:
            file.write(b".")
            file.flush()
            return os.fstat(file.fileno()).st_mtime - time.time()
    except OSError:
        return 0.0


def describe_client() -> Finding:
    """Report the kind and path of the client."""
    path = own_command.client_path()
    if not path:
        text = "hookline-client is missing, so no daemon is used: install hookline with pip"
        return attention("client.missing", text)
    with open(path, "rb") as file:
        compiled = file.read(4) == ELF
    build = "compiled" if compiled else "a Python script, because no C compiler was found at installation"
    return note("client", f"hookline-client is {build}: {path}")


class Latency(Struct, frozen=True, kw_only=True):
    """Milliseconds of a call, each the median of a few runs in turn."""

    true: float
    cold: float
    """The configured command, without the daemon."""
    daemon: float | None = None
    """Through the daemon; None if it could not be measured."""
    by: str = ""
    """The command used to measure that; empty for the configured one."""


def measure_latency(
    installed: InstalledFile, call: InstalledCommand, places: Places, env: Mapping[str, str]
) -> Latency:
    """Measure how long a host waits on this machine for the configured command."""
    daemon_command = _choose_daemon_command(installed, call, env)
    true, cold, daemon = list[float](), list[float](), list[float]()
    with probe.scratch_folder(lingering=bool(daemon_command)) as folder:
        trial = probe.prepare_trial(installed.host, places, env, folder)
        env_without_daemon = {**trial.env, SWITCH: "off"}
        with change_folder(trial.root):
            for _ in range(RUNS):
                true.append(spawn([TRUE], b"", trial.env).seconds)
                cold.append(spawn(["/bin/sh", "-c", call.command], trial.payload, env_without_daemon).seconds)
                if daemon_command:
                    daemon.append(spawn(["/bin/sh", "-c", daemon_command], trial.payload, trial.env).seconds)
    return Latency(
        true=median(true) * MS,
        cold=median(cold) * MS,
        daemon=median(daemon) * MS if daemon else None,
        by="" if daemon_command == call.command else CLIENT,
    )


def _choose_daemon_command(installed: InstalledFile, call: InstalledCommand, env: Mapping[str, str]) -> str:
    """Return the configured command if it asks the daemon, else the client's, or "" for neither."""
    if not is_daemon_ours(env):
        return ""
    if CLIENT in call.line:
        return call.command
    client = own_command.client_path()
    return f"{shlex.quote(client)} hook {installed.host.name}" if client else ""


def describe_latency(latency: Latency) -> Finding:
    """Report the measured latency."""
    alone = f"{_format_ms(latency.cold, latency.true)} without"
    if latency.daemon is None:
        return note("latency", f"a call takes {alone} a daemon; no daemon of this installation was available")
    by = f" with `{latency.by}`, which is not the configured command" if latency.by else ""
    text = f"a call takes {_format_ms(latency.daemon, latency.true)} through the daemon{by}, and {alone}"
    if latency.daemon > SLOW_FACTOR * latency.true:
        return attention("latency", f"{text}: slow; run `hookline bench` for details")
    return note("latency", text)


def _format_ms(ms: float, true: float) -> str:
    return f"{ms:.1f} ms ({ms / true:.0f} × /bin/true)"
