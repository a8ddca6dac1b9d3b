"""Remove what runs leave behind: their worktrees and, on request, their refs, branches and journals."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import sanitize
from hookline.engine import clean, runs
from hookline.engine.git.repository import open_repository


def run(args: Namespace) -> int:
    repository = open_repository(os.getcwd(), dict(os.environ))
    named = {item.id: item for item in (runs.find(repository.root, name, exactly=True) for name in args.runs)}
    chosen = named.values() or runs.list_runs(repository.root)
    all_leftovers = [clean.find_leftovers(item, repository) for item in chosen]
    removable = [item for item in all_leftovers if _is_removable(item, args)]
    for item in all_leftovers:
        print(_describe(item, args))
    if not removable:
        print("there is nothing to take away")
        return 0
    if not args.yes and not _confirm():
        print("nothing was taken away")
        return 1
    for item in removable:
        clean.clean(item, repository, refs=args.refs, everything=args.everything)
    print(f"took away what {len(removable)} run{'s' * (len(removable) != 1)} left")
    return 0


def _is_removable(left: Any, args: Namespace) -> bool:
    if left.busy or (left.elsewhere if args.everything else left.unfinished is not None):
        return False
    return bool(left.trees or (args.refs and left.refs) or args.everything)


def _describe(left: Any, args: Namespace) -> str:
    if left.busy:
        return f"{sanitize(left.run.id)}: at work, stays as it is"
    if left.elsewhere and args.everything:
        return (
            f"{sanitize(left.run.id)}: stays as it is, because {sanitize(left.run.branch)} is checked out in "
            f"{sanitize(left.elsewhere)}; say `git switch -` there first"
        )
    if left.unfinished is not None and not args.everything:
        return (
            f"{sanitize(left.run.id)}: stays as it is, because experiment {left.unfinished} was interrupted "
            f"and its work is in no commit; `hookline run --resume {sanitize(left.run.id)}` finishes it, "
            "--everything takes it away"
        )
    parts = [f"{len(left.trees)} worktrees ({left.size / 1e6:.1f} MB)"]
    if args.refs or args.everything:
        parts.append(f"{len(left.refs)} refs, and with them the work of discarded experiments")
    if args.everything:
        parts.append(f"the branch {sanitize(left.run.branch)} and the journal")
    return f"{sanitize(left.run.id)}: {', '.join(parts)}"


def _confirm() -> bool:
    """Ask at the terminal; a script passes --yes instead."""
    if not sys.stdin.isatty():
        raise ValueError("taking this away cannot be undone; say --yes where nobody can be asked")
    try:
        return input("take this away? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="how their names begin; without any, all of them"
    )
    parser.add_argument(
        "--refs", action="store_true", help="also the refs that keep discarded work reachable"
    )
    parser.add_argument("--everything", action="store_true", help="also branches and journals")
    parser.add_argument("--yes", action="store_true", help="do not ask")


COMMAND = Command(
    about="Take away what runs leave behind; asks first.",
    examples="""
hookline clean                              worktrees of all runs; branches, refs and journals stay
hookline clean --refs sort-261115-1850      and what keeps its discarded experiments reachable
hookline clean --everything sort-261115-1850

A run whose worktrees are gone can still be resumed: they are made anew.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 when you did not agree, 2 when it was called wrongly",
)
