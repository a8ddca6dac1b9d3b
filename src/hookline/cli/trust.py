"""Trust the current content of a project's files: its hooks may run, and its settings may loosen guards."""

import os
from argparse import Namespace
from contextlib import closing

from hookline.cli._confirm_changes import confirm
from hookline.cli._output import colour_diff, print_problems, sanitize, sanitize_lines
from hookline.cli._require_person import require_person
from hookline.policy.trust import Trust, pin
from hookline.runtime.setup import Setup, load_setup


def run(args: Namespace) -> int:
    if not args.show:
        require_person("trusting a project", os.environ, consent="trust")
    setup = load_setup(dict(os.environ), os.getcwd())
    with closing(setup.resources):
        _show(setup)
        return 0 if args.show else _trust(setup, ask=not args.yes)


def _trust(setup: Setup, *, ask: bool) -> int:
    """Pin what was shown, even if the files have changed in the meantime."""
    state = setup.trust
    if state is None or state.holds or state.problem:
        return 1 if state is not None and state.problem else 0
    if not confirm("Trust these files?", yes=not ask):
        print("nothing was trusted")
        return 1
    pin(setup.places.trust, setup.places.root, state.now)
    print(f"trusted: {_format_count(state)} of {sanitize(setup.places.root)}, until one of them changes")
    return 0


def _show(setup: Setup) -> None:
    """Print what is trusted and what changed since, without running any of it."""
    root, state = sanitize(setup.places.root), setup.trust
    print_problems(setup.config.problems, ())
    if state is None:
        print(f"{root} has no files that need trust")
    elif state.holds:
        print(f"{root} is trusted. Trusted files:")
        print("\n".join(f"  {sanitize(name)}" for name in sorted(state.now)))
    else:
        _show_change(setup, state)


def _show_change(setup: Setup, state: Trust) -> None:
    since = "is not trusted" if state.pinned is None else "changed since it was trusted"
    print(f"{sanitize(setup.places.root)} {since}. Changes to review:\n")
    print(colour_diff(sanitize_lines(state.diff())))
    print_problems((), setup.config.waiting)


def _format_count(state: Trust) -> str:
    return "1 file" if len(state.now) == 1 else f"{len(state.now)} files"
