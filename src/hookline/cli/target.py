"""Write, check and list targets: what `hookline run` improves."""

import os
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import print_table, sanitize
from hookline.core.durations import format_duration
from hookline.engine import agents, scope, target, targets, template
from hookline.engine.git.repository import head_commit, open_repository
from hookline.engine.target import Target

OPTIONS = ("goal", "mutable", "metric", "direction", "guard", "command")
"""Options of a new target, besides its agent."""


def new(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    path = targets.target_path(root, args.name)
    options = {name: getattr(args, name) for name in OPTIONS}
    host = args.agent or ("command" if args.command else agents.default_agent(os.environ))
    if args.command and host != "command":
        raise ValueError(f"--command is the shell line of the agent 'command'; {host!r} has none")
    text = template.render_target(args.name, host=host, **options)
    agents.check(target.parse_target(text, args.name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ValueError(f"target {args.name!r} is there already; edit {sanitize(path)}") from None
    print(f"wrote {sanitize(os.path.relpath(path))}; edit it, then `hookline target check {args.name}`")
    return 0


def check(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = args.names or targets.names(root)
    if not names:
        raise LookupError("there is no target here; `hookline target new NAME` writes one")
    usable = [_check_target(name, root) for name in names]
    return 0 if all(usable) else 2


def _check_target(name: str, root: str) -> bool:
    """Return whether a target can be used; an error is printed and does not hide other targets."""
    try:
        loaded, _ = targets.load(root, name)
        agents.choose(loaded, root, os.environ)
        hint = _find_hint(loaded, root)
    except (LookupError, ValueError) as error:
        print(f"hookline: {sanitize(str(error))}", file=sys.stderr)
        return False
    print(f"{sanitize(loaded.name)}: {sanitize(_describe(loaded))}")
    if hint:
        print(f"  {sanitize(hint)}")
    return True


def _find_hint(loaded: Target, root: str) -> str:
    """Return a hint about the committed files; raise `ValueError` if no experiment can succeed."""
    try:
        repository = open_repository(root, os.environ)
        base = head_commit(repository, os.environ)
    except (ValueError, OSError):  # no run can begin yet; `hookline run` reports it
        return ""
    agents.check_base(loaded, repository, base)
    return scope.hint(loaded.scope, repository, base)


def _describe(loaded: Target) -> str:
    guard = f", guarded by `{loaded.guard.command}`" if loaded.guard else ", without a guard"
    experiments = loaded.limits.experiments
    limit = f", at most {experiments} experiments" if experiments else ""
    return (
        f"{loaded.metric.direction} {loaded.metric.name} of `{loaded.metric.command}`{guard}; "
        f"{loaded.agent.host} has {format_duration(loaded.agent.budget)} for each{limit}"
    )


def show(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = targets.names(root)
    if not names:
        print("no targets here; `hookline target new NAME` writes one")
        return 0
    print_table(
        ("target", "agent", "better", "metric", "goal"), [_format_cells(name, root) for name in names]
    )
    return 0


def _format_cells(name: str, root: str) -> tuple[str, ...]:
    try:
        loaded, _ = targets.load(root, name)
    except (LookupError, ValueError) as error:
        return name, "", "", "", f"cannot be used: {error}"
    return loaded.name, loaded.agent.host, loaded.metric.direction, loaded.metric.command, loaded.goal


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    new_parser = _add_subcommand(subparsers, "new", "Write a target to begin with.", new)
    new_parser.add_argument("name", metavar="NAME")
    new_parser.add_argument("--goal", default="", metavar="TEXT", help="what should become better, in words")
    new_parser.add_argument(
        "--mutable", action="append", default=[], metavar="GLOB", help="what may be changed; again for more"
    )
    new_parser.add_argument("--metric", default="", metavar="COMMAND", help="prints the number to improve")
    new_parser.add_argument("--direction", choices=("lower", "higher"), default="lower")
    new_parser.add_argument("--guard", default="", metavar="COMMAND", help="must still work afterwards")
    new_parser.add_argument(
        "--agent",
        default="",
        metavar="HOST",
        help="a host, `tuner` or `command`; without it the first host that is installed here, else `tuner`",
    )
    new_parser.add_argument("--command", default="", metavar="LINE", help="what the agent `command` runs")
    check_parser = _add_subcommand(
        subparsers, "check", "Say whether targets can be used, and what they come to.", check
    )
    check_parser.add_argument("names", nargs="*", metavar="NAME")
    _add_subcommand(subparsers, "list", "Show the targets of this project.", show)


def _add_subcommand(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, function: Any
) -> ArgumentParser:
    parser = subparsers.add_parser(name, help=about, description=about)
    parser.set_defaults(carry_out=function)
    return parser


COMMAND = Command(
    about="Write, check and list targets: what `hookline run` improves.",
    examples="""
hookline target new sort --metric "python bench.py" --guard "make test" --mutable "src/sort.py"
hookline target new sort --agent command --command "./improve.sh"
hookline target check                       all of this project
hookline target list

A target is a file, .hookline/targets/NAME.toml; what it may say stands in it.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 2 when a target cannot be used, or it was called wrongly",
)
