"""Reading of the file with hookline's own secret: by name, by a pattern, with its folder, or by a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from hookline.hooks._self_protect.guarded_paths import (
    Guard,
    find_matches,
    fit,
    has_literal,
    split_path,
    split_paths,
)
from hookline.shell import UNKNOWN, Effect, SimpleCommand
from hookline.shell.effect_programs import find_roots
from hookline.shell.options import word_set

_SECRET = "mcp-secret"  # noqa: S105 -- the name of a file
_OTHER_FOLDERS = word_set(".config share bin")
"""Folders whose folders named hookline have no secret."""
_FINDERS = word_set("find gfind")
_TESTS = word_set("-name -iname -path -ipath -wholename -iwholename")


def is_secret(path: str) -> bool:
    """Return whether the absolute *path* is the file with the secret."""
    *folders, name = split_path(path) or [""]
    return name == _SECRET and "hookline" in folders


def opens_secret(effect: Effect, origins: Iterable[SimpleCommand], guard: Guard) -> bool:
    """Return whether *effect* opens the secret; *origins* are the commands that its path comes from."""
    path = effect.path
    places = [*guard.places(path.text, effect.cwd)]
    if any(map(is_secret, places)) or (path.glob and any(_matches(place, guard) for place in places)):
        return True
    if effect.recursive and any(_holds(place, (), guard) for place in places):
        return True
    return path.dynamic and any(_finds(one, guard) for one in origins if one.name in _FINDERS)


def _matches(pattern: str, guard: Guard) -> bool:
    """Return whether a glob matches the secret in a folder of that name, or in one of our folders."""
    *folders, name = names = split_path(pattern) or [""]
    if not fnmatchcase(_SECRET, name):
        return False
    named = folders[-1:] == ["hookline"] and ("state" in folders or has_literal(name))
    return named or any(len(own) == len(folders) and fit([*own, _SECRET], names) for own in _folders(guard))


def _holds(folder: str, masks: Sequence[str], guard: Guard) -> bool:
    """Return whether the files below *folder* include the secret.

    Without *masks* that restrict their names, only our folder and the one around it count.
    """
    named = [mask for mask in masks if has_literal(mask)]
    if named and not any(find_matches(mask, (_SECRET,)) for mask in named):
        return False
    names = split_path(folder)
    near = (own for own in _folders(guard) if named or len(own) - len(names) <= 1)
    return any(len(names) <= len(own) and fit(own, names) for own in near)


def _folders(guard: Guard) -> list[list[str]]:
    return [
        own
        for own in split_paths(tuple(guard.paths))
        if own[-1] == "hookline" and _OTHER_FOLDERS.isdisjoint(own)
    ]


def _finds(search: SimpleCommand, guard: Guard) -> bool:
    masks = list_masks(search)
    places = (
        place
        for root in find_roots(search)
        if UNKNOWN not in root.text
        for place in guard.places(root.text, search.cwd)
    )
    return any(_holds(place, masks, guard) for place in places)


def list_masks(search: SimpleCommand) -> list[str]:
    """Return the names that a `find` command tests for."""
    tests = (after.text for word, after in pairwise(search.words) if word.text in _TESTS)
    return [text.lower().rpartition("/")[2] for text in tests]
