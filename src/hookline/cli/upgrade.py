"""Wire again what `hookline init` wired, as this version does it."""

import os
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from hookline import hosts, installing
from hookline.cli._command import Command
from hookline.cli._wiring import agreed, shown
from hookline.installing import Plan
from hookline.system import wired
from hookline.system.ourselves import program
from hookline.system.places import Places, find
from hookline.system.wired import Wired


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find(dict(os.environ), os.getcwd())
    known = wired.remembered(places.state)
    if not known:
        print("nothing was wired by `hookline init`")
        return 0
    planned = [plan for one in known for plan in _plans(one, places, env)]
    print("\n".join(shown(plan, places) for plan in planned))
    if any(plan.changes for plan in planned) and not args.dry_run:
        if not agreed("Write this?", yes=args.yes):
            print("nothing was changed")
            return 1
        with wired.alone(places.state):
            for one in known:
                for plan in _plans(one, places, env):
                    installing.carry_out(plan, _of(one, places), _called(one, env))
    return 1 if any(plan.problem for plan in planned) else 0


def _plans(one: Wired, places: Places, env: dict[str, str]) -> list[Plan]:
    host = hosts.load(one.host)
    scope = installing.scope_of(one)
    found = installing.plans(host, scope, _of(one, places), env, _called(one, env))
    return [plan for plan in found if plan.path == one.path or plan.problem]


def _of(one: Wired, places: Places) -> Places:
    return replace(places, root=one.root) if one.root else places


def _called(one: Wired, env: dict[str, str]) -> str:
    return program(env, shared=one.scope == "project")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


COMMAND = Command(
    about="Wire again what was wired, as this version does it.",
    examples="""
hookline upgrade --dry-run
hookline upgrade --yes      after a new version, or when hookline moved

Files that `hookline init` changed, in all projects; what is as it should be stays.
""",
    run=run,
    arguments=arguments,
    exits="0 when all is wired; 1 when something was not; 2 when it was called wrongly",
)
