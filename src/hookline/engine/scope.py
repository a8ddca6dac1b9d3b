"""Which paths of a repository an agent may change."""

from collections.abc import Callable

from hookline.engine.repository import Repository
from hookline.engine.target import Scope


def inside(scope: Scope) -> Callable[[str], bool]:
    """Whether a path may be changed: mutable, and not immutable."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 -- who only looks at a journal needs none

    mutable = GitIgnoreSpec.from_lines(scope.mutable)
    immutable = GitIgnoreSpec.from_lines(scope.immutable)
    return lambda path: bool(mutable.match_file(path)) and not immutable.match_file(path)


def hint(scope: Scope, repository: Repository, base: str) -> str:
    """What a user should know of a scope that fits no file of the commit *base*; empty where it fits some."""
    fits = inside(scope)
    if any(map(fits, repository.git("ls-tree", "-r", "-z", "--name-only", base).split("\0"))):
        return ""
    globs = ", ".join(scope.mutable)
    return f"no file of the commit is in scope.mutable ({globs}): only new ones can be made"
