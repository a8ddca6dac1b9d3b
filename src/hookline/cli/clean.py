"""Take away what runs leave behind: their worktrees, and if wanted their refs, branches and journals."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import visible
from hookline.engine import clean, runs
from hookline.engine.git import repository as repositories


def run(args: Namespace) -> int:
    repository = repositories.open_at(os.getcwd(), dict(os.environ))
    named = {one.id: one for one in (runs.find(repository.root, name, exactly=True) for name in args.runs)}
    chosen = named.values() or runs.everyone(repository.root)
    found = [clean.leavings(one, repository) for one in chosen]
    free = [one for one in found if _free(one, args)]
    for one in found:
        print(_line(one, args))
    if not free:
        print("there is nothing to take away")
        return 0
    if not args.yes and not _agreed():
        print("nothing was taken away")
        return 1
    for one in free:
        clean.clean(one, repository, refs=args.refs, everything=args.everything)
    print(f"took away what {len(free)} run{'s' * (len(free) != 1)} left")
    return 0


def _free(one: Any, args: Namespace) -> bool:
    if one.busy or (one.elsewhere if args.everything else one.unfinished is not None):
        return False
    return bool(one.trees or (args.refs and one.refs) or args.everything)


def _line(one: Any, args: Namespace) -> str:
    if one.busy:
        return f"{visible(one.run.id)}: at work, stays as it is"
    if one.elsewhere and args.everything:
        return (
            f"{visible(one.run.id)}: stays as it is, because {visible(one.run.branch)} is checked out in "
            f"{visible(one.elsewhere)}; say `git switch -` there first"
        )
    if one.unfinished is not None and not args.everything:
        return (
            f"{visible(one.run.id)}: stays as it is, because experiment {one.unfinished} was interrupted and "
            f"its work is in no commit; `hookline run --resume {visible(one.run.id)}` finishes it, "
            "--everything takes it away"
        )
    parts = [f"{len(one.trees)} worktrees ({one.size / 1e6:.1f} MB)"]
    if args.refs or args.everything:
        parts.append(f"{len(one.refs)} refs, and with them the work of discarded experiments")
    if args.everything:
        parts.append(f"the branch {visible(one.run.branch)} and the journal")
    return f"{visible(one.run.id)}: {', '.join(parts)}"


def _agreed() -> bool:
    """Only a person at a terminal can agree; a script says --yes."""
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
