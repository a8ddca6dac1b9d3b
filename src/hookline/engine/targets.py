"""The target files of a project."""

import os
from collections.abc import Mapping

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine import target
from hookline.engine.git import repository as repositories
from hookline.engine.runs import Run, checked
from hookline.engine.target import Target
from hookline.policy import read_files
from hookline.system import paths
from hookline.system.paths import FOLDER

ENDING = ".toml"


def root_of(cwd: str, env: Mapping[str, str]) -> str:
    """Whose targets these are: the repository's, as runs are; where there is none the project's."""
    try:
        return repositories.open_at(cwd, env).root
    except repositories.Unusable:
        return paths.project_root(cwd)


def folder(root: str) -> str:
    return os.path.join(root, FOLDER, "targets")


def path(root: str, name: str) -> str:
    return os.path.join(folder(root), f"{checked(name)}{ENDING}")


def names(root: str) -> tuple[str, ...]:
    try:
        found = os.listdir(folder(root))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(sorted(one.removesuffix(ENDING) for one in found if one.endswith(ENDING)))


def load(root: str, name: str) -> tuple[Target, str]:
    """The target and its file's text; without a name the only one. Raises `LookupError`, `ValueError`."""
    there = names(root)
    known = f"there are: {', '.join(there)}" if there else "`hookline target new NAME` writes one"
    if not name and len(there) != 1:
        raise LookupError(f"which target? {known}")
    name = name or there[0]
    if name not in there:
        raise LookupError(f"no target is called {name!r} here; {known}")
    text, wrong = read_files.read(path(root, name), root)
    if wrong:
        raise ValueError(f"target {name!r} {wrong}")
    return target.read(text, name), text


FREE = ("goal", "agent", "limits", "escalation")
"""Parts of a target that a run which goes on takes as they are now."""


class Changed(Struct, frozen=True, kw_only=True):
    """The run to go on with, and what its user should know."""

    run: Run
    says: str = ""


def by_now(run: Run) -> Changed:
    """The *run*, with what its target says by now where that may change; one that is gone changes nothing."""
    try:
        now, text = load(run.root, run.name)
    except LookupError:
        return Changed(run=run)
    except ValueError as error:
        return Changed(run=run, says=f"{error}; the run goes on with what it began with")
    was = run.target
    if now == was:
        return Changed(run=run)
    if not _measures_the_same(now, was):
        return Changed(
            run=run,
            says=f"target {run.name!r} measures something else by now, so the run goes on with what it "
            f"began with; `hookline run {run.name}` begins one with the change",
        )
    parts = " and ".join(name for name in FREE if getattr(now, name) != getattr(was, name))
    return Changed(
        run=replace(run, text=text), says=f"the run goes on with the {parts} of its target as of now"
    )


def _measures_the_same(now: Target, was: Target) -> bool:
    return replace(now, **{name: getattr(was, name) for name in FREE}) == was
