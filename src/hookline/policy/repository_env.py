"""Environment variables that a repository set through its host's settings, not its user.

Settings files may change during a session, but the host keeps the environment that it read from them. So the
variables that they name are recorded per session, and the record is used together with the present files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from hookline import hosts
from hookline.core.frozen import EMPTY
from hookline.core.host import Host
from hookline.core.variables import BUDGET_END, OLD_NAMES, SWITCH_PREFIXES
from hookline.lazy import re
from hookline.policy import read_files
from hookline.system.paths import login_home, project_root
from hookline.system.session_record import ANY, NamedVariable, digest_value

SENSITIVE_PREFIXES = (
    *("AR_", "AUTORESEARCH_", "HOOKLINE_", "XDG_"),
    *("LD_", "DYLD_", "GIT_CONFIG", "GIT_SSH", "GIT_SSL", "PERL5", "RUBY"),
    "OTEL_",
)
"""Prefixes of variables that configure guards, choose folders or receivers, or what programs load and run."""
SENSITIVE_NAMES = {
    "HOME", "PATH", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "NODE_OPTIONS", "NODE_PATH",
    "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
    "PYTHONPYCACHEPREFIX", "GIT_EXEC_PATH", "GIT_DIR", "GIT_WORK_TREE", "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND", "JAVA_TOOL_OPTIONS", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE",
    "OPENSSL_CONF", "OPENSSL_MODULES", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CURL_HOME", "NETRC",
    "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS",
}  # fmt: skip
LIMITS = (BUDGET_END, OLD_NAMES[BUDGET_END])
"""Variables that only restrict a session: without them it has no limit, so they are removed only if they have
the value of a settings file."""
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
MAX_NAMES = 1000
"""Variables of a settings file that are recorded; of a file with more of them, any variable is."""
MAX_BYTES = 4 * read_files.MAX_BYTES
"""Bytes of settings files that are parsed for one call; the remaining files may set any variable."""
_MENTION = re.compile(r"[\w.-]+")


class RepositoryVariables(Struct, frozen=True, kw_only=True):
    """The variables that a repository set, and the files that set them."""

    names: Mapping[str, str] = EMPTY
    """Variable to the file that names it now, relative to the project's root."""
    former: frozenset[str] = frozenset()
    """Variables that a file named earlier in the session, unless it still sets them to their value."""
    unread: tuple[str, ...] = ()
    """Files that cannot be parsed."""
    unrecorded: tuple[NamedVariable, ...] = ()
    """Variables to add to the session's record, if the files are not trusted."""

    @property
    def files(self) -> set[str]:
        return {*self.names.values(), *self.unread}

    @property
    def wishes(self) -> list[str]:
        """Descriptions of the settings that wait for the user's trust."""
        named = [f"{file}: sets {name}" for name, file in self.names.items() if file not in self.unread]
        return named + [f"{file}: cannot be read; it may set any variable" for file in self.unread]

    def without(self, env: Mapping[str, str], *, trusted: bool = False) -> dict[str, str]:
        """Return *env* without the repository's variables; HOME and PATH get the values of a login.

        If the project is *trusted*, the variables that its files set now are kept.
        """
        removed = self.former if trusted else self.former | self.names.keys()
        clean = {name: value for name, value in env.items() if name not in removed}
        if "HOME" in removed:
            clean["HOME"] = login_home()
        if "PATH" in removed:
            clean["PATH"] = DEFAULT_PATH
        return clean


def find_repository_variables(
    env: Mapping[str, str], cwd: str, host: Host | None, recorded: Sequence[NamedVariable] = ()
) -> RepositoryVariables:
    """Return the variables of *env* that settings files set, now or when they were *recorded*.

    The files are those around the *host*'s folder and around *cwd*. Without a host, a user is inspecting:
    then all variables that those files would set count.
    """
    started, visited = _read_all(env, cwd, host)
    present = [*env] if host else [*env, *(name for settings in started for name in settings.values)]
    names = {
        name: settings.file
        for settings in reversed(started)
        for name in present
        if settings.may_set(name, env.get(name))
    }
    entered = {
        name: settings.file
        for settings in visited
        for name in present
        if name not in names and settings.may_have_set(name, env.get(name))
    }
    former = {name for name in env if any(_is_recorded(name, env[name], item) for item in recorded)}
    still_set = {name for name in former if any(s.values.get(name) == env[name] for s in started)}
    found = [*_to_record(started), *(_name_variable(name, file, env) for name, file in entered.items())]
    unread = [
        s.file for s in started if s.is_unread and (s.may_set_any or not host or s.file in names.values())
    ]
    return RepositoryVariables(
        names={**names, **entered},
        former=frozenset(former - still_set),
        unread=tuple(unread),
        unrecorded=tuple(item for item in dict.fromkeys(found) if item not in recorded) if host else (),
    )


def may_set(
    host: Host, env: Mapping[str, str], cwd: str, names: Sequence[str], recorded: Sequence[NamedVariable] = ()
) -> bool:
    """Return whether the repository's settings for the *host* set one of these variables, or may have."""
    started, visited = _read_all(env, cwd, host, names)
    named = {name for settings in (*started, *visited) for name in settings.values}
    return (
        not named.isdisjoint(names)
        or any(settings.may_set_any for settings in (*started, *visited))
        or any(item.name in (*names, ANY) for item in recorded)
    )


