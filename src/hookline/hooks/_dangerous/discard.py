"""git commands that lose what is not committed: a hard reset, and cleaning by force."""

from collections.abc import Iterator, Mapping

from hookline.bash.options import spelled
from hookline.hooks._dangerous.subcommand import Git, Subcommand, Verdict, last


def _reset(git: Git) -> Iterator[Verdict]:
    if git.inner.has("--hard"):
        yield (
            "git-reset-hard",
            "`git reset --hard` throws away all uncommitted work.",
            "Commit or `git stash` first, or use `git reset --keep`; `git restore FILE` for single files.",
        )


def _clean(git: Git) -> Iterator[Verdict]:
    if git.inner.has("-n", "--dry-run", "-i", "--interactive"):
        return
    settings = [value.text.lower() for name, value in git.outer.given if name == "-c" and value is not None]
    unforced = not {"clean.requireforce=false", "clean.requireforce=0"}.isdisjoint(settings)
    if unforced or last(git.inner, ("-f", "--force"), "--no-force"):
        yield (
            "git-clean-force",
            "`git clean` with force deletes untracked files for good.",
            "Look with `git clean -n`, then delete the files you made by name, or `git stash -u`.",
        )


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
