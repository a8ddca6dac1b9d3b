"""The submodules of a commit: where their files come from, which is never a network.

In experiments they are as in the user's checkout: there to be read, or empty where nobody initialised them.
"""

import os
from collections.abc import Iterator
from glob import escape, glob

from msgspec import Struct

from hookline.engine.git.repository import Repository, Unusable
from hookline.engine.git.run_git import Git

FILE = ".gitmodules"
_LINK = "160000"


class Module(Struct, frozen=True, kw_only=True):
    """One that the user has."""

    path: str
    """From the root of what it is in."""
    commit: str
    repository: Repository


def modules(repository: Repository, commit: str) -> Iterator[Module]:
    """Those of a commit whose files are to be had; raises `Unusable` where one lacks what it should be at."""
    for path, (name, wanted) in links(repository, commit).items():
        inner = _known(repository, path, name)
        if inner is None:
            continue
        if not inner.commit(wanted):
            raise Unusable(
                f"submodule {path!r} has no commit {wanted[:12]} yet; run `git submodule update --init`"
            )
        yield Module(path=path, commit=wanted, repository=inner)


def links(repository: Repository, commit: str) -> dict[str, tuple[str, str]]:
    """Paths of all submodules of a commit, with their names and the commits they should be at."""
    told = repository.git.attempt("config", "--blob", f"{commit}:{FILE}", "--null", "--list").stdout
    named = dict(_named(told))
    found = repository.git("ls-tree", "-z", commit, "--", *named).split("\0") if named else []
    entries = [one.partition("\t") for one in found if one.startswith(_LINK)]
    return {path: (named[path], about.split(" ")[2]) for about, _, path in entries}


def _named(told: str) -> Iterator[tuple[str, str]]:
    for one in told.split("\0"):
        key, _, path = one.partition("\n")
        name = key.removeprefix("submodule.").removesuffix(".path")
        if key == f"submodule.{name}.path" and path and ".." not in name.split("/"):
            yield path, name


def _known(repository: Repository, path: str, name: str) -> Repository | None:
    """What the user has of it: beside the repository's own objects, or in the checkout itself."""
    common = repository.git.dir
    places = [
        os.path.join(common, "modules", name),
        *sorted(glob(os.path.join(escape(common), "worktrees", "*", "modules", escape(name)))),
        os.path.join(repository.root, path, ".git"),
    ]
    root = os.path.join(repository.root, path)
    for place in places:
        if os.path.isfile(os.path.join(place, "HEAD")):
            return Repository(root=root, git=Git(dir=place, env=repository.git.env))
    return None


def check(repository: Repository, commit: str) -> tuple[str, ...]:
    """The submodules that are empty, deep ones too; raises `Unusable` where a commit cannot be worked on."""
    known = links(repository, commit)
    everything = repository.git("ls-tree", "-r", "-z", commit).split("\0")
    strange = [one.partition("\t")[2] for one in everything if one.startswith(_LINK)]
    for path in strange:
        if path not in known:
            raise Unusable(
                f"this repository has a commit of another one at {path!r} that {FILE} does not name, "
                "so that its files are nowhere; run `git submodule add` for it, or take it out"
            )
    there = {one.path: one for one in modules(repository, commit)}
    deep = (f"{path}/{inner}" for path, one in there.items() for inner in check(one.repository, one.commit))
    return (*(path for path in known if path not in there), *deep)
