"""Checks of the daemon: its state, its installation, and problems that prevent its start."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.diagnosis import Finding, attention, note, well
from hookline.daemon import control
from hookline.daemon.control import SWITCH, ensure
from hookline.daemon.paths import DaemonFolder, create_daemon_folder, describe_problem, find_daemon_folder
from hookline.system.paths import daemon_folders

RECENT_SECONDS = 86_400.0
"""Maximum age, in seconds, of a log entry that requires action."""
MAX_LENGTH = 300
"""Characters shown of a line of the log."""


def check_daemon(env: Mapping[str, str]) -> Iterator[Finding]:
    """Report the state of the daemon."""
    yield from _check_folders()
    if env.get(SWITCH) == "off":
        advice = "each call starts its own process, which is slower; unset it to use the daemon"
        yield note("daemon.off", f"{SWITCH}=off disables the daemon: {advice}")
        return
    place = find_daemon_folder()
    held = control.is_served(place)
    status = control.status(place) if held else None
    yield _describe_state(place, status, held=held)
    yield from _check_log(place, runs=status is not None)


def is_daemon_ours(env: Mapping[str, str]) -> bool:
    """Return whether a daemon of this installation answers calls."""
    place = find_daemon_folder()
    return env.get(SWITCH) != "off" and control.is_served(place) and control.is_ours(control.status(place))


def start_daemon(env: Mapping[str, str]) -> Iterator[Finding]:
    """Start a daemon if none runs, as the first call would."""
    if env.get(SWITCH) == "off" or control.is_served(find_daemon_folder()):
        return
    try:
        started = ensure(create_daemon_folder())
    except OSError:
        return  # `_check_folders` reports it
    if not started:
        advice = "each call starts its own process; `hookline daemon start` reports the reason"
        yield attention("daemon.start", f"the daemon started but does not answer: {advice}")


def _check_folders() -> Iterator[Finding]:
    problems = {folder: describe_problem(folder) for folder in daemon_folders() if os.path.lexists(folder)}
    for folder, why in problems.items():
        if why and not folder.endswith("/run"):
            yield attention("daemon.folder", f"the daemon cannot use its folder {folder}: {why}")


def _describe_state(place: DaemonFolder, status: dict[str, Any] | None, *, held: bool) -> Finding:
    if status is None and held:
        process = control.holder(place).partition(":")[0] or "unknown"
        text = f"the daemon (process {process}) does not answer: the next call replaces it"
        return attention("daemon.hangs", text)
    if status is None:
        return note("daemon.none", "no daemon is running: the first call starts one")
    calls = f"process {status['process']}, Python {status['python']}, {status['calls']:,} calls answered"
    if not control.is_ours(status):
        text = f"the daemon belongs to another installation, {status['programs']}: the next call replaces it"
        return attention("daemon.other", text)
    return well("daemon.runs", f"the daemon is running: {calls}")


def _check_log(place: DaemonFolder, *, runs: bool) -> Iterator[Finding]:
    """Report the last line of the log, which is empty unless something failed."""
    try:
        with open(place.log, "rb") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return
    last = next((line for line in reversed(lines) if line.strip()), "")[:MAX_LENGTH]
    if last:
        text = f"last line of the daemon's log: {last}; `hookline daemon logs` shows all"
        yield note("daemon.log", text) if runs or age > RECENT_SECONDS else attention("daemon.log", text)
