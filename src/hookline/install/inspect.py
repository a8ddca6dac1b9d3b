"""Inspection of the files by which a host calls hookline, and their differences from init's format."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core.events import BLOCK, Event, PreToolUse, Unreadable
from hookline.core.host import Host
from hookline.core.install_table import InstallEntry, OwnFiles, Scope, SettingsFile
from hookline.core.payload import compose, decode
from hookline.core.values import replace
from hookline.install import install_hooks, settings_files
from hookline.install.compare import (
    NAME,
    Difference,
    find_commands,
    find_differences,
    is_hookline_command,
    merge_differences,
    parse_program,
)
from hookline.install.host_command import strip_guard, strip_guards
from hookline.install.jsonc import NotJson, parse
from hookline.lazy import re
from hookline.system.paths import Places

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
"""A string literal in the source code of a plugin."""


class InstalledCommand(Struct, frozen=True, kw_only=True):
    """One command by which a host calls hookline."""

    command: str
    """The shell command that the host starts."""
    line: str
    """The command line in it that calls hookline."""
    moments: tuple[str, ...]
    ours: bool
    """True if it is exactly what init writes."""
    differences: tuple[Difference, ...] = ()


class InstalledFile(Struct, frozen=True, kw_only=True):
    """A file, or folder of files, by which a host calls hookline."""

    host: Host
    scope: Scope
    path: str
    calls: tuple[InstalledCommand, ...]
    """The distinct commands."""
    differences: tuple[Difference, ...] = ()

    @property
    def moments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for call in self.calls for name in call.moments))


def find_installations(host: Host, places: Places, env: Mapping[str, str]) -> Iterator[InstalledFile]:
    """Yield the files by which the *host* calls hookline: the user's, and the project's if it is another."""
    seen = set[str]()
    for scope in install_hooks.SCOPES:
        base = install_hooks.locate_settings(host, scope, places, env)
        if base and os.path.realpath(base) not in seen:
            seen.add(os.path.realpath(base))
            calls = list(_find_calls(host, base))
            if calls:
                registration = _registration_differences(host, scope, places, env)
                yield _merge_calls(
                    InstalledFile(host=host, scope=scope, path=base, calls=tuple(calls)), registration
                )


def _merge_calls(installed: InstalledFile, registration: Iterable[Difference]) -> InstalledFile:
    distinct: dict[tuple[str, bool], InstalledCommand] = {}
    first = build_sample(installed.host)[0]
    for call in sorted(installed.calls, key=lambda item: first not in item.moments):
        known = distinct.get((call.line, call.ours))
        moments = (*known.moments, *call.moments) if known else call.moments
        distinct[call.line, call.ours] = replace(known or call, moments=moments)
    differences = (difference for call in installed.calls for difference in call.differences)
    return replace(
        installed,
        calls=tuple(distinct.values()),
        differences=tuple(merge_differences((*differences, *registration))),
    )


def _find_calls(host: Host, base: str) -> Iterator[InstalledCommand]:
    layout = host.install.layout if host.install else None
    if isinstance(layout, SettingsFile):
        yield from _calls_in_settings(host, layout, base)
    elif isinstance(layout, OwnFiles) and layout.executable:
        yield from _calls_in_programs(host, layout, base)
    elif isinstance(layout, OwnFiles):
        yield from _calls_in_files(host, layout, base)


def _calls_in_settings(host: Host, layout: SettingsFile, path: str) -> Iterator[InstalledCommand]:
    for moment, entries in read_table(layout, path).items():
        calling_entries = (
            [item for item in entries if any(find_commands(item, host.name))]
            if isinstance(entries, list)
            else []
        )
        for entry in calling_entries:
            line = next(text for text, _ in find_commands(entry, host.name))
            expected = _expected_entry(host, layout, moment, line)
            differences = (
                list(find_differences(entry, expected, host.name)) if expected else [_unknown_moment(host)]
            )
            if len(calling_entries) > 1:
                differences.append(Difference(text=f"calls hookline {len(calling_entries)} times"))
            ours = any(text == line for text, _ in find_commands(expected, host.name))
            yield _build_call(host, line, moment, differences, ours=ours)


def read_table(layout: SettingsFile, path: str) -> Mapping[str, Any]:
    """Return the entries of each moment in a settings file; empty if there are none."""
    table = _parse_at(_read_text(path), layout.table_path, comments=layout.comments)
    return table if isinstance(table, dict) else {}


def _build_call(
    host: Host, line: str, moment: str, differences: Iterable[Difference], *, ours: bool
) -> InstalledCommand:
    # A trial sends the sample's moment, so an `--event` option must name that moment.
    command = re.sub(rf"--event[ =]{re.escape(moment)}\b", f"--event {build_sample(host)[0]}", line)
    with_moment = tuple(replace(difference, moments=(moment,)) for difference in differences)
    return InstalledCommand(
        command=command, line=command, moments=(moment,), ours=ours, differences=with_moment
    )


def _unknown_moment(host: Host) -> Difference:
    return Difference(text=f"is not an event of {host.name} that hookline uses", grave=False)


def _expected_entry(host: Host, layout: SettingsFile, moment: str, line: str) -> Any:
    """Return the entry that init would write with the program of *line*."""
    entries = install_hooks.build_entries(host, parse_program(line, host.name) or NAME)
    return next((layout.make_entry(entry) for entry in entries if entry.moment == moment), None)


def _calls_in_programs(host: Host, layout: OwnFiles, folder: str) -> Iterator[InstalledCommand]:
    """Yield the call of each moment's own program."""
    for name in layout.make_files(install_hooks.build_entries(host, NAME)):
        path = os.path.join(folder, name)
        text = _read_text(path)
        lines = (strip_guard(raw).removeprefix("exec ") for raw in text.splitlines())
        line = next((item for item in lines if is_hookline_command(item, host.name)), "")
        if line:
            is_ours = text in _expected_texts(host, layout, name, line)
            differences = (
                [] if is_ours else [Difference(text="differs from `hookline init`", moments=(name,))]
            )
            if not os.access(path, os.X_OK):
                differences.append(Difference(text="is not executable", moments=(name,)))
            yield InstalledCommand(
                command=shlex.quote(path),
                line=line,
                moments=(name,),
                ours=is_ours,
                differences=tuple(differences),
            )


