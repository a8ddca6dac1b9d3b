"""Find the shell commands and deleted trees in code of other languages: `python -c`, `perl -e`, awk.

The code is split into its strings, names and marks, never matched as text, and only calls with literal
arguments are understood. What a program computes before it calls stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from hookline.shell.ansi import ansi
from hookline.shell.options import options, spelled
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, resolve, spend, trouble
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[World, Call], Result]

_MAX_ARGUMENTS = 200
"""Tokens of one call that are looked at."""
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*|//[^\n]*)
      | (?P<string>(?P<prefix>\b[rbfuRBFU]{1,2})?(?:'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)
          |'(?:[^'\\]|\\.)*+(?:'|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z)|`(?:[^`\\]|\\.)*+(?:`|\Z)))
      | (?P<shell>(?:%x|\bqx)\s*[({\[/|!](?P<run>[^)}\]/|!\n]*))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
_FIELD = re.compile(r"\$?\{[^{}]*\}|#\{[^{}]*\}")
_RUN = spelled(
    """system popen popen2 popen3 Popen run call check_call check_output getoutput getstatusoutput exec
    execSync execFile execFileSync spawn spawnSync execa execv execvp execve execvpe execl execlp posix_spawn
    shell_exec passthru proc_open pcntl_exec capture2 capture2e capture3 pipeline sh"""
)
_COMMON = spelled("run call exec spawn sh pipeline")
"""Names that also mean other things, unless the code mentions a module that runs programs."""
_MODULES = spelled("subprocess child_process node:child_process os asyncio pty sh zx execa Open3 Kernel IPC")
_DIRECT = spelled("perl ruby php lua")
"""Languages in which the common names run programs without a module."""
_PROGRAM_FIRST = spelled("spawn spawnSync execFile execFileSync execa")
DELETES = spelled(
    """rmtree rmSync rm_rf rm_r remove_entry_secure remove_tree rimraf rimrafSync removeSync rmdirSync
    emptyDirSync"""
)
"""Calls that delete a whole tree; followed as if they were `rm -rf`."""
_UNLINK = spelled("remove unlink unlinkSync rmSync delete rmdir")
"""Calls that delete one file, where they belong to a module that does so."""
_FILE_MODULES = spelled("os fs File FileUtils pathlib Path")
_HOME = spelled("home homedir expanduser HOME USERPROFILE")
"""Names by which code finds the home folder."""


_TELLING = (*sorted(_RUN - _COMMON | _MODULES | DELETES | _UNLINK), "%x", "qx", "`")
"""Code without any of these runs and deletes nothing that we could see, unless a common name does."""
MAX_CODE = 24_000
"""Characters of code that are taken apart, at about a microsecond each."""


class _Token(NamedTuple):
    kind: str
    text: str
    """The value of a string, else what is written."""


def commands(code: str, via: str, span: Span, home: str = "~") -> list[Inner]:
    """What *code* would run, by its calls with literal arguments."""
    if not any(word in code for word in (*_TELLING, *(_COMMON if via in _DIRECT else ()))):
        return []
    tokens = list(_tokens(code[:MAX_CODE]))
    calls = _RUN | DELETES | ({"execute"} if via == "lua" else set())
    if via not in _DIRECT and _MODULES.isdisjoint(token.text for token in tokens):
        calls -= _COMMON
    found: list[Inner] = []
    for place, token in enumerate(tokens):
        if token.kind == "name" and token.text in _UNLINK - calls and _of_files(tokens, place, via):
            direct, _ = _arguments(tokens[place + 1 : place + 1 + _MAX_ARGUMENTS])
            found += [Inner(f"{via} {token.text}()", span, _argv(["rm", path], span)) for path in direct[:1]]
        elif token.kind == "shell" or (token.kind == "`" and via in _DIRECT):
            found.append(Inner(via, span, code=token.text))
        elif token.kind == "name" and token.text in calls:
            found += _called(tokens, place, via, span, home)
    return found


def _tokens(code: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(code):
        kind = found.lastgroup or ""
        if found["string"] is not None:
            yield _Token("`" if found["string"].startswith("`") else "string", _string(found))
        elif found["shell"] is not None:
            yield _Token("shell", found["run"])
        elif kind != "comment":
            yield _Token(kind, found.group())


def _string(found: re.Match[str]) -> str:
    prefix = (found["prefix"] or "").lower()
    written = found["string"][len(prefix) :]
    quote = written[:3] if written.startswith(("'''", '"""')) else written[:1]
    body = written[len(quote) :].removesuffix(quote)
    if "f" in prefix or quote == "`":
        body = _FIELD.sub(UNKNOWN, body)
    return body if "r" in prefix else ansi(body)


def _called(tokens: list[_Token], place: int, via: str, span: Span, home: str) -> list[Inner]:
    name = tokens[place].text
    direct, listed = _arguments(tokens[place + 1 : place + 1 + _MAX_ARGUMENTS])
    if name in DELETES:
        paths = direct + listed or _homes(tokens[place + 1 : place + 8])
        return [_deleted(_at_home(path, home), name, via, span) for path in paths]
    if listed:
        argv = direct[:1] + listed if name in _PROGRAM_FIRST else listed
        return [Inner(via, span, _argv(argv, span))]
    found = [Inner(via, span, code=direct[0])] if direct else []
    if len(direct) > 1:
        found.append(Inner(via, span, _argv(direct, span)))
    return found


