"""Shell commands and deletions in code of other languages: `python -c`, `perl -e`, awk.

The code is split into strings, names and punctuation, and only calls with literal arguments are resolved.
Arguments that a program computes stay unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from hookline.shell.ansi import decode_ansi
from hookline.shell.options import parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, InnerCommand, Result, ShellState, add_problem, resolve, spend
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[ShellState, Call], Result]

_MAX_ARGUMENTS = 200
"""Maximum tokens of one call that are examined."""
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*|//[^\n]*)
      | (?P<string>(?P<prefix>\b[rbfuRBFU]{1,2})?(?:'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)
          |'(?:[^'\\]|\\.)*+(?:'|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z)|`(?:[^`\\]|\\.)*+(?:`|\Z)))
      | (?P<shell>(?:%x|\bqx)\s*[({\[/|!](?P<run>[^)}\]/|!\n]*))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
_INTERPOLATION = re.compile(r"\$?\{[^{}]*\}|#\{[^{}]*\}")
_RUN_CALLS = word_set(
    """system popen popen2 popen3 Popen run call check_call check_output getoutput getstatusoutput exec
    execSync execFile execFileSync spawn spawnSync execa execv execvp execve execvpe execl execlp posix_spawn
    shell_exec passthru proc_open pcntl_exec capture2 capture2e capture3 pipeline sh"""
)
_AMBIGUOUS_CALLS = word_set("run call exec spawn sh pipeline")
"""Names that also have other meanings, unless the code mentions a module that runs programs."""
_PROCESS_MODULES = word_set(
    "subprocess child_process node:child_process os asyncio pty sh zx execa Open3 Kernel IPC"
)
_DIRECT_LANGUAGES = word_set("perl ruby php lua")
"""Languages in which the ambiguous names run programs without a module."""
_PROGRAM_FIRST = word_set("spawn spawnSync execFile execFileSync execa")
TREE_DELETERS = word_set(
    """rmtree rmSync rm_rf rm_r remove_entry_secure remove_tree rimraf rimrafSync removeSync rmdirSync
    emptyDirSync"""
)
"""Calls that delete a directory tree; evaluated as `rm -rf`."""
_FILE_DELETERS = word_set("remove unlink unlinkSync rmSync delete rmdir")
"""Calls that delete one file, if they belong to a module for files."""
_FILE_MODULES = word_set("os fs File FileUtils pathlib Path")
_HOME_NAMES = word_set("home homedir expanduser HOME USERPROFILE")
"""Names by which code finds the home directory."""


_INDICATORS = (
    *sorted(_RUN_CALLS - _AMBIGUOUS_CALLS | _PROCESS_MODULES | TREE_DELETERS | _FILE_DELETERS),
    "%x",
    "qx",
    "`",
)
"""Code without any of these, and without an ambiguous call, runs and deletes nothing that is recognised."""
MAX_CODE = 24_000
"""Maximum characters of code that are tokenized, at about a microsecond each."""


class _Token(NamedTuple):
    kind: str
    text: str
    """The value of a string, otherwise the source text."""


def find_commands(code: str, via: str, span: Span, home: str = "~") -> list[InnerCommand]:
    """Return the commands that *code* would run by calls with literal arguments."""
    if not any(
        word in code for word in (*_INDICATORS, *(_AMBIGUOUS_CALLS if via in _DIRECT_LANGUAGES else ()))
    ):
        return []
    tokens = list(_tokenize(code[:MAX_CODE]))
    calls = _RUN_CALLS | TREE_DELETERS | ({"execute"} if via == "lua" else set())
    if via not in _DIRECT_LANGUAGES and _PROCESS_MODULES.isdisjoint(token.text for token in tokens):
        calls -= _AMBIGUOUS_CALLS
    commands: list[InnerCommand] = []
    for index, token in enumerate(tokens):
        if (
            token.kind == "name"
            and token.text in _FILE_DELETERS - calls
            and _is_file_call(tokens, index, via)
        ):
            direct, _ = _literal_arguments(tokens[index + 1 : index + 1 + _MAX_ARGUMENTS])
            commands += [
                InnerCommand(f"{via} {token.text}()", span, _to_argv(["rm", path], span))
                for path in direct[:1]
            ]
        elif token.kind == "shell" or (token.kind == "`" and via in _DIRECT_LANGUAGES):
            commands.append(InnerCommand(via, span, code=token.text))
        elif token.kind == "name" and token.text in calls:
            commands += _resolve_call(tokens, index, via, span, home)
    return commands


def _tokenize(code: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or ""
        if match["string"] is not None:
            yield _Token("`" if match["string"].startswith("`") else "string", _string_value(match))
        elif match["shell"] is not None:
            yield _Token("shell", match["run"])
        elif kind != "comment":
            yield _Token(kind, match.group())


def _string_value(match: re.Match[str]) -> str:
    prefix = (match["prefix"] or "").lower()
    text = match["string"][len(prefix) :]
    quote = text[:3] if text.startswith(("'''", '"""')) else text[:1]
    body = text[len(quote) :].removesuffix(quote)
    if "f" in prefix or quote == "`":
        body = _INTERPOLATION.sub(UNKNOWN, body)
    return body if "r" in prefix else decode_ansi(body)


