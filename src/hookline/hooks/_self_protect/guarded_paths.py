"""Which paths must stay as they are, and whether a path leads to one of them, by whatever name."""

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
"""What our programs are called."""
IGNORED = ".ckignore"
NAMES = ("hookline", FOLDER, "hookline.toml", "hookline.local.toml", "hooks.json", "mcp.json", "trust.json")
_WILD = re.compile(r"[*?\[]")
_LITERAL = 4
"""Letters of a name that must be spelled out for it to be recognised in a path that is partly unknown."""
_HOPS = 4
"""Links of the same line that are followed one after the other."""


class Guard(Struct, frozen=True, kw_only=True):
    """Where a call runs, and what it must leave alone."""

    cwd: str
    home: str
    root: str
    paths: Mapping[str, str]
    """Guarded files and folders, in lower case, each with the rule that holds for it."""
    tails: Mapping[str, str] = field(default_factory=dict)
    """How the settings of any project end that wire the guards, from outside of it too, and their rule."""
    real: Callable[[str], str] = lambda path: path
    script: Callable[[str], str] = lambda path: ""
    programs: tuple[str, ...] = ()
    """Folders in which programs are looked for."""
    links: dict[str, str] = field(default_factory=dict)
    """What this very line has linked: the new name, and where it leads."""
    copies: dict[str, str] = field(default_factory=dict)
    """What this very line has copied: the new name, and the old one."""
    folders: list[str] = field(default_factory=list)
    """Where this line has gone, links followed: `cd -P` ends up there."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the guarded files themselves."""
        return tuple(posixpath.basename(path) for path in self.paths)

    def rule(self, path: str, *, named: bool = True) -> str | None:
        """The rule that writing to *path*, an absolute one, would break.

        A folder of a project that is not *named* but comes about as a copy is only guarded in this project.
        """
        low = _low(path)
        if named and FOLDER in low and FOLDER in low.split("/"):
            return "write-project"
        if low.endswith(tuple(self.tails)):
            return "write-wiring"
        # Nearly no path begins like a guarded one, which all below it do.
        if not low.startswith(tuple(self.paths)):
            return None
        return next((rule for one, rule in self.paths.items() if _below(low, one)), None)

    def held(self, path: str) -> str | None:
        """The rule of what lies below *path*, which goes where that goes; the project as a whole may."""
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
        """Whether a guarded *path* is one that every project may have: not where the user's own files lie."""
        return self.paths[path] == "write-project" or path.endswith(tuple(self.tails))

    def among(self, folder: str) -> str | None:
        """The rule of a guarded file that lies right in *folder*; the home itself holds too much else."""
        low = _low(folder)
        if self._wired(low):
            return "write-wiring"
        beside = (rule for one, rule in self.paths.items() if posixpath.dirname(one) == low)
        return None if low in (_low(self.home), _low(self.root)) else next(beside, None)

    def _wired(self, low: str) -> bool:
        """Whether a folder is one in which any project has settings that wire the guards."""
        return low.endswith(_folders(tuple(self.tails)))

    def all_of_home(self, path: str) -> bool:
        """Whether *path* holds the whole home: to delete that is dangerous-command's matter, not ours."""
        return bool(self.home) and _below(_low(self.home), _low(path))

    def matched(self, pattern: str, *, tree: bool) -> str | None:
        """The rule of a guarded path that a file name *pattern* may stand for, or with *tree* hold."""
        wanted = _segments(pattern)
        if any(_fits(FOLDER, mask) for mask in wanted if len(mask.strip("*?")) >= _LITERAL):
            return "write-project"
        for own, rule in zip(_split(tuple(self.paths)), self.paths.values(), strict=True):
            if (tree or len(wanted) >= len(own)) and all(map(_fits, own, wanted)):
                return rule
        return self._tailed(wanted, tree=tree)

    def _tailed(self, wanted: list[str], *, tree: bool) -> str | None:
        """As `matched`, for the settings of any project."""
        for own in _split(tuple(self.tails)):
            ends = [own, own[:-1]] if tree else [own]
            if any(len(wanted) > len(end) and all(map(_fits, end, wanted[-len(end) :])) for end in ends):
                return "write-wiring"
        return None

    def stand_ins(self, pattern: str) -> Iterator[str]:
        """The guarded folders, or those above them, that a file name *pattern* may stand for."""
        wanted = _segments(pattern)
        for own in _split(tuple(self.paths)):
            if len(wanted) <= len(own) and all(map(_fits, own, wanted)):
                yield "/" + "/".join(own[: len(wanted)])

    def places(self, path: str, cwd: str | None) -> Iterator[str]:
        """Every absolute path that *path* may be, links followed."""
        bases = [base for base in (cwd, *self.folders) if base is not None]
        for whole in [path] if path.startswith("/") else [f"{base}/{path}" for base in bases]:
            plain = posixpath.normpath(whole)
            for one in _hops(plain, self.links) if self.links else (plain,):
                yield one
                yield self.real(one)
            if whole != plain:
                yield self.real(whole)


def _low(path: str) -> str:
    """Without dots, and in lower case: some file systems do not tell the cases apart."""
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
    """Whether a path that is partly unknown may be a guarded one, by the names that are left in it."""
    masks = (segment.replace(UNKNOWN, "*").lower() for segment in text.split("/"))
    return any(fitting(mask, NAMES) for mask in masks if len(mask.replace("*", "")) >= _LITERAL)


def fitting(mask: str, names: Iterable[str]) -> list[str]:
    """The *names* that *mask* stands for; only those can be that begin as it does."""
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
    """Found out only for a call that writes: links cost a look at the disk."""
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
    """The paths that we are told to guard; without that, where the user's files usually lie."""
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
