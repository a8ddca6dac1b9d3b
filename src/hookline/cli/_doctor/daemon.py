"""How the daemon is doing: whether one answers, whose it is, and what keeps one from being there."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.cli._doctor import Finding, attention, note, well
from hookline.daemon import control
from hookline.daemon.paths import Place, find, make, problem
from hookline.daemon.start import SWITCH, ensure
from hookline.system.paths import daemon_folders

RECENT = 86_400.0
"""Seconds in which what its log says last is worth somebody's attention."""
LONGEST = 300


def daemon(env: Mapping[str, str]) -> Iterator[Finding]:
    """What a person should know about the daemon."""
    yield from _folders()
    if env.get(SWITCH) == "off":
        told = "every call is answered in a process of its own, which takes longer; unset it to use a daemon"
        yield note("daemon.off", f"{SWITCH}=off is set, so no daemon is used: {told}")
        return
    place = find()
    there = control.held(place)
    status = control.status(place) if there else None
    yield _state(place, status, there=there)
    yield from _last(place, runs=status is not None)


def ours(env: Mapping[str, str]) -> bool:
    """Return whether a daemon of this installation answers calls."""
    place = find()
    return env.get(SWITCH) != "off" and control.held(place) and control.is_ours(control.status(place))


def begun(env: Mapping[str, str]) -> Iterator[Finding]:
    """Start a daemon if none runs, as the first call would."""
    if env.get(SWITCH) == "off" or control.held(find()):
        return
    try:
        started = ensure(make())
    except OSError:
        return  # `_folders` reports it
    if not started:
        told = "every call is answered in a process of its own; `hookline daemon start` says why"
        yield attention("daemon.start", f"a daemon was started and does not answer: {told}")


def _folders() -> Iterator[Finding]:
    found = {folder: problem(folder) for folder in daemon_folders() if os.path.lexists(folder)}
    for folder, why in found.items():
        if why and not folder.endswith("/run"):
            yield attention("daemon.folder", f"the daemon cannot use its folder {folder}: {why}")


def _state(place: Place, status: dict[str, Any] | None, *, there: bool) -> Finding:
    if status is None and there:
        process = control.holder(place).partition(":")[0] or "unknown"
        text = f"the daemon, process {process}, does not answer: the next call replaces it"
        return attention("daemon.hangs", text)
    if status is None:
        return note("daemon.none", "no daemon runs: the first call starts one")
    calls = f"process {status['process']}, Python {status['python']}, {status['calls']:,} calls answered"
    if not control.is_ours(status):
        text = f"the daemon is of another installation, {status['programs']}: the next call of this one"
        return attention("daemon.other", f"{text} replaces it")
    return well("daemon.runs", f"a daemon answers: {calls}")


def _last(place: Place, *, runs: bool) -> Iterator[Finding]:
    """What its log says last: nothing stands there as long as all is well."""
    try:
        with open(place.log, "rb") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return
    last = next((line for line in reversed(lines) if line.strip()), "")[:LONGEST]
    if last:
        text = f"the daemon's log says last: {last}; `hookline daemon logs` shows all of it"
        yield note("daemon.log", text) if runs or age > RECENT else attention("daemon.log", text)
