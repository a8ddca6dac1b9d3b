"""Whether a call would load much into the context: a large file, a page of the web, a helper's answer."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from hookline.bash import UNKNOWN, Reading, Redirect, Simple, read
from hookline.bash.options import options, spelled
from hookline.events import PreToolUse
from hookline.state import State

_SHOWING = spelled("cat less more nl tac")
_KEPT = ("-o", "-O", "--output", "--remote-name", "-I", "--head")
"""Options with which `curl` does not print what it fetches."""
_KILO = 1000


class Load(NamedTuple):
    rule: str
    what: str
    instead: str


def load(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    """What *event* would load that has more than so many *lines* or bytes; None where it would not."""
    if event.kind == "agent":
        return Load("new-helper", "A helper brings its answer into the context", _ALONE)
    if event.kind == "fetch":
        return Load("fetch", "A fetched page is loaded whole", _LATER)
    if event.kind == "shell":
        return _shell(event, state, lines, size)
    return _file(event.path, event.cwd, state, (lines, size), _part(event))


_ALONE = "Do the step at hand yourself, commit it, and leave the rest to a fresh session."
_LATER = "Go on with what you know, or leave it to a fresh session."


def _part(event: PreToolUse) -> tuple[int | None, int | None]:
    """After how many lines it begins, and how many it has; some hosts name its first and its last line."""
    if "first" not in event.places:
        return _number(event, "offset"), _number(event, "limit")
    before, last = max((_number(event, "first") or 1) - 1, 0), _number(event, "last")
    return before, None if last is None else max(last - before, 0)


def _number(event: PreToolUse, name: str) -> int | None:
    value = event.input.get(event.places.get(name, name))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _file(
    path: str | None,
    cwd: str,
    state: State,
    most: tuple[int, int],
    part: tuple[int | None, int | None] = (None, None),
) -> Load | None:
    weigh = state.facts.get("weight")
    if not path or weigh is None:
        return None
    whole = posixpath.join(cwd, path.replace("~", state.home, path.startswith("~/")))
    found_lines, found_size = weigh(whole, part[0] or 0, part[1], most[1])
    if found_lines <= most[0] and found_size <= most[1]:
        return None
    much = f"{found_lines:,} lines" if found_lines > most[0] else f"{found_size // _KILO:,} kB"
    instead = f"Search it, or read the part that you need: at most {most[0]} lines and {most[1] // _KILO} kB."
    return Load("large-read", f"{path} has {much} to load", instead)


def _shell(event: PreToolUse, state: State, lines: int, size: int) -> Load | None:
    line = read(event.command or "", cwd=event.cwd, home=state.home)
    for command in _shown(line):
        split = options(command.words[1:], mixed=True)
        if command.name == "curl":
            if split.has(*_KEPT):
                continue
            return Load("fetch", "`curl` prints all that it fetches", _LATER)
        for word in (*split.operands, *(one.target for one in command.redirects if one.op == "<")):
            cwd = command.cwd or event.cwd
            found = None if UNKNOWN in word.text else _file(word.text, cwd, state, (lines, size))
            if found is not None:
                return found
    return None


def _shown(line: Reading) -> Iterator[Simple]:
    """Commands whose output the agent reads: it goes into no other command, and into no file."""
    eaten = {number for one in line.commands for number in one.fed}
    for number, one in enumerate(line.commands):
        kept = any(map(_takes_output, one.redirects))
        if one.name in {*_SHOWING, "curl"} and number not in eaten and not kept and "$(…)" not in one.via:
            yield one


def _takes_output(redirect: Redirect) -> bool:
    """What is redirected by a number other than 1 is what goes wrong."""
    return redirect.op in ("&>", "&>>") or (redirect.op in (">", ">>", ">|") and redirect.fd in ("", "1"))
