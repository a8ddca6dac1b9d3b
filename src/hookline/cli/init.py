"""Wire the agents that are in use here to call us: shows what changes, asks, and changes nothing else."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from hookline import hosts
from hookline.cli._command import Command
from hookline.cli._confirm_changes import agreed, said, short, shown
from hookline.core.host import Host
from hookline.core.install_table import Scope
from hookline.install import install_hooks, settings_files
from hookline.install.install_hooks import Plan
from hookline.system.own_command import CLIENT, client_command
from hookline.system.paths import Places, find


def run(args: Namespace) -> int:
    env, places = dict(os.environ), find(dict(os.environ), os.getcwd())
    chosen = [hosts.load(name) for name in args.host] or install_hooks.present(env, places)
    if not chosen:
        return _nothing()
    scope: Scope = "user" if args.user else "project"
    if args.print:
        return _print(chosen, scope, places, env)
    called = client_command(env)
    planned = [plan for host in chosen for plan in install_hooks.plans(host, scope, places, env, called)]
    print("\n".join(shown(plan, places) for plan in planned))
    wanted = [plan for plan in planned if plan.changes]
    if wanted and not args.dry_run:
        if not agreed("Write this?", yes=args.yes):
            print("nothing was changed")
            return 1
        _carry_out(chosen, scope, places, env, called)
    _tell(chosen, planned, dry=args.dry_run)
    if scope == "project" and called != CLIENT:
        print(f"  note: PATH does not find {CLIENT}, so its path on this machine was written; add the folder")
        print("  to PATH (`pipx ensurepath`) and repeat this before you share the files")
    return 1 if any(plan.problem for plan in planned) else 0


def _carry_out(
    chosen: Sequence[Host], scope: Scope, places: Places, env: dict[str, str], called: str
) -> None:
    """Planned anew under the lock: somebody else may have been at it since it was shown."""
    with settings_files.alone(places.state):
        for host in chosen:
            for plan in install_hooks.plans(host, scope, places, env, called):
                install_hooks.carry_out(plan, places, called)


def _tell(chosen: Sequence[Host], planned: Sequence[Plan], *, dry: bool) -> None:
    done = {plan.host for plan in planned if not plan.problem}
    for host in chosen:
        if host.name in done:
            changed = any(plan.changes for plan in planned if plan.host == host.name)
            print(said(host, changed=changed, dry=dry))


def _print(chosen: Sequence[Host], scope: Scope, places: Places, env: dict[str, str]) -> int:
    """What a file that is not there yet would hold."""
    called, nowhere = client_command(env), 0
    for host in chosen:
        found = install_hooks.snippets(host, scope, places, env, called)
        for name, text in found.items():
            print(f"{host.name}, in {short(name, places)}:\n\n{text}")
        if not found:
            nowhere = 1
            print(f"{install_hooks.only(host, scope)}" if host.wiring else f"{host.name} is wired by nobody")
    return nowhere


def _nothing() -> int:
    known = ", ".join(name for name in hosts.names() if hosts.load(name).wiring)
    print(f"no agent was found here; name one with --host, there are: {known}")
    return 1


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="only this agent")
    parser.add_argument("--user", action="store_true", help="in your own files, for every project")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--print", action="store_true", help="only print what a file would hold")


COMMAND = Command(
    about="Wire the agents that are in use here to call us.",
    examples="""
hookline init                   every agent found here, in this project's files; shows the changes, and asks
hookline init --user --yes      in your own files, for every project
hookline init --host codex --dry-run
hookline init --host claude-code --print

Your own hooks, their order, comments, unknown keys and formatting stay. A file that cannot be read as the
agent reads it is left as it is, with the line and column. Doing it twice changes nothing.
`hookline uninstall` takes exactly this out again.
""",
    run=run,
    arguments=arguments,
    exits="0 when all of it is wired; 1 when something was not; 2 when it was called wrongly",
)
