"""Checks of the hosts: installed hooks, their answers, and settings that disable them."""

import os
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from shutil import which
from typing import Any

from msgspec import Struct

from hookline import __version__, hosts
from hookline.core.diagnosis import Finding, Weight, advise, attention, note, well
from hookline.core.host import Host
from hookline.core.install_table import Installation, ObstacleCheck, SettingsFile
from hookline.core.values import replace
from hookline.install import install_hooks, settings_files
from hookline.install.compare import parse_program
from hookline.install.edit_settings import calling_moments
from hookline.install.inspect import InstalledFile, find_installations
from hookline.install.jsonc import NotJson, parse
from hookline.install.probe import Trial, try_call
from hookline.runtime.setup import Setup
from hookline.system.paths import Places
from hookline.system.process import run_command

GUARD = "dangerous-command"
UPGRADE = "hookline upgrade"
MAX_NAMES = 3


class HostReport(Struct, frozen=True, kw_only=True):
    """The state of one host."""

    host: Host
    present: bool
    installations: tuple[tuple[InstalledFile, tuple[Trial, ...]], ...]
    """Each installed file, with a trial of each of its commands."""
    findings: tuple[Finding, ...]


def examine_host(host: Host, setup: Setup, env: Mapping[str, str], *, asked: bool) -> HostReport:
    """Examine one host; *asked* if the user named it."""
    places, present = setup.places, host in install_hooks.detect_hosts(env, setup.places)
    guarded = any(hook.name == GUARD and hook.enabled for hook in setup.hooks)
    installations = [
        (
            installed,
            tuple(try_call(installed, call, places, env, guarded=guarded) for call in installed.calls),
        )
        for installed in find_installations(host, places, env)
    ]
    findings = [*_check_readable(host, places, env)]
    if not installations and not findings:
        findings += _check_missing(host, present=present, asked=asked)
    for installed, trials in installations:
        findings += [
            finding for trial in trials for finding in _check_answer(installed, trial, env, guarded=guarded)
        ]
        findings += [
            *_check_differences(installed),
            *_check_moments(installed),
            *_check_obstacles(installed, places, env),
        ]
    findings += _check_duplicates(host, [installed for installed, _ in installations], places)
    if installations and host.install:
        findings += [note("install.person", f"manual step: {need}") for need in host.install.manual_steps]
    return HostReport(
        host=host, present=present, installations=tuple(installations), findings=tuple(findings)
    )


def _check_readable(host: Host, places: Places, env: Mapping[str, str]) -> Iterator[Finding]:
    """Report a settings file that the host cannot read, with line and column."""
    layout = host.install.layout if host.install else None
    if not isinstance(layout, SettingsFile):
        return
    for scope in install_hooks.SCOPES:
        path = install_hooks.locate_settings(host, scope, places, env)
        try:
            text = (settings_files.read(path) or b"").decode("utf-8-sig", "replace") if path else ""
            parse(text, comments=layout.comments) if text.strip() else None
        except settings_files.Refused as error:
            yield attention("install.unreadable", str(error))
        except NotJson as error:
            yield attention("install.unreadable", f"{path}: {error}, so hooks in it may not run: fix it")


def _check_missing(host: Host, *, present: bool, asked: bool) -> Iterator[Finding]:
    if host.install is None:
        yield note("install.by-nobody", "is called by programs directly, without installed hooks")
    elif present or asked:
        fix = f"hookline init --host {host.name}"
        finding = advise("install.not", "no hooks are installed", fix, " (--user for all projects)")
        yield finding if asked else replace(finding, weight="note")


def _check_answer(
    file: InstalledFile, trial: Trial, env: Mapping[str, str], *, guarded: bool
) -> Iterator[Finding]:
    moments = f" ({_shorten_names(trial.call.moments)})" if len(file.calls) > 1 else ""
    if trial.problem:
        yield attention("install.wrong", f"{file.path}{moments}: {trial.problem}")
    elif not guarded:
        text = (
            f"{file.path}{moments}: answers in {trial.ms:.0f} ms; {GUARD} is off, so blocking was not tested"
        )
        yield note("install.guard-off", text)
    elif any(item.grave for item in file.differences):
        text = (
            f"{file.path}{moments}: blocks a forced push in {trial.ms:.0f} ms, but the agent may not call it"
        )
        yield note("install.unheard", text)
    else:
        yield well("install.answers", f"{file.path}{moments}: blocks a forced push in {trial.ms:.0f} ms")
    if trial.ran:
        yield from _check_program(file, trial, env)


