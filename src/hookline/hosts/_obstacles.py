"""What stands in the way of hooks in a host's own files: switches, and folders that nobody trusted yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hookline.core.install_table import Place

Said = Callable[[Mapping[str, "Any"], Place], str]
TRUSTED = ("TRUST_FOLDER", "TRUST_PARENT")


def switched(*names: str, to: bool = True) -> Said:
    """Says which of the switches (dots lead inwards) is set so that no hook of ours runs."""

    def said(holds: Mapping[str, Any], place: Place) -> str:
        found = [name for name in names if _at(holds, name) is to]
        return f"`{found[0]}` is {str(to).lower()}, so hooks do not run" if found else ""

    return said


def _at(holds: Any, path: str) -> Any:
    for key in path.split("."):
        holds = holds.get(key) if isinstance(holds, Mapping) else None
    return holds


def listed(name: str, how: str) -> Said:
    """For hosts that keep a list of trusted folders under *name*."""

    def said(holds: Mapping[str, Any], place: Place) -> str:
        folders = _at(holds, name)
        known = isinstance(folders, list) and any(_within(place.root, str(one)) for one in folders)
        return "" if place.scope == "user" or known else f"{place.root} is no folder that it trusts: {how}"

    return said


def trusted_folder(how: str, switch: str, *, usually: bool) -> Said:
    """For hosts that keep, for each folder, whether it is trusted, and ask only where a *switch* is on."""

    def said(holds: Mapping[str, Any], place: Place) -> str:
        asked = _at(place.also, switch)
        if place.scope == "user" or not (asked if isinstance(asked, bool) else usually):
            return ""
        known = any(
            level in TRUSTED and _trusts(folder, level, place.root) for folder, level in holds.items()
        )
        return "" if known else f"{place.root} is no folder that it trusts: {how}"

    return said


def trusted_project(how: str) -> Said:
    """For hosts that keep, for each project, how far it is trusted; what lies deeper counts with it."""

    def said(holds: Mapping[str, Any], place: Place) -> str:
        known = _at(holds, "projects")
        levels = known.items() if isinstance(known, Mapping) else ()
        trusted = any(path == place.root and _at(one, "trust_level") == "trusted" for path, one in levels)
        return "" if place.scope == "user" or trusted else f"{place.root} is no project that it trusts: {how}"

    return said


def off_by_name(switch: str, name: str = "hookline") -> Said:
    """For hosts that keep a list of hooks that are switched off."""

    def said(holds: Mapping[str, Any], place: Place) -> str:
        names = _at(holds, switch)
        off = isinstance(names, list) and name in names
        return f"`{switch}` names {name!r}, so our hooks do not run" if off else ""

    return said


def _trusts(folder: str, level: str, root: str) -> bool:
    return _within(root, folder.rpartition("/")[0] if level == "TRUST_PARENT" else folder)


def _within(path: str, folder: str) -> bool:
    folder = folder.rstrip("/")
    return path == folder or path.startswith(f"{folder}/")


def either(*ways: Said) -> Said:
    """The first of these that stands in the way."""
    return lambda holds, place: next(filter(None, (said(holds, place) for said in ways)), "")
