"""Scripts that a command starts, so that code written to a file first is judged when it runs."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Sequence

from hookline.hooks._self_protect.guarded_paths import OURSELVES, Guard
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

INTERPRETERS = word_set("python pypy node nodejs bun deno perl ruby php lua awk gawk mawk")
SHELLS = word_set("sh bash zsh dash ksh mksh ash fish")
_RUNNING = SHELLS | INTERPRETERS
_PACKAGES = word_set("npm pnpm yarn bun")
_SHORT = {
    **dict.fromkeys(("t", "tst"), ("test",)),
    **dict.fromkeys(("i", "ci", "add"), ("install", "prepare")),
    **dict.fromkeys(("it", "cit", "install-test"), ("install", "prepare", "test")),
}
"""Names of the scripts that npm's short commands run."""
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")

Script = tuple[str, str, bool]
"""A script's path, its text, and whether a shell reads it."""


def started(command: SimpleCommand, guard: Guard) -> Iterator[Script]:
    if not command.words:
        return
    cwd = command.cwd or guard.cwd
    if command.name in ("make", "gmake", "just"):
        yield from _recipes(command, cwd, guard)
    elif command.name in _PACKAGES or _by_node(command):
        yield from _package(command, cwd, guard)
    else:
        for path in _module(command):
            yield from _script(path, cwd, command.name, guard)
        word = _file(command)
        if word is not None and UNKNOWN not in word.text:
            yield from _script(word.text, cwd, command.name, guard)


def _by_node(command: SimpleCommand) -> bool:
    if command.name not in ("node", "nodejs"):
        return False
    return "--run" in [word.text.partition("=")[0] for word in command.words]


def _module(command: SimpleCommand) -> Iterator[str]:
    """Yield the project files in which python would find the module of `-m`."""
    if command.name not in ("python", "pypy"):
        return
    name = parse_options(command.words[1:], ("-c", "-m", "-W", "-X")).value("-m")
    if name is not None and UNKNOWN not in name.text:
        path = name.text.replace(".", "/")
        yield from (f"{path}.py", f"{path}/__main__.py")


def _file(command: SimpleCommand) -> Word | None:
    """Return the word that names the file to run, or None."""
    first, rest = command.words[0], command.words[1:]
    if command.name in ("source", "."):
        return next(iter(parse_options(rest).operands), None)
    if command.name in ("at", "batch"):
        return parse_options(rest, ("-f", "-q", "-t"), mixed=True).value("-f")
    if command.name in _RUNNING:
        split = parse_options(
            rest, ("-c", "-e", "-E", "-m", "-W", "-X", "-r", "-f", "-o", "-O", "--rcfile", "--eval")
        )
        if split.has("-c", "-e", "-E", "-m", "--eval") and command.name not in ("awk", "gawk"):
            return None
        return split.value("-f") or next(iter(split.operands), None)
    return first if "/" in first.text and command.name not in OURSELVES else None


def _script(path: str, cwd: str, name: str, guard: Guard) -> Iterator[Script]:
    text = script_at(path, cwd, guard)
    if not text:
        return
    first = text.partition("\n")[0]
    named = first.startswith("#!") and any(one in first for one in INTERPRETERS)
    other = (
        name in INTERPRETERS
        or named
        or path.endswith((".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php"))
    )
    yield path, text, not other


def script_at(path: str, cwd: str, guard: Guard) -> str:
    return guard.script(posixpath.join(cwd, path))


def _recipes(command: SimpleCommand, cwd: str, guard: Guard) -> Iterator[Script]:
    split = parse_options(
        command.words[1:], ("-f", "-C", "--file", "--directory", "-j", "--justfile", "-d"), mixed=True
    )
    folder = split.value("-C", "--directory", "-d")
    given = split.value("-f", "--file", "--justfile")
    base = posixpath.join(cwd, folder.text) if folder is not None else cwd
    usual: Sequence[str] = _JUSTFILES if command.name == "just" else _MAKEFILES
    for name in (given.text,) if given is not None else usual:
        text = guard.script(posixpath.join(base, name))
        if text:
            yield (
                name,
                "\n".join(line.strip().lstrip("@-+") for line in text.split("\n") if line[:1] in "\t "),
                True,
            )
            return


def _package(command: SimpleCommand, cwd: str, guard: Guard) -> Iterator[Script]:
    """Yield the package scripts of the given name, and those that run before and after it."""
    given = [word.text.removeprefix("--run=") for word in command.words[1:]]
    words = [text for text in given if not text.startswith("-")]
    text = guard.script(posixpath.join(cwd, "package.json"))
    if not words or "hookline" not in text:
        return
    name = words[1] if words[0] in ("run", "run-script") and len(words) > 1 else words[0]
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError):
        return
    for one in (f"{when}{each}" for each in _SHORT.get(name, (name,)) for when in ("pre", "", "post")):
        if isinstance(scripts, dict) and isinstance(scripts.get(one), str):
            yield "package.json", scripts[one], True
