"""The target files of a project."""

import os
from collections.abc import Mapping

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine import target
from hookline.engine.git.repository import Unusable, open_repository
from hookline.engine.runs import Run, check_name
from hookline.engine.target import Target
from hookline.policy import read_files
from hookline.system import paths
from hookline.system.paths import FOLDER

EXTENSION = ".toml"


def root_of(cwd: str, env: Mapping[str, str]) -> str:
    """Return the root of the repository that contains *cwd*, or of the project if there is none."""
    try:
        return open_repository(cwd, env).root
    except Unusable:
        return paths.project_root(cwd)


def folder(root: str) -> str:
    return os.path.join(root, FOLDER, "targets")


def target_path(root: str, name: str) -> str:
    return os.path.join(folder(root), f"{check_name(name)}{EXTENSION}")


def names(root: str) -> tuple[str, ...]:
    try:
        entries = os.listdir(folder(root))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(sorted(entry.removesuffix(EXTENSION) for entry in entries if entry.endswith(EXTENSION)))


def load(root: str, name: str) -> tuple[Target, str]:
    """Return a target and the text of its file; without a name, the only target.

    Raise `LookupError` or `ValueError`.
    """
    available = names(root)
    hint = f"available: {', '.join(available)}" if available else "create one with `hookline target new NAME`"
    if not name and len(available) != 1:
        raise LookupError(f"no target given; {hint}")
    name = name or available[0]
    if name not in available:
        raise LookupError(f"no target named {name!r}; {hint}")
    text, problem = read_files.read(target_path(root, name), root)
    if problem:
        raise ValueError(f"target {name!r} {problem}")
    return target.parse_target(text, name), text


CHANGEABLE = ("goal", "agent", "limits", "escalation")
"""Parts of a target that a resumed run takes from the current file."""


class UpdatedRun(Struct, frozen=True, kw_only=True):
    """A run to resume, and a notice for the user."""

    run: Run
    notice: str = ""


def reload_target(run: Run) -> UpdatedRun:
    """Return the *run* with the changeable parts of its current target; unchanged if the file is gone."""
    try:
        current, text = load(run.root, run.name)
    except LookupError:
        return UpdatedRun(run=run)
    except ValueError as error:
        return UpdatedRun(run=run, notice=f"{error}; the run continues with its original target")
    started = target.parse_target(run.text, run.name)
    if current == started:
        return UpdatedRun(run=run)
    if not _measures_the_same(current, started):
        return UpdatedRun(
            run=run,
            notice=f"target {run.name!r} now measures something else; the run continues with the original; "
            f"start a run of the new target with `hookline run {run.name}`",
        )
    parts = " and ".join(name for name in CHANGEABLE if getattr(current, name) != getattr(started, name))
    return UpdatedRun(
        run=replace(run, text=text), notice=f"the run continues with the current {parts} of its target"
    )


def _measures_the_same(current: Target, started: Target) -> bool:
    return replace(current, **{name: getattr(started, name) for name in CHANGEABLE}) == started
