"""What the shell's own commands change: folders, variables, parameters, aliases; and what they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.git_settings import variables
from hookline.shell.options import options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, cwd, look, place, put, resolve

Program: TypeAlias = Callable[[World, Call], Result]

_SILENT = Result("")
_NAME = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL | re.ASCII)
_SPLIT = re.compile(r"[ \t\n]+")


def texts(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _cd(world: World, call: Call) -> Result:
    operands = options(call.argv[1:]).operands
    target = operands[0].text if operands else look(world, "HOME") or world.home
    here = cwd(world)
    if target == "-":
        target = look(world, "OLDPWD") or UNKNOWN
    put(world, "OLDPWD", here)
    put(
        world,
        "PWD",
        UNKNOWN if UNKNOWN in target or (operands and operands[0].glob) else resolve(world, target),
    )
    return _SILENT


def _pushd(world: World, call: Call) -> Result:
    place(world, "DIRSTACK[]", (cwd(world), *world.known.get("DIRSTACK[]", ())))
    return _cd(world, call)


def _popd(world: World, call: Call) -> Result:
    stack = world.known.get("DIRSTACK[]", (UNKNOWN,))
    put(world, "PWD", stack[0] if stack else UNKNOWN)
    place(world, "DIRSTACK[]", stack[1:])
    return _SILENT


def _declare(world: World, call: Call) -> Result:
    split = options(call.argv[1:])
    local = call.argv[0].text == "local" or (
        call.argv[0].text in ("declare", "typeset") and not split.has("-g")
    )
    settings: list[tuple[str, str]] = []
    for word in split.operands:
        found = _NAME.fullmatch(word.text)
        name = found.group(1) if found else word.text
        if local and world.scopes:
            world.scopes[-1].setdefault(name, world.known.get(name, (UNKNOWN,)))
        if found and split.has("-n"):
            world.refs[name] = found.group(3)
        elif found:
            old = (look(world, name) or "") if found.group(2) else ""
            settings.append((name, _attributed(old + found.group(3), split.given)))
            put(world, *settings[-1])
    return Result("", tuple(variables(world, settings, call.span)))


def _attributed(value: str, given: tuple[tuple[str, Word | None], ...]) -> str:
    names = {name for name, _ in given}
    if "-l" in names:
        return value.lower()
    if "-u" in names:
        return value.upper()
    return value


def _unset(world: World, call: Call) -> Result:
    split = options(call.argv[1:])
    for word in split.operands:
        if not split.has("-f"):
            place(world, word.text, ())
            world.known.pop(word.text + "[]", None)
        if not split.has("-v"):
            world.functions.pop(word.text, None)
    return _SILENT


def _set(world: World, call: Call) -> Result:
    words = texts(call.argv[1:])
    if "--" in words:
        place(world, "@[]", words[words.index("--") + 1 :])
    elif words and not words[0].startswith(("-", "+")):
        place(world, "@[]", words)
    return _SILENT


def _shift(world: World, call: Call) -> Result:
    count = call.argv[1].text if len(call.argv) > 1 else "1"
    items = world.known.get("@[]")
    if items is not None and count.isdecimal():
        place(world, "@[]", items[int(count[:6]) :])
    return _SILENT


def _read(world: World, call: Call) -> Result:
    """Fill variables from the first line of the input; the last one takes the rest."""
    split = options(call.argv[1:], ("-p", "-u", "-d", "-n", "-N", "-t", "-i", "-a"))
    text = _input(world, call, split.value("-u"))
    line = text if split.value("-d") else text.partition("\n")[0]
    between = _between(look(world, "IFS"))
    array = split.value("-a")
    if array is not None:
        place(world, array.text + "[]", tuple(item for item in between.split(line) if item)[:_MAX_ITEMS])
        return _SILENT
    names = texts(split.operands) or ("REPLY",)
    rest = line.strip(" \t")
    for name in names[:-1]:
        first, *left = between.split(rest, maxsplit=1)
        put(world, name, first)
        rest = left[0] if left else ""
    put(world, names[-1], rest)
    return _SILENT


_MAX_ITEMS = 1_000


def _between(separators: str | None) -> re.Pattern[str]:
    if not separators or UNKNOWN in separators or not separators.strip(" \t\n"):
        return _SPLIT
    return re.compile("[" + re.escape(separators) + "\n]")


def _mapfile(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-d", "-n", "-O", "-s", "-u", "-C", "-c"))
    content = _input(world, call, split.value("-u"))
    given = split.value("-d")
    end = given.text[:1] or "\n" if given is not None else "\n"
    name = split.operands[0].text if split.operands else "MAPFILE"
    place(world, name + "[]", tuple(content.rstrip(end).split(end)[:_MAX_ITEMS]))
    callback = split.value("-C")
    if callback is None:
        return _SILENT
    return Result("", (Inner("mapfile -C", callback.span, code=callback.text, subshell=False),))


def _input(world: World, call: Call, fd: Word | None) -> str:
    if fd is not None:
        return world.files.get("/dev/fd/" + fd.text, UNKNOWN)
    return call.stdin or UNKNOWN


def _alias(world: World, call: Call) -> Result:
    for word in call.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            place(world, "alias " + name, (value,))
    return _SILENT


def _unalias(world: World, call: Call) -> Result:
    for word in call.argv[1:]:
        world.known.pop("alias " + word.text, None)
    return _SILENT


def _hash(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-p",))
    path = split.value("-p")
    if path is not None and split.operands:
        place(world, "alias " + split.operands[0].text, (path.text,))
    return _SILENT


def _shopt(world: World, call: Call) -> Result:
    split = options(call.argv[1:])
    for word in split.operands:
        place(world, "shopt " + word.text, ("on" if split.has("-s") else "off",))
    return _SILENT


def _eval(world: World, call: Call) -> Result:
    words = call.argv[2:] if texts(call.argv[1:2]) == ("--",) else call.argv[1:]
    if not words:
        return _SILENT
    span = (words[0].span[0], words[-1].span[1])
    code = " ".join(texts(words))
    return Result("", (Inner("eval", span, code=code, stdin=call.stdin, subshell=False),))


def _source(world: World, call: Call) -> Result:
    words = call.argv[2:] if texts(call.argv[1:2]) == ("--",) else call.argv[1:]
    if not words:
        return _SILENT
    path = words[0].text
    content = call.stdin if path == "/dev/stdin" else world.files.get(resolve(world, path))
    if content is None:
        return Result()
    args = (path, *texts(words[1:])) if len(words) > 1 else None
    return Result("", (Inner("source", words[0].span, code=content, args=args, subshell=False),))


def _trap(world: World, call: Call) -> Result:
    operands = options(call.argv[1:]).operands
    if len(operands) < 2 or operands[0].text in ("-", ""):  # noqa: PLR2004 -- a command and a signal
        return _SILENT
    return Result("", (Inner("trap", operands[0].span, code=operands[0].text, subshell=False),))


def _nothing(world: World, call: Call) -> Result:
    return _SILENT


PROGRAMS: Mapping[str, Program] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "shopt": _shopt,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    **dict.fromkeys(
        ("true", "false", ":", "test", "[", "wait", "exit", "return", "break", "continue"), _nothing
    ),
}
