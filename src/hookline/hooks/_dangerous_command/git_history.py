"""git commands that rewrite or delete history: pushes, branches, tags, the reflog."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Pack, Place
from hookline.hooks._dangerous_command.scratch import (
    is_created_folder,
    is_scratch_folder,
    is_temporary,
    repository_folder,
)
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.effect_table import part_of
from hookline.shell.options import Options, parse_options, word_set


class Git(NamedTuple):
    """A call of git: its own options, those of the subcommand, and the place where it runs."""

    command: SimpleCommand
    outer: Options
    inner: Options
    place: Place

    def starts(self, *names: str) -> bool:
        """Return whether the first operand is one of *names*."""
        return bool(self.inner.operands) and self.inner.operands[0].text in names


class Subcommand(NamedTuple):
    judge: Callable[[Git], Iterator[str]]
    """Function that yields the rules broken by a call."""
    names: str = ""
    """All long options, which may be abbreviated as long as they stay unique."""
    values: str = ""
    """Options that take a value."""


def switched_on(options: Options, on: tuple[str, ...], off: str) -> bool:
    """Return whether the last of the options *on* and *off* is one of *on*."""
    states = [name in on for name, _ in options.options if name in on or name == off]
    return bool(states) and states[-1]


def subcommand(rule: str, holds: Callable[[Git], bool], names: str = "", values: str = "") -> Subcommand:
    """Return a subcommand that breaks *rule* if *holds* returns True."""
    return Subcommand(lambda git: iter([rule] if holds(git) else []), names, values)


def _push(git: Git) -> Iterator[str]:
    inner = git.inner
    if switched_on(inner, ("-n", "--dry-run"), "--no-dry-run") or _pushes_to_scratch(git):
        return
    settings = [value.text for name, value in git.outer.options if name == "-c" and value is not None]
    words = inner.operands[1:]
    refspecs = [word.text for word in words] + [_find_refspec(text) for text in settings]
    forced = inner.has("--mirror") or switched_on(inner, ("-f", "--force"), "--no-force")
    if forced or any(map(_is_forced, refspecs)):
        yield "git-push-force"
    elif inner.has("--force-with-lease", "--force-if-includes"):
        yield "git-push-lease"
    deletes = inner.has("-d", "--delete")
    removed = [word for word in words if deletes or word.text.lstrip("+").startswith(":")]
    bulk = any(_is_ref_list(word, git.place) for word in removed) or _deletes_several(git)
    if bulk or inner.has("--prune") or _deletes_protected(refspecs, git.place.protected, deletes=deletes):
        yield "git-push-delete"


def _pushes_to_scratch(git: Git) -> bool:
    """Return whether the remote is a scratch repository, by its path or as the line configured it."""
    remote = git.inner.operands[0] if git.inner.operands else None
    if remote is not None and ("/" in remote.text or remote.dynamic):
        return _is_scratch_path(remote, git.command, git.place)
    urls = list(_configured_urls(git.place, remote.text if remote is not None else "origin"))
    folder = repository_folder(git.command, git.place)
    if not any(name for name, _ in urls) and (
        folder is None or not is_created_folder(folder.text, git.place)
    ):
        return False
    return bool(urls) and all(_is_scratch_path(url, git.command, git.place) for _, url in urls)


def _is_scratch_path(url: Word, command: SimpleCommand, place: Place) -> bool:
    """Return whether *url* is a path in a temporary folder, or below a scratch folder."""
    path = part_of(url, url.text.removeprefix("file://"))
    if ":" in path.text:
        return False
    relative = not path.text.startswith(("/", "~", UNKNOWN))
    return is_temporary(path, command.cwd, place) or (relative and is_scratch_folder(command, place))


def _configured_urls(place: Place, remote: str) -> Iterator[tuple[str, Word]]:
    """Yield the addresses of *remote* that the commands of the line configure, and those that they clone."""
    for command in place.earlier():
        texts = [word.text for word in command.words]
        if command.name == "git" and "clone" in texts:
            operands = parse_options(command.words[texts.index("clone") + 1 :], mixed=True).operands
            yield from (("", word) for word in operands[:1])
        elif command.name == "git" and {"remote", remote} <= set(texts) and {"add", "set-url"} & set(texts):
            yield remote, command.words[-1]


def _find_refspec(setting: str) -> str:
    """Return the refspec in a setting such as `remote.origin.push=+main`; a mirror forces all of them."""
    key, _, value = setting.partition("=")
    if not key.lower().startswith("remote."):
        return ""
    if key.lower().endswith(".mirror") and value.lower() in ("", "true", "1", "yes", "on"):
        return "+"
    return value if key.lower().endswith(".push") else ""


def _is_forced(refspec: str) -> bool:
    return (refspec.startswith("+") and not refspec.startswith("+:")) or ":+" in refspec


def _deletes_protected(refspecs: list[str], protected: tuple[str, ...], *, deletes: bool) -> bool:
    """Return whether a refspec deletes a protected branch: `:main`, `+:refs/heads/main`, or a pattern."""
    empty = [text.lstrip("+")[1:] for text in refspecs if text.lstrip("+").startswith(":")]
    targets = [text.removeprefix("refs/").removeprefix("heads/") for text in (refspecs if deletes else empty)]
    return any(text and fnmatchcase(branch, text) for text in targets for branch in protected)


def _deletes_several(git: Git) -> bool:
    """Return whether the line deletes several remote branches, with one command or in a loop."""
    deleted = _find_deleted(git.command)
    if len(deleted) == 1:
        deleted = deleted.union(*map(_find_deleted, git.place.earlier()))
    return len(deleted) > 1


def _find_deleted(command: SimpleCommand) -> set[str]:
    """Return the branches that a push deletes: `--delete a b`, `:a`."""
    texts = [word.text for word in command.words[1:]]
    if command.name != "git" or "push" not in texts:
        return set()
    words = [text for text in texts[texts.index("push") + 1 :] if not text.startswith("-")][1:]
    if not {"-d", "--delete"} & set(texts):
        words = [text.lstrip("+")[1:] for text in words if text.startswith((":", "+:")) and text != ":"]
    return {text.removeprefix("refs/heads/") for text in words}


def _is_ref_list(word: Word, place: Place) -> bool:
    """Return whether *word* comes from a list of branches or tags."""
    for source in place.sources(word.origins):
        texts = {one.text for one in source.words[1:4]}
        if texts & _REF_LISTS and source.name in ("git", "gh"):
            return "--show-current" not in texts
    return False


_REF_LISTS = word_set("branch tag for-each-ref show-ref ls-remote list")


def _creates_branches(git: Git) -> bool:
    """Return whether the line itself created all branches that the command deletes."""
    options = {"checkout": "-b", "switch": "-c", "worktree": "-b"}
    created: set[str] = set()
    for earlier in git.place.earlier():
        texts = [word.text for word in earlier.words]
        if earlier.name == "git" and any(name in texts[1:4] for name in options):
            created |= {value for name, value in pairwise(texts) if name in options.values()}
    names = {word.text for word in git.inner.operands}
    return bool(names) and names <= created


def _branch(git: Git) -> bool:
    forced = git.inner.has("-D") or (git.inner.has("-d", "--delete") and git.inner.has("-f", "--force"))
    return forced and not _creates_branches(git)


_NOW = frozenset({"now", "all", "0"})


def _expires_now(inner: Options, *names: str) -> bool:
    value = inner.value(*names)
    return value is not None and value.text in _NOW


def _reflog(git: Git) -> bool:
    expires = git.starts("expire") and not git.inner.has("-n", "--dry-run")
    return (expires and _expires_now(git.inner, "--expire", "--expire-unreachable")) or git.starts("delete")


def _gc(git: Git) -> bool:
    settings = [value.text.lower() for name, value in git.outer.options if name == "-c" and value is not None]
    if _expires_now(git.inner, "--prune"):
        return True
    return any(f"gc.pruneexpire={now}" in settings for now in _NOW) and not git.inner.has("--no-prune")


def _update_ref(git: Git) -> bool:
    listed = git.inner.has("--stdin") and (
        "delete" in git.command.stdin or not git.command.stdin.strip("\0\n ")
    )
    return git.inner.has("-d") or listed


HISTORY_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "push": Subcommand(
        _push,
        """--all --branches --atomic --delete --dry-run --exec --follow-tags --force --force-if-includes
        --force-with-lease --help --mirror --no-dry-run --no-force --no-verify --porcelain --progress
        --prune --push-option --quiet --receive-pack --recurse-submodules --repo --set-upstream --signed
        --tags --thin --verbose --verify""",
        "-o --push-option --repo --receive-pack --exec --recurse-submodules",
    ),
    "branch": subcommand(
        "git-branch-delete-force",
        _branch,
        """--all --abbrev --color --column --contains --copy --create-reflog --delete --edit-description
        --force --format --help --ignore-case --list --merged --move --no-contains --no-merged --points-at
        --quiet --remotes --set-upstream-to --show-current --sort --track --unset-upstream --verbose""",
        "-u --set-upstream-to --sort --format --points-at",
    ),
    "reflog": subcommand(
        "git-reflog-expire",
        _reflog,
        "--expire --expire-unreachable --all --dry-run",
        "--expire --expire-unreachable",
    ),
    "filter-branch": subcommand("git-rewrite", lambda git: True),
    "filter-repo": subcommand(
        "git-rewrite",
        lambda git: not git.inner.has("--dry-run", "--analyze"),
        values="--replace-text --replace-message --path --path-glob --mailmap --paths-from-file",
    ),
    "gc": subcommand("git-prune", _gc, "--prune --aggressive --auto --quiet --force"),
    "prune": subcommand(
        "git-prune",
        lambda git: _expires_now(git.inner, "--expire"),
        "--expire --dry-run --verbose",
        "--expire",
    ),
    "update-ref": subcommand("git-ref-delete", _update_ref, values="-m"),
    "tag": subcommand(
        "git-tag-delete",
        lambda git: git.inner.has("-d", "--delete"),
        "--delete --list --force --annotate --message --sort --sign --verify --points-at --contains --format",
        "-m --message -F --file -u --local-user --sort --format --points-at --cleanup",
    ),
}


HISTORY = Pack(
    "git-history",
    {
        "git-reset-merge": (
            "This reset throws away changes that were staged.",
            "Commit them, or use `git reset --keep HEAD~1`.",
        ),
        "git-checkout-force": (
            "This switches branches and throws away all uncommitted changes.",
            "Commit or `git stash` first, then `git switch NAME`.",
        ),
        "git-stash-drop": (
            "This throws away stashed work.",
            "Look with `git stash show -p`, keep it as a branch with `git stash branch NAME`.",
        ),
        "git-reflog-expire": (
            "This forgets the reflog, by which lost commits are found again.",
            "Leave it to git, which forgets after 90 days; `git reflog` shows what is there.",
        ),
        "git-rewrite": (
            "This rewrites the whole history of the repository.",
            "Work in a fresh clone made for it, and look with `git filter-repo --analyze` first.",
        ),
        "git-prune": (
            "This deletes unreachable commits at once, beyond recovery.",
            "`git gc` alone keeps the recent ones.",
        ),
        "git-ref-delete": (
            "This deletes a branch or tag without any check.",
            "`git branch -d NAME` refuses while something would be lost.",
        ),
        "git-tag-delete": ("This deletes a tag.", "List with `git tag -l`, and add a new tag beside it."),
        "git-worktree-force": (
            "This deletes a worktree with the uncommitted changes in it.",
            "`git worktree remove PATH` refuses while there are any.",
        ),
        "git-rm-all": (
            "This deletes every tracked file, changed or not.",
            "Name the files, or `git rm -r --cached DIR` to stop tracking only.",
        ),
        "rm-git-metadata": (
            "This deletes the repository's own data: commits, branches or stashes that are nowhere else.",
            "`git gc` makes it smaller; clone anew beside it if it is broken.",
        ),
    },
)
