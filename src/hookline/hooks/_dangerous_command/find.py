"""Judge `find` commands that delete the files they find."""

import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rm import TREES, loss
from hookline.hooks._dangerous_command.rule import CORE, Finding, Judge, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import word_set
from hookline.shell.xargs import skip_find_options

NOT = word_set("! -not")
WEAK = word_set(
    "-type -mount -xdev -depth -maxdepth -mindepth -follow -print -print0 -noleaf -size -user -ls -a -and"
)
"""Tests that nearly every file passes, and options that are not tests."""
VALUED = word_set(
    """-type -maxdepth -mindepth -size -user -name -iname -path -ipath -regex -iregex -mtime -mmin -atime
    -amin -ctime -cmin -newer -perm -group -gid -uid -inum -samefile -links -fstype -wholename -iwholename
    -lname -ilname -anewer -cnewer -used -xtype -printf -fprint -fprintf -fls -context -regextype"""
)
_NAMING = word_set("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_EVERYTHING = re.compile(r"(?:\./)?[*?]*\*[*?]*|\*\.\*|(?:\./)?\^?(?:\.[*+])+\$?")
"""Patterns that match every name or path."""
_FEW: Mapping[str, re.Pattern[str]] = {
    "-type": re.compile("[lspbcD]"),
    "-size": re.compile(r"\d+[a-zA-Z]?|\+[1-9]\d*[MGT]"),
}
"""Values that make a weak test selective: links only, empty or large files only."""


def tells(test: str, value: str, *, negated: bool) -> bool:
    """Return whether a test selects few files.

    A negated name or a pattern of wildcards selects nearly everything.
    """
    if test in _NAMING:
        return not negated and _EVERYTHING.fullmatch(value) is None
    few = _FEW.get(test)
    return test not in WEAK or (few is not None and not negated and few.fullmatch(value) is not None)


_RUN = word_set("-exec -execdir -ok -okdir")
_DELETERS = word_set("rm shred unlink srm rmdir")
_WRAPPERS = word_set("sudo doas env command busybox nice nohup")


def find(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    rest = skip_find_options(words)
    first = next((p for p, word in enumerate(rest) if word.text[:1] in ("-", "(", "!")), len(rest))
    deletes, narrowed = _deleting(rest[first:])
    if not deletes:
        return
    for root in rest[:first] or (Word(text=".", span=command.span),):
        rule = loss(root, command.cwd, place)
        if rule == "rm-unknown" or rule is None or (narrowed and root.text != "/"):
            continue
        if deletes == "-delete" and not narrowed and rule != "rm-root":
            yield CORE.find(rule, command, root)
        else:
            yield TREES.find("find-delete", command, root, "ask" if narrowed or rule == "rm-cwd" else None)


def _deleting(words: tuple[Word, ...]) -> tuple[str, bool]:
    """Return the action that deletes, or an empty string, and whether a test selects few files."""
    how, narrowed, negated = "", False, False
    rest = [word.text for word in reversed(words)]
    while rest:
        text = rest.pop()
        if text == "-delete":
            how = text
        elif text in _RUN:
            how = (text if _rm(rest) else "") or how
        elif text in VALUED:
            narrowed = narrowed or tells(text, rest.pop() if rest else "", negated=negated)
        elif text.startswith("-"):
            narrowed = narrowed or text not in WEAK | NOT
        negated = text in NOT
    return how, narrowed


def _rm(rest: list[str]) -> bool:
    """Return whether the command up to `;` deletes, and remove that command from *rest*."""
    argv: list[str] = []
    while rest and rest[-1] not in (";", "+"):
        argv.append(rest.pop().rpartition("/")[2])
    while argv and argv[0] in _WRAPPERS:
        argv.pop(0)
    return bool(argv) and argv[0] in _DELETERS


JUDGES: Mapping[str, Judge] = {"find": find, "gfind": find}
