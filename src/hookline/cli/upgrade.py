"""Wire again what `hookline init` wired, as this version does it."""

import os
from argparse import ArgumentParser, Namespace

from hookline import installing
from hookline.cli._command import Command
from hookline.cli._show import visible
from hookline.cli._wiring import agreed, short, shown
from hookline.installing import Plan
from hookline.system import wired
from hookline.system.own_command import client_command
from hookline.system.places import Places, find
from hookline.system.wired import Wired
from hookline.values import replace


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find(dict(os.environ), os.getcwd())
    known = wired.remembered(places.state)
    broken = wired.unreadable(places.state)
    for path in broken:
        print(f"{short(path, places)} cannot be read: which file it is about is not known")
    if not known:
        print("nothing was wired by `hookline init`")
        return 1 if broken else 0
    planned = [(one, installing.renewal(one, client_command(env))) for one in known]
    print("\n".join(_shown(one, plan, places) for one, plan in planned))
    changes = any(plan is not None and plan.changes for _, plan in planned)
    if changes and not args.dry_run and not agreed("Write this?", yes=args.yes):
        print("nothing was changed")
        return 1
    if not args.dry_run and (changes or any(plan is None for _, plan in planned)):
        _carry_out(places, env)
    return 1 if broken or any(plan is not None and plan.problem for _, plan in planned) else 0


def _shown(one: Wired, plan: Plan | None, places: Places) -> str:
    if plan is not None:
        return shown(plan, places)
    state = "holds nothing any more that we put there" if os.path.lexists(one.path) else "is gone"
    return f"{one.host}: {visible(short(one.path, places))} {state}, and is forgotten"


def _carry_out(places: Places, env: dict[str, str]) -> None:
    """Planned anew under the lock: somebody else may have been at it since it was shown."""
    with wired.alone(places.state):
        for one in wired.remembered(places.state):
            plan = installing.renewal(one, client_command(env))
            if plan is None:
                wired.forget(places.state, one)
            else:
                installing.carry_out(plan, replace(places, root=one.root or places.root), client_command(env))
        wired.tidy(places.state)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


COMMAND = Command(
    about="Wire again what was wired, as this version does it.",
    examples="""
hookline upgrade --dry-run
hookline upgrade --yes      after a new version, or when hookline moved

Files that `hookline init` changed, in all projects, and that still hold what it put there; what is as it
should be stays. A file that is gone, or out of which you took us by hand, is forgotten: `hookline init` wires
it again.
""",
    run=run,
    arguments=arguments,
    exits="0 when all is wired; 1 when something was not; 2 when it was called wrongly",
)
