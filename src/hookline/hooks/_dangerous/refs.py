"""git commands that lose commits: pushes that overwrite or delete, and branches deleted unmerged."""

from collections.abc import Iterator, Mapping

from hookline.bash.options import Options, spelled
from hookline.hooks._dangerous.subcommand import Git, Subcommand, last


def _push(git: Git) -> Iterator[str]:
    inner = git.inner
    if last(inner, ("-n", "--dry-run"), "--no-dry-run"):
        return
    given = [value.text for name, value in git.outer.given if name == "-c" and value is not None]
    refspecs = [word.text for word in inner.operands[1:]] + [_configured(text) for text in given]
    if inner.has("--mirror") or last(inner, ("-f", "--force"), "--no-force") or any(map(_forced, refspecs)):
        yield "git-push-force"
    elif inner.has("--force-with-lease", "--force-if-includes"):
        yield "git-push-lease"
    gone = _deleted(inner, refspecs).intersection(git.place.protected)
    if gone:
        yield "git-push-delete"


def _configured(setting: str) -> str:
    """The refspec that a setting such as `remote.origin.push=+main` stands for; a mirror forces them all."""
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


SUBCOMMANDS: Mapping[str, Subcommand] = {
    "push": Subcommand(
        _push,
        spelled("-o --push-option --repo --receive-pack --exec --recurse-submodules"),
        spelled(
            """--all --branches --atomic --delete --dry-run --exec --follow-tags --force --force-if-includes
            --force-with-lease --help --mirror --no-dry-run --no-force --no-verify --porcelain --progress
            --prune --push-option --quiet --receive-pack --recurse-submodules --repo --set-upstream --signed
            --tags
            --thin --verbose --verify"""
        ),
    ),
    "branch": Subcommand(
        _branch,
        spelled("-u --set-upstream-to --sort --format --points-at"),
        spelled(
            """--all --abbrev --color --column --contains --copy --create-reflog --delete --edit-description
            --force --format --help --ignore-case --list --merged --move --no-contains --no-merged
            --points-at --quiet --remotes --set-upstream-to --show-current --sort --track --unset-upstream
            --verbose"""
        ),
    ),
}
