"""The targets of a project, a file each."""

import os
from collections.abc import Mapping

from hookline.engine import repository as repositories
from hookline.engine import target
from hookline.engine.runs import checked
from hookline.engine.target import Target
from hookline.system import files, places
from hookline.system.places import FOLDER

ENDING = ".toml"


def root_of(cwd: str, env: Mapping[str, str]) -> str:
    """Whose targets these are: the repository's, as runs are; where there is none the project's."""
    try:
        return repositories.open_at(cwd, env).root
    except repositories.Unusable:
        return places.project_root(cwd)


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
    text, wrong = files.read(path(root, name), root)
    if wrong:
        raise ValueError(f"target {name!r} {wrong}")
    return target.read(text, name), text
