"""The effects of PowerShell cmdlets and .NET methods on files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hookline.shell.options import word_set
from hookline.shell.result import Action, Effect, SimpleCommand, Word

_VALUED = word_set(
    """-value -encoding -filter -include -exclude -pattern -name -itemtype -type -totalcount -tail -head
    -first -stream -delimiter -inputobject -target -erroraction -readcount -width -newname"""
)
"""Parameters whose value is not a path."""
_LIMITS = word_set("-totalcount -tail -last -head -first")
"""Parameters with which a cmdlet reads a few lines."""
_MIN_PARAMETER = 4
"""Minimum characters of an abbreviated parameter that takes a value; `-Fo` and `-r` are switches."""


class _Row(NamedTuple):
    action: Action
    target: Action | None = None
    """Action on the operand after the first one."""
    single: bool = False
    """True if only the first operand is a path."""
    skip: int = 0


_ROWS: Mapping[str, _Row] = {
    **dict.fromkeys(word_set("get-content import-csv import-clixml format-hex"), _Row("read")),
    "select-string": _Row("read", skip=1),
    **dict.fromkeys(
        word_set("set-content out-file tee-object export-csv export-clixml"), _Row("write", single=True)
    ),
    "add-content": _Row("append", single=True),
    "new-item": _Row("create", single=True),
    "clear-content": _Row("truncate"),
    "remove-item": _Row("delete"),
    "copy-item": _Row("copy", "write"),
    **dict.fromkeys(("move-item", "rename-item"), _Row("move", "write")),
    **dict.fromkeys(
        word_set("writealltext writealllines writeallbytes create openwrite"), _Row("write", single=True)
    ),
    **dict.fromkeys(word_set("appendalltext appendalllines appendtext"), _Row("append", single=True)),
    **dict.fromkeys(
        word_set("readalltext readalllines readallbytes readlines openread opentext"), _Row("read")
    ),
    **dict.fromkeys(("delete", "delete-file"), _Row("delete", single=True)),
    "copy": _Row("copy", "write"),
    "move": _Row("move", "write"),
}


def _find_effects(command: SimpleCommand) -> Iterator[Effect]:
    row = _ROWS[command.name.removeprefix(".net ")]
    operands, switches = split_parameters(command.words[1:])
    if any(one.startswith("-wh") for one in switches):
        return
    recursive = command.name == ".net delete" or any(
        len(o) > 1 and "-recurse".startswith(o) for o in switches
    )
    bounded = command.name == "select-string" or any(o in _LIMITS for o in switches)
    sources = operands[row.skip :][: 1 if row.single or row.target else None]
    for word in sources:
        yield Effect(action=row.action, path=word, recursive=recursive, bounded=bounded)
    if row.target is not None:
        yield from (Effect(action=row.target, path=word) for word in operands[1:2])


def split_parameters(words: tuple[Word, ...]) -> tuple[list[Word], list[str]]:
    """Return the operands up to a pipe, with the values of `-Path` and the like, and the other parameters."""
    operands: list[Word] = []
    switches: list[str] = []
    is_value = False
    for word in words:
        if word.text == "|":
            break
        if is_value or not word.text.startswith("-"):
            path = word.text.replace("\\", "/")
            operands += [] if is_value else [word if path == word.text else word.with_text(path, ())]
            is_value = False
            continue
        switches.append(word.text.lower().partition(":")[0])
        is_value = len(switches[-1]) >= _MIN_PARAMETER and any(o.startswith(switches[-1]) for o in _VALUED)
    return operands, switches


EFFECTS = {name if "-" in name and name != "delete-file" else f".net {name}": _find_effects for name in _ROWS}
