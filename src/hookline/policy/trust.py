"""What of a project its user has trusted: exactly that content, kept in the user's own file.

The whole set is pinned together, with the files that hooks and commands reach: a hook's helper module is as
much part of what was trusted as the hook.
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

from hookline.policy.read_files import inside, read
from hookline.system.paths import FOLDER

Contents = Mapping[str, str]
"""Path inside the project → text."""
MOST_FILES = 5_000
MOST_BYTES = 64 * 1024 * 1024
"""More is not looked through while an agent waits, so it cannot be trusted."""
UNSHOWN = "(not shown: it "
"""Begins what stands for a file that is no readable text: why, and the sha256 of its bytes."""


class Trust(Struct, frozen=True, kw_only=True):
    """What is there now, against what was trusted."""

    now: Contents
    pinned: Contents | None = None
    """None: never trusted."""
    problem: str = ""
    unseen: tuple[str, ...] = ()
    """What it would run that cannot be seen, and so is not pinned; each with the place that says so."""

    @property
    def holds(self) -> bool:
        """Whether `.hookline/` is exactly as it was trusted, and so is every other file that matters now."""
        if self.pinned is None or _own_files(self.pinned) != _own_files(self.now):
            return False
        return all(self.pinned.get(name) == text for name, text in self.now.items())

    def diff(self) -> str:
        """What changed since it was trusted, as a person reads it; everything, if it never was."""
        before = self.pinned or {}
        parts = (_diff(name, before.get(name), self.now.get(name)) for name in sorted({*before, *self.now}))
        return "".join(parts)


def _own_files(contents: Contents) -> set[str]:
    return {name for name in contents if name.startswith(FOLDER + os.sep)}


def _diff(name: str, old: str | None, new: str | None) -> str:
    if old == new:
        return ""
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        (new or "").splitlines(keepends=True),
        f"trusted/{name}" if old is not None else "/dev/null",
        f"now/{name}" if new is not None else "/dev/null",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def state(file: str, root: str, extra: Iterable[str] = ()) -> Trust:
    """How the project at *root* stands with the trust *file*; *extra* are files outside `.hookline`."""
    try:
        now = contents(root, extra)
    except OSError as error:
        return Trust(now={}, problem=str(error))
    try:
        projects = _load(file)
    except OSError as error:
        return Trust(now=now, problem=str(error))
    return Trust(now=now, pinned=projects.get(os.path.realpath(root)))


def contents(root: str, extra: Iterable[str]) -> dict[str, str]:
    """Every file that can execute or loosen: all of `.hookline/`, and *extra*; too much is an `OSError`."""
    names = set(islice(chain(extra, _own_names(root)), MOST_FILES + 1))
    if len(names) > MOST_FILES or sum(_size(os.path.join(root, name)) for name in names) > MOST_BYTES:
        raise OSError(
            f"{FOLDER} and the files it reaches are more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes: "
            "too much to be looked through, so nothing of it can be trusted"
        )
    return {name: _content(os.path.join(root, name), root) for name in sorted(names)}


def _own_names(root: str) -> Iterator[str]:
    """What lies in `.hookline/`, also behind links that stay inside the project; each folder once."""
    whole, folders, seen = os.path.realpath(root), [FOLDER], set[str]()
    while folders:
        here = folders.pop()
        place, real = os.path.join(root, here), os.path.realpath(os.path.join(root, here))
        if os.path.islink(place):
            yield here
        if real in seen or not (real == whole or inside(place, root)):
            continue
        seen.add(real)
        for name, is_folder in _listed(place):
            if is_folder and name != "__pycache__":
                folders.append(os.path.join(here, name))
            elif not is_folder:
                yield os.path.join(here, name)


def _listed(folder: str) -> Iterator[tuple[str, bool]]:
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
        return f"{UNSHOWN}is a link to {os.readlink(path)!r})"
    text, wrong = read(path, root)
    if text.startswith(UNSHOWN):
        wrong = "begins as if it were not shown"
    return f"{UNSHOWN}{wrong}){_sealed(path, root)}" if wrong else text


def _sealed(path: str, root: str) -> str:
    try:
        # O_NONBLOCK: a pipe must not keep us waiting, and something without end must not be read.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            info = os.fstat(file.fileno())
            # Outside, a regular file without a size may be one that the kernel makes up anew at each reading.
            if stat.S_ISREG(info.st_mode) and (info.st_size or inside(path, root)):
                return " sha256 " + hashlib.sha256(file.read(MOST_BYTES) or b"").hexdigest()
    except OSError:
        pass
    return ""


def digests(root: str, known: Contents) -> dict[str, str]:
    """The sha256 of each file of *known*, by the path that it really has."""
    sealed = {name: _digest(text) for name, text in known.items()}
    return {os.path.realpath(os.path.join(root, name)): one for name, one in sealed.items() if one}


def _digest(text: str) -> str:
    if text.startswith(UNSHOWN):
        return text.rpartition(" sha256 ")[2] if " sha256 " in text else ""
    return hashlib.sha256(text.encode()).hexdigest()


def pin(file: str, root: str, pinned: Contents) -> None:
    """Trust exactly this content."""
    _change(file, {os.path.realpath(root): dict(pinned)})


def unpin(file: str, root: str) -> bool:
    """Trust the project no longer; whether it was trusted."""
    known = os.path.realpath(root) in _load(file)
    _change(file, {os.path.realpath(root): None})
    return known


def _load(file: str) -> dict[str, Contents]:
    """The trusted projects; a file that others could have written, or that is not ours, is refused."""
    try:
        with open(file, encoding="utf-8") as opened:
            _own(opened.fileno(), file)
            projects = _checked(json.load(opened))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        projects = None
    if projects is None:
        raise OSError(f"{file} is not as it was written; mend or remove it: nothing is trusted until then")
    return projects


def _checked(data: Any) -> dict[str, Contents] | None:
    projects = data.get("projects", {}) if isinstance(data, dict) else None
    if not isinstance(projects, dict):
        return None
    whole = all(isinstance(files, dict) for files in projects.values())
    texts = (text for files in projects.values() for text in files.values()) if whole else (None,)
    return projects if all(isinstance(text, str) for text in texts) else None


def _own(descriptor: int, file: str) -> None:
    info = os.fstat(descriptor)
    if info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o077:
        raise OSError(f"{file} can be used by others than you; run: chmod 600 {shlex.quote(file)}")


def _change(file: str, changes: Mapping[str, Contents | None]) -> None:
    projects = {**_load(file), **changes}
    kept = {root: files for root, files in sorted(projects.items()) if files is not None}
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    handle, new = tempfile.mkstemp(dir=os.path.dirname(file), prefix=".trust-")
    with os.fdopen(handle, "w", encoding="utf-8") as opened:
        json.dump({"version": 1, "projects": kept}, opened, indent=1)
    os.replace(new, file)
