"""Checks of the environment: configuration, guards, file permissions, daemon, store and sinks.

They include the machine: its clock, the client, and the latency of a call.
"""

import os
import shlex
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import median

from msgspec import Struct

from hookline.cli._bench.bars import MS
from hookline.cli._bench.world import change_folder, spawn
from hookline.cli._doctor.daemon import check_daemon, is_daemon_ours
from hookline.cli._doctor.store import MAX_AHEAD_SECONDS, check_store
from hookline.cli._grant import open_grants
from hookline.core.diagnosis import Finding, advise, attention, note, well
from hookline.core.hook import Hook
from hookline.core.install_commands import repair_command
from hookline.daemon.control import SWITCH
from hookline.install import probe
from hookline.install.inspect import InstalledCommand, InstalledFile
from hookline.policy.consents import read_consents
from hookline.policy.layers import SET_SUFFIX
from hookline.runtime import telemetry
from hookline.runtime.setup import Setup
from hookline.system import own_command, spool_files
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places

OTHERS_WRITE, OTHERS = 0o022, 0o077
UNLESS_READ_ONLY = ", unless its disk is read-only"
CONFIG, STATE = "the configuration of the guards", "the data of your sessions"


def check_permissions(places: Places) -> Iterator[Finding]:
    """Report files and folders with a wrong owner or wrong permissions."""
    yield from _check_home(places.home)
    for path in (places.state, places.spool, places.scratch):
        yield from _check_owner(path, OTHERS, f"list or change {STATE}")
    yield from _check_owner(places.config, OTHERS_WRITE, f"change {CONFIG}")
    for name in _list_config_files(places.config):
        yield from _check_owner(os.path.join(places.config, name), OTHERS_WRITE, f"change {CONFIG}")
    for path in (places.store, *spool_files.paths(places.spool), places.grants, places.claims):
        yield from _check_owner(path, OTHERS, f"read or change {STATE}")
    yield from _check_owner(places.trust, OTHERS, "access the trust file, so it is ignored")
    for path in (places.state, places.store, places.spool):
        yield from _check_writable(path, "so no new data is saved")


def _check_home(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        yield attention(
            "home.missing", f"HOME is {home!r}, which is not a folder: set it to your home folder"
        )
    elif not os.access(home, os.W_OK | os.X_OK):
        text = f"HOME ({home}) is not writable, so no data is saved"
        alternative = ", or set XDG_STATE_HOME and XDG_CONFIG_HOME to writable folders"
        yield advise("home.unwritable", text, _format_chmod(home, "u+wx"), alternative)


def _check_owner(path: str, mask: int, action: str) -> Iterator[Finding]:
    """Report a path of another user, and one on which bits of *mask* are set for others."""
    try:
        status = os.stat(path)
    except OSError:
        return
    if status.st_uid not in (os.getuid(), 0):
        fix = f"sudo chown {os.getuid()} {shlex.quote(path)}"
        yield advise("permissions.owner", f"{path} belongs to user {status.st_uid}, not to you", fix)
    elif status.st_uid != os.getuid() and mask == OTHERS:
        fix = f"sudo chown {os.getuid()} {shlex.quote(path)}"
        yield advise("permissions.owner", f"{path} belongs to root, not to you", fix)
    if stat.S_IMODE(status.st_mode) & mask:
        how = "go-w" if mask == OTHERS_WRITE else "go="
        yield advise("permissions.open", f"{path}: other users can {action}", _format_chmod(path, how))


def _check_writable(path: str, effect: str) -> Iterator[Finding]:
    mode = os.W_OK | (os.X_OK if os.path.isdir(path) else 0)
    if os.path.exists(path) and not os.access(path, mode):
        fix = _format_chmod(path, "u+rwX")
        yield advise("permissions.unwritable", f"{path} is not writable, {effect}", fix, UNLESS_READ_ONLY)


def _format_chmod(path: str, how: str) -> str:
    return f"chmod {how} {shlex.quote(path)}"


def _list_config_files(folder: str) -> list[str]:
    """Return the names in the configuration folder, which includes the folder of Python hooks."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.name != "trust.json")
    except OSError:
        return []


OFF_BY_DEFAULT = "off by default"
LOOSE = ("off", "warn")
"""Actions of a pack of rules that stop no call."""


def check_environment(setup: Setup, env: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the findings of all checks that do not depend on a host."""
    yield from _check_config(setup)
    yield from _check_guards(setup)
    yield from _check_consents(setup.places)
    yield from check_permissions(setup.places)
    yield from check_daemon(env)
    yield from check_store(setup)
    for state in telemetry.sink_statuses(setup.places, setup.config.sinks):
        build = attention if state.failed or state.dropped else well
        yield build("sink", f"sink {state.name!r}: {state}")
    yield from check_clock(setup.places)


def _check_config(setup: Setup) -> Iterator[Finding]:
    problems = setup.config.problems
    for problem in problems:
        yield attention("trust.file" if problem.file == setup.places.trust else "config", str(problem))
    for text in setup.user_messages[len(problems) :]:
        yield attention("trust.waits", text)


def _check_consents(places: Places) -> Iterator[Finding]:
    for consents in read_consents(places):
        if consents.problem:
            text = f"{consents.path} is ignored: {consents.problem}"
            yield attention("consents.ignored", f"{text}; see SECURITY.md")
        else:
            yield note("consents", f"{consents.path} allows without a terminal: {consents}")


def _check_guards(setup: Setup) -> Iterator[Finding]:
    """Report guards that are off, with the reason and the way to switch them on."""
    grants = open_grants(setup.places)
    off = grants.find_off()
    if off.until is not None:
        yield advise("guards.off-for-now", off.notices()[0], "hookline on")
    for grant, reason in grants.find_ignored():
        yield note("guards.grant-ignored", f"{grant} is ignored: {reason}; `hookline on` removes it")
    for hook in setup.hooks:
        off_packs = [name for name, action in dict(hook.settings.get("packs", {})).items() if action in LOOSE]
        if hook.enabled and off_packs:
            text = f"hook {hook.name!r} does not stop calls of {', '.join(off_packs)}"
            yield note("guards.loose", f"{text}, because of `packs` in its settings")
        if not hook.enabled and hook.off != OFF_BY_DEFAULT:
            yield note("guards.off", f"hook {hook.name!r} is off: {hook.off}; {_describe_fix(hook)}")


def _describe_fix(hook: Hook) -> str:
    variable = hook.off.removesuffix(SET_SUFFIX)
    return f"unset {variable} to enable it" if hook.off.endswith(SET_SUFFIX) else "remove that to enable it"


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
        text = "hookline-client is missing, so no daemon is used"
        return advise("client.missing", text, repair_command())
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
