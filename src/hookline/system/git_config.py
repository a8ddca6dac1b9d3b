"""Settings of git, read from the files of a repository and of the user without starting git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hookline.system.git_facts import shared_folder
from hookline.system.read_script import read_executed_script

_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)', re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:=(.*))?", re.DOTALL)
_VALUE_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|([#;].*)|\\(.)|([^"#;\\]+)', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_MAX_INCLUDES = 8
"""Maximum nesting of included files."""
_MAX_PARENTS = 64
"""Maximum folders between a working directory and its repository."""


def find_setting(cwd: str, name: str, user_files: tuple[str, ...], home: str) -> str | None:
    """Return the setting *name* in *cwd*: of the repository, or of the last of *user_files* that has it."""
    repository = _find_repository(cwd)
    files = (
        (os.path.join(repository, "config"), *reversed(user_files)) if repository else reversed(user_files)
    )
    return next((value for path in files if (value := _load(path, home).get(name)) is not None), None)


def _find_repository(cwd: str) -> str:
    """Return the git folder of the repository that *cwd* is in; empty outside of one."""
    folder = cwd
    for _ in range(_MAX_PARENTS):
        if os.path.exists(os.path.join(folder, ".git")):
            return shared_folder(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return ""


def _load(path: str, home: str, depth: int = 0) -> Mapping[str, str]:
    """Return the settings of a file and of the files that it includes, by normalised name."""
    settings: dict[str, str] = {}
    for name, value in _parse_file(path, _modified(path)):
        if name == "include.path" and depth < _MAX_INCLUDES:
            included = value.replace("~", home, 1) if value.startswith("~/") else value
            settings |= _load(os.path.join(os.path.dirname(path), included), home, depth + 1)
        else:
            settings[name] = value
    return settings


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


@lru_cache(maxsize=32)
def _parse_file(path: str, modified: int) -> tuple[tuple[str, str], ...]:
    """Read the file again only if *modified*, its time of modification, differs."""
    return tuple(parse_config((read_executed_script(path) or "") if modified else ""))


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a configuration file; names are in lower case."""
    section = ""
    for line in text.replace("\\\n", "").split("\n"):
        match = _SECTION.match(line)
        if match is not None:
            name, sub, _ = match.groups()
            section = name + ("." + re.sub(r"\\(.)", r"\1", sub) if sub is not None else "")
        assignment = _ASSIGNMENT.fullmatch(line if match is None else match.group(3))
        if assignment is not None and section:
            key, value = assignment.groups()
            yield f"{section}.{key}".lower(), "true" if value is None else _parse_value(value)


def _parse_value(text: str) -> str:
    pieces: list[str] = []
    for quoted, comment, escaped, plain in _VALUE_PART.findall(text.strip()):
        if comment:
            break
        pieces.append(
            re.sub(r"\\(.)", _unescape, quoted) if quoted else _ESCAPES.get(escaped, escaped) or plain
        )
    return "".join(pieces).strip()


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(1), match.group(1))
