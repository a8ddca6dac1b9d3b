"""Checks of a host's own files for settings that keep hooks from running: switches and untrusted folders.

Each function returns a check, which returns a sentence about the obstacle, or "" if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hookline.core.install_table import Installation

FindObstacle = Callable[[Mapping[str, "Any"], Installation], str]
TRUSTED_LEVELS = ("TRUST_FOLDER", "TRUST_PARENT")


def disabled_by(*names: str, to: bool = True) -> FindObstacle:
    """Return a check for a switch, given as a dotted path, whose value *to* disables hooks."""

    def find_obstacle(settings: Mapping[str, Any], place: Installation) -> str:
        set_names = [name for name in names if _value_at(settings, name) is to]
        return f"`{set_names[0]}` is {str(to).lower()}, so hooks do not run" if set_names else ""

    return find_obstacle


def _value_at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def unlisted_folder(name: str, fix: str) -> FindObstacle:
    """Return a check for hosts that keep a list of trusted folders under *name*."""

    def find_obstacle(settings: Mapping[str, Any], place: Installation) -> str:
        folders = _value_at(settings, name)
        trusted = isinstance(folders, list) and any(_is_within(place.root, str(folder)) for folder in folders)
        return "" if place.scope == "user" or trusted else f"{place.root} is not a trusted folder: {fix}"

    return find_obstacle


def untrusted_folder(fix: str, switch: str, *, default: bool) -> FindObstacle:
    """Return a check for hosts that record trust per folder.

    Such a host requires trust only if the setting *switch* is on; *default* applies if it is not set.
    """

    def find_obstacle(settings: Mapping[str, Any], place: Installation) -> str:
        enabled = _value_at(place.other_content, switch)
        if place.scope == "user" or not (enabled if isinstance(enabled, bool) else default):
            return ""
        trusted = any(
            level in TRUSTED_LEVELS and _covers(folder, level, place.root)
            for folder, level in settings.items()
        )
        return "" if trusted else f"{place.root} is not a trusted folder: {fix}"

    return find_obstacle


def untrusted_project(fix: str) -> FindObstacle:
    """Return a check for hosts that record a trust level per project root."""

    def find_obstacle(settings: Mapping[str, Any], place: Installation) -> str:
        projects = _value_at(settings, "projects")
        levels = projects.items() if isinstance(projects, Mapping) else ()
        trusted = any(
            path == place.root and _value_at(project, "trust_level") == "trusted" for path, project in levels
        )
        return "" if place.scope == "user" or trusted else f"{place.root} is not a trusted project: {fix}"

    return find_obstacle


def disabled_by_name(switch: str, name: str = "hookline") -> FindObstacle:
    """Return a check for hosts that keep a list of disabled hooks."""

    def find_obstacle(settings: Mapping[str, Any], place: Installation) -> str:
        names = _value_at(settings, switch)
        off = isinstance(names, list) and name in names
        return f"`{switch}` contains {name!r}, so the hooks of hookline do not run" if off else ""

    return find_obstacle


def _covers(folder: str, level: str, root: str) -> bool:
    return _is_within(root, folder.rpartition("/")[0] if level == "TRUST_PARENT" else folder)


def _is_within(path: str, folder: str) -> bool:
    folder = folder.rstrip("/")
    return path == folder or path.startswith(f"{folder}/")


def any_of(*checks: FindObstacle) -> FindObstacle:
    """Return a check that reports the first obstacle found by *checks*."""
    return lambda settings, place: next(filter(None, (check(settings, place) for check in checks)), "")
