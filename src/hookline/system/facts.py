"""Facts of the machine that a hook may ask for: looked up lazily, once an event; most are read from files."""

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from hookline.state import Facts
from hookline.system import approvals, ckignore
from hookline.system.diff import changed_lines
from hookline.system.following import follower
from hookline.system.links import is_file
from hookline.system.ourselves import command
from hookline.system.outputs import keep
from hookline.system.peek import script
from hookline.system.places import Places
from hookline.system.rulefile import rule_file


def facts(places: Places, more: Mapping[str, Callable[[], Any]] = MappingProxyType({})) -> Facts:
    suppliers: Mapping[str, Callable[[], Any]] = {
        "root": lambda: places.root,
        "home": lambda: places.home,
        "branch": lambda: branch(places.root),
        "changed_lines": lambda: changed_lines(places.root),
        "realpath": follower,
        "script": lambda: script,
        "is_file": lambda: is_file,
        "ckignore": lambda: ckignore.text(places.root),
        "ckignore_trusted": lambda: ckignore.trusted(places),
        "approvals": lambda: approvals.load(places.state, places.root),
        "rule_file": lambda: lambda name: rule_file(places, name),
        "ourselves": command,
        "keep_output": lambda: lambda text: keep(os.path.join(places.scratch, "outputs"), text),
    }
    return Facts({**suppliers, **more})


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
