"""Reading of configuration files, never through a link out of the project, and with a size limit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.lazy import re
from hookline.policy.model import File, Problem
from hookline.system import file_stamps
from hookline.system.paths import Places, quote_path

MAX_BYTES = 1024 * 1024
"""Bytes of a configuration file; a larger one is a mistake or an attack."""


class Folder(Struct, frozen=True, kw_only=True):
    """A folder of configuration."""

    path: str
    source: str
    """user, unverified or project."""
    root: str = ""
    """Folder that must contain every file; empty for the user's own folder."""


def read(path: str, root: str = "") -> tuple[str, str]:
    """Return the file's text and an error message; ("", "") if the file does not exist."""
    file_stamps.record_read(path)
    if not os.path.lexists(path):
        return "", ""
    if root and not is_inside(path, root):
        return "", "is a link out of the project, so it is not read"
    try:
        data = _read_bytes(path, MAX_BYTES)
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"
    if len(data) > MAX_BYTES:
        return "", f"is larger than {MAX_BYTES:,} bytes, so it is not read"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        return "", f"is not UTF-8 text (byte {error.start})"


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
    return quote_path(os.path.relpath(path, folder.root) if folder.root else path)


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
            error = "is a link out of the project, so it is not run"
            yield Problem(file=display_path(path, folder), text=error)
        else:
            yield path


class HostSettings(Struct, frozen=True, kw_only=True):
    """The environment that a host's settings file sets, as far as it can be determined."""

    env: Mapping[str, Any] | None = None
    """Variables; None if the file exists but cannot be parsed."""
    text: str | None = None
    """Text of a file that cannot be parsed; None if that is unknown, too."""
    size: int = 0
    """Bytes that were read."""


def read_host_settings(path: str, max_bytes: int = MAX_BYTES) -> HostSettings | None:
    """Parse the settings file at *path* by the grammar of its host; None if there is no such file."""
    file_stamps.record_read(path)
    try:
        data = _read_bytes(path, max_bytes)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError:
        return HostSettings()
    if len(data) > max_bytes:
        return HostSettings(size=len(data))
    text = data.decode("utf-8-sig", "replace")
    env = parse_dotenv(text) if os.path.basename(path) == ".env" else _parse_json_settings(text)
    return HostSettings(env=env, text=_unescape(text) if env is None else None, size=len(data))


def _parse_json_settings(text: str) -> Mapping[str, Any] | None:
    """Return the key `env`; comments and trailing commas are accepted, because a host may accept them."""
    for prepare in (str.strip, blank_comments):
        try:
            settings = json.loads(prepare(text) or "{}")
        except (ValueError, RecursionError):
            continue
        env = settings.get("env") if isinstance(settings, dict) else None
        return env if isinstance(env, dict) else {}
    return None


def _unescape(text: str) -> str:
    """Return the text of broken JSON in which each name can be found."""
    plain = text.replace("\0", "")  # UTF-16 has a NUL beside each ASCII character
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), plain)


# A string or comment without an end extends to the end of the text: it must not be tried again at each quote.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
STRING_OR_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*[}}\]])", re.DOTALL)


def blank_comments(text: str) -> str:
    """Return *text* with comments and trailing commas replaced by spaces, so that positions stay the same."""
    plain = STRING_OR_COMMENT.sub(_blank_comment, text) if "/" in text else text
    return _STRING_OR_LAST_COMMA.sub(lambda match: _blank_trailing_comma(plain, match), plain)


def _blank_comment(match: re.Match[str]) -> str:
    is_unclosed = match[0].startswith("/*") and not match[0].endswith("*/", 2)
    return match[0] if match[0][0] == '"' or is_unclosed else " " * len(match[0])


def _blank_trailing_comma(plain: str, match: re.Match[str]) -> str:
    if match[0] != ",":
        return match[0]
    position = match.start() - 1
    while position >= 0 and plain[position] in " \t\r\n":
        position -= 1
    return " " if position >= 0 and plain[position] not in "[{,:" else ","


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SPACE_CHARS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_SPACES = f"[{_SPACE_CHARS}]"
_LINE_ENDS = "\n\u2028\u2029"
_QUOTED = "|".join(rf"{_SPACES}*+{q}[^{q}\\]*+(?:\\{q}?[^{q}\\]*+)*{q}" for q in "'\"`")
_DOTENV_LINE = (
    rf"(?:\A|[{_LINE_ENDS}]|(?<=[{_LINE_ENDS}])){_SPACES}*+"
    rf"(?:(?:export{_SPACES}+)?([A-Za-z0-9_.-]+)(?:{_SPACES}*={_SPACES}*?|:{_SPACES}+?)({_QUOTED}|[^#\n]+)?"
    rf"{_SPACES}*(?:\#[^{_LINE_ENDS}]*)?(?=[{_LINE_ENDS}]|\Z))?"
)
"""A line with or without a variable, so that no line is tried twice."""


def parse_dotenv(text: str) -> dict[str, str]:
    """Return the variables of an .env file as hosts read them, with the JavaScript package `dotenv`."""
    lines = re.finditer(_DOTENV_LINE, re.sub("\r\n?", "\n", text))
    return {line[1]: _unquote((line[2] or "").strip(_SPACE_CHARS)) for line in lines if line[1]}


def _unquote(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] in "'\"`" and value[0] == value[-1]
    bare = value[1:-1] if is_quoted else value
    return bare.replace("\\n", "\n").replace("\\r", "\r") if value.startswith('"') else bare


def read_rule_file(places: Places, name: str) -> tuple[str, str]:
    """Return the text, and an error message that continues the file's name."""
    expanded = os.path.join(places.home, name[2:]) if name.startswith("~/") else name
    path = os.path.join(places.root, expanded)
    return read(path) if os.path.lexists(path) else ("", "does not exist")


CKIGNORE = ".ckignore"
_OPENS_PROTECTED = re.compile(r"(?m)^!.*\.(?:git|aws|ssh)\b")


def read_ckignore(root: str) -> str:
    """Return the text of the project's .ckignore; empty if it is missing or cannot be read."""
    return read(os.path.join(root, CKIGNORE), root)[0]


def ckignore_requiring_trust(root: str) -> frozenset[str]:
    """Return the file's name if a line of it opens protected paths, which requires trust."""
    text = read_ckignore(root)
    return frozenset({CKIGNORE}) if "!" in text and _OPENS_PROTECTED.search(text) else frozenset()