def _resolve_call(tokens: list[_Token], index: int, via: str, span: Span, home: str) -> list[InnerCommand]:
    name = tokens[index].text
    direct, listed = _literal_arguments(tokens[index + 1 : index + 1 + _MAX_ARGUMENTS])
    if name in TREE_DELETERS:
        paths = direct + listed or _home_paths(tokens[index + 1 : index + 8])
        return [_delete_command(_expand_home(path, home), name, via, span) for path in paths]
    if listed:
        argv = direct[:1] + listed if name in _PROGRAM_FIRST else listed
        return [InnerCommand(via, span, _to_argv(argv, span))]
    commands = [InnerCommand(via, span, code=direct[0])] if direct else []
    if len(direct) > 1:
        commands.append(InnerCommand(via, span, _to_argv(direct, span)))
    return commands


def _is_file_call(tokens: list[_Token], index: int, via: str) -> bool:
    """Return whether a module for files precedes the name: `os.remove(…)`, `require('fs').unlinkSync(…)`."""
    return (via in _DIRECT_LANGUAGES and tokens[index].text == "unlink") or any(
        token.text in _FILE_MODULES for token in tokens[max(0, index - 5) : index]
    )


def _home_paths(tokens: list[_Token]) -> list[str]:
    return ["~"] if any(token.text in _HOME_NAMES for token in tokens) else []


def _expand_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _delete_command(path: str, name: str, via: str, span: Span) -> InnerCommand:
    return InnerCommand(f"{via} {name}()", span, _to_argv(["rm", "-rf", path], span))


def _to_argv(texts: list[str], span: Span) -> tuple[Word, ...]:
    return tuple(Word(text=text, span=span) for text in texts)


def _literal_arguments(tokens: list[_Token]) -> tuple[list[str], list[str]]:
    """Return the literal arguments of a call: the direct ones, and the items of its first list."""
    direct: list[str] = []
    listed: list[str] = []
    depth, lists = 0, 0
    concatenated = False
    for token in tokens:
        if token.kind in ("string", "`"):
            target = listed if lists else direct
            if concatenated and target:
                target[-1] += token.text
            else:
                target.append(token.text)
        depth += token.text in ("(", "{") and token.kind == "mark"
        depth -= token.text in (")", "}") and token.kind == "mark"
        lists += token.text == "[" and token.kind == "mark"
        lists -= token.text == "]" and token.kind == "mark"
        concatenated = token.kind == "mark" and token.text in "+."
        if (depth <= 0 and token.kind == "mark" and token.text in ");") or depth < 0:
            break
    return direct, listed


