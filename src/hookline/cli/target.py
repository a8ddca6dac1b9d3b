"""Write, check and list targets: what `hookline run` improves."""

import os
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import table, visible
from hookline.core.durations import written
from hookline.engine import agents, scope, target, targets, template
from hookline.engine.git import repository as repositories
from hookline.engine.target import Target

SAID = ("goal", "mutable", "metric", "direction", "guard", "command")
"""What may be said of a new target besides who works on it."""


def new(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    path = targets.path(root, args.name)
    said = {name: getattr(args, name) for name in SAID}
    host = args.agent or ("command" if args.command else agents.usual(os.environ))
    if args.command and host != "command":
        raise ValueError(f"--command is the shell line of the agent 'command'; {host!r} has none")
    text = template.text(args.name, host=host, **said)
    agents.check(target.read(text, args.name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ValueError(f"target {args.name!r} is there already; edit {visible(path)}") from None
    print(f"wrote {visible(os.path.relpath(path))}; edit it, then `hookline target check {args.name}`")
    return 0


def check(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = args.names or targets.names(root)
    if not names:
        raise LookupError("there is no target here; `hookline target new NAME` writes one")
    usable = [_checked(name, root) for name in names]
    return 0 if all(usable) else 2


def _checked(name: str, root: str) -> bool:
    """Whether a target can be used; what is wrong with one does not hide the others."""
    try:
        one, _ = targets.load(root, name)
        agents.choose(one, root, os.environ)
        hint = _hint(one, root)
    except (LookupError, ValueError) as error:
        print(f"hookline: {visible(str(error))}", file=sys.stderr)
        return False
    print(f"{visible(one.name)}: {visible(_summary(one))}")
    if hint:
        print(f"  {visible(hint)}")
    return True


def _hint(one: Target, root: str) -> str:
    """What a person should know about what is committed; raises `ValueError` where nothing can come of it."""
    try:
        repository = repositories.open_at(root, os.environ)
        base = repositories.base_of(repository, os.environ)
    except (ValueError, OSError):  # where no run can be begun yet, that is said then
        return ""
    agents.check_base(one, repository, base)
    return scope.hint(one.scope, repository, base)


def _summary(one: Target) -> str:
    guard = f", guarded by `{one.guard.command}`" if one.guard else ", without a guard"
    experiments = one.limits.experiments
    most = f", at most {experiments} experiments" if experiments else ""
    return (
        f"{one.metric.direction} {one.metric.name} of `{one.metric.command}`{guard}; "
        f"{one.agent.host} has {written(one.agent.budget)} for each{most}"
    )


def show(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = targets.names(root)
    if not names:
        print("no targets here; `hookline target new NAME` writes one")
        return 0
    table(("target", "agent", "better", "metric", "goal"), [_cells(name, root) for name in names])
    return 0


def _cells(name: str, root: str) -> tuple[str, ...]:
    try:
        one, _ = targets.load(root, name)
    except (LookupError, ValueError) as error:
        return name, "", "", "", f"cannot be used: {error}"
    return one.name, one.agent.host, one.metric.direction, one.metric.command, one.goal


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    fresh = _verb(verbs, "new", "Write a target to begin with.", new)
    fresh.add_argument("name", metavar="NAME")
    fresh.add_argument("--goal", default="", metavar="TEXT", help="what should become better, in words")
    fresh.add_argument(
        "--mutable", action="append", default=[], metavar="GLOB", help="what may be changed; again for more"
    )
    fresh.add_argument("--metric", default="", metavar="COMMAND", help="prints the number to improve")
    fresh.add_argument("--direction", choices=("lower", "higher"), default="lower")
    fresh.add_argument("--guard", default="", metavar="COMMAND", help="must still work afterwards")
    fresh.add_argument(
        "--agent",
        default="",
        metavar="HOST",
        help="a host, `tuner` or `command`; without it the first host that is installed here, else `tuner`",
    )
    fresh.add_argument("--command", default="", metavar="LINE", help="what the agent `command` runs")
    checked = _verb(verbs, "check", "Say whether targets can be used, and what they come to.", check)
    checked.add_argument("names", nargs="*", metavar="NAME")
    _verb(verbs, "list", "Show the targets of this project.", show)


def _verb(verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Any) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about)
    one.set_defaults(carry_out=work)
    return one


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
