"""Update everything that `hookline init` installed to the format of this version."""

import os
from argparse import Namespace

from hookline.cli._confirm_changes import confirm, format_plan, shorten_path
from hookline.cli._output import sanitize
from hookline.core.values import replace
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.install.settings_files import InstallRecord
from hookline.system.own_command import client_command
from hookline.system.paths import Places, find_places


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find_places(dict(os.environ), os.getcwd())
    records = settings_files.load_records(places.state)
    broken = settings_files.unreadable_records(places.state)
    for path in broken:
        print(f"{shorten_path(path, places)} cannot be read, so its settings file is unknown")
    if not records:
        print("no hooks are installed")
        return 1 if broken else 0
    plans = [(record, install_hooks.plan_update(record, client_command(env))) for record in records]
    print("\n".join(_format_update(record, plan, places) for record, plan in plans))
    changes = any(plan is not None and plan.changes for _, plan in plans)
    if changes and not args.dry_run and not confirm("Write this?", yes=args.yes):
        print("nothing was changed")
        return 1
    if not args.dry_run and (changes or any(plan is None for _, plan in plans)):
        _carry_out(places, env)
    return 1 if broken or any(plan is not None and plan.problem for _, plan in plans) else 0


def _format_update(record: InstallRecord, plan: Plan | None, places: Places) -> str:
    if plan is not None:
        return format_plan(plan, places)
    state = "no longer contains our hooks" if os.path.lexists(record.path) else "is missing"
    return (
        f"{record.host}: {sanitize(shorten_path(record.path, places))} {state}; its install record is deleted"
    )


def _carry_out(places: Places, env: dict[str, str]) -> None:
    """Plan again under the lock, because another process may have changed a file, and write it."""
    with settings_files.lock_records(places.state):
        for record in settings_files.load_records(places.state):
            plan = install_hooks.plan_update(record, client_command(env))
            if plan is None:
                settings_files.delete_record(places.state, record)
            else:
                install_hooks.apply_plan(
                    plan, replace(places, root=record.root or places.root), client_command(env)
                )
        settings_files.tidy(places.state)
