"""Interpreters: `python -c`, `node -e`, scripts and here-documents, and the calls in Lua and Vim code.

Code of Python, JavaScript, Perl, Ruby, PHP and Go is evaluated by the package `code`. In the other languages
only calls with literal arguments are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.quotes import decode_ansi
from hookline.shell.result import UNKNOWN, Action, Effect, Word
from hookline.shell.shell_state import (
    MAX_FILES,
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    add_problem,
    cwd,
    find_file,
    lookup,
    spend,
    split_origins,
    store_file,
)
from hookline.shell.syntax import Span
from hookline.shell.wrappers import run_wrapped

if TYPE_CHECKING:
    from hookline.shell.code import CodeResult


MAX_CODE = 60_000
"""Maximum characters of code that are parsed, at about two microseconds each."""
_STRING_CALL = re.compile(
    r"""(?P<comment>(?:^|(?<=\s))(?:\#|--)[^\n]*)
      | (?P<before>\b(?:system|systemlist|execute|popen|remove)\b\s*\(?\s*|(?<!\|)\|\s*)?
        (?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')(?P<after>\s*[|)(,;]?)""",
    re.VERBOSE | re.DOTALL,
)


def find_commands(code: str, via: str, span: Span) -> list[InnerCommand]:
    """Return the commands of calls such as `system("…")` in code of awk, Lua or Vim, and those of pipes."""
    commands: list[InnerCommand] = []
    for match in _STRING_CALL.finditer(code[:MAX_CODE]):
        before, piped = (match["before"] or "").rstrip("( \t\n"), (match["after"] or "").endswith("|")
        if match["comment"] is not None or not (before or piped):
            continue
        text = decode_ansi(match["string"][1:-1])
        if before == "remove":
            argv = tuple(Word(text=word, span=span) for word in ("rm", text))
            commands.append(InnerCommand(f"{via} remove()", span, argv))
        elif via == "awk" or before.startswith(("system", "execute", "popen")):
            commands.append(InnerCommand(via, span, code=text if match["after"].strip() else text + UNKNOWN))
    return commands


_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("python", "pypy", "ipython"), "python"),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node"), "javascript"),
    **{name: name for name in ("perl", "ruby", "php", "lua")},
    "luajit": "lua",
    "go": "go",
}
"""The language of each interpreter."""
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "python": ("-c", "-m -W -X"),
    "perl": ("-e -E", "-M -m -I -F"),
    "ruby": ("-e", "-r -I -C"),
    "javascript": ("-e --eval --print", "-r --require --import -C"),
    "php": ("-r", "-d -c -f -z"),
    "lua": ("-e", "-l"),
    "go": ("", "-C -exec -tags"),
}
"""Options of the interpreters of each language whose value is code, and other options with a value."""
_TOOL_SCRIPTS = word_set("manage.py artisan rails rake console bundle")
"""Scripts that are tools with subcommands of their own."""
_SUBCOMMANDS = word_set("run eval")
"""Subcommands of deno and bun before a script or code."""


def run_interpreter(state: ShellState, call: Call, name: str) -> Result:
    """Return the commands that the interpreter *name* runs: from code options, a module or a script."""
    language = _LANGUAGES[name]
    code, others = map(str.split, _OPTIONS[language])
    options = parse_options(call.argv[1:], code + others)
    operands = options.operands
    pieces = [value for option, value in options.options if value is not None and option in code]
    if language == "go" and not (_has_subcommand(operands) and operands[-1].text.endswith(".go")):
        return _run_package(call)
    if language in ("javascript", "go"):
        operands = parse_options(operands[1:]).operands if _has_subcommand(operands) else operands
        if not pieces and (
            options.has("-p", "-pe") or "eval" in [word.text for word in options.operands[:1]]
        ):
            pieces, operands = list(operands[:1]), operands[1:]
    if pieces:
        return _run_pieces(state, call, name, options, pieces)
    module = options.value("-m") if language == "python" else None
    if module is not None:
        return _run_module(state, call, name, module)
    if operands and operands[0].text.rpartition("/")[2] in _TOOL_SCRIPTS:
        return Result(inner=(InnerCommand(name, call.span, operands, stdin=call.stdin),))
    reads_stdin = not operands or operands[0].text in ("-", "/dev/stdin")
    argv = tuple(word.text for word in operands) or ("-",)
    if reads_stdin:
        return _run_source(state, call, name, call.stdin, argv, "")
    return _run_file(state, call, name, operands[0].text, argv)


def _run_package(call: Call) -> Result:
    """Run `go run PACKAGE arguments…` as the program that the package is named after."""
    options = parse_options(call.argv[1:], word_set("-C -mod -modfile -exec -tags -ldflags -gcflags"))
    if [word.text for word in options.operands[:1]] != ["run"]:
        return Result()
    operands = parse_options(options.operands[1:], word_set("-mod -modfile -exec -tags -ldflags")).operands
    name = operands[0].text.partition("@")[0].rpartition("/")[2] if operands else ""
    if not name or name == "." or name.endswith(".go"):
        return Result()
    return run_wrapped("go run", call, (operands[0].with_text(name, ()), *operands[1:]))


def _run_file(state: ShellState, call: Call, name: str, path: str, argv: tuple[str, ...]) -> Result:
    """Run a script that the line wrote or that existed before; the latter with limits of its own."""
    source, exists = find_file(state, path) if UNKNOWN not in path else (None, False)
    if not exists:
        return _run_source(state, call, name, source or "", argv, call.stdin)
    saved, state.existing_script = state.existing_script, source or ""
    result = _run_source(state, call, name, source or "", argv, call.stdin)
    state.existing_script = saved
    return result._replace(inner=tuple(command._replace(exists=True) for command in result.inner))


