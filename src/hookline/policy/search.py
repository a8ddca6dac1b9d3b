"""Look names up in the folders of a project, and only so often."""

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase

from hookline.policy.mentions import MODULE_ENDINGS
from hookline.system.paths import FOLDER

MOST_LOOKS = 200_000
"""How often something is looked up before it is too much."""
MAINS = ("__main__.py", "index.js", "index.mjs", "package.json")
"""What is run where a folder is named."""


class Search:
    """The search as it goes: where names are looked up, what was found, and what of it was not read yet."""

    def __init__(self, root: str, bases: Iterable[str]) -> None:
        self.root = os.path.abspath(root)
        usual = (self.root, os.path.join(self.root, "src"), os.path.join(self.root, FOLDER, "hooks"))
        self.bases = list(dict.fromkeys(map(os.path.normpath, (*usual, *bases))))
        self.found: dict[str, None] = {}
        self.waiting: list[str] = []
        self._looks = 0
        self._listed: dict[str, frozenset[str]] = {}
        self._stems: dict[str, frozenset[str]] = {}

    def words(self, words: Iterable[str], beside: Iterable[str] = ()) -> None:
        """Whatever *words* name, counted from any base; a folder among them becomes a base."""
        wanted = list(dict.fromkeys(word.lstrip("/") for word in words))
        places = [*beside, *self.bases]
        while places:
            before = len(self.bases)
            for base in places:
                for word in wanted:
                    self._word(base, word)
            places = self.bases[before:]

    def _word(self, base: str, word: str) -> None:
        first = word.partition("/")[0]
        if not first or (first not in (".", "..") and first not in self._names(base)):
            return
        path = os.path.join(base, word)
        if os.path.isdir(path):
            self._folder(os.path.normpath(path))
        else:
            self.take(path)

    def _folder(self, path: str) -> None:
        if path.startswith(self.root + os.sep) and path not in self.bases:
            self.bases.append(path)
            for name in MAINS:
                self.take(os.path.join(path, name))

    def take(self, path: str) -> None:
        """The file at *path*, if there is one in the project."""
        self._count()
        if not os.path.isfile(path):
            return
        names = {os.path.relpath(path, self.root)}
        if ".." in path:  # a link on the way leads somewhere else than the text says
            names.add(os.path.relpath(os.path.realpath(path), os.path.realpath(self.root)))
        for name in sorted(names):
            if name.partition("/")[0] != ".." and name not in self.found:
                self.found[name] = None
                self.waiting.append(os.path.join(self.root, name))

    def module(self, name: str, bases: Iterable[str]) -> None:
        """The files of a Python module, of the packages it is in, and what runs as its main."""
        steps = name.split(".")
        for base in bases:
            if steps[0] in self._stems_of(base):
                for count in range(1, len(steps) + 1):
                    place = os.path.join(base, *steps[:count])
                    for ending in MODULE_ENDINGS:
                        self.take(place + ending)

    def everything_in(self, folders: Iterable[str]) -> None:
        """Every file in Python that lies there."""
        for folder in folders:
            for name in self._names(folder):
                if name.endswith(".py"):
                    self.take(os.path.join(folder, name))

    def matching(self, pattern: str) -> None:
        """The files whose last name fits a *pattern*."""
        folder, _, last = pattern.lstrip("/").rpartition("/")
        for base in tuple(self.bases):
            place = os.path.join(base, folder)
            for name in self._names(place):
                if fnmatchcase(name, last):
                    self.take(os.path.join(place, name))

    def _stems_of(self, folder: str) -> frozenset[str]:
        if folder not in self._stems:
            self._stems[folder] = frozenset(name.partition(".")[0] for name in self._names(folder))
        return self._stems[folder]

    def _names(self, folder: str) -> frozenset[str]:
        self._count()
        if folder not in self._listed:
            try:
                self._listed[folder] = frozenset(os.listdir(folder))
            except (OSError, ValueError):  # nothing is there, or no system could have such a name
                self._listed[folder] = frozenset()
        return self._listed[folder]

    def _count(self) -> None:
        self._looks += 1
        if self._looks > MOST_LOOKS:
            raise OSError(f"{FOLDER} names too much to be looked through, so nothing of it can be trusted")
