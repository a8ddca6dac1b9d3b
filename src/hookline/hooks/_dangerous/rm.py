"""`rm` of whole trees that nobody wants gone: the root, system folders, the home, the project."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.options import options, spelled
from hookline.hooks._dangerous.finding import Finding, Place
from hookline.hooks._dangerous.folders import loss

_NAMES = spelled(
    """--force --interactive --one-file-system --no-preserve-root --preserve-root --recursive --dir --verbose
    --help --version"""
)
_SAYINGS: Mapping[str, tuple[str, str]] = {
    "rm-root": (
        "This would delete the root of the file system, or a system folder",
        "Delete only folders you created",
    ),
    "rm-home": ("This would delete the user's home folder", "Name the one folder inside it that has to go"),
    "rm-cwd": (
        "This would delete the project's folder, or all that is in it",
        "Name the folders that have to go, such as build or dist; `git clean -n` shows what is not tracked",
    ),
}


def rm(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = options(words, mixed=True, names=_NAMES)
    if not split.has("-r", "-R", "--recursive") or split.has("--help", "--version"):
        return
    for word in split.operands:
        rule = loss(word, command.cwd, place)
        if rule is not None:
            yield _finding(rule, word, command)


def _finding(rule: str, word: Word, command: Simple) -> Finding:
    reason, instead = _SAYINGS[rule]
    inside = command.span[0] <= word.span[0] and word.span[1] <= command.span[1]
    return Finding(
        rule=rule,
        reason=f"{reason}: `rm -r {word.text}` in {command.cwd or 'an unknown folder'}.",
        instead=f"{instead}. If all of it really must go, ask the person you work for to do it.",
        span=word.span if inside else command.span,
    )
