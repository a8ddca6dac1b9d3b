"""Reading of configuration files, never through a link out of the project, and with a size limit."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.policy.model import File, Problem
from hookline.system import file_stamps
from hookline.system.paths import Places

LARGEST = 1024 * 1024
"""Bytes: a configuration of a megabyte is a mistake or an attack."""
LARGEST_SETTINGS = 16 * LARGEST
"""Bytes of a host's settings file: hosts know no limit, so one may be padded; more would take too long."""


class Folder(Struct, frozen=True, kw_only=True):
    """A folder of configuration, and whose it is."""

    path: str
    source: str
    """user or project."""
    root: str = ""
    """What must contain every file; empty for the user's own folder."""


def read(path: str, root: str = "") -> tuple[str, str]:
    """The file's text and what is wrong with it; ("", "") where there is no file."""
    file_stamps.at(path)
    if not os.path.lexists(path):
        return "", ""
    if root and not inside(path, root):
        return "", "is a link that leads out of the project, so it is not read"
    try:
        data = _bytes(path, LARGEST)
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"
    if len(data) > LARGEST:
        return "", f"is larger than {LARGEST:,} bytes, so it is not read"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        return "", f"is no UTF-8 text (byte {error.start})"


def _bytes(path: str, most: int) -> bytes:
    # O_NONBLOCK: a repository may hold a pipe where a file is expected, and opening it must not wait.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read(most + 1) or b""


def inside(path: str, root: str) -> bool:
    """Whether *path* lies in *root*, links followed."""
    whole = os.path.realpath(root)
    return os.path.realpath(path).startswith(whole.rstrip(os.sep) + os.sep)


def load(folder: Folder, names: Iterable[tuple[str, str]]) -> Iterator[File | Problem]:
    """The files of the *folder* that exist, as (file name, source) asks; what cannot be read is a problem."""
    for name, source in names:
        path = os.path.join(folder.path, name)
        text, wrong = read(path, folder.root)
        if wrong:
            yield Problem(file=shown(path, folder), text=wrong)
        elif text or (name.endswith(".json") and os.path.lexists(path)):
            yield File(name=shown(path, folder), text=text, source=source, root=folder.root or folder.path)


def shown(path: str, folder: Folder) -> str:
    """The path as a person would write it: inside a project relative to its root."""
    return os.path.relpath(path, folder.root) if folder.root else path


def scripts(folder: Folder) -> Iterator[str | Problem]:
    """The paths of the folder's `hooks/*.py`."""
    place = os.path.join(folder.path, "hooks")
    file_stamps.at(place)
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return
    for name in names:
        path = os.path.join(place, name)
        if not name.endswith(".py") or name.startswith("_") or not os.path.isfile(path):
            continue
        if folder.root and not inside(path, folder.root):
            wrong = "is a link that leads out of the project, so it is not run"
            yield Problem(file=shown(path, folder), text=wrong)
        else:
            yield path


class HostSettings(Struct, frozen=True, kw_only=True):
    """What a host's settings file says of the environment, as far as that can be told."""

    env: Mapping[str, Any] | None = None
    """None: the file is there, and what a host makes of it cannot be told."""
    text: str | None = ""
    """What such a file holds; None: more than is read."""


_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:](.*)$", re.MULTILINE)
"""A variable in a file of that kind; a line within a longer value counts too, which errs on the safe side."""


def host_settings(path: str) -> HostSettings | None:
    """The settings file at *path*, read as leniently as any host might; None where there is none."""
    file_stamps.at(path)
    try:
        data = _bytes(path, LARGEST_SETTINGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return HostSettings()
    if len(data) > LARGEST_SETTINGS:
        return HostSettings(text=None)
    text = data.decode("utf-8-sig", "replace")
    if os.path.basename(path) == ".env":
        lines = _LINE.findall(text.replace("\0", ""))
        return HostSettings(env={name: value.strip().strip("'\"`") for name, value in lines})
    try:
        env = json.loads(text).get("env") if text.strip() else None
    except (ValueError, AttributeError, RecursionError):
        return HostSettings(text=text.replace("\0", ""))  # as it stands in a text of two bytes a character
    return HostSettings(env=env if isinstance(env, dict) else {})


def rule_file(places: Places, name: str) -> tuple[str, str]:
    """The text, and what is wrong with the file, in words that follow its name."""
    home = os.path.join(places.home, name[2:]) if name.startswith("~/") else name
    path = os.path.join(places.root, home)
    return read(path) if os.path.lexists(path) else ("", "is not there")
