"""Let hooks that were written for one agent run under another: declares them here, and says what is lost."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._confirm_changes import agreed, short, shown
from hookline.cli._convert_files import Found, Trip, found, planned, way_of
from hookline.cli._output import dump, visible
from hookline.core.frozen import thawed
from hookline.core.host import Host
from hookline.core.install_table import Scope
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.system.paths import find

HOW = {
    "whole": "carries over",
    "partly": "carries over in part",
    "native": "runs there already",
    "not": "does not carry over",
}


def run(args: Namespace) -> int:
    trip = _trip(args)
    hooks = list(found(trip))
    plan = planned(trip, [one.ported for one in hooks])
    if args.json:
        dump(_facts(trip, hooks, plan))
    else:
        print("\n".join(_report(trip, hooks)))
        print(shown(plan, trip.places) if _carried(hooks) else "nothing is to be declared")
    if plan.problem:
        return 1
    if plan.changes and not args.dry_run:
        if not agreed("Write this?", yes=args.yes):
            print("nothing was changed")
            return 1
        _write(trip)
    if not args.json and _carried(hooks):
        print("\n".join(_next(trip, plan, dry=args.dry_run)))
    return 1 if any(one.ported.how == "not" for one in hooks) else 0


def _carried(hooks: Sequence[Found]) -> bool:
    return any(one.ported.event for one in hooks)


def _trip(args: Namespace) -> Trip:
    source, target = hosts.load(args.source), hosts.load(args.target)
    if source is target:
        raise LookupError(f"hooks of {source.name} run under {source.name} as they are")
    if target.wiring is None:
        raise LookupError(f"{target.name} is no agent that could be wired")
    way_of(source)
    env = dict(os.environ)
    return Trip(
        source=source,
        target=target,
        scope="user" if args.user else "project",
        payload=_payload(source, args.payload),
        places=find(env, os.getcwd()),
        env=env,
    )


def _payload(source: Host, wanted: str) -> str:
    """The words in which the hooks expect to be told: their host's own, unless a person knows better."""
    spoken = {host.dialect.name: host.name for host in map(hosts.load, hosts.names()) if host.dialect}
    if wanted and wanted not in spoken:
        raise LookupError(f"no payload is called {wanted!r}; there are: {', '.join(spoken)}")
    if wanted or source.dialect:
        return wanted or (source.dialect.name if source.dialect else "")
    there = ", ".join(f"--payload {name} (as {host} tells)" for name, host in spoken.items())
    raise LookupError(
        f"only hooks that understand one of these can be carried over, and {source.name} tells in words of "
        f"its own; if yours do, say so: {there}"
    )


def _write(trip: Trip) -> None:
    """Planned anew under the lock: somebody else may have been at it since it was shown."""
    with settings_files.alone(trip.places.state):
        plan = planned(trip, [one.ported for one in found(trip)])
        if plan.after is not None and plan.changes:
            settings_files.make_folders(plan.path)
            settings_files.write(plan.path, plan.after)


def _report(trip: Trip, hooks: Sequence[Found]) -> Iterator[str]:
    if not hooks:
        whose = "your own files" if trip.scope == "user" else "this project's files"
        yield f"{trip.source.name} has no hooks in {whose}"
    for one in hooks:
        told = one.ported
        at = f"{told.moment} {_line(told.written.command)}"
        yield f"{HOW[told.how]}: {visible(at)} ({visible(one.file)})"
        yield from (f"  {visible(text)}" for text in (*told.why, *told.limits))


def _line(command: str | tuple[str, ...]) -> str:
    return command if isinstance(command, str) else " ".join(command)


def _next(trip: Trip, plan: Plan, *, dry: bool) -> Iterator[str]:
    if plan.changes:
        yield f"{short(plan.path, trip.places)} {'would be' if dry else 'is'} written"
    if trip.scope == "project":
        yield "  still needed: a project's hooks wait for your trust: `hookline trust`"
    scopes: tuple[Scope, ...] = (trip.scope, "user")
    if not any(install_hooks.standing(trip.target, scope, trip.places, trip.env) for scope in scopes):
        user = " --user" if trip.scope == "user" else ""
        yield f"  still needed: `hookline init --host {trip.target.name}{user}`"


def _facts(trip: Trip, hooks: Sequence[Found], plan: Plan) -> dict[str, Any]:
    return {
        "from": trip.source.name,
        "to": trip.target.name,
        "file": plan.path,
        "changes": plan.changes,
        "problem": plan.problem,
        "hooks": [_fact(one) for one in hooks],
    }


def _fact(one: Found) -> dict[str, Any]:
    told = one.ported
    return {
        "file": one.file,
        "moment": told.moment,
        "command": _line(told.written.command),
        "how": told.how,
        "why": list(told.why),
        "limits": list(told.limits),
        "event": told.event,
        "entry": thawed(told.entry),
    }


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="source", required=True, metavar="NAME", help="whose hooks, such as claude-code"
    )
    parser.add_argument("--to", dest="target", required=True, metavar="NAME", help="where they are to run")
    parser.add_argument("--user", action="store_true", help="your own hooks, for every project")
    parser.add_argument("--payload", default="", metavar="NAME", help="in whose words the hooks are written")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a report")


COMMAND = Command(
    about="Let hooks that were written for one agent run under another, and say what is lost.",
    examples="""
hookline convert --from claude-code --to codex              this project's hooks; shows the changes, and asks
hookline convert --from claude-code --to gemini-cli --user  your own
hookline convert --from claude-code --to codex --dry-run --json | jq '.hooks[] | {command, how, why}'

The hooks stay where they are, and go on running there. What carries over is declared in hooks.json for the
other agent alone: it is told in the words of the first, and its answer is passed on in those of the second.
Doing it twice changes nothing.
""",
    run=run,
    arguments=arguments,
    exits="0 when all of it carries over, also in part; 1 when something does not, or was not written; "
    "2 when it was called wrongly",
)
