"""Command line and environment of every git process of hookline.

A repository's configuration can name programs: filters, drivers, hooks, helpers. Git runs such a program here
only if the user's own configuration names it. A repository is known by the `.git` that a user's git created,
never by a folder that looks like one, because a commit can contain such a folder.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase, translate
from itertools import islice

from msgspec import Struct

from hookline.core.kind import ProcessResult
from hookline.lazy import re
from hookline.system.paths import SHARED_FOLDERS

Run = Callable[[Sequence[str], str, Mapping[str, str]], ProcessResult]
"""Function that runs a command line in a folder with an environment; it decodes output by surrogateescape."""
Settings = Iterable[tuple[str, str]]
"""Names and values of git's configuration."""
_Found = dict[str, dict[str, list[str]]]
"""Values of settings, by scope and name."""

_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "commit.gpgSign": "false",
    "log.showSignature": "false",
    "diff.submodule": "short",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
"""Settings of every git process; no configuration file can change them."""
_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROXY_COMMAND": "",
    "GIT_ASKPASS": "",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
}
_MERGE = "git merge-file -q --marker-size=%L %A %O %B"
"""The merge of text files that git uses without a driver."""
_PROGRAMS = {
    "filter.*.clean": "",
    "filter.*.smudge": "",
    "filter.*.process": "",
    "filter.*.required": "",
    "diff.external": "",
    "diff.*.command": "",
    "diff.*.textconv": "",
    "merge.*.driver": _MERGE,
    "hook.*.command": "true",
    "alias.*": "",
    "pager.*": "",
    "gpg.program": "false",
    "gpg.*.program": "false",
    "core.alternaterefscommand": "true",
    "core.askpass": "",
    "core.editor": "true",
    "core.sshcommand": "ssh",
    "credential.helper": "",
    "credential.*.helper": "",
    "lfs.customtransfer.*": "",
    "lfs.extension.*": "",
    "lfs.*standalonetransferagent": "",
}
"""Patterns of settings that name programs, with the value that replaces a repository's own."""
_IS_PROGRAM = re.compile("|".join(map(translate, _PROGRAMS))).match
_MAX_CONFIGURATION = 2_000_000
"""Characters of a configuration; more would take longer than a hook may."""
_MAX_PROGRAMS = 1_000
"""Replaced settings; more do not fit into an environment."""
_USER_SCOPES, _REPOSITORY_SCOPES = ("system", "global"), ("local", "worktree")
_DIFF_OPTIONS = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
_OPTIONS = {
    "status": ("--ignore-submodules=dirty",),
    **dict.fromkeys(("diff", "diff-files", "diff-index", "diff-tree", "log"), _DIFF_OPTIONS),
}
"""Options by subcommand, because in a submodule git would apply the submodule's own settings."""


class NoRepository(OSError):
    """A folder without a usable repository; the message says why."""


class Checkout(Struct, frozen=True, kw_only=True):
    """The files of a repository."""

    root: str
    """The folder that has `.git`, without symlinks."""
    dir: str
    """Git's folder for this checkout."""
    common: str
    """Git's folder for all checkouts of the repository."""


def build_argv(args: Sequence[str], git_dir: str = "", tree: str = "") -> tuple[str, ...]:
    """Return the command line of git, for the files *tree* of the repository *git_dir* if there is one.

    Explicit folders keep git from searching for a repository, and from using `core.worktree`.
    """
    folders = {"--git-dir": git_dir, "--work-tree": tree}
    location = [f"{option}={folder}" for option, folder in folders.items() if folder]
    return ("git", "--no-pager", *location, args[0], *_OPTIONS.get(args[0], ()), *args[1:])