def _expected_texts(host: Host, layout: OwnFiles, name: str, line: str) -> list[str]:
    """Return the texts that init writes with the program of *line*, for a private and for a shared file."""
    started_program = parse_program(line, host.name) or NAME
    forms = (install_hooks.build_entries(host, started_program, shared=shared) for shared in (False, True))
    return [layout.make_files(entries).get(name, "") for entries in forms]


def _calls_in_files(host: Host, layout: OwnFiles, folder: str) -> Iterator[InstalledCommand]:
    """Yield one call for files that contain all moments: the sample's moment stands for all."""
    names, first = layout.make_files(install_hooks.build_entries(host, NAME)), build_sample(host)[0]
    contents = {name: _read_text(os.path.join(folder, name)) for name in names}
    commands = [command for text in contents.values() for command in _calls_in_text(text, host)]
    line = max(commands, key=lambda item: first in item[1] or first in item[0], default=("", ()))[0]
    if line:
        differences = [
            difference
            for name in names
            for difference in _file_differences(
                contents[name], _expected_texts(host, layout, name, line), host
            )
        ]
        ours = not any(difference.grave for difference in differences)
        yield InstalledCommand(
            command=line, line=line, moments=tuple(host.moments), ours=ours, differences=tuple(differences)
        )


def _file_differences(text: str, expected_texts: list[str], host: Host) -> Iterator[Difference]:
    if text in expected_texts:
        return
    actual, expected = _parse_at(text), _parse_at(expected_texts[0])
    if actual is not None and expected is not None:
        yield from find_differences(actual, expected, host.name)
    else:
        yield Difference(text="differs from `hookline init`" if text else "a file is missing")


