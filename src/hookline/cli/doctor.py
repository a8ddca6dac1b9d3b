"""Check every agent's hooks by running them, check the environment, and report the fixes."""

import os
import platform
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from hookline import __version__, hosts
from hookline.cli._doctor.daemon import start_daemon
from hookline.cli._doctor.environment import (
    Latency,
    check_environment,
    describe_client,
    describe_latency,
    measure_latency,
)
from hookline.cli._doctor.fix import apply_fixes
from hookline.cli._doctor.hosts import HostReport, check_shared_files, examine_host, list_hosts
from hookline.cli._output import colour, dump, sanitize
from hookline.core.diagnosis import Finding, advise
from hookline.core.host import Host
from hookline.core.values import replace
from hookline.install.inspect import InstalledCommand, InstalledFile, find_installations
from hookline.install.probe import Trial
from hookline.runtime.setup import Setup, load_setup
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places

NOT_INSTALLED = "no hooks are installed here"
SIGNS = {"well": "✓", "note": "·", "attention": "!"}
COLOURS = {"well": "32", "note": "2", "attention": "33"}


def run(args: Namespace) -> int:
    findings = _examine(args)
    if args.fix and apply_fixes(findings, yes=args.yes):
        print()
        findings = _examine(args)
    return 1 if any(finding.weight == "attention" for finding in findings) else 0


def _examine(args: Namespace) -> list[Finding]:
    """Run all checks, show their findings, and return them."""
    chosen = [hosts.load(name) for name in args.host] or list_hosts()
    env = dict(os.environ)
    setup = load_setup(env, os.getcwd())
    setup.resources.close()
    reports, general, latency = _check_all(chosen, setup, env, asked=bool(args.host))
    findings = [*general, *(inner for report in reports for inner in report.findings)]
    well = not any(finding.weight == "attention" for finding in findings)
    if args.json:
        dump(_collect_facts(reports, general, latency, well=well))
    else:
        _show(reports, general, setup.places, well=well)
    return findings


def list_findings(setup: Setup) -> list[Finding]:
    """Run all checks of all hosts, and return what they found."""
    reports, general, _ = _check_all(list_hosts(), setup, dict(os.environ), asked=False)
    of_hosts = [replace(finding, host=report.host.name) for report in reports for finding in report.findings]
    return [*of_hosts, *general]


def _check_all(
    chosen: Sequence[Host], setup: Setup, env: Mapping[str, str], *, asked: bool
) -> tuple[list[HostReport], list[Finding], Latency | None]:
    """Check the hosts and the environment; return the reports, the other findings and the latency."""
    uses_client = any(CLIENT in call.line for host in chosen for call in _list_calls(host, setup, env))
    general = [*check_environment(setup, env), describe_client(), *(start_daemon(env) if uses_client else ())]
    reports = [examine_host(host, setup, env, asked=asked) for host in chosen]
    latency = _measure_latency(reports, setup, env)
    general += [
        *([describe_latency(latency)] if latency else []),
        *_check_any_installed(reports),
        *check_shared_files(reports),
    ]
    return reports, general, latency


def _list_calls(host: Host, setup: Setup, env: Mapping[str, str]) -> list[InstalledCommand]:
    return [call for installed in find_installations(host, setup.places, env) for call in installed.calls]


def _measure_latency(reports: Sequence[HostReport], setup: Setup, env: Mapping[str, str]) -> Latency | None:
    """Measure the first command that answers correctly; another would take as long."""
    correct = (
        (installed, trial.call)
        for report in reports
        for installed, trials in report.installations
        for trial in trials
        if trial.ran and not trial.problem
    )
    first = next(correct, None)
    return measure_latency(*first, setup.places, env) if first else None


def _check_any_installed(reports: Sequence[HostReport]) -> list[Finding]:
    if any(report.installations for report in reports):
        return []
    return [advise("install.none", NOT_INSTALLED, "hookline init")]


def _collect_facts(
    reports: Sequence[HostReport], general: Sequence[Finding], measured: Latency | None, *, well: bool
) -> dict[str, Any]:
    return {
        "version": __version__,
        "python": platform.python_version(),
        "well": well,
        "hosts": [_host_facts(item) for item in reports if item.findings or item.present],
        "findings": [to_builtins(item) for item in general],
        "latency_ms": to_builtins(measured) if measured else None,
    }


def _host_facts(report: HostReport) -> dict[str, Any]:
    return {
        "name": report.host.name,
        "present": report.present,
        "installed": [_installation_facts(installed, trials) for installed, trials in report.installations],
        "findings": [
            {"id": finding.id, "weight": finding.weight, "text": finding.text, "fix": finding.fix}
            for finding in report.findings
        ],
    }


def _installation_facts(installed: InstalledFile, trials: Sequence[Trial]) -> dict[str, Any]:
    return {
        "scope": installed.scope,
        "file": installed.path,
        "moments": list(installed.moments),
        "commands": [
            {
                "command": trial.call.command,
                "moments": list(trial.call.moments),
                "tried": trial.ran,
                "problem": trial.problem,
                "ms": round(trial.ms, 1),
            }
            for trial in trials
        ],
        "differs": [difference.text for difference in installed.differences if difference.grave],
    }


def _show(reports: Sequence[HostReport], general: Sequence[Finding], places: Places, *, well: bool) -> None:
    for report in reports:
        if report.findings:
            _print_nonempty(_format_title(report))
            for finding in report.findings:
                _print_nonempty(_format_finding(finding, places))
    _print_nonempty(colour("1", f"hookline {__version__}, Python {platform.python_version()}"))
    for finding in general:
        _print_nonempty(_format_finding(finding, places))
    _print_nonempty("" if well else "\n! requires action")


def _format_title(report: HostReport) -> str:
    scopes = " and ".join(installed.scope for installed, _ in report.installations)
    state = f"installed ({scopes})" if scopes else "not installed"
    return colour("1", f"{report.host.name}: {state}")


def _format_finding(finding: Finding, places: Places) -> str:
    text = finding.text.replace(places.root + os.sep, "").replace(places.home + os.sep, "~/")
    return f"  {colour(COLOURS[finding.weight], SIGNS[finding.weight])} {sanitize(text)}"


def _print_nonempty(text: str) -> None:
    if text:
        print(text)
