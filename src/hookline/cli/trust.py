"""Trust the current content of a project's files: its hooks may run, and its settings may loosen guards."""

import os
from argparse import ArgumentParser, Namespace
from contextlib import closing

from hookline.cli._command import Command
from hookline.cli._output import print_problems, sanitize, sanitize_lines
from hookline.cli._require_person import ask_user, require_person
from hookline.policy.trust import Trust, pin
from hookline.runtime.setup import Setup, load_setup


def run(args: Namespace) -> int:
    if not args.show:
        require_person("trusting a project", os.environ)
    setup = load_setup(dict(os.environ), os.getcwd())
    with closing(setup.resources):
        _show(setup)
        return 0 if args.show else _trust(setup, ask=not args.yes)


def _trust(setup: Setup, *, ask: bool) -> int:
    """Pin what was shown, even if the files have changed in the meantime."""
    state = setup.trust
    if state is None or state.holds or state.problem:
        return 1 if state is not None and state.problem else 0
    if ask and not ask_user("Trust exactly this?"):
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
        print(f"{root} has nothing that would need trust")
    elif state.holds:
        print(f"{root} is trusted, as it is now:")
        print("\n".join(f"  {sanitize(name)}" for name in sorted(state.now)))
    else:
        _show_change(setup, state)


def _show_change(setup: Setup, state: Trust) -> None:
    since = "was never trusted" if state.pinned is None else "changed since it was trusted"
    print(f"{sanitize(setup.places.root)} {since}. In its files, against what was trusted:\n")
    print(sanitize_lines(state.diff()))
    print_problems((), setup.config.waiting)


def _format_count(state: Trust) -> str:
    return "1 file" if len(state.now) == 1 else f"{len(state.now)} files"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--show", action="store_true", help="only show what is trusted and what changed since"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; still needs a terminal")


COMMAND = Command(
    about="Trust exactly what this project's files hold now; shows what changed, and asks.",
    examples="""
hookline trust --show    what is trusted, else what changed since, as a diff
hookline trust           the same, then asks; whatever changes later waits again

A project's own hooks run, and what loosens a guard in its files counts, only while it is trusted.
Only a person can do this: it needs a terminal, with --yes too, and refuses inside a hook.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is trusted or only shown; 1 when it was not; 2 when it was called wrongly",
)
