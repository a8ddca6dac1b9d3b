"""Facts of the machine that a hook may ask for, each found out when it does; most are read from files."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.system.places import Places


@cache
def _room(name: str) -> Any:
    """A module beside this one, imported when somebody asks for its fact; whole, whoever else imports it."""
    return import_module(f"hookline.system.{name}")


def _keep(places: Places, text: str) -> Any:
    return _room("outputs").keep(os.path.join(places.scratch, "outputs"), text)


def branch(root: str) -> str:
    """The branch that is checked out at *root*; empty where there is none."""
    head = _read(os.path.join(_git_folder(root), "HEAD"))
    return head.removeprefix("ref: refs/heads/").strip() if head.startswith("ref: refs/heads/") else ""


def _git_folder(root: str) -> str:
    """The folder itself, or where a worktree's `.git` file points."""
    place = os.path.join(root, ".git")
    pointer = _read(place)
    if pointer.startswith("gitdir:"):
        return os.path.join(root, pointer.removeprefix("gitdir:").strip())
    return place


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096)
    except OSError:
        return ""


FACTS: Mapping[str, Callable[[Places], Any]] = {
    "root": lambda places: places.root,
    "home": lambda places: places.home,
    "branch": lambda places: branch(places.root),
    "changed_lines": lambda places: _room("diff").changed_lines(places.root),
    "realpath": lambda places: _room("following").follower(),
    "script": lambda places: _room("peek").script,
    "is_file": lambda places: _room("links").is_file,
    "inside": lambda places: lambda name: _room("briefs").inside(places.root, name),
    "newest_folder": lambda places: lambda name: _room("briefs").newest_folder(places.root, name),
    "weight": lambda places: _room("weight").weight,
    "ckignore": lambda places: _room("ckignore").text(places.root),
    "ckignore_trusted": lambda places: _room("ckignore").trusted(places),
    "approvals": lambda places: _room("approvals").load(places.state, places.root),
    "rule_file": lambda places: lambda name: _room("rulefile").rule_file(places, name),
    "ourselves": lambda places: _room("own_command").command(),
    "workspace": lambda places: _room("workspace").fingerprint(places.root),
    "content": lambda places: _room("workspace").content,
    "keep_output": lambda places: lambda text: _keep(places, text),
}
