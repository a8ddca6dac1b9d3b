"""Temporary installation of hookline's hooks in a run's worktree, and its exact removal.

The original content of each file is saved in the run's folder before the file is written, so that it can be
restored after a crash, any number of times.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from shlex import quote

from hookline import hosts
from hookline.core.host import Host
from hookline.core.install_table import InstallEntry, SettingsFile
from hookline.core.values import replace
from hookline.daemon.control import SWITCH, ensure
from hookline.daemon.paths import create_daemon_folder
from hookline.install import install_hooks, settings_files, uninstall
from hookline.system.own_command import client_command, client_path
from hookline.system.paths import Places, create_private, find_places


class NotInstalled(ValueError):
    """Hooks that a host would not call; the message says why and how to fix it."""


def install(name: str, worktree: str, undo: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Install the hooks of the host *name* in *worktree*; return problems for the user.

    Original files are saved in *undo*. An agent that is not a host, such as the tuner, requires no hooks.
    """
    if name not in hosts.names():
        return ()
    _start_daemon(env)  # otherwise the agent's first call starts it, and it ends with the agent
    if _args_function(hosts.load(name)):
        return ()
    places = _places(worktree, undo, env)
    host, command = with_user_file(hosts.load(name)), _client()
    create_private(undo)
    with settings_files.lock_records(undo):
        plans = list(install_hooks.plan_host(host, "project", places, env, command, shared=False))
        for plan in plans:
            install_hooks.apply_plan(plan, places, command)
    return tuple(plan.problem for plan in plans if plan.problem)


def install_or_refuse(
    name: str, worktree: str, undo: str, env: Mapping[str, str], restore: Callable[[str], None]
) -> None:
    """Install the hooks, or raise `NotInstalled`: no agent may work without guards.

    *restore* resets the settings files first; changes that an agent left there are not part of its work.
    """
    for path in settings_paths(name):
        restore(path)
    problems = (*restore_files(undo), *_linked_paths(name, worktree)) or install(name, worktree, undo, env)
    if problems:
        raise NotInstalled(f"{name} would work without guards: {'; '.join(problems)}")


def _linked_paths(name: str, worktree: str) -> Iterator[str]:
    """Yield a problem per settings file behind a symlink: commits exclude the files by their path."""
    root = os.path.realpath(worktree)
    for path in settings_paths(name):
        if os.path.realpath(os.path.join(root, path)) != os.path.join(root, path):
            yield f"{path} is a symlink, or below one: replace it with a file and commit it"


def installing_arguments(host: Host, worktree: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command-line arguments that install the hooks, for hosts without settings files."""
    build_args = _args_function(host)
    return build_args(install_hooks.build_entries(host, _client())) if build_args else ()


def _args_function(host: Host) -> Callable[[tuple[InstallEntry, ...]], tuple[str, ...]] | None:
    return host.install.make_arguments if host.install else None


def restore_files(undo: str) -> tuple[str, ...]:
    """Restore the files that `install` changed, if any; return the problems."""
    if not os.path.isdir(undo):
        return ()
    places = _places(undo, undo, {})
    with settings_files.lock_records(undo):
        plans = list(uninstall.plan_removals(settings_files.load_records(undo)))
        uninstall.apply_removals(plans, places)
        settings_files.tidy(undo)
    return tuple(plan.problem for _, plan in plans if plan.problem)


def installed_files(undo: str) -> tuple[str, ...]:
    """Return the files that contain hooks now."""
    return tuple(file.path for file in settings_files.load_records(undo)) if os.path.isdir(undo) else ()


def settings_paths(name: str) -> frozenset[str]:
    """Return the settings files of the host *name* relative to the worktree; they are not an agent's work."""
    if name not in hosts.names():
        return frozenset()
    places = _places("/", "/", {})
    return frozenset(
        target.path[1:]
        for target in install_hooks.find_targets(with_user_file(hosts.load(name)), "project", places, {})
    )


def with_user_file(host: Host) -> Host:
    """Return the host with its user-only settings file as the place of the hooks, if it has one.

    Hooks must not get into files that are shared with others.
    """
    table = host.install.layout if host.install else None
    if host.install is None or not isinstance(table, SettingsFile) or not table.private_project:
        return host
    return replace(host, install=replace(host.install, layout=replace(table, project=table.private_project)))


def _places(worktree: str, undo: str, env: Mapping[str, str]) -> Places:
    return replace(find_places(env, worktree), root=worktree, state=undo)


def _start_daemon(env: Mapping[str, str]) -> None:
    if env.get(SWITCH) != "off":
        with suppress(OSError):  # without a folder for the daemon, each call runs in its own process
            ensure(create_daemon_folder())


def _client() -> str:
    return quote(client_path()) if client_path() else client_command({})
