"""What of a project its user has trusted: exactly that content, kept in the user's own file.

The whole set is pinned together, with the scripts that commands name: a hook's helper module is as much
part of what was trusted as the hook.
"""

import difflib
import hashlib
import json
import os
import shlex
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hookline.kind import Declaration
from hookline.system.files import read
from hookline.system.places import FOLDER

Contents = Mapping[str, str]
"""Path inside the project → text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What is there now, against what was trusted."""

    now: Contents
    pinned: Contents | None = None
    """None: never trusted."""
    problem: str = ""

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
    now = contents(root, extra)
    try:
        projects = _load(file)
    except OSError as error:
        return Trust(now=now, problem=str(error))
    return Trust(now=now, pinned=projects.get(os.path.realpath(root)))


def contents(root: str, extra: Iterable[str]) -> dict[str, str]:
    """Every file that can execute or loosen: all of `.hookline/`, and *extra*."""
    names = set(extra)
    for folder, folders, files in os.walk(os.path.join(root, FOLDER)):
        folders[:] = [name for name in folders if name != "__pycache__"]
        names |= {os.path.relpath(os.path.join(folder, name), root) for name in files}
    found = {}
    for name in sorted(names):
        path = os.path.join(root, name)
        text, wrong = read(path, root)
        found[name] = f"({wrong}){_digest(path)}" if wrong else text
    return found


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return " sha256 " + hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def named_files(declarations: Iterable[Declaration], root: str) -> set[str]:
    """The project's own files that commands of *declarations* name."""
    words = (word for declaration in declarations for word in _words(declaration.spec.get("command")))
    paths = (os.path.normpath(os.path.join(root, word)) for word in words)
    return {os.path.relpath(p, root) for p in paths if p.startswith(root + os.sep) and os.path.isfile(p)}


def _words(command: object) -> list[str]:
    if isinstance(command, str):
        try:
            return shlex.split(command)
        except ValueError:
            return command.split()
    return [str(word) for word in command] if isinstance(command, tuple | list) else []


def module_files(modules: Iterable[str], root: str) -> set[str]:
    """The project's own files that import paths mean."""
    found = set()
    for module in modules:
        path = module.partition(":")[0].replace(".", os.sep)
        for place in (f"{path}.py", f"{path}/__init__.py", f"src/{path}.py", f"src/{path}/__init__.py"):
            if os.path.isfile(os.path.join(root, place)):
                found.add(place)
    return found


def pin(file: str, root: str, pinned: Contents) -> None:
    """Trust exactly this content."""
    _change(file, {os.path.realpath(root): dict(pinned)})


def unpin(file: str, root: str) -> bool:
    """Trust the project no longer; whether it was trusted."""
    known = os.path.realpath(root) in _load(file)
    _change(file, {os.path.realpath(root): None})
    return known


def _load(file: str) -> dict[str, Contents]:
    """The trusted projects; a file that others could have written is refused."""
    try:
        with open(file, encoding="utf-8") as opened:
            _own(opened.fileno(), file)
            projects = json.load(opened).get("projects", {})
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError):
        raise OSError(f"{file} is no JSON; mend or remove it: nothing is trusted until then") from None
    return {root: files for root, files in projects.items() if isinstance(files, dict)}


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
