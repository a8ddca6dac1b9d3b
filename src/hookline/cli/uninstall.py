"""Take exactly our own entries out of the agents' files: what nobody else changed is as it was before."""

import os
from argparse import ArgumentParser, Namespace

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._confirm_changes import agreed, short, shown
from hookline.cli._require_person import needed
from hookline.core.host import Host
from hookline.core.install_table import Scope
from hookline.install import settings_files, uninstall
from hookline.install.install_hooks import Plan
from hookline.install.settings_files import Wired
from hookline.system.paths import Places, find


def run(args: Namespace) -> int:
    if not args.dry_run:
        needed("taking the guards out", os.environ)
    chosen = [hosts.load(name) for name in args.host or hosts.names()]
    env, places = dict(os.environ), find(dict(os.environ), os.getcwd())
    broken = settings_files.unreadable(places.state)
    _say(broken, places)
    planned = _takings(args, chosen, places, env)
    if not planned:
        print("nothing here was wired by `hookline init`")
        return 1 if broken else 0
    print("\n".join(shown(plan, places) for _, plan in planned))
    if args.dry_run:
        return 0
    if not agreed("Take this out?", yes=args.yes):
        print("nothing was changed")
        return 1
    with settings_files.alone(places.state):
        planned = _takings(args, chosen, places, env)
        uninstall.take_all_out(planned, places)
        settings_files.tidy(places.state)
    left = [plan for _, plan in planned if plan.problem]
    print(f"taken out of {_files(len(planned) - len(left))}" + (f", left in {len(left)}" if left else ""))
    return 1 if left or broken else 0


def _takings(
    args: Namespace, chosen: list[Host], places: Places, env: dict[str, str]
) -> list[tuple[Wired, Plan]]:
    """By the notes, and by what else stands in the files themselves: who wired them may have been another."""
    noted = settings_files.remembered(places.state)
    known = [one for one in noted if _meant(one, args, places)]
    scopes: list[Scope] = ["user", "project"] if args.all else ["user" if args.user else "project"]
    for scope in scopes:
        found = list(uninstall.found(chosen, scope, places, env, noted))
        moved = {(one.moved_from, one.host) for one in found}
        known = [one for one in known if (one.path, one.host) not in moved] + found
    return list(uninstall.takings(known))


def _say(broken: list[str], places: Places) -> None:
    for path in broken:
        name = short(path, places)
        print(f"{name} cannot be read: which file it is about is not known, so only what is found here goes")


def _meant(one: Wired, args: Namespace, places: Places) -> bool:
    named = not args.host or one.host in args.host
    return named and (args.all or (one.scope == "user" if args.user else one.root == places.root))


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="only this agent")
    parser.add_argument("--user", action="store_true", help="out of your own files, not this project's")
    parser.add_argument("--all", action="store_true", help="out of all files of all projects")
    parser.add_argument("--yes", action="store_true", help="do not ask; still needs a terminal")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


COMMAND = Command(
    about="Take us out of the agents' files again.",
    examples="""
hookline uninstall              out of this project's files
hookline uninstall --user       out of your own
hookline uninstall --all --yes  out of all of them

A file that nobody changed since is byte for byte as it was before `hookline init`, and one that was not there
is gone; elsewhere only our own entries go, also those that somebody else wired. An entry of yours that calls
us in a way of your own stays. Only a person can do this: it needs a terminal.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is out; 1 when something is left, or nobody agreed; 2 when it was called wrongly",
)
