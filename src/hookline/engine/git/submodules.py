"""The submodules of a commit, read from local repositories only, never from the network.

In experiments they are as in the user's checkout: readable, or empty if not initialised.
"""

import os
from collections.abc import Iterator
from glob import escape, glob

from msgspec import Struct

from hookline.engine.git.repository import Repository, Unusable
from hookline.engine.git.run_git import open_git

FILE = ".gitmodules"
_LINK = "160000"


class Module(Struct, frozen=True, kw_only=True):
    """A submodule that the user has initialised."""

    path: str
    """Path relative to the root of the containing repository."""
    commit: str
    repository: Repository


def available_modules(repository: Repository, commit: str) -> Iterator[Module]:
    """Yield the initialised submodules of a commit; raise `Unusable` if one lacks its commit."""
    for path, (name, expected) in links(repository, commit).items():
        module_repository = _find_repository(repository, path, name)
        if module_repository is None:
            continue
        if not module_repository.commit(expected):
            raise Unusable(
                f"submodule {path!r} lacks commit {expected[:12]}; run `git submodule update --init`"
            )
        yield Module(path=path, commit=expected, repository=module_repository)


def links(repository: Repository, commit: str) -> dict[str, tuple[str, str]]:
    """Return the path of each submodule of a commit, with its name and expected commit."""
    config = repository.git.attempt("config", "--blob", f"{commit}:{FILE}", "--null", "--list").stdout
    named = dict(_parse_names(config))
    lines = repository.git("ls-tree", "-z", commit, "--", *named).split("\0") if named else []
    entries = [line.partition("\t") for line in lines if line.startswith(_LINK)]
    return {path: (named[path], info.split(" ")[2]) for info, _, path in entries}


def _parse_names(config: str) -> Iterator[tuple[str, str]]:
    for setting in config.split("\0"):
        key, _, path = setting.partition("\n")
        name = key.removeprefix("submodule.").removesuffix(".path")
        if key == f"submodule.{name}.path" and path and ".." not in name.split("/"):
            yield path, name


def _find_repository(repository: Repository, path: str, name: str) -> Repository | None:
    """Return the local repository of a submodule: in the git directory or in the checkout."""
    git_dir = repository.git.dir
    candidates = [
        os.path.join(git_dir, "modules", name),
        *sorted(glob(os.path.join(escape(git_dir), "worktrees", "*", "modules", escape(name)))),
        os.path.join(repository.root, path, ".git"),
    ]
    root = os.path.join(repository.root, path)
    for candidate in candidates:
        if os.path.isfile(os.path.join(candidate, "HEAD")):
            return Repository(root=root, git=open_git(candidate, repository.git.env))
    return None


def check(repository: Repository, commit: str) -> tuple[str, ...]:
    """Return the paths of empty submodules, nested ones included; raise `Unusable` for an unusable commit."""
    declared = links(repository, commit)
    entries = repository.git("ls-tree", "-r", "-z", commit).split("\0")
    link_paths = [entry.partition("\t")[2] for entry in entries if entry.startswith(_LINK)]
    for path in link_paths:
        if path not in declared:
            raise Unusable(
                f"the repository at {path!r} is a submodule that {FILE} does not list, "
                "so its files are missing; run `git submodule add` for it, or remove it"
            )
    available = {module.path: module for module in available_modules(repository, commit)}
    nested = (
        f"{path}/{nested_path}"
        for path, module in available.items()
        for nested_path in check(module.repository, module.commit)
    )
    return (*(path for path in declared if path not in available), *nested)
