"""Which paths of a repository an agent may change."""

import re
from collections.abc import Callable, Sequence

from pathspec import GitIgnoreSpec

from hookline.engine.git.repository import Repository
from hookline.engine.target import Scope

Inside = Callable[[str], bool]
"""Tell whether a path is in the scope that an agent may change."""


def inside(scope: Scope) -> Inside:
    """Whether a path may be changed: mutable, and not immutable. Raises `ValueError`."""
    mutable, immutable = _fitting(scope.mutable, "mutable"), _fitting(scope.immutable, "immutable")
    return lambda path: mutable(path) and not immutable(path)


def _fitting(globs: Sequence[str], name: str) -> Inside:
    for one in globs:
        try:
            GitIgnoreSpec.from_lines([one])
        except (ValueError, re.error):
            raise ValueError(f"scope.{name} has {one!r}, which is no glob as in .gitignore") from None
    spec = GitIgnoreSpec.from_lines(globs)
    return lambda path: bool(spec.match_file(path))


def hint(scope: Scope, repository: Repository, base: str) -> str:
    """What a user should know of a scope that fits no file of the commit *base*; empty where it fits some."""
    fits = inside(scope)
    if any(map(fits, repository.git("ls-tree", "-r", "-z", "--name-only", base).split("\0"))):
        return ""
    globs = ", ".join(scope.mutable)
    return f"no file of the commit is in scope.mutable ({globs}): only new ones can be made"