def _has_subcommand(operands: tuple[Word, ...]) -> bool:
    return bool(operands) and operands[0].text in _SUBCOMMANDS


def _run_pieces(state: ShellState, call: Call, name: str, options: Options, pieces: list[Word]) -> Result:
    """Run the code of options such as `-c` and `-e`."""
    source = "\n".join(piece.text for piece in pieces)
    if options.has("-p", "--print") and _LANGUAGES[name] == "javascript" and not re.search(r"[;\n]", source):
        source = f"console.log({source})"
    index = next((index for index, word in enumerate(call.argv) if word is pieces[-1]), len(call.argv) - 1)
    arguments = tuple(word.text for word in call.argv[index + 1 :])
    argv = arguments if _LANGUAGES[name] == "javascript" else ("-c", *arguments)
    result = _run_source(state, call._replace(span=pieces[0].span), name, source, argv, call.stdin)
    if _LANGUAGES[name] not in ("perl", "ruby") or not options.has("-n", "-p"):
        return result
    for word in options.operands:
        record_effect(state, "edit" if options.has("-i") else "read", word)
    return result._replace(output=UNKNOWN)


def _run_module(state: ShellState, call: Call, name: str, module: Word) -> Result:
    """Run `python -m name …`: a module in the working directory, or else the program of that name."""
    path = module.text.replace(".", "/")
    for file in (f"{path}.py", f"{path}/__main__.py"):
        if UNKNOWN not in path and find_file(state, file)[0] is not None:
            return _run_file(state, call, name, file, (file,))
    index = next((index for index, word in enumerate(call.argv) if word is module), len(call.argv) - 1)
    if module.text == "timeit":
        options = parse_options(call.argv[index + 1 :], ("-n", "-r", "-s", "-u"))
        setup = [value for option, value in options.options if option == "-s" and value is not None]
        source = "\n".join(word.text for word in (*setup, *options.operands))
        return _run_source(state, call, name, source, ("-c",), call.stdin)
    return Result(
        inner=(InnerCommand("python -m", call.span, (module, *call.argv[index + 1 :]), stdin=call.stdin),)
    )


def _run_source(
    state: ShellState, call: Call, via: str, source: str, argv: tuple[str, ...], stdin: str
) -> Result:
    """Return the commands and the output of *source*, and record its effects on files."""
    if not source:
        return Result()
    if source.startswith(UNKNOWN):
        return Result(inner=(InnerCommand(via, call.span, (Word(text=source[:2], span=call.span),)),))
    if len(source) > MAX_CODE:
        add_problem(state, "code is too long to parse", source[MAX_CODE:], call.span)
        source = source[: source.rfind("\n", 0, MAX_CODE) + 1]
    language = _LANGUAGES[via]
    if language == "lua":
        found = find_commands(source, via, call.span) if spend(state, len(source)) else []
        return Result(inner=tuple(found))
    names = [name for name in state.variables if not name.endswith("[]")] if spend(state, 8) else []
    result: CodeResult = _import_code().analyze(
        language,
        source,
        cwd=cwd(state),
        home=state.home,
        environment={name: value for name in names if (value := lookup(state, name)) is not None},
        argv=argv,
        stdin=stdin,
        files=state.files,
        spend=lambda units: _spend_code_work(state, units),
    )
    for problem in result.problems:
        add_problem(state, problem.reason, problem.text, call.span, by_words=language == "go")
    for path, content in result.files.items():
        if len(state.files) < MAX_FILES:
            store_file(state, path, content)
    return Result(result.output, tuple(_find_inner_commands(state, call, via, result)))


@cache
def _import_code() -> Any:
    return import_module("hookline.shell.code")  # only loaded for a line with code: most have none


def _spend_code_work(state: ShellState, units: int) -> bool:
    state.code_work_left -= units
    return state.code_work_left >= 0 and spend(state, units)


def _find_inner_commands(
    state: ShellState, call: Call, via: str, result: CodeResult
) -> Iterator[InnerCommand]:
    """Yield the commands that code runs, and `rm` for its deletions; record its other effects."""
    for command in result.commands:
        settings = (*command.settings, *((("PWD", command.cwd),) if command.cwd else ()))
        argv = tuple(Word(text=text, span=call.span) for text in command.argv)
        yield InnerCommand(via, call.span, argv, command.text, command.stdin, settings=settings)
    for effect in result.effects:
        path, _ = split_origins(state, effect.path)
        if effect.action == "delete" and not path.startswith(_OWN_PATHS):
            words = ("rm", "-rf", path) if effect.recursive else ("rm", path)
            argv = tuple(Word(text=text, span=call.span, glob=text.endswith("/*")) for text in words)
            yield InnerCommand(f"{via} {'rmtree' if effect.recursive else 'remove'}()", call.span, argv)
        else:
            word = Word(text=path, span=call.span, glob=path.endswith("/*"))
            record_effect(state, effect.action, word, recursive=effect.recursive)


def record_effect(state: ShellState, action: Action, path: Word, *, recursive: bool = False) -> None:
    state.code_effects.append(
        Effect(action=action, path=path, recursive=recursive, command=len(state.commands) - 1)
    )


_OWN_PATHS = (UNKNOWN, "/tmp/" + UNKNOWN)
"""Unknown paths, and temporary ones with an unknown name: their deletion is not evaluated as `rm`."""


PROGRAMS: Mapping[str, Program] = {
    name: partial(run_interpreter, name=name) for name in _LANGUAGES if name not in ("bun", "node", "nodejs")
}
