"""Guarded paths, and checks whether a path leads to one of them under any name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from msgspec import Struct, field

from hookline.core.state import LazyMapping, State
from hookline.shell import UNKNOWN

FOLDER = ".hookline"
OURSELVES = ("hookline", "hookline-client")
"""Names of hookline's own programs."""
IGNORED = ".ckignore"
NAMES = ("hookline", FOLDER, "hookline.toml", "hookline.local.toml", "hooks.json", "mcp.json", "trust.json")
_WILD = re.compile(r"[*?\[]")
_LITERAL = 4
"""Literal characters that a name needs to be recognised in a partly unknown path."""
_HOPS = 4
"""Maximum number of links, made by the same line, that are followed in a row."""


class Guard(Struct, frozen=True, kw_only=True):
    """The folders in which a call runs, and the paths that it must not change."""

    cwd: str
    home: str
    root: str
    paths: Mapping[str, str]
    """Guarded files and folders, in lower case, each with its rule."""
    tails: Mapping[str, str] = field(default_factory=dict)
    """Path suffixes of the settings that install the guards in any project, each with its rule."""
    real: Callable[[str], str] = lambda path: path
    script: Callable[[str], str] = lambda path: ""
    programs: tuple[str, ...] = ()
    """Folders of the `PATH` variable."""
    links: dict[str, str] = field(default_factory=dict)
    """Links made by this line: the new name and its target."""
    copies: dict[str, str] = field(default_factory=dict)
    """Copies made by this line: the new name and the source."""
    folders: list[str] = field(default_factory=list)
    """Folders that this line has entered, with links resolved as by `cd -P`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Base names of the guarded files."""
        return tuple(posixpath.basename(path) for path in self.paths)

    def rule(self, path: str, *, named: bool = True) -> str | None:
        """Return the rule that a write to the absolute *path* would break.

        With *named* false, *path* is derived from a copy; a project folder then counts only in this
        project.
        """
        low = _low(path)
        if named and FOLDER in low and FOLDER in low.split("/"):
            return "write-project"
        if low.endswith(tuple(self.tails)):
            return "write-wiring"
        # Fast exit: hardly any path has the prefix that all paths below a guarded one share.
        if not low.startswith(tuple(self.paths)):
            return None
        return next((rule for one, rule in self.paths.items() if _below(low, one)), None)

    def held(self, path: str) -> str | None:
        """Return the rule of a guarded file below *path*, which a move or deletion of *path* would affect.

        The project's own files do not count if *path* contains the project but not the home.
        """
        low = _low(path)
        if self._wired(low):
            return "write-wiring"
        start = low if low == "/" else f"{low}/"
        below = [one for one in self.paths if one.startswith(start)]
        if below and self.root and self.home and _below(_low(self.root), low):
            below = (
                [one for one in below if not self._of_project(one)] if not self.all_of_home(low) else below
            )
        return self.paths[below[0]] if below else None

    def _of_project(self, path: str) -> bool:
        """Return whether the guarded *path* belongs to a project, not to the user's own files."""
        return self.paths[path] == "write-project" or path.endswith(tuple(self.tails))

    def among(self, folder: str) -> str | None:
        """Return the rule of a guarded file directly in *folder*, or None for the home and the root."""
        low = _low(folder)
        if self._wired(low):
            return "write-wiring"
        beside = (rule for one, rule in self.paths.items() if posixpath.dirname(one) == low)
        return None if low in (_low(self.home), _low(self.root)) else next(beside, None)

    def _wired(self, low: str) -> bool:
        """Return whether the folder is one in which projects keep the settings that install the guards."""
        return low.endswith(_folders(tuple(self.tails)))

    def all_of_home(self, path: str) -> bool:
        """Return whether *path* contains the whole home; dangerous-command judges the deletion of that."""
        return bool(self.home) and _below(_low(self.home), _low(path))

    def matched(self, pattern: str, *, tree: bool) -> str | None:
        """Return the rule of a guarded path that the glob *pattern* may match, or with *tree* contain."""
        wanted = _segments(pattern)
        if any(_fits(FOLDER, mask) for mask in wanted if len(mask.strip("*?")) >= _LITERAL):
            return "write-project"
        for own, rule in zip(_split(tuple(self.paths)), self.paths.values(), strict=True):
            if (tree or len(wanted) >= len(own)) and all(map(_fits, own, wanted)):
                return rule
        return self._tailed(wanted, tree=tree)

    def _tailed(self, wanted: list[str], *, tree: bool) -> str | None:
        """Do the same as `matched`, for the settings of any project."""
        for own in _split(tuple(self.tails)):
            ends = [own, own[:-1]] if tree else [own]
            if any(len(wanted) > len(end) and all(map(_fits, end, wanted[-len(end) :])) for end in ends):
                return "write-wiring"
        return None

    def stand_ins(self, pattern: str) -> Iterator[str]:
        """Yield the guarded folders and their parents that the glob *pattern* may match."""
        wanted = _segments(pattern)
        for own in _split(tuple(self.paths)):
            if len(wanted) <= len(own) and all(map(_fits, own, wanted)):
                yield "/" + "/".join(own[: len(wanted)])

    def places(self, path: str, cwd: str | None) -> Iterator[str]:
        """Yield every absolute path that *path* may stand for, with links resolved."""
        bases = [base for base in (cwd, *self.folders) if base is not None]
        for whole in [path] if path.startswith("/") else [f"{base}/{path}" for base in bases]:
            plain = posixpath.normpath(whole)
            for one in _hops(plain, self.links) if self.links else (plain,):
                yield one
                yield self.real(one)
            if whole != plain:
                yield self.real(whole)


