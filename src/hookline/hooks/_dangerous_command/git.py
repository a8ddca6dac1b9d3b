"""git commands that overwrite or discard work, with any options between `git` and the subcommand."""

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command import git_history
from hookline.hooks._dangerous_command.git_history import HISTORY
from hookline.hooks._dangerous_command.git_subcommand import Git, Subcommand, last
from hookline.hooks._dangerous_command.rule import CORE, Finding, Judge, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import Options, parse_options, word_set


def _reset(git: Git) -> Iterator[str]:
    if git.inner.has("--hard"):
        yield "git-reset-hard"
    elif git.inner.has("--merge"):
        yield "git-reset-merge"


def _clean(git: Git) -> Iterator[str]:
    if git.inner.has("-n", "--dry-run", "-i", "--interactive"):
        return
    settings = [value.text.lower() for name, value in git.outer.options if name == "-c" and value is not None]
    unforced = any(f"clean.requireforce={no}" in settings for no in ("false", "0", "no", "off"))
    if unforced or last(git.inner, ("-f", "--force"), "--no-force"):
        yield "git-clean-force"


DISCARD: Mapping[str, Subcommand] = {
    "reset": Subcommand(
        _reset,
        word_set("--pathspec-from-file --inter-hunk-context --unified -U"),
        word_set(
            """--hard --soft --mixed --merge --keep --quiet --refresh --patch --intent-to-add
            --pathspec-from-file --pathspec-file-nul --recurse-submodules --inter-hunk-context --unified"""
        ),
    ),
    "clean": Subcommand(
        _clean,
        word_set("-e --exclude"),
        word_set("--dry-run --exclude --force --no-force --interactive --quiet"),
    ),
}


_ALL = word_set(". ./ ./. ./* :/ :/. :/* : * ** .. ../ :(top) :(top). :! :(glob)**")
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
    """Return whether an operand means every file, as a pattern or as the path of the folder."""
    folders = {git.place.cwd, git.place.root} - {""}
    return any(word.text in _ALL or word.text.rstrip("/") in folders for word in git.inner.operands)


_VALUES = "--pathspec-from-file --inter-hunk-context --conflict -U"
_NAMES = """--conflict --ignore-skip-worktree-bits --inter-hunk-context --merge --no-patch --ours --overlay
    --patch --pathspec-from-file --progress --quiet --recurse-submodules --theirs --unified"""

OVERWRITE: Mapping[str, Subcommand] = {
    "checkout": Subcommand(
        _checkout,
        word_set(_VALUES + " -b -B --orphan"),
        word_set("--detach --force --guess --orphan --overwrite-ignore --track " + _NAMES),
    ),
    "switch": Subcommand(
        _switch,
        word_set("-c -C --create --force-create --orphan --conflict"),
        word_set(
            "--create --force-create --detach --discard-changes --force --guess --orphan --track " + _NAMES
        ),
    ),
    "restore": Subcommand(
        _restore,
        word_set(_VALUES + " -s --source"),
        word_set("--ignore-unmerged --no-staged --no-worktree --source --staged --worktree " + _NAMES),
    ),
}


def _push(git: Git) -> Iterator[str]:
    inner = git.inner
    if last(inner, ("-n", "--dry-run"), "--no-dry-run"):
        return
    given = [value.text for name, value in git.outer.options if name == "-c" and value is not None]
    refspecs = [word.text for word in inner.operands[1:]] + [_configured(text) for text in given]
    if inner.has("--mirror") or last(inner, ("-f", "--force"), "--no-force") or any(map(_forced, refspecs)):
        yield "git-push-force"
    elif inner.has("--force-with-lease", "--force-if-includes"):
        yield "git-push-lease"
    gone = _deleted(inner, refspecs).intersection(git.place.protected)
    if gone:
        yield "git-push-delete"


def _configured(setting: str) -> str:
    """Return the refspec in a setting such as `remote.origin.push=+main`; a mirror forces all of them."""
    key, _, value = setting.partition("=")
    if not key.lower().startswith("remote."):
        return ""
    if key.lower().endswith(".mirror") and value.lower() in ("", "true", "1", "yes", "on"):
        return "+"
    return value if key.lower().endswith(".push") else ""


def _forced(refspec: str) -> bool:
    return refspec.startswith("+") or ":+" in refspec


def _deleted(inner: Options, refspecs: list[str]) -> set[str]:
    if inner.has("-d", "--delete"):
        return {refspec.removeprefix("refs/heads/") for refspec in refspecs}
    return {refspec[1:].removeprefix("refs/heads/") for refspec in refspecs if refspec.startswith(":")}


def _branch(git: Git) -> Iterator[str]:
    if git.inner.has("-D") or (git.inner.has("-d", "--delete") and git.inner.has("-f", "--force")):
        yield "git-branch-delete-force"


REFS: Mapping[str, Subcommand] = {
    "push": Subcommand(
        _push,
        word_set("-o --push-option --repo --receive-pack --exec --recurse-submodules"),
        word_set(
            """--all --branches --atomic --delete --dry-run --exec --follow-tags --force --force-if-includes
            --force-with-lease --help --mirror --no-dry-run --no-force --no-verify --porcelain --progress
            --prune --push-option --quiet --receive-pack --recurse-submodules --repo --set-upstream --signed
            --tags
            --thin --verbose --verify"""
        ),
    ),
    "branch": Subcommand(
        _branch,
        word_set("-u --set-upstream-to --sort --format --points-at"),
        word_set(
            """--all --abbrev --color --column --contains --copy --create-reflog --delete --edit-description
            --force --format --help --ignore-case --list --merged --move --no-contains --no-merged
            --points-at --quiet --remotes --set-upstream-to --show-current --sort --track --unset-upstream
            --verbose"""
        ),
    ),
}


_SUBCOMMANDS: Mapping[str, Subcommand] = {
    **REFS,
    **DISCARD,
    **OVERWRITE,
    **git_history.SUBCOMMANDS,
}


def git(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    outer = parse_options(words, GLOBAL_VALUES)
    subcommand = _SUBCOMMANDS.get(outer.operands[0].text) if outer.operands else None
    if subcommand is None:
        return
    inner = parse_options(outer.operands[1:], subcommand.values, mixed=True, names=subcommand.names)
    if inner.has("--help", "-h") or outer.has("--help", "-h"):
        return
    for rule in subcommand.judge(Git(outer, inner, place)):
        pack = CORE if rule in CORE.rules else HISTORY
        warned = rule == "git-push-lease" and place.lease != "block"
        yield pack.find(rule, command, action="warn" if warned else None)


JUDGES: Mapping[str, Judge] = {"git": git}
