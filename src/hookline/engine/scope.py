"""The paths of a repository that an agent may change."""

import json
import os
import re
from collections.abc import Callable, Sequence

from pathspec import GitIgnoreSpec

from hookline.core.variables import SCOPE_FILE
from hookline.engine import durable_files
from hookline.engine.git.repository import Repository
from hookline.engine.target import Scope

PathFilter = Callable[[str], bool]
"""Predicate of a path relative to the repository root."""


def compile_scope(scope: Scope) -> PathFilter:
    """Return the filter of paths that are mutable and not immutable; raise `ValueError` for a bad glob."""
    mutable, immutable = (
        _compile_globs(scope.mutable, "mutable"),
        _compile_globs(scope.immutable, "immutable"),
    )
    return lambda path: mutable(path) and not immutable(path)


def _compile_globs(globs: Sequence[str], name: str) -> PathFilter:
    for glob in globs:
        try:
            GitIgnoreSpec.from_lines([glob])
        except (ValueError, re.error):
            raise ValueError(
                f"invalid glob {glob!r} in scope.{name}: expected a pattern as in .gitignore"
            ) from None
    spec = GitIgnoreSpec.from_lines(map(anchor, globs))
    return lambda path: bool(spec.match_file(path))


def anchor(glob: str) -> str:
    """Return the glob as a pattern of .gitignore that starts at the root, unless it contains `**`."""
    negation, pattern = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    return glob if "**" in pattern or pattern.startswith(("#", "/")) else f"{negation}/{pattern}"


def save(scope: Scope, folder: str) -> None:
    """Save the globs for the hook that blocks other changes before they happen."""
    globs = {"mutable": [*map(anchor, scope.mutable)], "immutable": [*map(anchor, scope.immutable)]}
    path, text = os.path.join(folder, SCOPE_FILE), json.dumps(globs)
    if durable_files.read_text(path) != text:
        durable_files.write(path, text)


def hint(scope: Scope, repository: Repository, base: str) -> str:
    """Return a notice if the scope matches no file of the commit *base*, otherwise an empty string."""
    in_scope = compile_scope(scope)
    if any(map(in_scope, repository.git("ls-tree", "-r", "-z", "--name-only", base).split("\0"))):
        return ""
    globs = ", ".join(scope.mutable)
    return (
        f"no file of the commit matches scope.mutable ({globs}): agents can only create new files; "
        "patterns start at the root of the repository, and `**/NAME` matches in every folder"
    )
