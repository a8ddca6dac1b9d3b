"""How the daemon is doing: whether one answers, whose it is, and what keeps one from being there."""

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.cli._finding import Finding, attention, note, well
from hookline.daemon import control, installation
from hookline.daemon.paths import Place, find, trouble
from hookline.daemon.start import SWITCH, ensure
from hookline.system.places import daemon_folders

RECENT = 86_400.0
"""Seconds in which what its log says last is worth somebody's attention."""
LONGEST = 300
UP_WITHIN, GONE_WITHIN, LOOK_EVERY = 5.0, 2.0, 0.05


def daemon(env: Mapping[str, str]) -> Iterator[Finding]:
    """What a person should know of it."""
    yield from _folders(env)
    if env.get(SWITCH) == "off":
        told = "every call is answered by a process of its own, which takes longer; unset it to have one"
        yield note("daemon.off", f"{SWITCH}=off stands in the environment, so no daemon is asked: {told}")
        return
    place = find(env)
    there = control.held(place)
    said = control.status(place) if there else None
    yield _state(place, said, there=there)
    yield from _last(place, runs=said is not None)


def ours(env: Mapping[str, str]) -> bool:
    """Whether calls are answered by one of this installation."""
    place = find(env)
    said = control.status(place) if env.get(SWITCH) != "off" and control.held(place) else None
    return said is not None and said.get("word") == installation.word()


def begun(env: Mapping[str, str]) -> Iterator[Finding]:
    """Have one where none is, as the first call would: what is tried afterwards goes by it."""
    place = find(env)
    if env.get(SWITCH) == "off" or (control.held(place) and not _goes(place)):
        return
    ensure(env)
    until = time.monotonic() + UP_WITHIN
    while not ours(env):
        if time.monotonic() > until:
            told = "every call is answered by a process of its own; `hookline daemon start` says why"
            yield attention("daemon.start", f"a daemon was started, and does not answer: {told}")
            return
        time.sleep(LOOK_EVERY)


def _goes(place: Place) -> bool:
    """Whether one that is there only came, and could not stay: a call before this one may have started it."""
    until = time.monotonic() + GONE_WITHIN
    while control.held(place):
        if control.status(place) is not None or time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY)
    return True


def _folders(env: Mapping[str, str]) -> Iterator[Finding]:
    wrong = {folder: trouble(folder) for folder in daemon_folders(env) if os.path.lexists(folder)}
    for folder, why in wrong.items():
        if why:
            yield attention("daemon.folder", f"the daemon cannot use its folder {folder}: {why}")
    given = env.get("XDG_RUNTIME_DIR", "")
    if given and not os.path.isdir(given):
        yield note("daemon.runtime-dir", f"XDG_RUNTIME_DIR is {given!r}, which is no folder: /tmp is used")


def _state(place: Place, said: dict[str, Any] | None, *, there: bool) -> Finding:
    if said is None and there:
        process = control.holder(place).partition(":")[0] or "unknown"
        text = f"the daemon, process {process}, runs and does not answer: `hookline daemon stop` ends it"
        return attention("daemon.hangs", text)
    if said is None:
        return note("daemon.none", "no daemon runs: the first call by `hookline-client` starts one")
    calls = f"process {said['process']}, Python {said['python']}, {said['calls']:,} calls answered"
    if said["word"] != installation.word():
        text = f"the daemon is of another installation, {said['executable']}: `hookline daemon start`"
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
