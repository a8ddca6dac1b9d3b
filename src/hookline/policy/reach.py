"""Files of a project that its commands and hooks would run, as far as their text shows.

The text is untrusted and an agent waits, so it is only read, up to a limit. Every word that names a file
counts; the number of lookups is limited. Names built at run time cannot be found; where that is apparent, it
is reported.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.policy import mentions
from hookline.policy.mentions import MODULE_SUFFIXES
from hookline.policy.read_files import read
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


PACKAGE_FOLDERS = {"node_modules", "site-packages", ".venv", "venv", ".git"}
"""Folders of installed packages: a file there is pinned if it is named, but not followed."""
RUNNERS: Mapping[str, tuple[str, ...]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "rake": ("Rakefile",),
    "tox": ("tox.ini", "pyproject.toml"),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun"), ("package.json",)),
}
"""Programs that run commands from files of their own."""
MAX_SHOWN = 80
"""Characters of a command shown in a message."""


class DeclaredCommand(Struct, frozen=True, kw_only=True):
    """A command that the project declares."""

    words: str | Sequence[str]
    """A command line for the shell, or a list of words."""
    cwd: str = ""
    """Relative to the project's root."""
    env: Mapping[str, str] = EMPTY
    origin: str = ""

    @property
    def text(self) -> str:
        return self.words if isinstance(self.words, str) else "\n".join(map(str, self.words))


class Reached(Struct, frozen=True, kw_only=True):
    """The files found, and descriptions of those that cannot be found."""

    files: frozenset[str] = frozenset()
    """Relative to the project's root."""
    unseen: tuple[str, ...] = ()


def find_reached(
    root: str,
    commands: Sequence[DeclaredCommand],
    *,
    modules: Iterable[str] = (),
    scripts: Iterable[str] = (),
    known: Mapping[str, str],
) -> Reached:
    """Return the files that *commands*, import paths and Python *scripts* reach.

    *known* are the variables that they may use. Raise `OSError` if there is too much to search.
    """
    search = Search(root, [os.path.join(root, command.cwd) for command in commands])
    for script in scripts:
        search.add_file(script)
    for module in modules:
        search.add_module(module.partition(":")[0], search.bases)
    unseen = [note for command in commands for note in _search_command(search, command, known)]
    while search.waiting:
        _search_file(search, search.waiting.pop())
    return Reached(files=frozenset(search.found), unseen=tuple(dict.fromkeys(unseen)))


def _search_command(search: Search, command: DeclaredCommand, known: Mapping[str, str]) -> Iterator[str]:
    """Add all files that the command names; yield descriptions of those that cannot be found."""
    command_env = {name: str(value) for name, value in command.env.items()}
    text = _relative_to_root(mentions.expand(command.text, {**known, **command_env}), search.root)
    env_text = _relative_to_root(
        "\n".join(mentions.expand(value, known) for value in command_env.values()), search.root
    )
    words = mentions.split_shell_words(text)
    search.add_named_files([*words, *mentions.path_pieces(f"{text}\n{env_text}")])
    for module in mentions.run_modules(text):
        search.add_module(module, search.bases)
    _search_imports(search, text.replace("'", "\n").replace('"', "\n"), ())
    for pattern in (word for word in words if _is_pattern(word)):
        search.add_matching(pattern)
    yield from _describe_unseen(search, command, text, words)


def _relative_to_root(text: str, root: str) -> str:
    """Replace the root, whose name may contain spaces, by `.`."""
    for path in {root, os.path.realpath(root)} - {"/"}:
        text = text.replace(path, ".")
    return text


def _is_pattern(word: str) -> bool:
    folder, _, last = word.rpartition("/")
    return not set(folder) & set("*?[") and bool(set(last) & set("*?[")) and bool(last.strip("*?."))


def _describe_unseen(
    search: Search, command: DeclaredCommand, text: str, words: Sequence[str]
) -> Iterator[str]:
    patterns = [word for word in words if set(word) & set("*?[") and not _is_pattern(word) and "/" in word]
    unknown = [*mentions.unknown_inputs(text), *(f"the files that match {pattern!r}" for pattern in patterns)]
    for program in sorted(RUNNERS.keys() & {os.path.basename(word) for word in words}):
        search.add_named_files(RUNNERS[program])
        unknown.append(f"the files that {program} reads")
    if not f"{os.path.normpath(os.path.join(search.root, command.cwd))}/".startswith(f"{search.root}/"):
        unknown.append("a folder outside of the project")
    if unknown:
        shown = command.text if len(command.text) <= MAX_SHOWN else command.text[:MAX_SHOWN] + "…"
        yield f"{command.origin}: cannot find all that {shown!r} runs: it depends on {', '.join(unknown)}"


def _search_file(search: Search, path: str) -> None:
    """Add the files that a reached file names."""
    text, error = read(path, search.root)
    if error or PACKAGE_FOLDERS & set(os.path.relpath(path, search.root).split(os.sep)):
        return
    folders = list(dict.fromkeys((os.path.dirname(path), os.path.dirname(os.path.realpath(path)))))
    language = mentions.language(path, text)
    if language == "python":
        _search_imports(search, text, folders)
        search.add_named_files(mentions.code_paths(text), folders)
    elif language == "shell":
        pieces = mentions.path_pieces(_relative_to_root(mentions.expand(text, {}), search.root))
        search.add_named_files([piece for piece in pieces if _may_run(piece)], folders)
    elif language == "other":
        search.add_named_files([*mentions.specifiers(text), *mentions.code_paths(text)], folders)


def _may_run(piece: str) -> bool:
    """Return whether a script that names this may run it: data files with a suffix are only read."""
    return piece.endswith(mentions.CODE_SUFFIXES) or "." not in os.path.basename(piece)


def _search_imports(search: Search, text: str, folders: Sequence[str]) -> None:
    for module in mentions.imports(text):
        name = module.lstrip(".")
        level = len(module) - len(name)
        bases = [*folders, *search.bases] if not level else [_parent(folder, level - 1) for folder in folders]
        if name.endswith("*"):
            steps = name.strip("*").strip(".").split(".")
            search.add_python_files([os.path.join(base, *steps) for base in bases])
        else:
            search.add_module(name, bases)


def _parent(folder: str, steps: int) -> str:
    for _ in range(steps):
        folder = os.path.dirname(folder)
    return folder
