"""git commands that make commits unreachable or discard stashed work."""

from collections.abc import Callable, Iterator, Mapping

from hookline.hooks._dangerous_command.git_subcommand import Git, Subcommand, last
from hookline.hooks._dangerous_command.rule import Pack
from hookline.shell.options import Options, word_set

_NOW = frozenset({"now", "all", "0", "never"})


def _when(rule: str, holds: Callable[[Git], bool]) -> Callable[[Git], Iterator[str]]:
    return lambda git: iter([rule] if holds(git) else [])


def _first(git: Git, *names: str) -> bool:
    return bool(git.inner.operands) and git.inner.operands[0].text in names


def _now(inner: Options, *names: str) -> bool:
    value = inner.value(*names)
    return value is not None and value.text in _NOW - {"never"}


def _reflog(git: Git) -> bool:
    expires = _first(git, "expire") and not git.inner.has("-n", "--dry-run")
    return (expires and _now(git.inner, "--expire", "--expire-unreachable")) or _first(git, "delete")


def _gc(git: Git) -> bool:
    outer = [value.text.lower() for name, value in git.outer.options if name == "-c" and value is not None]
    if _now(git.inner, "--prune"):
        return True
    set_so = any(f"gc.pruneexpire={now}" in outer for now in ("now", "all", "0"))
    return set_so and not git.inner.has("--no-prune")


def _stash(git: Git) -> bool:
    return _first(git, "drop", "clear")


def _everything(git: Git) -> bool:
    return any(word.text in (".", "./", "*", ":/") for word in git.inner.operands)


def _subcommand(rule: str, holds: Callable[[Git], bool], names: str = "", values: str = "") -> Subcommand:
    return Subcommand(_when(rule, holds), word_set(values), word_set(names))


SUBCOMMANDS: Mapping[str, Subcommand] = {
    "stash": _subcommand("git-stash-drop", _stash),
    "reflog": _subcommand(
        "git-reflog-expire",
        _reflog,
        "--expire --expire-unreachable --all --dry-run",
        "--expire --expire-unreachable",
    ),
    "filter-branch": _subcommand("git-rewrite", lambda git: True),
    "filter-repo": _subcommand(
        "git-rewrite",
        lambda git: not git.inner.has("--dry-run", "--analyze"),
        values="--replace-text --replace-message --path --path-glob --mailmap --paths-from-file",
    ),
    "gc": _subcommand("git-prune", _gc, "--prune --aggressive --auto --quiet --force"),
    "prune": _subcommand(
        "git-prune", lambda git: _now(git.inner, "--expire"), "--expire --dry-run --verbose", "--expire"
    ),
    "update-ref": _subcommand("git-ref-delete", lambda git: git.inner.has("-d"), values="-m"),
    "tag": _subcommand(
        "git-tag-delete",
        lambda git: git.inner.has("-d", "--delete"),
        "--delete --list --force --annotate --message --sort --sign --verify --points-at --contains --format",
        "-m --message -F --file -u --local-user --sort --format --points-at --cleanup",
    ),
    "worktree": _subcommand(
        "git-worktree-force",
        lambda git: _first(git, "remove") and last(git.inner, ("-f", "--force"), "--no-force"),
        "--force --porcelain",
    ),
    "rm": _subcommand(
        "git-rm-all",
        lambda git: (
            _everything(git)
            and git.inner.has("-f", "--force", "-r")
            and not git.inner.has("--cached", "-n", "--dry-run")
        ),
        "--cached --dry-run --force --ignore-unmatch --quiet --sparse",
    ),
    "read-tree": _subcommand(
        "git-checkout-force", lambda git: git.inner.has("--reset") and git.inner.has("-u")
    ),
    "checkout-index": _subcommand(
        "git-checkout-force",
        lambda git: git.inner.has("-f", "--force") and git.inner.has("-a", "--all"),
        "--all --force --index --prefix --stage --temp",
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
