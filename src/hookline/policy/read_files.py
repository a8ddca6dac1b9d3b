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

MAX_BYTES = 1024 * 1024
"""Bytes of a configuration file; a larger one is a mistake or an attack."""
MAX_SETTINGS_BYTES = 16 * MAX_BYTES
"""Bytes of a host's settings file. Hosts have no limit, so it may be padded; more takes too long."""


class Folder(Struct, frozen=True, kw_only=True):
    """A folder of configuration."""

    path: str
    source: str
    """user or project."""
    root: str = ""
    """Folder that must contain every file; empty for the user's own folder."""


def read(path: str, root: str = "") -> tuple[str, str]:
    """Return the file's text and an error message; ("", "") if the file does not exist."""
    file_stamps.record_read(path)
    if not os.path.lexists(path):
        return "", ""
    if root and not is_inside(path, root):
        return "", "is a link that leads out of the project, so it is not read"
    try:
        data = _read_bytes(path, MAX_BYTES)
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"
    if len(data) > MAX_BYTES:
        return "", f"is larger than {MAX_BYTES:,} bytes, so it is not read"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        return "", f"is no UTF-8 text (byte {error.start})"


def _read_bytes(path: str, max_bytes: int) -> bytes:
    # O_NONBLOCK: a repository may have a pipe in place of a file, and opening it must not block.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(max_bytes + 1) or b""


def is_inside(path: str, root: str) -> bool:
    """Return whether *path* lies in *root* after links are resolved."""
    real_root = os.path.realpath(root)
    return os.path.realpath(path).startswith(real_root.rstrip(os.sep) + os.sep)


def load(folder: Folder, names: Iterable[tuple[str, str]]) -> Iterator[File | Problem]:
    """Yield the existing files of *folder* among *names*, pairs of file name and source, or a problem."""
    for name, source in names:
        path = os.path.join(folder.path, name)
        text, error = read(path, folder.root)
        if error:
            yield Problem(file=display_path(path, folder), text=error)
        elif text or (name.endswith(".json") and os.path.lexists(path)):
            yield File(
                name=display_path(path, folder), text=text, source=source, root=folder.root or folder.path
            )


def display_path(path: str, folder: Folder) -> str:
    """Return the path to show to a user: inside a project relative to its root."""
    return os.path.relpath(path, folder.root) if folder.root else path


def hook_scripts(folder: Folder) -> Iterator[str | Problem]:
    """Yield the paths of the folder's `hooks/*.py`, or a problem."""
    hooks_folder = os.path.join(folder.path, "hooks")
    file_stamps.record_read(hooks_folder)
    try:
        names = sorted(os.listdir(hooks_folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(hooks_folder, name)
        if not name.endswith(".py") or name.startswith("_") or not os.path.isfile(path):
            continue
        if folder.root and not is_inside(path, folder.root):
            error = "is a link that leads out of the project, so it is not run"
            yield Problem(file=display_path(path, folder), text=error)
        else:
            yield path


class HostSettings(Struct, frozen=True, kw_only=True):
    """The environment that a host's settings file sets, as far as it can be determined."""

    env: Mapping[str, Any] | None = None
    """Variables; None if the file exists but cannot be parsed."""
    text: str | None = ""
    """Text of a file that cannot be parsed; None if it is too large."""


_ENV_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:](.*)$", re.MULTILINE)
"""A variable in an .env file; a line inside a longer value also matches, which errs on the safe side."""


def read_host_settings(path: str) -> HostSettings | None:
    """Parse the settings file at *path* as leniently as any host might; None if it does not exist."""
    file_stamps.record_read(path)
    try:
        data = _read_bytes(path, MAX_SETTINGS_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return HostSettings()
    if len(data) > MAX_SETTINGS_BYTES:
        return HostSettings(text=None)
    text = data.decode("utf-8-sig", "replace")
    if os.path.basename(path) == ".env":
        lines = _ENV_LINE.findall(text.replace("\0", ""))
        return HostSettings(env={name: value.strip().strip("'\"`") for name, value in lines})
    try:
        env = json.loads(text).get("env") if text.strip() else None
    except (ValueError, AttributeError, RecursionError):
        return HostSettings(text=text.replace("\0", ""))  # UTF-16 has a NUL beside each ASCII character
    return HostSettings(env=env if isinstance(env, dict) else {})


def read_rule_file(places: Places, name: str) -> tuple[str, str]:
    """Return the text, and an error message that continues the file's name."""
    expanded = os.path.join(places.home, name[2:]) if name.startswith("~/") else name
    path = os.path.join(places.root, expanded)
    return read(path) if os.path.lexists(path) else ("", "is not there")
