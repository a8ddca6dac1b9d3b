"""Facts of the machine that a hook may ask for, each found out when it does; most are read from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from hookline.system import (
    approvals,
    briefs,
    ckignore,
    diff,
    following,
    links,
    outputs,
    own_command,
    peek,
    rulefile,
    weight,
    workspace,
)
from hookline.system.places import Places


def _keep(places: Places, text: str) -> Any:
    return outputs.keep(os.path.join(places.scratch, "outputs"), text)


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
    "changed_lines": lambda places: diff.changed_lines(places.root),
    "realpath": lambda places: following.follower(),
    "script": lambda places: peek.script,
    "is_file": lambda places: links.is_file,
    "inside": lambda places: lambda name: briefs.inside(places.root, name),
    "newest_folder": lambda places: lambda name: briefs.newest_folder(places.root, name),
    "weight": lambda places: weight.weight,
    "ckignore": lambda places: ckignore.text(places.root),
    "ckignore_trusted": ckignore.trusted,
    "approvals": lambda places: approvals.load(places.state, places.root),
    "rule_file": lambda places: lambda name: rulefile.rule_file(places, name),
    "ourselves": lambda places: own_command.command(),
    "workspace": lambda places: workspace.fingerprint(places.root),
    "content": lambda places: workspace.content,
    "keep_output": lambda places: lambda text: _keep(places, text),
}
