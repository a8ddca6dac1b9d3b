"""git commands that lose what is not committed: a hard reset, and cleaning by force."""

from collections.abc import Iterator, Mapping

from hookline.bash.options import spelled
from hookline.hooks._dangerous.subcommand import Git, Subcommand, last


def _reset(git: Git) -> Iterator[str]:
    if git.inner.has("--hard"):
        yield "git-reset-hard"
    elif git.inner.has("--merge"):
        yield "git-reset-merge"


def _clean(git: Git) -> Iterator[str]:
    if git.inner.has("-n", "--dry-run", "-i", "--interactive"):
        return
    settings = [value.text.lower() for name, value in git.outer.given if name == "-c" and value is not None]
    unforced = any(f"clean.requireforce={no}" in settings for no in ("false", "0", "no", "off"))
    if unforced or last(git.inner, ("-f", "--force"), "--no-force"):
        yield "git-clean-force"


SUBCOMMANDS: Mapping[str, Subcommand] = {
    "reset": Subcommand(
        _reset,
        spelled("--pathspec-from-file --inter-hunk-context --unified -U"),
        spelled(
            """--hard --soft --mixed --merge --keep --quiet --refresh --patch --intent-to-add
            --pathspec-from-file --pathspec-file-nul --recurse-submodules --inter-hunk-context --unified"""
        ),
    ),
    "clean": Subcommand(
        _clean,
        spelled("-e --exclude"),
        spelled("--dry-run --exclude --force --no-force --interactive --quiet"),
    ),
}
