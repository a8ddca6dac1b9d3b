"""Environment variables that a repository set through its host's settings, not its user."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hookline import hosts
from hookline.core.frozen import EMPTY
from hookline.core.host import Host
from hookline.policy import read_files
from hookline.policy.layers import SWITCH_PREFIX
from hookline.system.paths import project_root

GUARD_PREFIXES = ("AR_", "AUTORESEARCH_")
"""Prefixes of variables that configure the guards."""
SENSITIVE_PREFIXES = (
    *GUARD_PREFIXES,
    "HOOKLINE_",
    "XDG_",
    "LD_",
    "DYLD_",
    "GIT_CONFIG",
    "GIT_SSH",
    "PERL5",
    "RUBY",
)
"""Prefixes of variables that choose our folders, or what the programs of hooks load and run."""
SENSITIVE_NAMES = {
    "HOME", "PATH", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "NODE_OPTIONS", "NODE_PATH",
    "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
    "PYTHONPYCACHEPREFIX", "GIT_EXEC_PATH", "GIT_DIR", "GIT_WORK_TREE", "GIT_EXTERNAL_DIFF",
    "JAVA_TOOL_OPTIONS",
}  # fmt: skip
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


class RepositoryVariables(Struct, frozen=True, kw_only=True):
    """The variables that a repository set, and the files that set them."""

    names: Mapping[str, str] = EMPTY
    """Variable to file, relative to the project's root."""
    unread: tuple[str, ...] = ()
    """Files that cannot be parsed."""

    @property
    def files(self) -> set[str]:
        return {*self.names.values(), *self.unread}

    @property
    def wishes(self) -> list[str]:
        """Descriptions of the settings that wait for the user's trust."""
        named = [f"{file}: sets {name}" for name, file in self.names.items()]
        unparsed = [file for file in self.unread if file not in self.names.values()]
        return named + [f"{file}: cannot be read, so any switch may come from it" for file in unparsed]

    def without(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return *env* without the repository's variables; HOME and PATH get the values of a login."""
        clean = {name: value for name, value in env.items() if name not in self.names}
        if "HOME" in self.names:
            clean["HOME"] = _login_home()
        if "PATH" in self.names:
            clean["PATH"] = DEFAULT_PATH
        return clean


def find_repository_variables(env: Mapping[str, str], cwd: str, host: Host | None) -> RepositoryVariables:
    """Return the variables of *env* that settings files around the *host*'s folder and around *cwd* set.

    Without a host, a user is inspecting: then all variables that those files would set count.
    """
    start = start_folder(env, cwd, host)
    root = project_root(start)
    start_folders = list(_folders_up(start, root))
    cwd_folders = (
        [folder for folder in _folders_up(cwd, project_root(cwd)) if folder not in start_folders]
        if start != cwd
        else []
    )
    names = _settings_names(host) if host else _all_settings_names()
    files = list(_read_settings(start_folders, names, root))
    variables = env if host else [*env, *(name for _, settings in files for name in settings.env or ())]
    origins = {
        name: file
        for file, settings in reversed(files)
        for name in variables
        if _may_set_variable(settings, name)
    }
    for file, settings in _read_settings(cwd_folders, names, root):
        origins |= {
            name: file for name in variables if name not in origins and _sets_same_value(settings, name, env)
        }
    unread = () if host else tuple(file for file, settings in files if settings.env is None)
    return RepositoryVariables(names=origins, unread=unread)


def may_set(host: Host, env: Mapping[str, str], cwd: str, names: Iterable[str]) -> bool:
    """Return whether the repository's settings for the *host* may have set one of these variables."""
    start = start_folder(env, cwd, host)
    folders = dict.fromkeys((*_folders_up(start, project_root(start)), *_folders_up(cwd, project_root(cwd))))
    files = _read_settings(folders, _settings_names(host), project_root(start))
    return any(settings.env is None or any(name in settings.env for name in names) for _, settings in files)


def start_folder(env: Mapping[str, str], cwd: str, host: Host | None) -> str:
    """Return the folder in which the host was started: the host passes it to hooks, whatever settings say."""
    return (env.get(host.project_env) if host and host.project_env else "") or cwd


def _folders_up(start: str, root: str) -> Iterator[str]:
    """Yield the folders from *start* up to *root*: a host may have been started in any of them."""
    folder = os.path.abspath(start or ".")
    while True:
        yield folder
        if folder in (root, os.path.dirname(folder)):
            return
        folder = os.path.dirname(folder)


def _settings_names(host: Host) -> tuple[str, ...]:
    return (*host.repository_switches, *host.repository_env)


def _all_settings_names() -> tuple[str, ...]:
    """Return the settings files of all hosts, because a user may use any of them."""
    return tuple(
        dict.fromkeys(name for host in map(hosts.load, hosts.names()) for name in _settings_names(host))
    )


def _read_settings(
    folders: Iterable[str], names: Iterable[str], root: str
) -> Iterator[tuple[str, read_files.HostSettings]]:
    for folder in folders:
        for name in names:
            path = os.path.join(folder, name)
            settings = read_files.read_host_settings(path)
            if settings is not None:
                yield os.path.relpath(path, root), settings


def _may_set_variable(settings: read_files.HostSettings, name: str) -> bool:
    """Return whether the variable may come from this file; True if that is unknown."""
    if not name.startswith(SENSITIVE_PREFIXES) and name not in SENSITIVE_NAMES:
        return False
    if settings.env is not None:
        return name in settings.env
    return (
        name.startswith(GUARD_PREFIXES)
        or settings.text is None
        or name in settings.text
        or "\\u" in settings.text
    )


def _sets_same_value(settings: read_files.HostSettings, name: str, env: Mapping[str, str]) -> bool:
    """Return the same for a file in a folder that the agent entered, but where the host was not started.

    A value that differs from the file's is the user's own: a folder must not be able to discard it.
    """
    if name.startswith(SWITCH_PREFIX):
        return _may_set_variable(settings, name)
    return (
        settings.env is not None
        and _may_set_variable(settings, name)
        and str(settings.env[name]) == env.get(name)
    )


def _login_home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