def _find_awk_pipes(code: str, via: str, span: Span) -> list[InnerCommand]:
    """Return the commands of `"command" | getline` and `print | "command"`."""
    tokens = list(_tokenize(code[:MAX_CODE])) if "|" in code else []
    texts = [
        left.text if left.kind == "string" else right.text
        for left, right in pairwise(tokens)
        if {(left.kind, left.text == "|"), (right.kind, right.text == "|")}
        == {("string", False), ("mark", True)}
    ]
    return [InnerCommand(via, span, code=text) for text in texts]


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
_TOOL_SCRIPTS = word_set("manage.py artisan rails rake console bundle")
"""Scripts that are tools with subcommands of their own."""
_NON_CODE_OPTIONS = frozenset({"-m", "-W", "-X", "-r", "--require"})


def run_interpreter(state: ShellState, call: Call, name: str) -> Result:
    """Return the commands that the interpreter *name* runs: from code options, a module or a script."""
    value_options = _CODE_OPTIONS[name]
    options = parse_options(call.argv[1:], value_options)
    pieces = [value for option, value in options.options if value is not None and _holds_code(name, option)]
    if not pieces and options.has("-p", "-pe") and options.operands:
        pieces = [options.operands[0]]
    if not pieces and options.operands[:1] and options.operands[0].text == "eval":
        pieces = list(options.operands[1:2])
    if pieces:
        return Result(
            inner=tuple(
                command
                for piece in pieces
                for command in _find_code_commands(state, piece.text, name, piece.span)
            )
        )
    module = options.value("-m") if name in ("python", "pypy") else None
    if module is not None:
        return _run_module(call, module)
    if options.operands and options.operands[0].text.rpartition("/")[2] in _TOOL_SCRIPTS:
        return Result(inner=(InnerCommand(name, call.span, options.operands, stdin=call.stdin),))
    return Result(
        inner=tuple(_find_code_commands(state, _program_text(state, call, options.operands), name, call.span))
    )


def _run_module(call: Call, module: Word) -> Result:
    """Run `python -m name …` as the program of that name."""
    index = next((index for index, word in enumerate(call.argv) if word is module), len(call.argv) - 1)
    return Result(
        inner=(InnerCommand("python -m", call.span, (module, *call.argv[index + 1 :]), stdin=call.stdin),)
    )


def _holds_code(name: str, option: str) -> bool:
    return option not in _NON_CODE_OPTIONS or (name == "php" and option == "-r")


def _program_text(state: ShellState, call: Call, operands: tuple[Word, ...]) -> str:
    if not operands or operands[0].text in ("-", "/dev/stdin"):
        return call.stdin
    return state.files.get(resolve(state, operands[0].text), "")


def _find_code_commands(state: ShellState, code: str, via: str, span: Span) -> list[InnerCommand]:
    if code.startswith(UNKNOWN):
        return [InnerCommand(via, span, (Word(text=code[:2], span=span),))]
    rest = code[MAX_CODE:]
    if rest and any(word in rest for word in _INDICATORS):
        add_problem(state, "code is too long to parse", rest, span)
    return find_commands(code[:MAX_CODE], via, span, state.home) if code and spend(state, len(code)) else []


def _awk(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-F", "-v", "-f", "--file", "--assign", "--field-separator"))
    if options.has("-f", "--file") or not options.operands:
        return Result()
    program = options.operands[0]
    if not spend(state, 2 * len(program.text)):
        return Result()
    commands = find_commands(program.text, "awk", program.span) + _find_awk_pipes(
        program.text, "awk", program.span
    )
    return Result(inner=tuple(commands))


def _interpreter(name: str) -> Program:
    return lambda state, call: run_interpreter(state, call, name)


PROGRAMS: Mapping[str, Program] = {
    **{name: _interpreter(name) for name in _CODE_OPTIONS if name != "bun"},
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
