"""git commands that overwrite or discard work: forced pushes, hard resets, cleaning, deleted branches."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.bash import Simple, Word
from hookline.bash.gitruns import GLOBAL_VALUES
from hookline.bash.options import Options, options, spelled
from hookline.hooks._dangerous.finding import Action, Finding, Place

Rule: TypeAlias = Callable[[Options, Options, Place], Iterator[tuple[str, str, str]]]
"""From git's own options and the subcommand's to (rule, reason, what is safe instead)."""

_ALL = spelled(". ./ ./. ./* :/ :/. :/* : * ** .. ../ :(top) :(top). :! :(glob)**")
"""Path patterns that mean every file."""
_ASK = "If it really has to be, ask the person you work for."


def git(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    outer = options(words, GLOBAL_VALUES)
    if not outer.operands:
        return
    name, rest = outer.operands[0].text, outer.operands[1:]
    judge = _RULES.get(name)
    if judge is None:
        return
    inner = options(rest, _VALUES[name], mixed=True, names=_NAMES[name])
    if inner.has("--help", "-h") or outer.has("--help", "-h"):
        return
    for rule, reason, instead in judge(outer, inner, place):
        action: Action = "warn" if rule == "git-push-lease" and place.lease != "block" else "block"
        yield Finding(rule=rule, reason=reason, instead=f"{instead} {_ASK}", span=command.span, action=action)


def _push(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    if inner.has("-n", "--dry-run"):
        return
    refspecs = [word.text for word in inner.operands[1:]]
    if inner.has("--mirror") or _last(inner, ("-f", "--force"), "--no-force") or any(map(_forced, refspecs)):
        yield (
            "git-push-force",
            "This push overwrites what others have on the remote.",
            "Pull or rebase, then push without force or to a new branch; or use --force-with-lease.",
        )
    elif inner.has("--force-with-lease", "--force-if-includes"):
        yield (
            "git-push-lease",
            "This push rewrites the remote branch, if nobody has pushed to it in the meantime.",
            "Make sure that the branch is yours alone.",
        )
    gone = _deleted(inner, refspecs).intersection(place.protected)
    if gone:
        yield (
            "git-push-delete",
            f"This push deletes the protected branch {min(gone)!r} on the remote.",
            "Delete only branches that you created.",
        )


def _forced(refspec: str) -> bool:
    return refspec.startswith("+") or ":+" in refspec


def _deleted(inner: Options, refspecs: list[str]) -> set[str]:
    if inner.has("-d", "--delete"):
        return {refspec.removeprefix("refs/heads/") for refspec in refspecs}
    return {refspec[1:].removeprefix("refs/heads/") for refspec in refspecs if refspec.startswith(":")}


def _last(given: Options, on: tuple[str, ...], off: str) -> bool:
    """Whether the last word on the matter is yes."""
    states = [name in on for name, _ in given.given if name in on or name == off]
    return bool(states) and states[-1]


def _reset(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    if inner.has("--hard"):
        yield (
            "git-reset-hard",
            "`git reset --hard` throws away all uncommitted work.",
            "Commit or `git stash` first, or use `git reset --keep` or `git restore FILE` for single files.",
        )


def _clean(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    if inner.has("-n", "--dry-run", "-i", "--interactive"):
        return
    if _last(inner, ("-f", "--force"), "--no-force") or _unforced(outer):
        yield (
            "git-clean-force",
            "`git clean` with force deletes untracked files for good.",
            "Look with `git clean -n`, then delete the files you made by name, or `git stash -u`.",
        )


def _unforced(outer: Options) -> bool:
    """Configuration that lets `git clean` go without force."""
    settings = [value.text.lower() for name, value in outer.given if name == "-c" and value is not None]
    return any(setting in ("clean.requireforce=false", "clean.requireforce=0") for setting in settings)


def _branch(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    deletes = inner.has("-d", "--delete")
    if inner.has("-D") or (deletes and inner.has("-f", "--force")):
        yield (
            "git-branch-delete-force",
            "This deletes a branch even if its commits are nowhere else.",
            "Use `git branch -d`, which refuses while something would be lost.",
        )


def _checkout(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    if not _last(inner, ("-p", "--patch"), "--no-patch") and any(map(_everything, inner.operands)):
        yield (
            "git-checkout-dot",
            "This checkout overwrites every changed file with the committed one.",
            "Name the files to go back, or `git stash` to keep the changes.",
        )


def _restore(outer: Options, inner: Options, place: Place) -> Iterator[tuple[str, str, str]]:
    staged = _last(inner, ("-S", "--staged"), "--no-staged")
    worktree = _last(inner, ("-W", "--worktree"), "--no-worktree") or not staged
    if (
        worktree
        and not _last(inner, ("-p", "--patch"), "--no-patch")
        and any(map(_everything, inner.operands))
    ):
        yield (
            "git-restore-dot",
            "This restore overwrites every changed file with the committed one.",
            "Name the files to go back; `git restore --staged .` only unstages, `git stash` keeps the changes.",
        )


def _everything(word: Word) -> bool:
    return word.text in _ALL


_RULES: Mapping[str, Rule] = {
    "push": _push,
    "reset": _reset,
    "clean": _clean,
    "branch": _branch,
    "checkout": _checkout,
    "restore": _restore,
}
_VALUES: Mapping[str, frozenset[str]] = {
    "push": spelled("-o --push-option --repo --receive-pack --exec --recurse-submodules"),
    "reset": spelled("--pathspec-from-file -U --unified --inter-hunk-context"),
    "clean": spelled("-e --exclude"),
    "branch": spelled("-u --set-upstream-to --sort --format --points-at"),
    "checkout": spelled("-b -B --orphan --conflict --pathspec-from-file -U --inter-hunk-context"),
    "restore": spelled("-s --source --conflict --pathspec-from-file -U --inter-hunk-context"),
}
_NAMES: Mapping[str, frozenset[str]] = {
    "push": spelled(
        """--all --branches --atomic --delete --dry-run --exec --follow-tags --force --force-if-includes
        --force-with-lease --help --mirror --no-force --no-verify --porcelain --progress --prune --push-option
        --quiet --receive-pack --recurse-submodules --repo --set-upstream --signed --tags --thin --verbose
        --verify"""
    ),
    "reset": spelled(
        """--hard --soft --mixed --merge --keep --quiet --refresh --patch --intent-to-add --pathspec-from-file
        --pathspec-file-nul --recurse-submodules"""
    ),
    "clean": spelled("--dry-run --exclude --force --no-force --interactive --quiet"),
    "branch": spelled(
        """--all --abbrev --color --column --contains --copy --create-reflog --delete --edit-description
        --force --format --help --ignore-case --list --merged --move --no-contains --no-merged --points-at
        --quiet --remotes --set-upstream-to --show-current --sort --track --unset-upstream --verbose"""
    ),
    "checkout": spelled(
        """--conflict --detach --force --guess --ignore-skip-worktree-bits --inter-hunk-context --merge
        --no-patch --orphan --ours --overlay --overwrite-ignore --patch --pathspec-from-file --progress
        --quiet --recurse-submodules --theirs --track --unified"""
    ),
    "restore": spelled(
        """--conflict --ignore-skip-worktree-bits --ignore-unmerged --inter-hunk-context --merge --no-patch
        --no-staged --no-worktree --ours --overlay --patch --pathspec-from-file --progress --quiet
        --recurse-submodules --source --staged --theirs --unified --worktree"""
    ),
}