def _of_files(tokens: list[_Token], place: int, via: str) -> bool:
    """`os.remove(…)`, `require('fs').unlinkSync(…)`: the name before the dot, or in the call before it."""
    return (via in _DIRECT and tokens[place].text == "unlink") or any(
        token.text in _FILE_MODULES for token in tokens[max(0, place - 5) : place]
    )


def _homes(tokens: list[_Token]) -> list[str]:
    return ["~"] if any(token.text in _HOME for token in tokens) else []


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _deleted(path: str, name: str, via: str, span: Span) -> Inner:
    return Inner(f"{via} {name}()", span, _argv(["rm", "-rf", path], span))


def _argv(texts: list[str], span: Span) -> tuple[Word, ...]:
    return tuple(Word(text=text, span=span) for text in texts)


def _arguments(tokens: list[_Token]) -> tuple[list[str], list[str]]:
    """The literal arguments of a call: those given one by one, and those in its first list."""
    direct: list[str] = []
    listed: list[str] = []
    depth, lists = 0, 0
    joined = False
    for token in tokens:
        if token.kind in ("string", "`"):
            target = listed if lists else direct
            if joined and target:
                target[-1] += token.text
            else:
                target.append(token.text)
        depth += token.text in ("(", "{") and token.kind == "mark"
        depth -= token.text in (")", "}") and token.kind == "mark"
        lists += token.text == "[" and token.kind == "mark"
        lists -= token.text == "]" and token.kind == "mark"
        joined = token.kind == "mark" and token.text in "+."
        if (depth <= 0 and token.kind == "mark" and token.text in ");") or depth < 0:
            break
    return direct, listed


def _awk_pipes(code: str, via: str, span: Span) -> list[Inner]:
    """`"command" | getline` and `print | "command"`."""
    tokens = list(_tokens(code[:MAX_CODE])) if "|" in code else []
    texts = [
        one.text if one.kind == "string" else two.text
        for one, two in pairwise(tokens)
        if {(one.kind, one.text == "|"), (two.kind, two.text == "|")} == {("string", False), ("mark", True)}
    ]
    return [Inner(via, span, code=text) for text in texts]


_CODE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "python": ("-c", "-m", "-W", "-X"),
    "pypy": ("-c", "-m", "-W", "-X"),
    "perl": ("-e", "-E"),
    "ruby": ("-e",),
    "node": ("-e", "--eval", "--print", "-r", "--require"),
    "nodejs": ("-e", "--eval", "--print", "-r", "--require"),
    "bun": ("-e", "--eval"),
    "deno": (),
    "php": ("-r",),
    "lua": ("-e",),
}
_TOOLS = spelled("manage.py artisan rails rake console bundle")
"""Scripts that are a tool of their own, whatever runs them."""
_NO_CODE = frozenset({"-m", "-W", "-X", "-r", "--require"})


def interpret(world: World, call: Call, name: str) -> Result:
    """What the interpreter *name* runs: code among its words, a module, or a script of this line."""
    takes = _CODE_OPTIONS[name]
    split = options(call.argv[1:], takes)
    pieces = [value for option, value in split.given if value is not None and _holds_code(name, option)]
    if not pieces and split.has("-p", "-pe") and split.operands:
        pieces = [split.operands[0]]
    if not pieces and split.operands[:1] and split.operands[0].text == "eval":
        pieces = list(split.operands[1:2])
    if pieces:
        return Result(
            inner=tuple(one for piece in pieces for one in _code(world, piece.text, name, piece.span))
        )
    module = split.value("-m") if name in ("python", "pypy") else None
    if module is not None:
        return _module(call, module)
    if split.operands and split.operands[0].text.rpartition("/")[2] in _TOOLS:
        return Result(inner=(Inner(name, call.span, split.operands, stdin=call.stdin),))
    return Result(inner=tuple(_code(world, _program_text(world, call, split.operands), name, call.span)))


def _module(call: Call, module: Word) -> Result:
    """`python -m name …` runs the program of that name."""
    place = next((place for place, word in enumerate(call.argv) if word is module), len(call.argv) - 1)
    return Result(inner=(Inner("python -m", call.span, (module, *call.argv[place + 1 :]), stdin=call.stdin),))


def _holds_code(name: str, option: str) -> bool:
    return option not in _NO_CODE or (name == "php" and option == "-r")


def _program_text(world: World, call: Call, operands: tuple[Word, ...]) -> str:
    if not operands or operands[0].text in ("-", "/dev/stdin"):
        return call.stdin
    return world.files.get(resolve(world, operands[0].text), "")


def _code(world: World, code: str, via: str, span: Span) -> list[Inner]:
    if code.startswith(UNKNOWN):
        return [Inner(via, span, (Word(text=code[:2], span=span),))]
    rest = code[MAX_CODE:]
    if rest and any(word in rest for word in _TELLING):
        trouble(world, "code too long to take apart", rest, span)
    return commands(code[:MAX_CODE], via, span, world.home) if code and spend(world, len(code)) else []


def _awk(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-F", "-v", "-f", "--file", "--assign", "--field-separator"))
    if split.has("-f", "--file") or not split.operands:
        return Result()
    program = split.operands[0]
    if not spend(world, 2 * len(program.text)):
        return Result()
    found = commands(program.text, "awk", program.span) + _awk_pipes(program.text, "awk", program.span)
    return Result(inner=tuple(found))


def _interpreted(name: str) -> Program:
    return lambda world, call: interpret(world, call, name)


PROGRAMS: Mapping[str, Program] = {
    **{name: _interpreted(name) for name in _CODE_OPTIONS if name != "bun"},
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
