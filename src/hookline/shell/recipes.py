"""Programs that run commands out of a file of their own: make, just, and the scripts of a package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell.embedded import interpret
from hookline.shell.options import Options, options, spelled
from hookline.shell.shell_state import Call, Inner, Result, World, resolve, spend
from hookline.shell.wrappers import subcommand

Program: TypeAlias = Callable[[World, Call], Result]

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
_MAKE_VALUES = spelled(
    "-f -C -I -o -W --file --makefile --directory --include-dir --eval --old-file --what-if --justfile -d"
    " --working-directory"
)
_SHELL = re.compile(r"\$[({]shell[ \t]+([^)}\n]{0,500})|^\w+[ \t]*!=([^\n]*)", re.MULTILINE)
_SHORT = {
    **dict.fromkeys(("t", "tst"), ("test",)),
    **dict.fromkeys(("i", "ci", "add", "install", "isntall"), ("install", "prepare")),
    **dict.fromkeys(("it", "cit", "install-test"), ("install", "prepare", "test")),
}
"""What npm calls the scripts that its short commands run."""
_RUNNING = spelled("run run-script rum urn")


def recipe(text: str) -> str:
    """The commands in the recipes of a makefile or a justfile, one to a line."""
    lines = [line.strip().lstrip("@-+") for line in map(_command, text.split("\n")) if line]
    lines += [found.group(1) or found.group(2) or "" for found in _SHELL.finditer(text)]
    return "\n".join(lines).replace("$$", "$")


def _command(line: str) -> str:
    """What of *line* is a command: all that is indented, or what stands behind `target: ;`."""
    if line[:1] in ("\t", " "):
        return line
    rule, _, command = line.partition(";")
    return command if ":" in rule and "=" not in rule and not rule.startswith("#") else ""


def scripts(text: str, words: list[str]) -> Iterator[str]:
    """The scripts of a `package.json` that the command *words* of npm or its like run."""
    if not words:
        return
    name = words[1] if words[0] in _RUNNING and len(words) > 1 else words[0]
    try:
        known = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    for one in (f"{when}{each}" for each in _SHORT.get(name, (name,)) for when in ("pre", "", "post")):
        if isinstance(known, dict) and isinstance(known.get(one), str):
            yield known[one]


def _make(world: World, call: Call) -> Result:
    split = options(call.argv[1:], _MAKE_VALUES, mixed=True)
    inner = [
        Inner("make", call.span, code=recipe(text))
        for text in _makefiles(world, call, split)
        if text and spend(world, len(text))
    ]
    return Result(inner=tuple(inner))


def _makefiles(world: World, call: Call, split: Options) -> Iterator[str]:
    """The texts that it reads as far as this line has written them."""
    given = [value.text for name, value in split.given if value is not None and name in _FILE]
    folder = split.value("-C", "--directory", "-d", "--working-directory")
    names = given or (JUSTFILES if call.argv[0].text.endswith("just") else MAKEFILES)
    if "-" in given:
        yield call.stdin
    for name in names if world.files else ():
        path = f"{folder.text}/{name}" if folder is not None and not name.startswith("/") else name
        yield world.files.get(resolve(world, path), "")
    yield from (value.text for name, value in split.given if name == "--eval" and value is not None)


_FILE = spelled("-f --file --makefile --justfile")


def _just(world: World, call: Call) -> Result:
    place = next((i for i, word in enumerate(call.argv) if word.text in ("--command", "-c")), None)
    if place is None:
        return _make(world, call)
    return Result(inner=(Inner("just", call.span, call.argv[place + 1 :], stdin=call.stdin),))


def _package(world: World, call: Call, name: str) -> Result:
    ran = subcommand(world, call, name)
    text = world.files.get(resolve(world, "package.json")) if world.files else None
    if text is None or not spend(world, len(text)):
        return ran
    words = [word.text for word in call.argv[1:] if not word.text.startswith("-")]
    found = tuple(Inner("npm run", call.span, code=code) for code in scripts(text, words))
    return ran._replace(inner=ran.inner + found)


def _bun(world: World, call: Call) -> Result:
    """A package manager, a runner and an interpreter at once."""
    result = _package(world, call, "bun")
    return result if result.inner else interpret(world, call, "bun")


def _packaged(name: str) -> Program:
    return lambda world, call: _package(world, call, name)


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("make", "gmake", "bmake"), _make),
    "just": _just,
    **{name: _packaged(name) for name in ("npm", "pnpm", "yarn")},
    "bun": _bun,
}
