"""Content of a project that its user has trusted, kept in the user's own file.

All files are pinned together, including those that hooks and commands reach: a helper module of a hook is as
much part of the trusted content as the hook.
"""

import difflib
import hashlib
import json
import os
import shlex
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from msgspec import Struct

from hookline.policy.read_files import is_inside, read
from hookline.system.paths import FOLDER, create_private, quote_path

Contents = Mapping[str, str]
"""Path inside the project to text."""
MAX_FILES = 5_000
MAX_BYTES = 64 * 1024 * 1024
"""Limits of the search while an agent waits; a larger project cannot be trusted."""
UNSHOWN_PREFIX = "(not shown: it "
"""Start of the text that replaces an unreadable file: the reason, and the sha256 of its bytes."""


class Trust(Struct, frozen=True, kw_only=True):
    """The present content and the trusted content."""

    now: Contents
    pinned: Contents | None = None
    """Trusted content; None if never trusted."""
    problem: str = ""
    unseen: tuple[str, ...] = ()
    """Files that would run but cannot be found, so they are not pinned; each with its origin."""

    @property
    def holds(self) -> bool:
        """True if `.hookline/` and every other relevant file are exactly as trusted."""
        if self.pinned is None or _own_files(self.pinned) != _own_files(self.now):
            return False
        return all(self.pinned.get(name) == text for name, text in self.now.items())

    def diff(self) -> str:
        """Return the changes since the content was trusted; all of it if it never was."""
        before = self.pinned or {}
        parts = (_diff(name, before.get(name), self.now.get(name)) for name in sorted({*before, *self.now}))
        return "".join(parts)


def _own_files(contents: Contents) -> set[str]:
    return {name for name in contents if name.startswith(FOLDER + os.sep)}


def _diff(name: str, old: str | None, new: str | None) -> str:
    if old == new:
        return ""
    header = (
        "--- /dev/null" if old is None else f"--- {quote_path(f'trusted/{name}')}",
        "+++ /dev/null" if new is None else f"+++ {quote_path(f'now/{name}')}",
    )
    before, after = (text.splitlines(keepends=True) for text in (old or "", new or ""))
    changes = islice(difflib.unified_diff(before, after), len(header), None)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in (*header, *changes))


def read_trust(file: str, root: str, extra: Iterable[str] = ()) -> Trust:
    """Return the trust in the project at *root* by the trust *file*; *extra* lie outside `.hookline`."""
    try:
        now = read_contents(root, extra)
    except OSError as error:
        return Trust(now={}, problem=str(error))
    try:
        projects = _load(file)
    except OSError as error:
        return Trust(now=now, problem=str(error))
    return Trust(now=now, pinned=projects.get(os.path.realpath(root)))


def read_contents(root: str, extra: Iterable[str]) -> dict[str, str]:
    """Return every file that can execute or loosen: `.hookline/` and *extra*; raise `OSError` if too much."""
    names = set(islice(chain(extra, _own_names(root)), MAX_FILES + 1))
    if len(names) > MAX_FILES or sum(_size(os.path.join(root, name)) for name in names) > MAX_BYTES:
        raise OSError(
            f"{FOLDER} and the files it reaches are more than {MAX_FILES:,} files or {MAX_BYTES:,} bytes: "
            "too many to check, so they cannot be trusted"
        )
    return {name: _content(os.path.join(root, name), root) for name in sorted(names)}


def _own_names(root: str) -> Iterator[str]:
    """Yield the files in `.hookline/`, also behind links inside the project; each folder once."""
    real_root, folders, seen = os.path.realpath(root), [FOLDER], set[str]()
    while folders:
        relative = folders.pop()
        path, real_path = os.path.join(root, relative), os.path.realpath(os.path.join(root, relative))
        if os.path.islink(path):
            yield relative
        if real_path in seen or not (real_path == real_root or is_inside(path, root)):
            continue
        seen.add(real_path)
        for name, is_folder in _list_folder(path):
            if is_folder and name != "__pycache__":
                folders.append(os.path.join(relative, name))
            elif not is_folder:
                yield os.path.join(relative, name)


def _list_folder(folder: str) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            yield from ((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _content(path: str, root: str) -> str:
    if os.path.islink(path) and os.path.isdir(path):
        return f"{UNSHOWN_PREFIX}is a link to {os.readlink(path)!r})"
    text, error = read(path, root)
    if text.startswith(UNSHOWN_PREFIX):
        error = "begins as if it were not shown"
    return f"{UNSHOWN_PREFIX}{error}){_hash_suffix(path, root)}" if error else text


def _hash_suffix(path: str, root: str) -> str:
    try:
        # O_NONBLOCK: opening a pipe must not block, and an endless file must not be read.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            info = os.fstat(file.fileno())
            # Outside the project, a regular file of size 0 may be one that the kernel generates at each read.
            if stat.S_ISREG(info.st_mode) and (info.st_size or is_inside(path, root)):
                return " sha256 " + hashlib.sha256(file.read(MAX_BYTES) or b"").hexdigest()
    except OSError:
        pass
    return ""


def digests(root: str, contents: Contents) -> dict[str, str]:
    """Return the sha256 of each file of *contents*, by its real path."""
    hashes = {name: _digest(text) for name, text in contents.items()}
    return {os.path.realpath(os.path.join(root, name)): digest for name, digest in hashes.items() if digest}


def _digest(text: str) -> str:
    if text.startswith(UNSHOWN_PREFIX):
        return text.rpartition(" sha256 ")[2] if " sha256 " in text else ""
    return hashlib.sha256(text.encode()).hexdigest()


def pin(file: str, root: str, pinned: Contents) -> None:
    """Trust exactly this content."""
    _change(file, {os.path.realpath(root): dict(pinned)})


def unpin(file: str, root: str) -> bool:
    """Remove the project's trust; return whether it was trusted."""
    was_trusted = os.path.realpath(root) in _load(file)
    _change(file, {os.path.realpath(root): None})
    return was_trusted


def _load(file: str) -> dict[str, Contents]:
    """Return the trusted projects; raise `OSError` if other users could have written the file."""
    try:
        with open(file, encoding="utf-8") as stream:
            _require_private(stream.fileno(), file)
            projects = _validate(json.load(stream))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        projects = None
    if projects is None:
        raise OSError(f"{file} is damaged; fix or remove it: nothing is trusted until then")
    return projects


def _validate(data: Any) -> dict[str, Contents] | None:
    projects = data.get("projects", {}) if isinstance(data, dict) else None
    if not isinstance(projects, dict):
        return None
    well_formed = all(isinstance(files, dict) for files in projects.values())
    texts = (text for files in projects.values() for text in files.values()) if well_formed else (None,)
    return projects if all(isinstance(text, str) for text in texts) else None


def _require_private(descriptor: int, file: str) -> None:
    info = os.fstat(descriptor)
    if info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o077:
        raise OSError(f"{file} is accessible to other users; run: chmod 600 {shlex.quote(file)}")


def _change(file: str, changes: Mapping[str, Contents | None]) -> None:
    projects = {**_load(file), **changes}
    kept = {root: files for root, files in sorted(projects.items()) if files is not None}
    create_private(os.path.dirname(file))
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(file), prefix=".trust-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump({"version": 1, "projects": kept}, stream, indent=1)
    os.replace(temporary, file)
