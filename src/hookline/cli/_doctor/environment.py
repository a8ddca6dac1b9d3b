"""Checks of the environment: configuration, guards, file permissions, daemon, store, sinks and clock."""

import os
import shlex
import stat
from collections.abc import Iterator, Mapping

from hookline.cli._doctor import Finding, attention, note, well
from hookline.cli._doctor.daemon import check_daemon
from hookline.cli._doctor.machine import check_clock
from hookline.cli._doctor.store import check_store
from hookline.cli._grant import open_grants
from hookline.core.hook import Hook
from hookline.policy.layers import SET_SUFFIX
from hookline.runtime import telemetry
from hookline.runtime.setup import Setup
from hookline.system import spool_files
from hookline.system.paths import Places

OTHERS_WRITE, OTHERS = 0o022, 0o077
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
        text = f"HOME ({home}) is not writable, so no data is saved: {_format_chmod(home, 'u+wx')}"
        alternative = "or set XDG_STATE_HOME and XDG_CONFIG_HOME to writable folders"
        yield attention("home.unwritable", f"{text}, {alternative}")


def _check_owner(path: str, mask: int, action: str) -> Iterator[Finding]:
    """Report a path of another user, and one on which bits of *mask* are set for others."""
    try:
        status = os.stat(path)
    except OSError:
        return
    if status.st_uid not in (os.getuid(), 0):
        fix = f"run `sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to user {status.st_uid}, not to you: {fix}")
    elif status.st_uid != os.getuid() and mask == OTHERS:
        fix = f"run `sudo chown {os.getuid()} {shlex.quote(path)}`"
        yield attention("permissions.owner", f"{path} belongs to root, not to you: {fix}")
    if stat.S_IMODE(status.st_mode) & mask:
        how = "go-w" if mask == OTHERS_WRITE else "go="
        yield attention("permissions.open", f"{path}: other users can {action}; {_format_chmod(path, how)}")


def _check_writable(path: str, effect: str) -> Iterator[Finding]:
    mode = os.W_OK | (os.X_OK if os.path.isdir(path) else 0)
    if os.path.exists(path) and not os.access(path, mode):
        text = (
            f"{path} is not writable, {effect}: {_format_chmod(path, 'u+rwX')}, unless its disk is read-only"
        )
        yield attention("permissions.unwritable", text)


def _format_chmod(path: str, how: str) -> str:
    return f"run `chmod {how} {shlex.quote(path)}`"


def _list_config_files(folder: str) -> list[str]:
    """Return the names in the configuration folder, which includes the folder of Python hooks."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.name != "trust.json")
    except OSError:
        return []


OFF_BY_DEFAULT = "off by default"


def check_environment(setup: Setup, env: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the findings of all checks that do not depend on a host."""
    yield from _check_config(setup)
    yield from _check_guards(setup)
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


def _check_guards(setup: Setup) -> Iterator[Finding]:
    """Report guards that are off, with the reason and the way to switch them on."""
    grants = open_grants(setup.places)
    off = grants.find_off()
    if off.until is not None:
        yield attention("guards.off-for-now", f"{off.notices()[0]}: `hookline on` switches them on")
    for grant, reason in grants.find_ignored():
        yield note("guards.grant-ignored", f"{grant} is ignored: {reason}; `hookline on` removes it")
    for hook in setup.hooks:
        if not hook.enabled and hook.off != OFF_BY_DEFAULT:
            yield note("guards.off", f"hook {hook.name!r} is off: {hook.off}; {_describe_fix(hook)}")


def _describe_fix(hook: Hook) -> str:
    variable = hook.off.removesuffix(SET_SUFFIX)
    return f"unset {variable} to enable it" if hook.off.endswith(SET_SUFFIX) else "remove that to enable it"