def clean_env(env: Mapping[str, str], allowed: Sequence[str] = ()) -> dict[str, str]:
    """Return *env* without relative folders in `PATH`, and without git's variables that are not *allowed*."""
    kept = {name: text for name, text in env.items() if not name.startswith("GIT_") or name in allowed}
    programs = [folder for folder in env.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    return {**kept, **_VARIABLES, "PATH": os.pathsep.join(programs) or os.defpath}


def with_settings(env: Mapping[str, str], settings: Settings = ()) -> dict[str, str]:
    """Return *env* with our settings and *settings*, instead of those that it has."""
    kept = {
        name: text
        for name, text in env.items()
        if not name.startswith(("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }
    pairs = [*_SETTINGS.items(), *settings]
    for number, pair in enumerate(pairs):
        for kind, text in zip(("KEY", "VALUE"), pair, strict=True):
            kept[f"GIT_CONFIG_{kind}_{number}"] = text
    return {**kept, "GIT_CONFIG_COUNT": str(len(pairs))}


def find_checkout(folder: str, env: Mapping[str, str], run: Run) -> Checkout:
    """Return the checkout that contains *folder*; raise `NoRepository`.

    Git itself opens it, because git also checks that it belongs to the user.
    """
    root = _find_root(folder)
    if not root:
        raise NoRepository(
            f"{folder!r} is not in a git repository; run `git init` and commit, or change to a repository"
        )
    question = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--resolve-git-dir")
    result = run(build_argv((*question, ".git"), tree=root), root, with_settings(env))
    paths = _read(result, root).removesuffix("\n").split("\n")
    if len(paths) != 3 or os.path.realpath(paths[0]) != os.path.realpath(os.path.join(root, paths[2])):  # noqa: PLR2004 -- as asked
        raise NoRepository(f"git does not use {os.path.join(root, '.git')!r} as the repository of its folder")
    checkout = Checkout(root=root, dir=paths[0], common=paths[1])
    if checkout.dir == checkout.common and _is_bare(checkout, env, run):
        raise NoRepository(f"{checkout.dir!r} is a bare repository without files; clone it first")
    return checkout


def _find_root(folder: str) -> str:
    """Return the nearest folder, from *folder* upwards, that has `.git`, or an empty string."""
    folder = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(folder, ".git")) or folder in SHARED_FOLDERS:
        if folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)
    return folder


def _is_bare(checkout: Checkout, env: Mapping[str, str], run: Run) -> bool:
    """Return whether the repository has no files of its own; its worktrees have."""
    question = ("config", "--type=bool", "--default=false", "--get", "core.bare")
    argv = build_argv(question, checkout.dir, checkout.root)
    return _read(run(argv, checkout.root, with_settings(env)), checkout.root) == "true\n"


def secure_env(git_dir: str, env: Mapping[str, str], run: Run, settings: Settings = ()) -> dict[str, str]:
    """Return *env* with *settings*, in which the repository *git_dir* names no programs.

    Raise `NoRepository` if git cannot read the repository's configuration, or ignores ours.
    """
    settings = tuple(settings)
    argv = build_argv(("config", "--list", "--show-scope", "-z"), git_dir, git_dir)
    output = _read(run(argv, git_dir, with_settings(env, settings)), git_dir)
    if len(output) > _MAX_CONFIGURATION:
        raise NoRepository(
            f"the configuration of {git_dir!r} has more than {_MAX_CONFIGURATION:,} characters"
        )
    found = _parse_settings(os.fsdecode(output.encode("utf-8", "surrogateescape")))  # as Popen will encode it
    if found.get("command", {}).get("core.hookspath") != [os.devnull]:
        raise NoRepository("git 2.31 or later is required, because older versions ignore GIT_CONFIG_COUNT")
    programs = tuple(islice(_replace_programs(found), _MAX_PROGRAMS + 1))
    if len(programs) > _MAX_PROGRAMS:
        raise NoRepository(f"the configuration of {git_dir!r} names more than {_MAX_PROGRAMS:,} programs")
    return with_settings(env, (*settings, *programs))


def _parse_settings(output: str) -> _Found:
    """Return the values by scope and name; a name without a value is true."""
    found: _Found = {}
    fields = output.split("\0")
    for scope, text in zip(fields[::2], fields[1::2], strict=False):
        name, separator, value = text.partition("\n")
        found.setdefault(scope, {}).setdefault(name, []).append(value if separator else "true")
    return found


def _replace_programs(found: _Found) -> Iterator[tuple[str, str]]:
    """Yield a neutral value, and then the user's own values, for each program that the repository names."""
    names = {name: None for scope in _REPOSITORY_SCOPES for name in found.get(scope, ())}
    for name in filter(_IS_PROGRAM, names):
        neutral = next(_PROGRAMS[pattern] for pattern in _PROGRAMS if fnmatchcase(name, pattern))
        own = [text for scope in _USER_SCOPES for text in found.get(scope, {}).get(name, ())]
        yield from ((name, text) for text in (neutral, *own))


def disabled_filters(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the repository's filters that *env*, from `secure_env`, prevents from running."""
    numbers = range(int(env["GIT_CONFIG_COUNT"]))
    values = {env[f"GIT_CONFIG_KEY_{number}"]: env[f"GIT_CONFIG_VALUE_{number}"] for number in numbers}
    keys = [key for key, text in values.items() if not text and key.startswith("filter.")]
    programs = [key.rpartition(".") for key in keys if not key.endswith(".required")]
    return tuple(dict.fromkeys(section.removeprefix("filter.") for section, _, _ in programs))


def _read(result: ProcessResult, folder: str) -> str:
    """Return the output of git in *folder*; raise `NoRepository` if it failed."""
    if succeeded(result):
        return result.stdout
    problem = (result.stderr or result.problem).strip() or "it did not answer in time"
    raise NoRepository(f"git cannot open {folder!r}: {problem.splitlines()[0].removeprefix('fatal: ')}")


def succeeded(result: ProcessResult) -> bool:
    return result.code == 0 and not result.timed_out and not result.cut
