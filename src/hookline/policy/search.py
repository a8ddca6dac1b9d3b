"""Search for names in the folders of a project, with a limited number of lookups."""

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase

from hookline.policy.mentions import MODULE_SUFFIXES
from hookline.system.paths import FOLDER

MAX_LOOKUPS = 200_000
"""Lookups after which the search fails."""
MAIN_FILES = ("__main__.py", "index.js", "index.mjs", "package.json")
"""Files that run when a folder is named."""


class Search:
    """State of a search: the folders to search, the files found, and the files not yet read."""

    def __init__(self, root: str, bases: Iterable[str]) -> None:
        self.root = os.path.abspath(root)
        defaults = (self.root, os.path.join(self.root, "src"), os.path.join(self.root, FOLDER, "hooks"))
        self.bases = list(dict.fromkeys(map(os.path.normpath, (*defaults, *bases))))
        self.found: dict[str, None] = {}
        self.waiting: list[str] = []
        self._lookups = 0
        self._listed: dict[str, frozenset[str]] = {}
        self._stems: dict[str, frozenset[str]] = {}

    def add_named_files(self, words: Iterable[str], beside: Iterable[str] = ()) -> None:
        """Add the files that *words* name, relative to any base; a folder among them becomes a base."""
        names = list(dict.fromkeys(word.lstrip("/") for word in words))
        folders = [*beside, *self.bases]
        while folders:
            searched = len(self.bases)
            for base in folders:
                for word in names:
                    self._word(base, word)
            folders = self.bases[searched:]

    def _word(self, base: str, word: str) -> None:
        first = word.partition("/")[0]
        if not first or (first not in (".", "..") and first not in self._names(base)):
            return
        path = os.path.join(base, word)
        if os.path.isdir(path):
            self._folder(os.path.normpath(path))
        else:
            self.add_file(path)

    def _folder(self, path: str) -> None:
        if path.startswith(self.root + os.sep) and path not in self.bases:
            self.bases.append(path)
            for name in MAIN_FILES:
                self.add_file(os.path.join(path, name))

    def add_file(self, path: str) -> None:
        """Add the file at *path* if it exists in the project."""
        self._count()
        if not os.path.isfile(path):
            return
        names = {os.path.relpath(path, self.root)}
        if ".." in path:  # `..` after a link leads elsewhere than the text suggests
            names.add(os.path.relpath(os.path.realpath(path), os.path.realpath(self.root)))
        for name in sorted(names):
            if name.partition("/")[0] != ".." and name not in self.found:
                self.found[name] = None
                self.waiting.append(os.path.join(self.root, name))

    def add_module(self, name: str, bases: Iterable[str]) -> None:
        """Add the files of a Python module, of its packages, and its `__main__`."""
        steps = name.split(".")
        for base in bases:
            if steps[0] in self._stems_of(base):
                for count in range(1, len(steps) + 1):
                    path = os.path.join(base, *steps[:count])
                    for suffix in MODULE_SUFFIXES:
                        self.add_file(path + suffix)

    def add_python_files(self, folders: Iterable[str]) -> None:
        """Add all Python files in these folders."""
        for folder in folders:
            for name in self._names(folder):
                if name.endswith(".py"):
                    self.add_file(os.path.join(folder, name))

    def add_matching(self, pattern: str) -> None:
        """Add the files whose name matches *pattern*."""
        folder, _, last = pattern.lstrip("/").rpartition("/")
        for base in tuple(self.bases):
            path = os.path.join(base, folder)
            for name in self._names(path):
                if fnmatchcase(name, last):
                    self.add_file(os.path.join(path, name))

    def _stems_of(self, folder: str) -> frozenset[str]:
        if folder not in self._stems:
            self._stems[folder] = frozenset(name.partition(".")[0] for name in self._names(folder))
        return self._stems[folder]

    def _names(self, folder: str) -> frozenset[str]:
        self._count()
        if folder not in self._listed:
            try:
                self._listed[folder] = frozenset(os.listdir(folder))
            except (OSError, ValueError):  # missing, or an invalid name
                self._listed[folder] = frozenset()
        return self._listed[folder]

    def _count(self) -> None:
        self._lookups += 1
        if self._lookups > MAX_LOOKUPS:
            raise OSError(f"{FOLDER} names too many files to search, so it cannot be trusted")
