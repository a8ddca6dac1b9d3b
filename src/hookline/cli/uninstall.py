"""Remove hookline's entries from the agents' settings files, and restore files that did not change since."""

import os
import shlex
import shutil
from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator

from hookline import hosts
from hookline.cli._confirm_changes import confirm, format_plan, shorten_path
from hookline.cli._output import sanitize
from hookline.cli._require_person import require_person
from hookline.core.host import Host
from hookline.core.install_commands import uninstall_command
from hookline.daemon import control
from hookline.daemon.control import SWITCH
from hookline.daemon.paths import find_daemon_folder
from hookline.install import settings_files, uninstall
from hookline.install.install_hooks import SCOPES, Plan
from hookline.install.settings_files import InstallRecord
from hookline.system import own_command
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places, daemon_folders, find_places


def run(args: Namespace) -> int:
    if not args.dry_run:
        require_person("uninstalling hooks", os.environ, consent="uninstall")
    chosen = [hosts.load(name) for name in args.host or hosts.names()]
    env, places = dict(os.environ), find_places(dict(os.environ), os.getcwd())
    broken = settings_files.unreadable_records(places.state)
    _report_broken(broken, places)
    removals = _plan_removals(args, chosen, places, env)
    if not removals:
        print("no hooks are installed here")
        _print_installed(settings_files.load_records(places.state), places)
        return 1 if broken else 0
    print("\n".join(format_plan(plan, places) for _, plan in removals))
    if args.dry_run:
        return 0
    if not confirm("Remove these hooks?", yes=args.yes):
        print("nothing was changed")
        return 1
    with settings_files.lock_records(places.state):
        removals = _plan_removals(args, chosen, places, env)
        uninstall.apply_removals(removals, places)
        settings_files.tidy(places.state)
    unremoved = [plan for _, plan in removals if plan.problem]
    print(
        f"removed from {_count_files(len(removals) - len(unremoved))}"
        + (f", not removed from {len(unremoved)}" if unremoved else "")
    )
    _print_rest(places, {plan.path for plan in unremoved})
    return 1 if unremoved or broken else 0


def _print_rest(places: Places, unremoved: Collection[str]) -> None:
    """Print everything of hookline that remains on this machine."""
    records = settings_files.load_records(places.state)
    _print_installed([record for record in records if record.path not in unremoved], places)
    if not records:
        for text in (*_stop_daemon(), *_list_rest(places)):
            print(sanitize(text))


def _print_installed(records: Iterable[InstallRecord], places: Places) -> None:
    for record in records:
        path = sanitize(shorten_path(record.path, places))
        print(f"still installed for {record.host}: {path}; `hookline uninstall --all` removes it")


def _stop_daemon() -> Iterator[str]:
    place = find_daemon_folder()
    if os.environ.get(SWITCH) == "off" or not control.is_ours(control.status(place)):
        return
    stopped = control.stop(place)
    yield "the daemon was stopped" if stopped else "the daemon does not exit; see `hookline daemon status`"
    yield "agents that are running call hookline until they are restarted"


def _list_rest(places: Places) -> Iterator[str]:
    folders = (places.config, places.state, places.scratch, *daemon_folders()[-2:])
    kept = [shlex.quote(folder) for folder in folders if os.path.isdir(folder)]
    if kept:
        yield f"your data and the daemon's log are kept; to delete them: rm -r {' '.join(kept)}"
    programs = [path for path in (own_command.client_path(), shutil.which(CLIENT)) if path]
    names = ", ".join(dict.fromkeys(map(os.path.realpath, programs)))
    if names:
        yield f"the program is kept ({names}); to remove it: {uninstall_command()}"


def _plan_removals(
    args: Namespace, chosen: list[Host], places: Places, env: dict[str, str]
) -> list[tuple[InstallRecord, Plan]]:
    """Plan removals from the install records, and of entries that are in no record."""
    records = settings_files.load_records(places.state)
    selected = [record for record in records if _is_selected(record, args, places)]
    scopes = [scope for scope in SCOPES if args.all or (scope == "user") == args.user]
    for scope in scopes:
        unrecorded = list(uninstall.find_unrecorded(chosen, scope, places, env, records))
        moved = {(record.moved_from, record.host) for record in unrecorded}
        selected = [record for record in selected if (record.path, record.host) not in moved] + unrecorded
    return list(uninstall.plan_removals(selected))


def _report_broken(broken: list[str], places: Places) -> None:
    for path in broken:
        name = shorten_path(path, places)
        print(f"{name} cannot be read, so its settings file is unknown; only entries found here are removed")


def _is_selected(record: InstallRecord, args: Namespace, places: Places) -> bool:
    host_matches = not args.host or record.host in args.host
    return host_matches and (
        args.all or (record.scope == "user" if args.user else record.root == places.root)
    )


def _count_files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"