def _calls_in_text(text: str, host: Host) -> Iterator[tuple[str, tuple[str, ...]]]:
    document = _parse_at(text)
    yield from find_commands(document, host.name) if document is not None else _calls_in_literals(text, host)


def _calls_in_literals(text: str, host: Host) -> Iterator[tuple[str, tuple[str, ...]]]:
    for literal in LITERAL.findall(text):
        try:
            yield from find_commands(json.loads(literal), host.name)
        except ValueError:
            continue


def _registration_differences(
    host: Host, scope: Scope, places: Places, env: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield differences in the list of folders in which the host must find hookline's."""
    layout = host.install.layout if host.install else None
    if not isinstance(layout, OwnFiles) or layout.registered is None:
        return
    name = layout.registered.user if scope == "user" else layout.registered.project
    path, key = install_hooks.locate_file(host, name, places, env), layout.registered_as
    listed = _parse_at(
        _read_text(path), (*layout.registered.table_path, key), comments=layout.registered.comments
    )
    own_entries = (
        [item for item in listed if any(find_commands(item, host.name))] if isinstance(listed, list) else []
    )
    for entry in own_entries:
        line = next(text for text, _ in find_commands(entry, host.name))
        expected = layout.registered.make_entry(InstallEntry(moment=key, command=line, timeout=0))
        yield from (
            replace(difference, text=f"{path}: {difference.text}")
            for difference in find_differences(entry, expected, host.name)
        )
    if not own_entries:
        yield Difference(text=f"{path}: the plugin is not listed")


def _parse_at(text: str, under: tuple[str, ...] = (), *, comments: bool = True) -> Any:
    """Return the JSON value under these keys, without guards; None if it is missing or not JSON."""
    try:
        node = parse(text.removeprefix("\ufeff"), comments=comments).at(*under)
    except NotJson:
        return None
    return strip_guards(node.value) if node is not None else None


def _read_text(path: str) -> str:
    try:
        return (settings_files.read(path) or b"").decode(errors="replace")
    except settings_files.Refused:
        return ""


FORBIDDEN_COMMAND = "git push --force"
"""The command of the sample, which a guard must stop."""


SAMPLE_RULE = "dangerous-command:git-push-force"
"""The rule that stops it."""


def build_sample(host: Host, session: str = "s", cwd: str = "/") -> tuple[str, dict[str, Any], Event | None]:
    """Return a moment at which the *host* can stop a command, a payload to be stopped, and its event."""
    shell = next((name for name, row in host.tools.items() if row.kind == "shell"), "")
    places = host.tools[shell].input_keys if shell else {}
    event = PreToolUse(
        host=host.name,
        session=session,
        cwd=cwd,
        tool=shell,
        call="hookline-doctor",
        input={places.get("command", "command"): FORBIDDEN_COMMAND},
    )
    for name, row in host.moments.items():
        if row.event is PreToolUse and BLOCK in row.abilities:
            payload = compose(host, event, name)
            decoded = _try_decode(host, payload, name)
            if isinstance(decoded, PreToolUse) and decoded.command == FORBIDDEN_COMMAND:
                return name, payload, decoded
    return "", {}, None


def _try_decode(host: Host, payload: dict[str, Any], name: str) -> Event | None:
    try:
        decoded = decode(host, payload, name)
    except Unreadable:
        return None
    return decoded[1] if decoded else None


def find_only_host(places: Places, env: Mapping[str, str]) -> Host:
    """Return the host in which hookline is installed; raise `LookupError` unless there is exactly one."""
    installed = [
        host
        for host in map(hosts.load, hosts.names())
        if any(install_hooks.active_moments(host, scope, places, env) for scope in install_hooks.SCOPES)
    ]
    if len(installed) == 1:
        return installed[0]
    names = ", ".join(host.name for host in installed) or ", ".join(hosts.names())
    reason = "hookline is installed in several agents" if installed else "hookline is not installed here"
    raise LookupError(f"{reason}; name the host: {names}")
