"""Create, validate and list targets for `hookline run`."""

import os
import sys
from argparse import Namespace

from hookline.cli._output import print_table, sanitize
from hookline.core.durations import format_duration
from hookline.engine import agents, scope, target, targets, template, workplace
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
        raise ValueError(f"--command requires --agent command, not {host!r}")
    text = template.render_target(args.name, host=host, **options)
    agents.check(target.parse_target(text, args.name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ValueError(f"target {args.name!r} already exists; edit {sanitize(path)}") from None
    print(f"wrote {sanitize(os.path.relpath(path))}; edit it, then run `hookline target check {args.name}`")
    return 0


def check(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = args.names or targets.names(root)
    if not names:
        raise LookupError("no targets; create one with `hookline target new NAME`")
    usable = [_check_target(name, root) for name in names]
    return 0 if all(usable) else 2


def _check_target(name: str, root: str) -> bool:
    """Return whether a target can be used; an error is printed and does not hide other targets."""
    try:
        loaded, text = targets.load(root, name)
        agents.choose(loaded, root, os.environ)
        hint = _find_hint(loaded, text, root)
    except (LookupError, ValueError) as error:
        print(f"hookline: {sanitize(str(error))}", file=sys.stderr)
        return False
    print(f"{sanitize(loaded.name)}: {sanitize(_describe(loaded))}")
    if hint:
        print(f"  {sanitize(hint)}")
    return True


def _find_hint(loaded: Target, text: str, root: str) -> str:
    """Return a hint about the committed files; raise `ValueError` if no experiment can succeed."""
    try:
        repository = open_repository(root, os.environ)
        base = head_commit(repository, os.environ)
    except (ValueError, OSError):  # no run can start yet; `hookline run` reports it
        return ""
    agents.check_base(loaded, repository, base)
    if problem := workplace.try_commands(loaded, text, repository, base, os.environ):
        raise ValueError(f"target {loaded.name!r}: {problem}")
    return scope.hint(loaded.scope, repository, base)


def _describe(loaded: Target) -> str:
    guard = f", guard `{loaded.guard.command}`" if loaded.guard else ", no guard"
    experiments = loaded.limits.experiments
    limit = f", at most {experiments} experiments" if experiments else ""
    return (
        f"{loaded.metric.direction} {loaded.metric.name} of `{loaded.metric.command}`{guard}; "
        f"agent {loaded.agent.host}, {format_duration(loaded.agent.budget)} per experiment{limit}"
    )


def show(args: Namespace) -> int:
    root = targets.root_of(os.getcwd(), os.environ)
    names = targets.names(root)
    if not names:
        print("no targets; create one with `hookline target new NAME`")
        return 0
    print_table(
        ("target", "agent", "direction", "metric", "goal"), [_format_cells(name, root) for name in names]
    )
    return 0


def _format_cells(name: str, root: str) -> tuple[str, ...]:
    try:
        loaded, _ = targets.load(root, name)
    except (LookupError, ValueError) as error:
        return name, "", "", "", f"invalid: {error}"
    return loaded.name, loaded.agent.host, loaded.metric.direction, loaded.metric.command, loaded.goal
