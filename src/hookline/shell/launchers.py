"""Programs that run a command, each in a grammar of its own: setarch, hatch, nix, debuggers, expect, fd."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import options, spelled
from hookline.shell.result import Word
from hookline.shell.shell_state import Call, Inner, Result, World, mark
from hookline.shell.wrappers import run

Program: TypeAlias = Callable[[World, Call], Result]

_ARCHITECTURE = re.compile(
    r"(?:x86_64|i\d86|linux\d\d|aarch64|arm|ppc|powerpc|s390|mips|sparc|riscv|uname26)\w*"
)
_SPAWN = re.compile(r"(?:spawn|exec|system)\s+(?:-\w+\s+)*(.*)", re.DOTALL)
_STATEMENT = re.compile(r"[;\n]")
_FD_RUN = spelled("-x -X --exec --exec-batch")
_FD_VALUES = spelled(
    """-d -E -t -e -S -c -j -o --max-depth --min-depth --exclude --type --extension --size --color --threads
    --owner --changed-within --changed-before --base-directory --search-path --format"""
)
_MAX_ROOTS = 64
_PLACEHOLDERS = re.compile(r"\{(?:|/|//|\.|/\.)\}")


def _setarch(world: World, call: Call) -> Result:
    words = call.argv[1:]
    if words and _ARCHITECTURE.fullmatch(words[0].text):
        words = words[1:]
    return run("setarch", call, options(words).operands)


def _hatch(world: World, call: Call) -> Result:
    """`hatch run ENV:command …`."""
    operands = options(call.argv[1:], spelled("-e -p --env --project --data-dir --config")).operands
    if not operands or operands[0].text not in ("run", "env") or len(operands) == 1:
        return Result()
    first, *rest = options(operands[1:], spelled("-i -x --include --exclude")).operands or operands[:1]
    plain = Word(text=first.text.rpartition(":")[2], span=first.span)
    if " " in plain.text and not rest:
        return Result("", (Inner("hatch run", plain.span, code=plain.text),))
    return run("hatch run", call, (plain, *rest))


def _nix(world: World, call: Call) -> Result:
    """`nix develop -c command …`, and `nix run flake#program -- arguments`."""
    words = call.argv[1:]
    texts = [word.text for word in words]
    dashes = texts.index("--") if "--" in texts else len(texts)
    place = next((place for place, text in enumerate(texts[:dashes]) if text in ("-c", "--command")), None)
    if place is not None:
        return run("nix -c", call, words[place + 1 :])
    name = next((word for word in words[:dashes] if "#" in word.text), None)
    if name is None or "run" not in texts[:dashes]:
        return Result()
    program = Word(text=name.text.rpartition("#")[2], span=name.span)
    return run("nix run", call, (program, *words[dashes + 1 :]))


_EVALUATED = spelled(
    "-ex -iex --ex --eval-command --init-eval-command -o -O --one-line --one-line-before-file -k"
)
_ESCAPES = ("platform shell ", "shell ", "!")


def _debugger(world: World, call: Call) -> Result:
    """Commands of the debugger that leave for the shell, and the program that it is given with `--args`."""
    inner: list[Inner] = []
    for place, word in enumerate(call.argv):
        text = call.argv[place - 1].text if place else ""
        escape = next((one for one in _ESCAPES if word.text.startswith(one)), None)
        if text in _EVALUATED and escape is not None:
            inner.append(Inner("debugger", word.span, code=word.text[len(escape) :]))
        elif text in ("--args", "-args") or (text == "--" and word is not call.argv[0]):
            inner += run("debugger", call, call.argv[place:]).inner
            break
    return Result(inner=tuple(inner))


def _expect(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-c", "-f", "-D"))
    texts = [value.text for name, value in split.given if name == "-c" and value is not None]
    texts += [call.stdin] if call.stdin else []
    found = [_SPAWN.fullmatch(part.strip().strip("{}")) for text in texts for part in _STATEMENT.split(text)]
    return Result(
        inner=tuple(Inner("expect", call.span, code=one.group(1)) for one in found if one is not None)
    )


def _daemon(world: World, call: Call) -> Result:
    texts = [word.text for word in call.argv]
    dashes = texts.index("--") if "--" in texts else len(texts)
    values = spelled(
        "-x -a -p -n -u -g -c -d -r -s -R --exec --startas --pidfile --name --user --chuid --chdir"
    )
    split = options(call.argv[1:dashes], values, mixed=True)
    program = split.value("-a", "--startas") or split.value("-x", "--exec")
    return (
        Result() if program is None else run("start-stop-daemon", call, (program, *call.argv[dashes + 1 :]))
    )


def _fd(world: World, call: Call) -> Result:
    """`fd PATTERN FOLDER… -x command {}`; a pattern that finds everything leaves the folder itself."""
    words = call.argv[1:]
    place = next((place for place, word in enumerate(words) if word.text in _FD_RUN), None)
    if place is None:
        return Result()
    rest = words[place + 1 :]
    end = next((i for i, word in enumerate(rest) if word.text == ";"), len(rest))
    split = options((*words[:place], *rest[end + 1 :]), _FD_VALUES, mixed=True)
    everything = not split.given and (not split.operands or split.operands[0].text in (".", "", "*"))
    roots = split.operands[1 : 1 + _MAX_ROOTS] or (Word(text=".", span=call.span),)
    found = roots if everything else tuple(_below(world, root) for root in roots)
    return Result(inner=tuple(Inner("fd -x", call.span, _filled(rest[:end], root)) for root in found))


def _below(world: World, root: Word) -> Word:
    return Word(text=f"{root.text}/{mark(world)}", span=root.span)


def _filled(command: tuple[Word, ...], root: Word) -> tuple[Word, ...]:
    """*command* with *root* where its placeholders are, or behind it."""
    if not any(_PLACEHOLDERS.search(word.text) for word in command):
        return (*command, root)
    return tuple(
        Word(text=_PLACEHOLDERS.sub(lambda _: root.text, word.text), span=word.span, glob=word.glob)
        for word in command
    )


PROGRAMS: Mapping[str, Program] = {
    "setarch": _setarch,
    "hatch": _hatch,
    "nix": _nix,
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    "expect": _expect,
    "start-stop-daemon": _daemon,
    **dict.fromkeys(("fd", "fdfind"), _fd),
}