def _shorten_names(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= MAX_NAMES else f"{names[0]} and {len(names) - 1} more"


def _check_program(installed: InstalledFile, trial: Trial, env: Mapping[str, str]) -> Iterator[Finding]:
    """Check that the called program exists and has this version."""
    words = shlex.split(parse_program(trial.call.line, installed.host.name))
    if not words:
        return
    safe = {**env, "PYTHONSAFEPATH": "1"}
    result = run_command.run([*words, "--version"], stdin=b"", cwd="/", env=safe, timeout=10.0)
    if result.code != 0:
        why = result.problem or f"exit code {result.code}"
        yield advise("program.broken", f"{words[0]} cannot be run ({why})", UPGRADE)
    elif result.stdout.strip() != f"hookline {__version__}":
        text = f"{words[0]} is {result.stdout.strip()!r}, this is {__version__}"
        yield advise("program.version", text, UPGRADE)
    else:
        yield from _check_installation(words, env)


def _check_installation(words: list[str], env: Mapping[str, str]) -> Iterator[Finding]:
    """Check that the called program belongs to this installation."""
    path = which(words[0], path=env.get("PATH")) or ""
    here, there = (os.path.realpath(os.path.dirname(program)) for program in (sys.executable, path))
    if path and there != here and _read_shebang(path) != sys.executable:
        text = f"{path} belongs to another installation of the same version, not to {sys.executable}"
        yield note("program.python", f"{text}: `hookline upgrade` installs this one")


def _read_shebang(path: str) -> str:
    """Return the interpreter that a script names, or "" if the file is not a script."""
    try:
        with open(path, "rb") as file:
            first = file.readline(500)
    except OSError:
        return ""
    return first[2:].strip().decode(errors="replace") if first.startswith(b"#!") else ""


def _check_differences(installed: InstalledFile) -> Iterator[Finding]:
    """Yield the entries that were written or changed by hand."""
    option = "" if installed.scope == "project" else f" --{installed.scope}"
    for difference in installed.differences:
        moments = f" {_shorten_names(difference.moments)}:" if difference.moments else ""
        fix = (
            f"; remove it, then run `hookline init --host {installed.host.name}{option}`"
            if difference.grave
            else ""
        )
        weight: Weight = "attention" if difference.grave else "note"
        yield Finding(
            id="install.differs", weight=weight, text=f"{installed.path}:{moments} {difference.text}{fix}"
        )


def _check_moments(installed: InstalledFile) -> Iterator[Finding]:
    missing = [name for name in installed.host.moments if name not in installed.moments]
    if missing:
        names = ", ".join(missing)
        yield advise("install.incomplete", f"{installed.path}: no hook for {names}", UPGRADE)


def _check_obstacles(installed: InstalledFile, places: Places, env: Mapping[str, str]) -> Iterator[Finding]:
    """Check the host's own settings for anything that keeps its hooks from running."""
    place = Installation(
        scope=installed.scope,
        path=installed.path,
        root=places.root,
        content=_read_values(installed.path, comments=True),
    )
    for check in installed.host.install.checks if installed.host.install else ():
        path = install_hooks.locate_file(installed.host, check.file, places, env)
        other_content = (
            _read_values(
                install_hooks.locate_file(installed.host, check.other_file, places, env), comments=True
            )
            if check.other_file
            else None
        )
        obstacle = _find_obstacle(
            check, _read_values(path, comments=True), replace(place, other_content=other_content)
        )
        if obstacle:
            yield attention("install.in-the-way", f"{path}: {obstacle}")


def _find_obstacle(check: ObstacleCheck, values: Any, place: Installation) -> str:
    try:
        return check.find_obstacle(values if isinstance(values, Mapping) else {}, place)
    except (AttributeError, TypeError):  # the file has an unknown structure
        return ""


def _read_values(path: str, *, comments: bool) -> Any:
    """Return the content of a settings file; empty if it is missing or cannot be read."""
    try:
        text = (settings_files.read(path) or b"").decode("utf-8-sig", "replace")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        return parse(text, comments=comments).value if text.strip() else {}
    except (settings_files.Refused, NotJson, ValueError):
        return {}


def _check_duplicates(host: Host, installed: list[InstalledFile], places: Places) -> Iterator[Finding]:
    files = [file.path for file in installed] + _find_other_files(host, installed, places)
    if len(files) > 1:
        text = f"hooks are installed in {len(files)} files, so every event is handled {len(files)} times"
        yield attention("install.twice", f"{text}: {', '.join(files)}; keep one (`hookline uninstall`)")


def _find_other_files(host: Host, installed: list[InstalledFile], places: Places) -> list[str]:
    """Return other files of the repository that the host reads and that call hookline."""
    way = host.install.layout if host.install else None
    paths = [os.path.join(places.root, name) for name in host.repository_switches]
    installed_paths = {os.path.realpath(file.path) for file in installed}
    return [
        path
        for path in paths
        if isinstance(way, SettingsFile)
        and os.path.realpath(path) not in installed_paths
        and _calls_hookline(path, way, host)
    ]


def _calls_hookline(path: str, way: SettingsFile, host: Host) -> bool:
    try:
        return bool(
            calling_moments((settings_files.read(path) or b"").decode(errors="replace"), way, host.name)
        )
    except (settings_files.Refused, NotJson):
        return False


def check_shared_files(reports: list[HostReport]) -> Iterator[Finding]:
    """Report the files of one host that other hosts run too."""
    installed = {report.host.name for report in reports if report.installations}
    present = {report.host.name for report in reports if report.present or report.installations}
    for report in (report for report in reports if report.installations):
        others = [name for name in report.host.run_by if name in present and name != report.host.name]
        for names, how in (
            ([name for name in others if name in installed], "each is answered only by its own hooks"),
            ([name for name in others if name not in installed], "each is answered in its own format"),
        ):
            if names:
                text = f"the hooks of {report.host.name} are also run by {', '.join(names)}: {how}"
                yield Finding(id="install.shared", weight="note", text=text, host=report.host.name)


def list_hosts() -> list[Host]:
    return [host for host in map(hosts.load, hosts.names()) if host.install]
