"""Remove the worktrees of runs and, on request, their refs, branches and journals."""

import os
import sys
from argparse import Namespace
from typing import Any

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
        print("nothing to remove")
        return 0
    if not args.yes and not _confirm():
        print("nothing was removed")
        return 1
    for item in removable:
        clean.clean(item, repository, refs=args.refs, everything=args.everything)
    print(f"cleaned {len(removable)} run{'s' * (len(removable) != 1)}")
    return 0


def _is_removable(left: Any, args: Namespace) -> bool:
    if left.busy or (left.elsewhere if args.everything else left.unfinished is not None):
        return False
    return bool(left.trees or (args.refs and left.refs) or args.everything)


def _describe(left: Any, args: Namespace) -> str:
    if left.busy:
        return f"{sanitize(left.run.id)}: running, not removed"
    if left.elsewhere and args.everything:
        return (
            f"{sanitize(left.run.id)}: not removed, because {sanitize(left.run.branch)} is checked out in "
            f"{sanitize(left.elsewhere)}; run `git switch -` there first"
        )
    if left.unfinished is not None and not args.everything:
        return (
            f"{sanitize(left.run.id)}: not removed, because experiment {left.unfinished} was interrupted "
            f"and its work is not committed; `hookline run --resume {sanitize(left.run.id)}` finishes it, "
            "--everything removes it"
        )
    parts = [f"{len(left.trees)} worktree{'s' * (len(left.trees) != 1)} ({left.size / 1e6:.1f} MB)"]
    if args.refs or args.everything:
        parts.append(f"{len(left.refs)} refs to discarded experiments")
    if args.everything:
        parts.append(f"branch {sanitize(left.run.branch)} and the journal")
    return f"{sanitize(left.run.id)}: {', '.join(parts)}"


def _confirm() -> bool:
    """Ask at the terminal; a script passes --yes instead."""
    if not sys.stdin.isatty():
        raise ValueError("removal cannot be undone; confirm it in an interactive terminal, or use --yes")
    try:
        return input("Remove this? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False
