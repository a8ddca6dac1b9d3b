"""Which files of a project its commands and hooks would run, as far as their text tells.

It looks at what nobody has trusted yet, while an agent waits: so it only reads, and only so much. A word that
happens to name a file counts. What is made up only at run time cannot be seen; where that shows, it is said.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.policy import mentions
from hookline.policy.read_files import read
from hookline.policy.search import Search

OTHERS = {"node_modules", "site-packages", ".venv", "venv", ".git"}
"""Folders of installed packages: what lies there is pinned where it is named, and not followed."""
RUNNERS: Mapping[str, tuple[str, ...]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "rake": ("Rakefile",),
    "tox": ("tox.ini", "pyproject.toml"),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun"), ("package.json",)),
}
"""Programs that run what a file of their own says."""
SHOWN = 80


class Command(Struct, frozen=True, kw_only=True):
    """A command that the project declares."""

    words: str | Sequence[str]
    """A text for the shell, or words."""
    cwd: str = ""
    """Counted from the project's root."""
    env: Mapping[str, str] = NOTHING
    origin: str = ""

    @property
    def text(self) -> str:
        return self.words if isinstance(self.words, str) else "\n".join(map(str, self.words))


class Reached(Struct, frozen=True, kw_only=True):
    """What was found, and what cannot be."""

    files: frozenset[str] = frozenset()
    """Counted from the project's root."""
    unseen: tuple[str, ...] = ()


def reached(
    root: str,
    commands: Sequence[Command],
    *,
    modules: Iterable[str] = (),
    scripts: Iterable[str] = (),
    known: Mapping[str, str],
) -> Reached:
    """What *commands*, import paths and Python *scripts* reach; *known* are variables that they may use.

    Raises `OSError` where that is too much.
    """
    search = Search(root, [os.path.join(root, command.cwd) for command in commands])
    for script in scripts:
        search.take(script)
    for module in modules:
        search.module(module.partition(":")[0], search.bases)
    unseen = [note for command in commands for note in _look(search, command, known)]
    while search.waiting:
        _follow(search, search.waiting.pop())
    return Reached(files=frozenset(search.found), unseen=tuple(dict.fromkeys(unseen)))


def _look(search: Search, command: Command, known: Mapping[str, str]) -> Iterator[str]:
    """Everything that the command names; what cannot be seen of it."""
    own = {name: str(value) for name, value in command.env.items()}
    text = _local(mentions.expanded(command.text, {**known, **own}), search.root)
    more = _local("\n".join(mentions.expanded(value, known) for value in own.values()), search.root)
    words = mentions.words(text)
    search.words([*words, *mentions.pieces(f"{text}\n{more}")])
    for module in mentions.run_modules(text):
        search.module(module, search.bases)
    _imported(search, text.replace("'", "\n").replace('"', "\n"), ())
    for pattern in (word for word in words if _is_pattern(word)):
        search.matching(pattern)
    yield from _unseen(search, command, text, words)


def _local(text: str, root: str) -> str:
    """Paths of the project counted from its root, whose own name may look like several words."""
    for whole in {root, os.path.realpath(root)} - {"/"}:
        text = text.replace(whole, ".")
    return text


def _is_pattern(word: str) -> bool:
    folder, _, last = word.rpartition("/")
    return not set(folder) & set("*?[") and bool(set(last) & set("*?[")) and bool(last.strip("*?."))


def _unseen(search: Search, command: Command, text: str, words: Sequence[str]) -> Iterator[str]:
    patterns = [word for word in words if set(word) & set("*?[") and not _is_pattern(word) and "/" in word]
    doubts = [*mentions.doubts(text), *(f"what fits {pattern!r}" for pattern in patterns)]
    for program in sorted(RUNNERS.keys() & {os.path.basename(word) for word in words}):
        search.words(RUNNERS[program])
        doubts.append(f"what {program} finds in its own files")
    if not f"{os.path.normpath(os.path.join(search.root, command.cwd))}/".startswith(f"{search.root}/"):
        doubts.append("a folder outside of the project")
    if doubts:
        shown = command.text if len(command.text) <= SHOWN else command.text[:SHOWN] + "…"
        yield f"{command.origin}: cannot see all that {shown!r} would run: it depends on {', '.join(doubts)}"


def _follow(search: Search, path: str) -> None:
    """What a file that was reached reaches itself."""
    text, wrong = read(path, search.root)
    if wrong or OTHERS & set(os.path.relpath(path, search.root).split(os.sep)):
        return
    beside = list(dict.fromkeys((os.path.dirname(path), os.path.dirname(os.path.realpath(path)))))
    language = mentions.language(path, text)
    if language == "python":
        _imported(search, text, beside)
        search.words(mentions.code_paths(text), beside)
    elif language == "shell":
        named = mentions.pieces(_local(mentions.expanded(text, {}), search.root))
        search.words([one for one in named if _runs(one)], beside)
    elif language == "other":
        search.words([*mentions.specifiers(text), *mentions.code_paths(text)], beside)


def _runs(piece: str) -> bool:
    """Whether a script that names this may run it: data with an ending of its own is only read."""
    return piece.endswith(mentions.CODE) or "." not in os.path.basename(piece)


def _imported(search: Search, text: str, beside: Sequence[str]) -> None:
    for module in mentions.imports(text):
        name = module.lstrip(".")
        up = len(module) - len(name)
        bases = [*beside, *search.bases] if not up else [_above(folder, up - 1) for folder in beside]
        if name.endswith("*"):
            steps = name.strip("*").strip(".").split(".")
            search.everything_in([os.path.join(base, *steps) for base in bases])
        else:
            search.module(name, bases)


def _above(folder: str, steps: int) -> str:
    for _ in range(steps):
        folder = os.path.dirname(folder)
    return folder
