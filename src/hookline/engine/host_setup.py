"""Have a host call us from a run's worktree, and take exactly that out again, whatever happened in between.

What each file was is noted in the run's own folder before the file is written; so whoever comes after a crash
can put it back, once or many times.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from shlex import quote

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import Entry, Listed
from hookline.core.values import replace
from hookline.daemon.paths import make
from hookline.daemon.start import SWITCH, ensure
from hookline.install import install_hooks, settings_files, uninstall
from hookline.system.own_command import client_command, client_path
from hookline.system.paths import Places, find


class NotWired(ValueError):
    """Hooks that a host would not call; the message says why, and what to do."""


def wire(name: str, worktree: str, undo: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Wire the host of that *name* in *worktree*, noting in *undo* how it was; what a person should know.

    What is none of the hosts, such as the tuner, has nothing to be wired.
    """
    if name not in hosts.names():
        return ()
    _start_daemon(env)  # else the agent's first call starts it, and it ends with the agent
    if _by_words(hosts.load(name)):
        return ()
    places = _places(worktree, undo, env)
    host, called = beside(hosts.load(name)), _client()
    os.makedirs(undo, exist_ok=True)
    with settings_files.alone(undo):
        planned = list(install_hooks.plans(host, "project", places, env, called, shared=False))
        for plan in planned:
            install_hooks.carry_out(plan, places, called)
    return tuple(plan.problem for plan in planned if plan.problem)


def wire_or_refuse(
    name: str, worktree: str, undo: str, env: Mapping[str, str], put_back: Callable[[str], None]
) -> None:
    """Wire it; where that cannot be done raise `NotWired`, for no agent is to work without guards.

    What an agent left in the files concerned is none of its work: *put_back* has one as it should be.
    """
    for path in paths(name):
        put_back(path)
    problems = (*unwire(undo), *_elsewhere(name, worktree)) or wire(name, worktree, undo, env)
    if problems:
        raise NotWired(f"{name} would work without guards: {'; '.join(problems)}")


def _elsewhere(name: str, worktree: str) -> Iterator[str]:
    """What we write is kept out of commits by its path, so that must be where it is."""
    root = os.path.realpath(worktree)
    for path in paths(name):
        if os.path.realpath(os.path.join(root, path)) != os.path.join(root, path):
            yield f"{path} is a link, or in a folder that is one: commit it as a file"


def words(host: Host, worktree: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Words of the host's command line that wire it, where files in a worktree mean nothing to it."""
    said = _by_words(host)
    return said(install_hooks.entries(host, _client())) if said else ()


def _by_words(host: Host) -> Callable[[tuple[Entry, ...]], tuple[str, ...]] | None:
    return host.wiring.words if host.wiring else None


def unwire(undo: str) -> tuple[str, ...]:
    """Put back what `wire` changed; does nothing where nothing is noted. What could not be put back."""
    if not os.path.isdir(undo):
        return ()
    places = _places(undo, undo, {})
    with settings_files.alone(undo):
        planned = list(uninstall.takings(settings_files.remembered(undo)))
        uninstall.take_all_out(planned, places)
        settings_files.tidy(undo)
    return tuple(plan.problem for _, plan in planned if plan.problem)


def touched(undo: str) -> tuple[str, ...]:
    """The files that are wired now."""
    return tuple(one.path for one in settings_files.remembered(undo)) if os.path.isdir(undo) else ()


def paths(name: str) -> frozenset[str]:
    """Where a worktree is wired for the host of that *name*, from its root: no work of an agent's."""
    if name not in hosts.names():
        return frozenset()
    places = _places("/", "/", {})
    return frozenset(
        one.path[1:] for one in install_hooks.targets(beside(hosts.load(name)), "project", places, {})
    )


def beside(host: Host) -> Host:
    """The host, wired by the file that is for this user alone where it has one: nobody else is to get it."""
    way = host.wiring.way if host.wiring else None
    if host.wiring is None or not isinstance(way, Listed) or not way.beside:
        return host
    return replace(host, wiring=replace(host.wiring, way=replace(way, project=way.beside)))


def _places(worktree: str, undo: str, env: Mapping[str, str]) -> Places:
    return replace(find(env, worktree), root=worktree, state=undo)


def _start_daemon(env: Mapping[str, str]) -> None:
    if env.get(SWITCH) != "off":
        with suppress(OSError):  # no folder for one: each call is answered in a process of its own
            ensure(make())


def _client() -> str:
    """Return the command that the host is to run: by its path, for this machine alone."""
    return quote(client_path()) if client_path() else client_command({})