def _low(path: str) -> str:
    """Return *path* normalised and in lower case, because some file systems ignore case."""
    dotted = "/." in path or "//" in path or not path.startswith("/")
    return "/" + (posixpath.normpath(path) if dotted else path).lower().strip("/")


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder == "/" else folder + "/")


def _segments(path: str) -> list[str]:
    return [part for part in _low(path).split("/") if part]


@lru_cache(maxsize=16)
def _folders(tails: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({posixpath.dirname(tail) for tail in tails})


@lru_cache(maxsize=16)
def _split(paths: tuple[str, ...]) -> list[list[str]]:
    return [_segments(path) for path in paths]


def _fits(name: str, mask: str) -> bool:
    if _WILD.search(mask) is None:
        return name == mask
    if mask == "**":
        return True
    return bool(fitting(mask, (name,))) and not (name.startswith(".") and mask[:1] in ("*", "?", "["))


def _hops(path: str, links: Mapping[str, str]) -> Iterator[str]:
    yield path
    for _ in range(_HOPS):
        name = next((one for one in links if path == one or path.startswith(one + "/")), None)
        if name is None:
            return
        path = posixpath.normpath(links[name] + path[len(name) :])
        yield path


def suspicious(text: str) -> bool:
    """Return whether a partly unknown path may be a guarded one, judged by its known names."""
    masks = (segment.replace(UNKNOWN, "*").lower() for segment in text.split("/"))
    return any(fitting(mask, NAMES) for mask in masks if len(mask.replace("*", "")) >= _LITERAL)


def fitting(mask: str, names: Iterable[str]) -> list[str]:
    """Return the *names* that match *mask*; the literal prefix is compared first."""
    start = _WILD.split(mask, maxsplit=1)[0]
    return [name for name in names if name.startswith(start) and fnmatchcase(name, mask)]


def guard(cwd: str, state: State) -> Guard:
    real, root = state.facts.get("realpath") or (lambda path: path), state.root
    return Guard(
        cwd=cwd or root or "/",
        home=state.home,
        root=root,
        paths=LazyMapping(lambda: _paths(state, real)),
        tails=LazyMapping(lambda: _tails(_given(state), state.root)),
        real=real,
        script=state.facts.get("read_script") or (lambda path: ""),
        programs=tuple(filter(None, state.env.get("PATH", "").split(":"))),
    )


def _paths(state: State, real: Callable[[str], str]) -> Mapping[str, str]:
    """Return the guarded paths.

    Computed only for calls that write, because resolving links reads the disk.
    """
    guarded = (
        *_given(state),
        *((f"{state.root}/{name}" for name in (FOLDER, IGNORED)) if state.root else ()),
    )
    return _ruled(guarded, tuple(map(real, guarded)))


@lru_cache(maxsize=8)
def _ruled(guarded: tuple[str, ...], reals: tuple[str, ...]) -> Mapping[str, str]:
    pairs = zip(guarded, reals, strict=True)
    return {_low(one): _rule(path) for path, real in pairs for one in (path, real)}


@lru_cache(maxsize=8)
def _tails(given: tuple[str, ...], root: str) -> Mapping[str, str]:
    above = len(_low(root).rstrip("/"))
    return {_low(one)[above:]: "write-wiring" for one in given if _wires(one, root)}


def _wires(path: str, root: str) -> bool:
    inside = path.removeprefix(root.rstrip("/") + "/")
    return bool(root) and _rule(inside) == "write-wiring" and inside != path and "/" in inside


def _given(state: State) -> tuple[str, ...]:
    """Return the paths to guard: those given by the runtime, or else the user's default folders."""
    told = state.facts.get("guarded_paths")
    if told is not None:
        return tuple(told)
    usual = (("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state"))
    bases = [state.env.get(name) or f"{state.home}/{folder}" for name, folder in usual]
    return tuple(f"{base}/hookline" for base in bases) if state.home else ()


def _rule(path: str) -> str:
    if FOLDER in path.split("/") or path.endswith(f"/{IGNORED}"):
        return "write-project"
    return "write-user" if "hookline" in path.split("/") else "write-wiring"
