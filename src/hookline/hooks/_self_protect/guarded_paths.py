"""Guarded paths, and checks whether a path leads to one of them under any name."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from msgspec import Struct, field

from hookline.core.state import LazyMapping, State
from hookline.hosts import AGENT_PROGRAMS
from hookline.lazy import re
from hookline.shell import NO_FACTS, UNKNOWN, Facts

FOLDER = ".hookline"
OURSELVES = ("hookline", "hookline-client")
"""Names of hookline's own programs."""
IGNORED = ".ckignore"
OWN_NAMES = ("hookline", FOLDER, "hookline.toml", "hookline.local.toml", "trust.json")
NAMES = (*OWN_NAMES, "hooks.json", "mcp.json")
SOCKETS = ("socket", "daemon.sock")
_WILD = re.compile(r"[*?\[]")
_LITERAL = 4
"""Literal characters that a name needs to be recognised in a partly unknown path."""
_MAX_HOPS = 4
"""Maximum number of links, made by the same line, that are followed in a row."""
_TEMPORARY = re.compile(r"/(?:tmp|run/user/\d+)/[^/]+")
"""Guarded folders next to which other programs create and delete files of any name."""
_SCRATCH = ("/tmp/", "/var/tmp/", "/private/tmp/")
_SAMPLE = re.compile(r"(?:^|/)(?:tests?|fixtures?|testdata|__fixtures__|examples?)/")
_EXTENSION = re.compile(r"\.(?:json|toml)$")
_START_FILES = ("sitecustomize.py", "usercustomize.py")
_PACKAGES = ("site-packages", "dist-packages")


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
    facts: Facts = NO_FACTS
    programs: tuple[str, ...] = ()
    """Folders of the `PATH` variable."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of the environment that name folders of hookline."""
    links: dict[str, str] = field(default_factory=dict)
    """Links made by this line: the new name and its target."""
    copies: dict[str, str] = field(default_factory=dict)
    """Copies made by this line: the new name and the source."""
    folders: list[str] = field(default_factory=list)
    """Folders that this line has entered, with links resolved as by `cd -P`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Base names of the guarded files."""
        return tuple(map(posixpath.basename, self.paths))

    def rule(self, path: str, *, named: bool = True) -> str | None:
        """Return the rule that a change of the absolute *path* would break.

        With *named* false, *path* is derived from a copy; files of other projects then do not count.
        """
        low = _normalize(path)
        if named and FOLDER in low and FOLDER in low.split("/"):
            return "write-project"
        if named and low.endswith(tuple(self.tails)) and not self._is_sample(low):
            return "write-wiring"
        if low.startswith(tuple(self.paths)):  # a fast test, which hardly any path passes
            found = next((rule for one, rule in self.paths.items() if _is_below(low, one)), None)
            if found is not None:
                return found
        return "uninstall" if self._replaces(low) else None

    def _is_sample(self, low: str) -> bool:
        """Return whether the settings of another folder install nothing: temporary files and test data."""
        root = _normalize(self.root)
        inside = low.removeprefix(f"{root}/")
        return _SAMPLE.search(inside if inside != low else "") is not None or (
            inside == low and low.startswith(_SCRATCH) and not self.cwd.startswith(_SCRATCH)
        )

    def _replaces(self, low: str) -> bool:
        """Return whether the file is run before or in place of hookline or an agent."""
        folder, _, name = low.rpartition("/")
        if name in OURSELVES or name in AGENT_PROGRAMS:
            elsewhere = folder.endswith("/bin") and not _is_below(low, _normalize(self.root))
            return folder in self.programs or (elsewhere and name in OURSELVES)
        if name in _START_FILES or name.endswith(".pth"):
            return folder.endswith(_PACKAGES) and not _is_below(low, _normalize(self.root))
        return name == "pyvenv.cfg" and any(one.startswith(f"{folder}/") for one in self.paths)

    def held(self, path: str, *, merges: bool = False, named: bool = True) -> str | None:
        """Return the rule of a guarded file below *path*, which a move or deletion of *path* would affect.

        The project's files do not count if *path* contains the project but not the home; with *merges*, when
        only some files below *path* change, temporary folders do not count.
        """
        low = _normalize(path)
        if named and low.endswith(_folders_of(tuple(self.tails))):
            return "write-wiring"
        start = low if low == "/" else f"{low}/"
        below = [one for one in self.paths if one.startswith(start)]
        if merges:
            below = [one for one in below if not _TEMPORARY.fullmatch(one)]
        if below and self.root and self.home and _is_below(_normalize(self.root), low):
            below = below if self.all_of_home(low) else [one for one in below if not self._of_project(one)]
        return self.paths[below[0]] if below else None

    def _of_project(self, path: str) -> bool:
        return self.paths[path] == "write-project" or path.endswith(tuple(self.tails))

    def all_of_home(self, path: str) -> bool:
        """Return whether *path* contains the whole home; dangerous-command judges the deletion of that."""
        return bool(self.home) and _is_below(_normalize(self.home), _normalize(path))

    def matched(self, pattern: str, *, tree: bool = False, unknown: bool = False) -> str | None:
        """Return the rule of a guarded path that the glob *pattern* may match, or with *tree* contain.

        With *unknown*, the pattern stands for unknown text, and must contain a part of our names.
        """
        wanted = split_path(pattern)
        if not unknown and any(_fits(FOLDER, mask) for mask in wanted if has_literal(mask)):
            return "write-project"
        for own, (path, rule) in zip(split_paths(tuple(self.paths)), self.paths.items(), strict=True):
            sockets = wanted[len(own) :] and find_matches(wanted[-1], SOCKETS) and has_literal(wanted[-1])
            strict = unknown or (_TEMPORARY.fullmatch(path) is not None and not sockets)
            if (tree or len(wanted) >= len(own)) and fit(own, wanted, strict=strict):
                return rule
        return self._match_tail(wanted, tree=tree)

    def _match_tail(self, wanted: list[str], *, tree: bool) -> str | None:
        for own in split_paths(tuple(self.tails)):
            ends = [own, own[:-1]] if tree else [own]
            if any(len(wanted) > len(end) and fit(end, wanted[-len(end) :]) for end in ends):
                return "write-wiring"
        return None

    def stand_ins(self, pattern: str) -> Iterator[str]:
        """Yield the guarded folders and their parents that the glob *pattern* may match."""
        wanted = split_path(pattern)
        for own in split_paths(tuple(self.paths)):
            if len(wanted) <= len(own) and fit(own, wanted):
                yield "/" + "/".join(own[: len(wanted)])

    def places(self, path: str, cwd: str | None) -> Iterator[str]:
        """Yield every absolute path that *path* may stand for, with links resolved."""
        # A remaining tilde was quoted; editors and other programs expand it themselves.
        text = f"{self.home}{path[1:]}" if path.startswith("~/") else path
        bases = [base for base in (cwd, *self.folders) if base is not None]
        for whole in [text] if text.startswith("/") else [f"{base}/{text}" for base in bases]:
            plain = posixpath.normpath(whole)
            for one in _follow_links(plain, self.links) if self.links else (plain,):
                yield one
                yield self.real(one)
            if whole != plain:
                yield self.real(whole)


