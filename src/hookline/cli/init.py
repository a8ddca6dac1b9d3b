"""Install hooks into the settings files of agents, after showing the changes and asking."""

import os
from argparse import Namespace
from collections.abc import Sequence

from hookline import hosts
from hookline.cli._confirm_changes import confirm, describe_result, format_plan, shorten_path
from hookline.core.host import Host
from hookline.core.install_commands import path_command
from hookline.core.install_table import Scope
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.install.installed_timeout import extend_timeouts
from hookline.runtime.setup import load_setup
from hookline.runtime.wait_for_person import configured_wait
from hookline.system.own_command import CLIENT, client_command, find_programs
from hookline.system.paths import Places, find_places


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find_places(dict(os.environ), os.getcwd())
    found = [hosts.load(name) for name in args.host] or install_hooks.detect_hosts(env, places)
    wait = configured_wait(load_setup(env, os.getcwd()))
    chosen = [extend_timeouts(host, wait) for host in found] if wait else found
    if not chosen:
        return _report_no_hosts()
    scope: Scope = "user" if args.user else "local" if args.local else "project"
    if args.print:
        return _print_snippets(chosen, scope, places, env)
    command = client_command(env)
    plans = [plan for host in chosen for plan in install_hooks.plan_host(host, scope, places, env, command)]
    print("\n".join(format_plan(plan, places) for plan in plans))
    changes = [plan for plan in plans if plan.changes]
    if changes and not args.dry_run:
        if not confirm("Write this?", yes=args.yes):
            print("nothing was changed")
            return 1
        _carry_out(chosen, scope, places, env, command)
    _print_results(chosen, plans, dry=args.dry_run)
    if scope == "project" and command != CLIENT:
        print(f"  note: {CLIENT} is not on PATH, so the files contain its absolute path;")
        print(f"  run `{path_command(find_programs())}` and repeat this command before you share the files")
    if scope == "local" and any(not plan.problem for plan in plans):
        print("  note: the file is yours alone; keep it out of git")
    return 1 if any(plan.problem for plan in plans) else 0


def _carry_out(
    chosen: Sequence[Host], scope: Scope, places: Places, env: dict[str, str], command: str
) -> None:
    """Plan again under the lock, because another process may have changed a file, and write it."""
    with settings_files.lock_records(places.state):
        for host in chosen:
            for plan in install_hooks.plan_host(host, scope, places, env, command):
                install_hooks.apply_plan(plan, places, command)


def _print_results(chosen: Sequence[Host], plans: Sequence[Plan], *, dry: bool) -> None:
    done = {plan.host for plan in plans if not plan.problem}
    for host in chosen:
        if host.name in done:
            changed = any(plan.changes for plan in plans if plan.host == host.name)
            print(describe_result(host, changed=changed, dry=dry))


def _print_snippets(chosen: Sequence[Host], scope: Scope, places: Places, env: dict[str, str]) -> int:
    """Print the files as they would be created."""
    command, exit_code = client_command(env), 0
    for host in chosen:
        snippets = install_hooks.build_snippets(host, scope, places, env, command)
        for name, text in snippets.items():
            print(f"{host.name}, in {shorten_path(name, places)}:\n\n{text}")
        if not snippets:
            exit_code = 1
            print(
                f"{install_hooks.unsupported_scope(host, scope)}"
                if host.install
                else f"{host.name} has no hooks to install"
            )
    return exit_code


def _report_no_hosts() -> int:
    names = ", ".join(name for name in hosts.names() if hosts.load(name).install)
    print(f"no agent found; choose one with --host: {names}")
    return 1
