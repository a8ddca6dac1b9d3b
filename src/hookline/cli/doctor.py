"""Say of every agent here whether it really reaches us, by trying it, and what a person still has to do."""

import os
import platform
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from hookline import __version__, hosts
from hookline.cli._command import Command
from hookline.cli._doctor import Finding
from hookline.cli._doctor.daemon import begun
from hookline.cli._doctor.environment import around
from hookline.cli._doctor.hosts import Seen, all_hosts, between, look_at
from hookline.cli._doctor.machine import Latency, client, latency, slow
from hookline.cli._output import dump, visible
from hookline.core.host import Host
from hookline.install.inspect import Call, Wire, wires
from hookline.install.probe import Trial
from hookline.runtime.setup import Setup, load
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places

NOWHERE = "no agent calls us here: `hookline init` wires those in use"
SIGNS = {"well": "✓", "note": "·", "attention": "!"}
COLOURS = {"well": "32", "note": "2", "attention": "33"}


def run(args: Namespace) -> int:
    chosen = [hosts.load(name) for name in args.host] or all_hosts()
    env = dict(os.environ)
    setup = load(env, os.getcwd())
    setup.kept.close()
    asks = any(CLIENT in call.line for host in chosen for call in _calls(host, setup, env))
    general = [*around(setup, env), client(), *(begun(env) if asks else ())]
    seen = [look_at(host, setup, env, asked=bool(args.host)) for host in chosen]
    took = _took(seen, setup, env)
    general += [*([slow(took)] if took else []), *_nowhere(seen), *between(seen)]
    well = not any(one.weight == "attention" for one in (*general, *(f for s in seen for f in s.findings)))
    if args.json:
        dump(_report(seen, general, took, well=well))
    else:
        _show(seen, general, setup.places, well=well)
    return 0 if well else 1


def _calls(host: Host, setup: Setup, env: Mapping[str, str]) -> list[Call]:
    return [call for wire in wires(host, setup.places, env) for call in wire.calls]


def _took(seen: Sequence[Seen], setup: Setup, env: Mapping[str, str]) -> Latency | None:
    """How long the first command takes that answers rightly; a second one would take no other time."""
    right = (
        (wire, trial.call)
        for one in seen
        for wire, trials in one.wires
        for trial in trials
        if trial.ran and not trial.problem
    )
    first = next(right, None)
    return latency(*first, setup.places, env) if first else None


def _nowhere(seen: Sequence[Seen]) -> list[Finding]:
    if any(one.wires for one in seen):
        return []
    return [Finding(id="wired.none", weight="attention", text=NOWHERE)]


def _report(
    seen: Sequence[Seen], general: Sequence[Finding], took: Latency | None, *, well: bool
) -> dict[str, Any]:
    return {
        "version": __version__,
        "python": platform.python_version(),
        "well": well,
        "hosts": [_host(one) for one in seen if one.findings or one.present],
        "findings": [to_builtins(one) for one in general],
        "latency_ms": to_builtins(took) if took else None,
    }


def _host(one: Seen) -> dict[str, Any]:
    return {
        "name": one.host.name,
        "present": one.present,
        "wired": [_wire(wire, trials) for wire, trials in one.wires],
        "findings": [{"id": found.id, "weight": found.weight, "text": found.text} for found in one.findings],
    }


def _wire(wire: Wire, trials: Sequence[Trial]) -> dict[str, Any]:
    return {
        "scope": wire.scope,
        "file": wire.path,
        "moments": list(wire.moments),
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
        "differs": [one.text for one in wire.differs if one.grave],
    }


def _show(seen: Sequence[Seen], general: Sequence[Finding], places: Places, *, well: bool) -> None:
    for one in seen:
        if one.findings:
            _write(_title(one))
            for found in one.findings:
                _write(_line(found, places))
    _write(_coloured("1", f"hookline {__version__}, Python {platform.python_version()}"))
    for found in general:
        _write(_line(found, places))
    _write("" if well else "\n! marks what needs you")


def _title(one: Seen) -> str:
    wired = " and ".join(wire.scope for wire, _ in one.wires)
    state = f"wired ({wired})" if wired else "not wired"
    return _coloured("1", f"{one.host.name}: {state}")


def _line(found: Finding, places: Places) -> str:
    text = found.text.replace(places.root + os.sep, "").replace(places.home + os.sep, "~/")
    return f"  {_coloured(COLOURS[found.weight], SIGNS[found.weight])} {visible(text)}"


def _coloured(code: str, text: str) -> str:
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain or not sys.stdout.isatty() else f"\x1b[{code}m{text}\x1b[0m"


def _write(text: str) -> None:
    if text:
        print(text)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="only this agent")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


COMMAND = Command(
    about="Say of every agent here whether it really reaches us, and what still needs a person.",
    examples="""
hookline doctor
hookline doctor --host codex
hookline doctor --json | jq '.hosts[] | {name, wired}'
hookline doctor --json | jq -r '.findings[] | select(.weight == "attention") | .id'

Each command that is configured is run as the agent would run it, with a forced push that must be stopped: in
a session and a store of its own, so nothing of it is in the log. What a repository says is to be run is only
shown, unless it is what `hookline init` writes and starts a program from outside of that repository.
! needs you   · is good to know   ✓ was tried, and is right
""",
    run=run,
    arguments=arguments,
    exits="0 when all is well; 1 when something needs attention; 2 when it was called wrongly",
)