def _normalize(path: str) -> str:
    """Return *path* normalised and in lower case, because some file systems ignore case."""
    dotted = "/." in path or "//" in path or not path.startswith("/")
    return "/" + (posixpath.normpath(path) if dotted else path).lower().strip("/")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder == "/" else folder + "/")


def split_path(path: str) -> list[str]:
    """Return the names in *path*, in lower case."""
    return [part for part in _normalize(path).split("/") if part]


@lru_cache(maxsize=16)
def _folders_of(tails: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({posixpath.dirname(tail) for tail in tails})


@lru_cache(maxsize=16)
def split_paths(paths: tuple[str, ...]) -> list[list[str]]:
    """Return the names in each of *paths*."""
    return [split_path(path) for path in paths]


def fit(names: list[str], masks: list[str], *, strict: bool = False) -> bool:
    """Return whether *names* match *masks*; with *strict*, our own names must be partly literal."""
    pairs = list(zip(names, masks, strict=False))
    if strict and any("hookline" in name and not has_literal(mask) for name, mask in pairs):
        return False
    return all(_fits(name, mask) for name, mask in pairs)


def has_literal(mask: str) -> bool:
    """Return whether *mask* has enough literal characters to stand for one of our names."""
    return len(mask.replace("*", "").replace("?", "")) >= _LITERAL


def _fits(name: str, mask: str) -> bool:
    if _WILD.search(mask) is None:
        return name == mask
    return bool(find_matches(mask, (name,))) and not (name.startswith(".") and mask[:1] in ("*", "?", "["))


def _follow_links(path: str, links: Mapping[str, str]) -> Iterator[str]:
    yield path
    for _ in range(_MAX_HOPS):
        name = next((one for one in links if path == one or path.startswith(one + "/")), None)
        if name is None:
            return
        path = posixpath.normpath(links[name] + path[len(name) :])
        yield path


def is_suspicious(text: str, *, by_extension: bool = False) -> bool:
    """Return whether a partly unknown path may be a guarded one, judged by its known names.

    With *by_extension*, the extension of one of our files suffices.
    """
    masks = (segment.replace(UNKNOWN, "*").lower() for segment in text.split("/"))
    return any(
        find_matches(mask, (*OWN_NAMES, *_START_FILES))
        for mask in masks
        if has_literal(mask if by_extension else _EXTENSION.sub("", mask))
    )


def find_matches(mask: str, names: Iterable[str]) -> list[str]:
    """Return the *names* that match *mask*; the literal prefix is compared first."""
    start = _WILD.split(mask, maxsplit=1)[0]
    return [name for name in names if name.startswith(start) and fnmatchcase(name, mask)]


def make_guard(cwd: str, state: State) -> Guard:
    """Return the guard of a call in the folder *cwd*."""
    real, root = state.facts.get("realpath") or (lambda path: path), state.root
    # Profiles add the last two folders.
    folders = f"{state.env.get('PATH', '')}:{state.home}/bin:{state.home}/.local/bin"
    return Guard(
        cwd=cwd or root or "/",
        home=state.home,
        root=root,
        paths=LazyMapping(lambda: _find_paths(state, real)),
        tails=LazyMapping(lambda: _find_tails(_given_paths(state), state.root)),
        real=real,
        facts=state.facts.get("shell_facts") or NO_FACTS,
        variables={name: value for name, value in state.env.items() if name.startswith("XDG_")},
        programs=tuple(filter(None, folders.lower().split(":"))),
    )


def _find_paths(state: State, real: Callable[[str], str]) -> Mapping[str, str]:
    """Return the guarded paths; computed only if needed, because resolving links reads the disk."""
    project = (f"{state.root}/{name}" for name in (FOLDER, IGNORED)) if state.root else ()
    guarded = (*_given_paths(state), *project)
    return _assign_rules(guarded, tuple(map(real, guarded)))


@lru_cache(maxsize=8)
def _assign_rules(guarded: tuple[str, ...], reals: tuple[str, ...]) -> Mapping[str, str]:
    pairs = zip(guarded, reals, strict=True)
    return {_normalize(one): _find_rule(path) for path, real in pairs for one in (path, real)}


@lru_cache(maxsize=8)
def _find_tails(paths: tuple[str, ...], root: str) -> Mapping[str, str]:
    above = len(_normalize(root).rstrip("/"))
    return {_normalize(one)[above:]: "write-wiring" for one in paths if _is_wiring(one, root)}


def _is_wiring(path: str, root: str) -> bool:
    inside = path.removeprefix(root.rstrip("/") + "/")
    return bool(root) and _find_rule(inside) == "write-wiring" and inside != path and "/" in inside


def _given_paths(state: State) -> tuple[str, ...]:
    """Return the paths to guard: those given by the runtime, or else the user's default folders."""
    given = state.facts.get("guarded_paths")
    if given is not None:
        return tuple(given)
    usual = (("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state"))
    bases = [state.env.get(name) or f"{state.home}/{folder}" for name, folder in usual]
    return tuple(f"{base}/hookline" for base in bases) if state.home else ()


def _find_rule(path: str) -> str:
    if FOLDER in path.split("/") or path.endswith(f"/{IGNORED}"):
        return "write-project"
    return "write-user" if "hookline" in path else "write-wiring"
