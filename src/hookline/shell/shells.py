"""Programs that take a command line as text: shells, and those that hand text to a shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, resolve, written
from hookline.shell.wrappers import run

Program: TypeAlias = Callable[[World, Call], Result]

_SHELLS = (
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "mksh",
    "ash",
    "fish",
    "yash",
    "rbash",
    "pdksh",
    "ksh93",
    "tcsh",
    "csh",
    "posh",
)
_SHELL_VALUES = ("-O", "+O", "-o", "+o", "--rcfile", "--init-file", "--command", "--init-command")
_CRON = re.compile(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
_KEYS = frozenset({"Enter", "C-m", "KPEnter"})


def code(via: str, call: Call, word: Word, *, args: tuple[str, ...] | None = None, stdin: str = "") -> Result:
    """The result of handing the text of *word* to a shell."""
    return Result("", (Inner(via, word.span, code=word.text, args=args, stdin=stdin),))


def joined(
    via: str, words: tuple[Word, ...], *, settings: tuple[tuple[str, str], ...] = (), stdin: str = ""
) -> Result:
    """The result of handing *words*, with spaces between them, to a shell."""
    if not words:
        return Result()
    span = (words[0].span[0], words[-1].span[1])
    code = " ".join(word.text for word in words)
    return Result("", (Inner(via, span, code=code, settings=settings, stdin=stdin),))


def _shell(world: World, call: Call) -> Result:
    name = call.argv[0].text.rpartition("/")[2]
    split = options(_unsigned(call.argv[1:]), _SHELL_VALUES)
    if split.has("-n"):
        return Result("")
    if split.has("-c", "--command"):
        return _shell_code(name, call, split)
    if split.operands and not split.has("-s"):
        return _shell_script(world, call, split.operands)
    if split.has("--version", "--help"):
        return Result()
    if not call.stdin:
        return Result()
    args = (name, *(word.text for word in split.operands))
    return Result("", (Inner(name, call.span, code=call.stdin, args=args),))


def _unsigned(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """*words* without `+x`, which switches an option off, and without the options that such words undo."""
    off = {word.text[1:] for word in words if word.text[:1] == "+" and word.text[1:].isalpha()}
    if not off or "O" in off or "o" in off:
        return words
    gone = {sign + name for name in off for sign in "+-"}
    return tuple(word for word in words if word.text not in gone)


def _shell_code(name: str, call: Call, split: Options) -> Result:
    given = split.value("--command")
    operands = (given, *split.operands) if given is not None else split.operands
    if not operands:
        return Result()
    args = tuple(word.text for word in operands[1:]) or (name,)
    return code(name + " -c", call, operands[0], args=args, stdin=call.stdin)


def _shell_script(world: World, call: Call, operands: tuple[Word, ...]) -> Result:
    path = operands[0].text
    if operands[0].glob and world.files:
        path = next(iter(written(world, path)), path)
    content = (
        call.stdin if path in ("/dev/stdin", "-", "/dev/fd/0") else world.files.get(resolve(world, path))
    )
    if content is None:
        return Result()
    args = tuple(word.text for word in operands)
    span = call.span if path in ("/dev/stdin", "-") else operands[0].span
    return Result("", (Inner(path, span, code=content, args=args),))


def _su(world: World, call: Call) -> Result:
    split = options(
        call.argv[1:], ("-c", "--command", "-s", "--shell", "-g", "-G", "-u", "--user"), mixed=True
    )
    given = split.value("-c", "--command")
    if given is not None:
        return code("su -c", call, given)
    return run("runuser", call, split.operands) if split.has("-u", "--user") else Result()


def _watch(world: World, call: Call) -> Result:
    return joined("watch", options(call.argv[1:], ("-n", "--interval", "-q", "--equexit")).operands)


def _script(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-c", "--command", "-E", "-I", "-O", "-B", "-T", "-o", "-m"))
    given = split.value("-c", "--command")
    rest = split.operands[1:]
    if given is None and rest and rest[0].text.startswith("-"):  # options may follow the file
        given = options(rest, ("-c", "--command")).value("-c", "--command")
    return code("script -c", call, given) if given is not None else run("script", call, rest)


def _flock(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-w", "-E", "--timeout", "--conflict-exit-code"))
    rest = options(split.operands[1:], ("-c", "--command"))
    given = rest.value("-c", "--command")
    return code("flock -c", call, given) if given is not None else run("flock", call, rest.operands)


def _at(world: World, call: Call) -> Result:
    return Result("", (Inner("at", call.span, code=call.stdin),)) if call.stdin else Result()


def _crontab(world: World, call: Call) -> Result:
    operands = options(call.argv[1:], ("-u",)).operands
    if not operands or operands[0].text != "-":
        return Result()
    lines = (_CRON.fullmatch(line.lstrip(UNKNOWN)) for line in call.stdin.split("\n"))
    jobs = "\n".join(found.group(1) for found in lines if found is not None)
    return Result("", (Inner("crontab", call.span, code=jobs),))


def _tmux(world: World, call: Call) -> Result:
    operands = options(call.argv[1:], ("-L", "-S", "-f", "-c")).operands
    if not operands:
        return Result()
    rest = options(
        operands[1:],
        ("-t", "-s", "-n", "-c", "-e", "-F", "-x", "-y", "-N", "-l", "-p"),
        mixed=operands[0].text.startswith("send"),
    )
    words = tuple(word for word in rest.operands if word.text not in _KEYS)
    return joined("tmux " + operands[0].text, words)


def _screen(world: World, call: Call) -> Result:
    operands = options(call.argv[1:], ("-S", "-c", "-h", "-p", "-s", "-t", "-T", "-e")).operands
    if operands and operands[0].text == "stuff":
        return joined("screen", operands[1:])
    return run("screen", call, operands)


def _nix(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("--run", "--command", "-p", "-c", "-I", "--arg"), mixed=True)
    given = split.value("--run", "--command")
    return code("nix-shell --run", call, given) if given is not None else Result()


def _ansible(world: World, call: Call) -> Result:
    """`ansible hosts -m shell -a 'command'`; without a module it is a command too."""
    split = options(
        call.argv[1:], ("-m", "-a", "-i", "-u", "--args", "--module-name", "--inventory"), mixed=True
    )
    module, given = split.value("-m", "--module-name"), split.value("-a", "--args")
    if given is None or (module is not None and module.text not in ("shell", "command", "raw")):
        return Result()
    return code("ansible -a", call, given)


def _texts(world: World, call: Call) -> Result:
    """Programs whose every operand is a command line: hyperfine, concurrently."""
    name = call.argv[0].text
    split = options(call.argv[1:], (*_TEXT_VALUES, *_TEXT_CODE), mixed=True)
    words = [value for option, value in split.given if option in _TEXT_CODE and value is not None]
    return Result("", tuple(Inner(name, word.span, code=word.text) for word in (*words, *split.operands)))


_TEXT_VALUES = ("-w", "-r", "-m", "-M", "-n", "--names", "--warmup", "--runs", "--export-json")
_TEXT_CODE = ("-p", "-s", "-c", "--prepare", "--setup", "--cleanup", "--conclude")
"""Options of hyperfine that take a command line; to concurrently, some of their letters are colours."""


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(_SHELLS, _shell),
    "su": _su,
    "runuser": _su,
    "sg": _su,
    "watch": _watch,
    "script": _script,
    "flock": _flock,
    "at": _at,
    "batch": _at,
    "crontab": _crontab,
    "tmux": _tmux,
    "screen": _screen,
    "nix-shell": _nix,
    "ansible": _ansible,
    "hyperfine": _texts,
    "concurrently": _texts,
}
