"""git commands that overwrite changed files wholesale: checkout and restore of everything."""

from collections.abc import Iterator, Mapping

from hookline.bash.options import spelled
from hookline.hooks._dangerous.subcommand import Git, Subcommand, last

_ALL = spelled(". ./ ./. ./* :/ :/. :/* : * ** .. ../ :(top) :(top). :! :(glob)**")
"""Path patterns that mean every file."""
_PATCH = ("-p", "--patch")


def _checkout(git: Git) -> Iterator[str]:
    if last(git.inner, _PATCH, "--no-patch"):
        return
    if _everything(git):
        yield "git-checkout-dot"
    elif last(git.inner, ("-f", "--force"), "--no-force"):
        yield "git-checkout-force"


def _restore(git: Git) -> Iterator[str]:
    staged = last(git.inner, ("-S", "--staged"), "--no-staged")
    worktree = last(git.inner, ("-W", "--worktree"), "--no-worktree") or not staged
    if worktree and _everything(git) and not last(git.inner, _PATCH, "--no-patch"):
        yield "git-restore-dot"


def _switch(git: Git) -> Iterator[str]:
    if git.inner.has("--discard-changes") or last(git.inner, ("-f", "--force"), "--no-force"):
        yield "git-checkout-force"


def _everything(git: Git) -> bool:
    """Whether an operand means every file: as a pattern, or as the folder's own path."""
    folders = {git.place.cwd, git.place.root} - {""}
    return any(word.text in _ALL or word.text.rstrip("/") in folders for word in git.inner.operands)


_VALUES = "--pathspec-from-file --inter-hunk-context --conflict -U"
_NAMES = """--conflict --ignore-skip-worktree-bits --inter-hunk-context --merge --no-patch --ours --overlay
    --patch --pathspec-from-file --progress --quiet --recurse-submodules --theirs --unified"""

SUBCOMMANDS: Mapping[str, Subcommand] = {
    "checkout": Subcommand(
        _checkout,
        spelled(_VALUES + " -b -B --orphan"),
        spelled("--detach --force --guess --orphan --overwrite-ignore --track " + _NAMES),
    ),
    "switch": Subcommand(
        _switch,
        spelled("-c -C --create --force-create --orphan --conflict"),
        spelled(
            "--create --force-create --detach --discard-changes --force --guess --orphan --track " + _NAMES
        ),
    ),
    "restore": Subcommand(
        _restore,
        spelled(_VALUES + " -s --source"),
        spelled("--ignore-unmerged --no-staged --no-worktree --source --staged --worktree " + _NAMES),
    ),
}
