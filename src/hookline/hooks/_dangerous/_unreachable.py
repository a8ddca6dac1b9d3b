"""git commands that make commits unreachable or throw away what was put aside."""

from collections.abc import Callable, Iterator, Mapping

from hookline.bash.options import Options, spelled
from hookline.hooks._dangerous.subcommand import Git, Subcommand, last

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
    outer = [value.text.lower() for name, value in git.outer.given if name == "-c" and value is not None]
    if _now(git.inner, "--prune"):
        return True
    set_so = any(f"gc.pruneexpire={now}" in outer for now in ("now", "all", "0"))
    return set_so and not git.inner.has("--no-prune")


def _stash(git: Git) -> bool:
    return _first(git, "drop", "clear")


def _everything(git: Git) -> bool:
    return any(word.text in (".", "./", "*", ":/") for word in git.inner.operands)


def _subcommand(rule: str, holds: Callable[[Git], bool], names: str = "", values: str = "") -> Subcommand:
    return Subcommand(_when(rule, holds), spelled(values), spelled(names))


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
