"""Programs that run commands from a file of their own: make, just, and package managers with scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell.embedded import run_interpreter
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.shell_state import Call, InnerCommand, Result, ShellState, resolve, spend
from hookline.shell.wrappers import run_subcommand

Program: TypeAlias = Callable[[ShellState, Call], Result]

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
_MAKE_VALUES = word_set(
    "-f -C -I -o -W --file --makefile --directory --include-dir --eval --old-file --what-if --justfile -d"
    " --working-directory"
)
_SHELL_CALL = re.compile(r"\$[({]shell[ \t]+([^)}\n]{0,500})|^\w+[ \t]*!=([^\n]*)", re.MULTILINE)
_NPM_SHORTCUTS = {
    **dict.fromkeys(("t", "tst"), ("test",)),
    **dict.fromkeys(("i", "ci", "add", "install", "isntall"), ("install", "prepare")),
    **dict.fromkeys(("it", "cit", "install-test"), ("install", "prepare", "test")),
}
"""The scripts that the short commands of npm run."""
_RUN_SUBCOMMANDS = word_set("run run-script rum urn")


def extract_recipe(text: str) -> str:
    """Return the commands in the recipes of a makefile or a justfile, one per line."""
    lines = [line.strip().lstrip("@-+") for line in map(_extract_command, text.split("\n")) if line]
    lines += [match.group(1) or match.group(2) or "" for match in _SHELL_CALL.finditer(text)]
    return "\n".join(lines).replace("$$", "$")


def _extract_command(line: str) -> str:
    """Return the command in *line*: an indented line, or the text after `target: ;`."""
    if line[:1] in ("\t", " "):
        return line
    rule, _, command = line.partition(";")
    return command if ":" in rule and "=" not in rule and not rule.startswith("#") else ""


def find_package_scripts(text: str, words: list[str]) -> Iterator[str]:
    """Yield the scripts of a `package.json` that npm or a similar program runs for *words*."""
    if not words:
        return
    name = words[1] if words[0] in _RUN_SUBCOMMANDS and len(words) > 1 else words[0]
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    for key in (
        f"{prefix}{script}" for script in _NPM_SHORTCUTS.get(name, (name,)) for prefix in ("pre", "", "post")
    ):
        if isinstance(scripts, dict) and isinstance(scripts.get(key), str):
            yield scripts[key]


def _make(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], _MAKE_VALUES, mixed=True)
    inner = [
        InnerCommand("make", call.span, code=extract_recipe(text))
        for text in _read_makefiles(state, call, options)
        if text and spend(state, len(text))
    ]
    return Result(inner=tuple(inner))


def _read_makefiles(state: ShellState, call: Call, options: Options) -> Iterator[str]:
    """Yield the makefiles that the command reads, as far as this line has written them."""
    paths = [value.text for name, value in options.options if value is not None and name in _MAKEFILE_OPTIONS]
    folder = options.value("-C", "--directory", "-d", "--working-directory")
    names = paths or (JUSTFILES if call.argv[0].text.endswith("just") else MAKEFILES)
    if "-" in paths:
        yield call.stdin
    for name in names if state.files else ():
        path = f"{folder.text}/{name}" if folder is not None and not name.startswith("/") else name
        yield state.files.get(resolve(state, path), "")
    yield from (value.text for name, value in options.options if name == "--eval" and value is not None)


_MAKEFILE_OPTIONS = word_set("-f --file --makefile --justfile")


def _just(state: ShellState, call: Call) -> Result:
    index = next(
        (position for position, word in enumerate(call.argv) if word.text in ("--command", "-c")), None
    )
    if index is None:
        return _make(state, call)
    return Result(inner=(InnerCommand("just", call.span, call.argv[index + 1 :], stdin=call.stdin),))


def _run_package_manager(state: ShellState, call: Call, name: str) -> Result:
    result = run_subcommand(state, call, name)
    text = state.files.get(resolve(state, "package.json")) if state.files else None
    if text is None or not spend(state, len(text)):
        return result
    words = [word.text for word in call.argv[1:] if not word.text.startswith("-")]
    scripts = tuple(
        InnerCommand("npm run", call.span, code=code) for code in find_package_scripts(text, words)
    )
    return result._replace(inner=result.inner + scripts)


def _bun(state: ShellState, call: Call) -> Result:
    """Run bun, which is a package manager, a runner and an interpreter."""
    result = _run_package_manager(state, call, "bun")
    return result if result.inner else run_interpreter(state, call, "bun")


def _package_manager(name: str) -> Program:
    return lambda state, call: _run_package_manager(state, call, name)


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("make", "gmake", "bmake"), _make),
    "just": _just,
    **{name: _package_manager(name) for name in ("npm", "pnpm", "yarn")},
    "bun": _bun,
}
