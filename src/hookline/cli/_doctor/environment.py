"""Checks of the environment: configuration, guards, file permissions, daemon, store, sinks and clock."""

import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping

from hookline.cli._doctor import Finding, attention, note, well
from hookline.cli._doctor.daemon import daemon
from hookline.cli._doctor.machine import clock
from hookline.cli._doctor.store import store
from hookline.core.hook import Hook
from hookline.policy.layers import SET
from hookline.runtime import telemetry
from hookline.runtime.apply_grants import Passes
from hookline.runtime.setup import Setup
from hookline.system import spool_files
from hookline.system.paths import Places

OTHERS_WRITE, OTHERS = 0o022, 0o077
CONFIG, STATE = "what configures the guards", "what is kept of your sessions"


def places(at: Places) -> Iterator[Finding]:
    """What is wrong with who may do what."""
    yield from _home(at.home)
    for path, what in ((at.config, CONFIG), (at.state, STATE), (at.spool, STATE)):
        yield from _owned(path, OTHERS_WRITE, f"change {what}")
    for name in _listed(at.config):
        yield from _owned(os.path.join(at.config, name), OTHERS_WRITE, f"change {CONFIG}")
    for path in (at.store, *spool_files.paths(at.spool), at.passes, at.claims):
        yield from _owned(path, OTHERS, f"read or change {STATE}")
    yield from _owned(at.trust, OTHERS, "use it, so that nothing is trusted")
    for path in (at.state, at.store, at.spool):
        yield from _written(path, "so that nothing new is kept")


def _home(home: str) -> Iterator[Finding]:
    if not os.path.isdir(home):
        yield attention("home.missing", f"HOME is {home!r}, which is no folder: set it to yours")
    elif not os.access(home, os.W_OK | os.X_OK):
        text = f"HOME, {home}, cannot be written to: nothing can be kept there; {_chmod(home, 'u+wx')}"
        told = "or set XDG_STATE_HOME and XDG_CONFIG_HOME to folders that can"
        yield attention("home.unwritable", f"{text}, {told}")


def _owned(path: str, mask: int, deed: str) -> Iterator[Finding]:
    """What is not ours, and what is *mask*ed and open all the same."""
    try:
        found = os.stat(path)
    except OSError:
        return
    if found.st_uid not in (os.getuid(), 0):
        mend = f"`sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to user {found.st_uid}, not to you: {mend}")
    elif found.st_uid != os.getuid() and mask == OTHERS:
        mend = f"`sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to root, not to you: {mend}")
    if stat.S_IMODE(found.st_mode) & mask:
        how = "go-w" if mask == OTHERS_WRITE else "go="
        yield attention("permissions.open", f"{path}: others can {deed}; {_chmod(path, how)}")


def _written(path: str, so: str) -> Iterator[Finding]:
    needed = os.W_OK | (os.X_OK if os.path.isdir(path) else 0)
    if os.path.exists(path) and not os.access(path, needed):
        text = f"{path} cannot be written to, {so}: {_chmod(path, 'u+rwX')}, if its disk is not read-only"
        yield attention("permissions.unwritable", text)


def _chmod(path: str, how: str) -> str:
    return f"`chmod {how} {shlex.quote(path)}`"


def _listed(folder: str) -> list[str]:
    """The files that say what guards do; hooks in Python lie below."""
    try:
        with os.scandir(folder) as entries:
            return sorted(one.name for one in entries if one.name != "trust.json")
    except OSError:
        return []


USUAL = "off by default"


def around(setup: Setup, env: Mapping[str, str]) -> Iterator[Finding]:
    """Everything."""
    yield from _configured(setup)
    yield from _guards(setup)
    yield from places(setup.places)
    yield from daemon(env)
    yield from store(setup)
    for one in telemetry.standing(setup.places, setup.settled.sinks):
        say = attention if one.failed or one.dropped else well
        yield say("sink", f"sink {one.name!r}: {one}")
    yield from clock(setup.places)


def _configured(setup: Setup) -> Iterator[Finding]:
    problems = setup.settled.problems
    for one in problems:
        yield attention("trust.file" if one.file == setup.places.trust else "config", str(one))
    for text in setup.complaints[len(problems) :]:
        yield attention("trust.waits", text)


def _guards(setup: Setup) -> Iterator[Finding]:
    """What is off, by whom, and how it is had again."""
    passes = Passes(file=setup.places.passes, root=setup.places.root, now=time.time)
    for text in passes.notices(passes.off_until()):
        yield attention("guards.off-for-now", f"{text}: `hookline on` has them again")
    for hook in setup.hooks:
        if not hook.enabled and hook.off != USUAL:
            yield note("guards.off", f"hook {hook.name!r} is off: {hook.off}; {_switch_on(hook)}")


def _switch_on(hook: Hook) -> str:
    variable = hook.off.removesuffix(SET)
    return f"unset {variable} to have it" if hook.off.endswith(SET) else "take that out to have it"
