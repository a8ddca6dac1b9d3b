"""Remove our own entries from the agents' files; a file that nobody else changed is as it was before."""

import os
from argparse import ArgumentParser, Namespace

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._confirm_changes import confirm, format_plan, shorten_path
from hookline.cli._require_person import require_person
from hookline.core.host import Host
from hookline.core.install_table import Scope
from hookline.install import settings_files, uninstall
from hookline.install.install_hooks import Plan
from hookline.install.settings_files import InstallRecord
from hookline.system.paths import Places, find_places


def run(args: Namespace) -> int:
    if not args.dry_run:
        require_person("taking the guards out", os.environ)
    chosen = [hosts.load(name) for name in args.host or hosts.names()]
    env, places = dict(os.environ), find_places(dict(os.environ), os.getcwd())
    broken = settings_files.unreadable_records(places.state)
    _report_broken(broken, places)
    removals = _plan_removals(args, chosen, places, env)
    if not removals:
        print("nothing here was wired by `hookline init`")
        return 1 if broken else 0
    print("\n".join(format_plan(plan, places) for _, plan in removals))
    if args.dry_run:
        return 0
    if not confirm("Take this out?", yes=args.yes):
        print("nothing was changed")
        return 1
    with settings_files.lock_records(places.state):
        removals = _plan_removals(args, chosen, places, env)
        uninstall.apply_removals(removals, places)
        settings_files.tidy(places.state)
    unremoved = [plan for _, plan in removals if plan.problem]
    print(
        f"taken out of {_count_files(len(removals) - len(unremoved))}"
        + (f", left in {len(unremoved)}" if unremoved else "")
    )
    return 1 if unremoved or broken else 0


def _plan_removals(
    args: Namespace, chosen: list[Host], places: Places, env: dict[str, str]
) -> list[tuple[InstallRecord, Plan]]:
    """Plan removals by the install records, and by entries in the files, which others may have installed."""
    records = settings_files.load_records(places.state)
    selected = [record for record in records if _is_selected(record, args, places)]
    scopes: list[Scope] = ["user", "project"] if args.all else ["user" if args.user else "project"]
    for scope in scopes:
        unrecorded = list(uninstall.find_unrecorded(chosen, scope, places, env, records))
        moved = {(record.moved_from, record.host) for record in unrecorded}
        selected = [record for record in selected if (record.path, record.host) not in moved] + unrecorded
    return list(uninstall.plan_removals(selected))


def _report_broken(broken: list[str], places: Places) -> None:
    for path in broken:
        name = shorten_path(path, places)
        print(f"{name} cannot be read: which file it is about is not known, so only what is found here goes")


def _is_selected(record: InstallRecord, args: Namespace, places: Places) -> bool:
    host_matches = not args.host or record.host in args.host
    return host_matches and (
        args.all or (record.scope == "user" if args.user else record.root == places.root)
    )


def _count_files(number: int) -> str:
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
