"""Redirections and assignments outside of simple commands: `{ ...; } > file`, `NAME=value` alone.

The shell reader yields simple commands only. Each stray redirection is appended to the line as a command
that does nothing, and is then read with all variables that the line has set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hookline.core.values import replace
from hookline.hooks._self_protect.guarded_paths import Guard
from hookline.shell import Reading, SimpleCommand, read
from hookline.shell.grammar import parse
from hookline.shell.syntax import Command, Compound, Function, Redirection

_MOST_FOLDERS = 32
_SIGN = re.compile(r"(?:[)}\]]|\b(?:done|fi|esac))\s*(?:\d|\{\w+\})?&?[<>]|AR_DISABLE_|AUTORESEARCH_")
"""Marks of a text that may contain a stray redirection or assignment."""
_PARTS = ("<", ">", "AR_DISABLE_", "AUTORESEARCH_")
"""Substrings of which every match of `_SIGN` contains one; searching for them is fast."""


def loose(line: str, reading: Reading, guard: Guard) -> tuple[SimpleCommand, ...]:
    """Return commands for the parts of *line* that *reading* lacks, one for each folder the line enters."""
    found = _behind(line, guard.cwd, guard) if _worth(line) else ()
    for command in reading.commands:
        texts = {*(word.text for word in command.words[1:] if word.text != line), command.stdin}
        for text in filter(_worth, texts):
            found += _behind(text, command.cwd or guard.cwd, guard)
    if not found:
        return ()
    folders = list(dict.fromkeys(one.cwd for one in (*reading.commands, *found)))[:_MOST_FOLDERS]
    return tuple(replace(one, cwd=cwd) for one in found for cwd in folders)


def _worth(text: str) -> bool:
    for part in _PARTS:
        if part in text:
            return _SIGN.search(text) is not None or text.count("()") > 1
    return text.count("()") > 1


def _behind(text: str, cwd: str, guard: Guard) -> tuple[SimpleCommand, ...]:
    pieces = list(dict.fromkeys(_found(parse(text)[0], text)))
    if not pieces:
        return ()
    commands = read("\n".join((text, *pieces)), cwd=cwd, home=guard.home).commands
    found = tuple(one for one in commands if one.span[0] > len(text))
    # An open here-document swallows the appended pieces, and a line that is too long is not read.
    return found if len(found) >= len(pieces) else read("\n".join(pieces), cwd=cwd, home=guard.home).commands


def _found(node: Any, text: str, functions: int = 0) -> Iterator[str]:
    """Yield the stray parts below *node*, whose depth the grammar limits.

    Commands of a function defined inside another function are included, because the reader skips them.
    """
    functions += isinstance(node, Function)
    if functions > 1 and isinstance(node, Command):
        yield text[slice(*node.span)]
    if isinstance(node, Compound):
        yield from (_redirected(one, text) for one in node.redirections)
    if isinstance(node, Command) and not node.words:
        yield from (f"export {one.name}=" for one in node.assignments if one.name.startswith(("AR_", "AUTO")))
    for part in node if isinstance(node, tuple) else ():
        if isinstance(part, tuple):
            yield from _found(part, text, functions)


def _redirected(one: Redirection, text: str) -> str:
    return (
        f": {one.fd if one.fd.isdigit() else ''}{one.op} {text[slice(*one.target.span)]}"
        if one.body is None
        else ":"
    )
