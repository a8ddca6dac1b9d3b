"""Wire again what `hookline init` wired, as this version does it."""

import os
from argparse import ArgumentParser, Namespace

from hookline.cli._command import Command
from hookline.cli._confirm_changes import agreed, short, shown
from hookline.cli._output import visible
from hookline.core.values import replace
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.install.settings_files import Wired
from hookline.system.own_command import client_command
from hookline.system.paths import Places, find


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find(dict(os.environ), os.getcwd())
    known = settings_files.remembered(places.state)
    broken = settings_files.unreadable(places.state)
    for path in broken:
        print(f"{short(path, places)} cannot be read: which file it is about is not known")
    if not known:
        print("nothing was wired by `hookline init`")
        return 1 if broken else 0
    planned = [(one, install_hooks.renewal(one, client_command(env))) for one in known]
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
    with settings_files.alone(places.state):
        for one in settings_files.remembered(places.state):
            plan = install_hooks.renewal(one, client_command(env))
            if plan is None:
                settings_files.forget(places.state, one)
            else:
                install_hooks.carry_out(
                    plan, replace(places, root=one.root or places.root), client_command(env)
                )
        settings_files.tidy(places.state)


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