def start_folder(env: Mapping[str, str], cwd: str, host: Host | None) -> str:
    """Return the folder in which the host was started: the host passes it to hooks, whatever settings say."""
    return (env.get(host.project_env) if host and host.project_env else "") or cwd


class _Settings(Struct, frozen=True, kw_only=True):
    """The sensitive variables that a settings file names."""

    file: str
    """Path relative to the project's root."""
    values: Mapping[str, str | None]
    """Variable to its value; None if the value is unknown."""
    may_set_any: bool = False
    is_unread: bool = False

    def may_set(self, name: str, value: str | None) -> bool:
        """Return whether the variable may come from this file."""
        if name in LIMITS:
            return name in self.values and value in (None, self.values[name])
        return name in self.values or (self.may_set_any and is_sensitive(name))

    def may_have_set(self, name: str, value: str | None) -> bool:
        """Return the same for a file in a folder that the agent entered, but where the host was not started.

        A value that differs from the file's is the user's own: a folder must not be able to discard it.
        """
        if name.startswith(SWITCH_PREFIXES):
            return self.may_set(name, value)
        return self.values.get(name) is not None and self.values[name] == value


def is_sensitive(name: str) -> bool:
    return name.startswith(SENSITIVE_PREFIXES) or name in SENSITIVE_NAMES or name.lower().endswith("_proxy")


def _read_all(
    env: Mapping[str, str], cwd: str, host: Host | None, more: Iterable[str] = ()
) -> tuple[list[_Settings], list[_Settings]]:
    """Return the settings around the folder in which the host was started, and those around *cwd* only."""
    start = start_folder(env, cwd, host)
    root = project_root(start)
    started = list(_folders_up(start))
    entered = [folder for folder in _folders_up(cwd) if folder not in started]
    names = _settings_names(host) if host else _all_settings_names()
    relevant = {*more, *(_marks(host) if host else ())}
    parsed = list(_read_settings([*started, *(entered if start != cwd else ())], names, root, relevant))
    count = sum(folder in started for folder, _ in parsed)
    return [settings for _, settings in parsed[:count]], [settings for _, settings in parsed[count:]]


def _folders_up(start: str) -> Iterator[str]:
    """Yield *start* and the folders around it, below the user's home and the root of the file system.

    A host may have been started in any of them. Some hosts search all of them for an .env file, whatever
    folder a `.git` or `.hookline` makes the project's root.
    """
    folder, ends = os.path.abspath(start or "."), (login_home(), os.sep)
    yield folder
    while (folder := os.path.dirname(folder)) not in ends:
        yield folder


def _settings_names(host: Host) -> tuple[str, ...]:
    return (*host.repository_switches, *host.repository_env)


def _all_settings_names() -> tuple[str, ...]:
    """Return the settings files of all hosts, because a user may use any of them."""
    return tuple(
        dict.fromkeys(name for host in map(hosts.load, hosts.names()) for name in _settings_names(host))
    )


def _marks(host: Host) -> Iterator[str]:
    """Yield the variables by which the *host* recognises that another host runs its hooks."""
    return (mark for marks in host.run_by.values() for mark in marks)


def _read_settings(
    folders: Iterable[str], names: Sequence[str], root: str, relevant: set[str]
) -> Iterator[tuple[str, _Settings]]:
    left = MAX_BYTES
    for folder in folders:
        for name in names:
            path = os.path.join(folder, name)
            settings = read_files.read_host_settings(path, max_bytes=min(max(left, 0), read_files.MAX_BYTES))
            if settings is not None:
                left -= settings.size
                yield folder, _summarise(os.path.relpath(path, root), settings, relevant)


def _summarise(file: str, settings: read_files.HostSettings, relevant: set[str]) -> _Settings:
    found: Iterable[tuple[str, str | None]] = (
        ((name, None) for name in _MENTION.findall(settings.text or ""))
        if settings.env is None
        else ((name, _to_text(value)) for name, value in settings.env.items())
    )
    values = {name: value for name, value in found if name in relevant or is_sensitive(name)}
    return _Settings(
        file=file,
        values=values,
        may_set_any=settings.env is None and settings.text is None,
        is_unread=settings.env is None,
    )


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_recorded(name: str, value: str, item: NamedVariable) -> bool:
    if item.value and item.value != digest_value(value):
        return False
    return name == item.name or (item.name == ANY and name not in LIMITS and is_sensitive(name))


def _to_record(started: Iterable[_Settings]) -> Iterator[NamedVariable]:
    for settings in started:
        is_long = len(settings.values) > MAX_NAMES
        if settings.may_set_any or is_long:
            yield NamedVariable(name=ANY, file=settings.file)
        for name, value in settings.values.items() if not is_long else ():
            if name not in LIMITS:
                yield NamedVariable(name=name, file=settings.file)
            elif value is not None:
                yield NamedVariable(name=name, file=settings.file, value=digest_value(value))


def _name_variable(name: str, file: str, env: Mapping[str, str]) -> NamedVariable:
    is_switch = name.startswith(SWITCH_PREFIXES)
    return NamedVariable(name=name, file=file, value="" if is_switch else digest_value(env[name]))
