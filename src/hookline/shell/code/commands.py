"""Commands that library calls run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.code.functions import resolve_path
from hookline.shell.code.library_calls import LibraryCall
from hookline.shell.code.methods import flatten_items
from hookline.shell.code.values import (
    UNKNOWN,
    Arguments,
    Choice,
    CodeCommand,
    CodeState,
    FunctionValue,
    Keywords,
    Method,
    Partial,
    PathValue,
    Value,
    bound_text,
    count_work,
    distribute,
    find_truth,
    remove_marks,
    to_items,
    to_text,
)

Recorder: TypeAlias = Callable[[CodeState, LibraryCall, Arguments, Keywords], Value]
_KEYWORDS = (
    ("args", "cmd", "command", "path", "src", "file", "filename", "top", "name", "url", "executable"),
    ("mode", "dst", "dest", "target"),
)


def get_argument(arguments: Arguments, keywords: Keywords, position: int) -> Value:
    """Return the argument at *position*, or the keyword with one of its usual names."""
    if position < len(arguments):
        return arguments[position]
    names = _KEYWORDS[position] if position < len(_KEYWORDS) else ()
    return next((keywords[name] for name in names if name in keywords), UNKNOWN)


def add_command(
    state: CodeState, keywords: Keywords, *, text: str | None = None, argv: tuple[str, ...] = ()
) -> None:
    """Record a command with the working directory and variables that the code sets."""
    folder = keywords.get("cwd", keywords.get("chdir"))
    cwd = resolve_path(state, to_text(folder)) if isinstance(folder, str | PathValue) else state.folder
    settings = dict(state.changed_variables)
    environment = keywords.get("env")
    if isinstance(environment, dict) and environment is not state.environment:
        settings |= {
            name: to_text(value)
            for name, value in environment.items()
            if name not in state.environment or state.environment[name] != value
        }
    given = keywords.get("input", keywords.get("stdin_data", ""))
    count_work(state, 8 + len(argv) + 2 * len(settings))
    clean = tuple(remove_marks(word) for word in argv)
    state.commands.append(
        CodeCommand(
            text=remove_marks(text) if text is not None else None,
            argv=clean,
            cwd=cwd,
            settings=tuple(settings.items()),
            stdin=given if isinstance(given, str) else "",
        )
    )


def run_command(state: CodeState, value: Value, keywords: Keywords) -> None:
    """Run *value*, which is the text of a shell command or the list of its arguments."""
    if isinstance(value, Choice):
        for option in value.options:
            run_command(state, option, keywords)
    elif isinstance(value, list):
        _run_argv(state, value, keywords)
    else:
        add_command(state, keywords, text=to_text(value))


def _run_argv(state: CodeState, items: list[Value], keywords: Keywords) -> None:
    if isinstance(items[:1] and items[0], dict):  # Ruby: the environment comes first
        keywords, items = {**keywords, "env": items[0]}, items[1:]
    words = [item for item in items if not isinstance(item, dict)]
    if words and find_truth(keywords.get("shell")) and len(words) == 1:
        add_command(state, keywords, text=to_text(words[0]))
    elif words:
        count_work(state, 2 * len(words))
        distribute(lambda *texts: add_command(state, keywords, argv=tuple(map(to_text, texts))), *words)


def merge_options(arguments: Arguments, keywords: Keywords) -> Keywords:
    """Return *keywords* with the entries of a last argument that holds options."""
    last = arguments[-1] if arguments else None
    return {**last, **keywords} if isinstance(last, dict) else keywords


def _shell(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    run_command(
        state, get_argument(arguments, keywords, entry.positions[0]), merge_options(arguments, keywords)
    )
    return call_functions(state, arguments)


def call_functions(state: CodeState, arguments: Arguments) -> Value:
    """Call functions that are passed as callbacks, and return the unknown result of a command."""
    for argument in arguments:
        if is_function(argument):
            state.call(state, argument, [], {})
    return UNKNOWN


def is_function(value: Value) -> bool:
    """Return whether *value* can be called back."""
    return isinstance(value, FunctionValue | Partial | Method)


def run_words(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run the arguments from a position on: a shell text, or a program and its arguments."""
    options = merge_options(arguments, keywords)
    words = [item for item in flatten_items(arguments[entry.positions[0] :]) if not is_function(item)]
    texts = [item for item in words if not isinstance(item, dict)]
    if len(texts) == 1 and not isinstance(arguments[0], list):
        run_command(state, texts[0], options)
    else:
        _run_argv(state, words, options)
    return call_functions(state, arguments)


def _exec(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    position = entry.positions[0]
    words = get_argument(arguments, keywords, position + 1)
    items = to_items(words) if isinstance(words, list) else [UNKNOWN]
    _run_argv(state, [get_argument(arguments, keywords, position), *items[1:]], keywords)
    return UNKNOWN


def _program(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a program with a list of arguments: `spawn("a", ["b"], options)`."""
    options = merge_options(arguments, keywords)
    program = get_argument(arguments, keywords, 0)
    words = next((item for item in arguments[1:2] if isinstance(item, list)), options.get("args"))
    rest = words if isinstance(words, list) else []
    if find_truth(options.get("shell")):
        text = " ".join(map(to_text, [program, *rest]))
        add_command(state, options, text=bound_text(state, text))
    elif rest or UNKNOWN in to_text(program) or " " not in to_text(program):
        _run_argv(state, [program, *rest], options)
    else:
        add_command(state, options, text=to_text(program))
    return call_functions(state, arguments)


def _kill(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    process, signal = (to_text(get_argument(arguments, keywords, position)) for position in entry.positions)
    add_command(state, {}, argv=("kill", f"-{signal.removeprefix('-')}", process))
    return UNKNOWN


COMMAND_ACTIONS: Mapping[str, Recorder] = {
    "shell": _shell,
    "argv": _shell,
    "words": run_words,
    "exec": _exec,
    "program": _program,
    "kill": _kill,
}
"""Actions that run commands."""
