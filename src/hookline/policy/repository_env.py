"""What of the environment a repository set itself, through its host's settings: not its user's word."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hookline import hosts
from hookline.core.frozen import NOTHING
from hookline.core.host import Host
from hookline.policy import read_files
from hookline.policy.layers import SWITCH
from hookline.system.paths import project_root

LOOSENING = ("AR_", "AUTORESEARCH_")
"""Begin the variables that say how an agent is guarded."""
STEERING = (*LOOSENING, "HOOKLINE_", "XDG_", "LD_", "DYLD_", "GIT_CONFIG", "GIT_SSH", "PERL5", "RUBY")
"""Begin the variables that say where we look, or what the programs of hooks load and run."""
STEERING_NAMES = {
    "HOME", "PATH", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "NODE_OPTIONS", "NODE_PATH",
    "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
    "PYTHONPYCACHEPREFIX", "GIT_EXEC_PATH", "GIT_DIR", "GIT_WORK_TREE", "GIT_EXTERNAL_DIFF",
    "JAVA_TOOL_OPTIONS",
}  # fmt: skip
USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"


class Foreign(Struct, frozen=True, kw_only=True):
    """The variables that a repository set itself, and the files by which it did."""

    names: Mapping[str, str] = NOTHING
    """Variable → file, counted from the project's root."""
    unread: tuple[str, ...] = ()
    """Files of which it cannot be told what they set."""

    @property
    def files(self) -> set[str]:
        return {*self.names.values(), *self.unread}

    @property
    def wishes(self) -> list[str]:
        """What waits for the user's trust, in words."""
        named = [f"{file}: sets {name}" for name, file in self.names.items()]
        silent = [file for file in self.unread if file not in self.names.values()]
        return named + [f"{file}: cannot be read, so any switch may come from it" for file in silent]

    def without(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment as if the repository had set nothing; what is needed is what a login would give."""
        own = {name: value for name, value in env.items() if name not in self.names}
        if "HOME" in self.names:
            own["HOME"] = _login_home()
        if "PATH" in self.names:
            own["PATH"] = USUAL_PATH
        return own


def find(env: Mapping[str, str], cwd: str, host: Host | None) -> Foreign:
    """What the settings files around the *host*'s folder, and around *cwd*, set of *env*.

    Without a host it is a person who looks: then all that those files would set counts.
    """
    start = started(env, cwd, host)
    root = project_root(start)
    own = list(_way(start, root))
    beside = [folder for folder in _way(cwd, project_root(cwd)) if folder not in own] if start != cwd else []
    names = _files(host) if host else _all_files()
    found = list(_settings(own, names, root))
    wanted = env if host else [*env, *(name for _, said in found for name in said.env or ())]
    named = {name: file for file, said in reversed(found) for name in wanted if _sets(said, name)}
    for file, said in _settings(beside, names, root):
        named |= {name: file for name in wanted if name not in named and _copies(said, name, env)}
    unread = () if host else tuple(file for file, said in found if said.env is None)
    return Foreign(names=named, unread=unread)


def sets(host: Host, env: Mapping[str, str], cwd: str, names: Iterable[str]) -> bool:
    """Whether the repository's settings for the *host* may have set one of these variables."""
    start = started(env, cwd, host)
    folders = dict.fromkeys((*_way(start, project_root(start)), *_way(cwd, project_root(cwd))))
    found = _settings(folders, _files(host), project_root(start))
    return any(said.env is None or any(name in said.env for name in names) for _, said in found)


def started(env: Mapping[str, str], cwd: str, host: Host | None) -> str:
    """The folder that the host was started in: it tells its hooks, over whatever settings say."""
    return (env.get(host.project_env) if host and host.project_env else "") or cwd


def _way(start: str, root: str) -> Iterator[str]:
    """The folders from *start* up to *root*: a host may have been started in any of them."""
    here = os.path.abspath(start or ".")
    while True:
        yield here
        if here in (root, os.path.dirname(here)):
            return
        here = os.path.dirname(here)


def _files(host: Host) -> tuple[str, ...]:
    return (*host.repository_switches, *host.repository_env)


def _all_files() -> tuple[str, ...]:
    """For a person who looks: whichever host they will use."""
    return tuple(dict.fromkeys(name for host in map(hosts.load, hosts.names()) for name in _files(host)))


def _settings(
    folders: Iterable[str], names: Iterable[str], root: str
) -> Iterator[tuple[str, read_files.HostSettings]]:
    for folder in folders:
        for name in names:
            path = os.path.join(folder, name)
            said = read_files.host_settings(path)
            if said is not None:
                yield os.path.relpath(path, root), said


def _sets(said: read_files.HostSettings, name: str) -> bool:
    """Whether the variable may come from this file; where that cannot be told, it does."""
    if not name.startswith(STEERING) and name not in STEERING_NAMES:
        return False
    if said.env is not None:
        return name in said.env
    return name.startswith(LOOSENING) or said.text is None or name in said.text or "\\u" in said.text


def _copies(said: read_files.HostSettings, name: str, env: Mapping[str, str]) -> bool:
    """The same for a file where the agent went, and the host was not started.

    Another value than the file's is somebody else's: or a folder could take the user's own word away.
    """
    if name.startswith(SWITCH):
        return _sets(said, name)
    return said.env is not None and _sets(said, name) and str(said.env[name]) == env.get(name)


def _login_home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
