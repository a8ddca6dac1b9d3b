"""Commands that library calls run, as texts for a shell or lists of arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell.code.methods import flatten_items
from hookline.shell.code.tables import CALLS, LIBRARY_FUNCTIONS, MODULE_NAMES, PREFIXES, LibraryCall
from hookline.shell.code.values import (
    CAPTURED,
    UNKNOWN,
    Arguments,
    Choice,
    CodeCommand,
    CodeState,
    FileValue,
    FunctionValue,
    Keywords,
    Method,
    Partial,
    PathValue,
    Reference,
    Value,
    bound_text,
    capture,
    count_work,
    distribute,
    find_truth,
    name_table,
    remove_marks,
    resolve_path,
    substitute_captured,
    to_items,
    to_text,
)

Recorder: TypeAlias = Callable[[CodeState, LibraryCall, Arguments, Keywords], Value]


_MAX_CAPTURED_TEXT = 2_000


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
    given = next((keywords[name] for name in ("input", "stdin_data", "stdin") if name in keywords), "")
    count_work(state, 8 + len(argv) + 2 * len(settings))
    if text is None and any(CAPTURED in word for word in argv):
        text, argv = " ".join([word if CAPTURED in word else shlex.quote(word) for word in argv]), ()
    clean = remove_marks(substitute_captured(state, text)) if text is not None else None
    words = tuple(remove_marks(word) for word in argv)
    stdin = given if isinstance(given, str) else ""
    if CAPTURED in stdin:
        feeder = f"printf %s {substitute_captured(state, stdin)}"
        clean, words, stdin = f"{remove_marks(feeder)} | {clean or shlex.join(words)}", (), ""
    state.commands.append(CodeCommand(clean, words, cwd, tuple(settings.items()), stdin))


def find_output(state: CodeState) -> Value:
    """Return the output of the last command."""
    if not state.commands:
        return UNKNOWN
    last = state.commands[-1]
    text = last.text if last.text is not None else shlex.join(last.argv)
    return capture(state, text) if len(text) <= _MAX_CAPTURED_TEXT else UNKNOWN


def run_command(state: CodeState, value: Value, keywords: Keywords) -> None:
    """Run *value*, which is the text of a shell command or the list of its arguments."""
    if isinstance(value, Choice):
        for option in value.options:
            run_command(state, option, keywords)
    elif isinstance(value, list):
        run_argv(state, value, keywords)
    else:
        add_command(state, keywords, text=to_text(value))


def run_argv(state: CodeState, items: list[Value], keywords: Keywords) -> None:
    if isinstance(items[:1] and items[0], dict):  # Ruby: the environment comes first
        keywords, items = {**keywords, "env": items[0]}, items[1:]
    words = [item for item in items if not isinstance(item, dict)]
    if words and find_truth(keywords.get("shell")) and len(words) == 1:
        add_command(state, keywords, text=to_text(words[0]))
    elif words:
        count_work(state, 2 * len(words))
        distribute(lambda *texts: add_command(state, keywords, argv=tuple(map(to_text, texts))), *words)


def merge_options(arguments: Arguments, keywords: Keywords) -> Keywords:
    last = arguments[-1] if arguments else None
    return {**last, **keywords} if isinstance(last, dict) else keywords


def run_shell(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    command = get_argument(arguments, keywords, entry.positions[0])
    if isinstance(command, dict):  # Bun.spawn({cmd: […]}), or $(options)`…`
        if "cmd" not in command:
            return Reference("$")
        command = command["cmd"]
    run_command(state, command, merge_options(arguments, keywords))
    output = find_output(state)
    call_functions(state, arguments, *([output] if state.language == "ruby" else []))
    return output


def write_input(state: CodeState, output: str, arguments: Arguments) -> Value:
    """Record the command of *output* again, with a text that the code writes to its input."""
    if output.startswith(CAPTURED):
        command = substitute_captured(state, output)[3:-2]
        add_command(state, {"input": "".join(map(to_text, arguments))}, text=command)
    return UNKNOWN


_UNSENT_KEYS = frozenset({"headers", "header", "auth", "cookies", "cert", "agent", "httpsAgent"})
"""Options of a request that authenticate it, so that a secret in them is no upload."""


def record_upload(state: CodeState, address: str, values: Arguments) -> None:
    """Record the upload of files, and of texts that were read from files, as a command of curl."""
    sent = [*_find_sent(values)]
    files = [("-F", f"f=@{item.path}") for item in sent if isinstance(item, FileValue)]
    texts = [item for item in sent if isinstance(item, str) and CAPTURED in item]
    for option, value in (*files, *(("-d", text) for text in texts)):
        add_command(state, {}, argv=("curl", option, value, remove_marks(address)))


def _find_sent(values: Iterable[Value]) -> Iterator[Value]:
    """Yield the parts of a request's body in nested lists and mappings."""
    for value in values:
        if isinstance(value, Mapping):
            yield from _find_sent(item for key, item in value.items() if key not in _UNSENT_KEYS)
        elif isinstance(value, list | tuple) and not isinstance(value, FileValue):
            yield from _find_sent(value)
        else:
            yield value


def call_functions(state: CodeState, arguments: Arguments, *values: Value) -> Value:
    """Call functions that are passed as callbacks, and return the unknown result of a command."""
    for argument in arguments:
        if is_function(argument):
            state.call(state, argument, list(values), {})
    return UNKNOWN


def is_function(value: Value) -> bool:
    return isinstance(value, FunctionValue | Partial | Method)


def run_words(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run the arguments from a position on: a shell text, or a program and its arguments."""
    options = merge_options(arguments, keywords)
    words = [item for item in flatten_items(arguments[entry.positions[0] :]) if not is_function(item)]
    texts = [item for item in words if not isinstance(item, dict)]
    if len(texts) == 1 and not isinstance(arguments[0], list):
        run_command(state, texts[0], options)
    else:
        run_argv(state, words, options)
    output = find_output(state)
    call_functions(state, arguments)
    return output


def run_exec(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    position = entry.positions[0]
    words = get_argument(arguments, keywords, position + 1)
    items = to_items(words) if isinstance(words, list) else [UNKNOWN]
    run_argv(state, [get_argument(arguments, keywords, position), *items[1:]], keywords)
    return UNKNOWN


def run_file(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a program with a list of arguments: `spawn("a", ["b"], options)`."""
    options = merge_options(arguments, keywords)
    program = get_argument(arguments, keywords, 0)
    if isinstance(program, dict):  # execa(options)`…`
        return Reference("$")
    words = next((item for item in arguments[1:2] if isinstance(item, list)), options.get("args"))
    rest = words if isinstance(words, list) else []
    if find_truth(options.get("shell")):
        text = " ".join(map(to_text, [program, *rest]))
        add_command(state, options, text=bound_text(state, text))
    elif rest or UNKNOWN in to_text(program) or " " not in to_text(program):
        run_argv(state, [program, *rest], options)
    else:
        add_command(state, options, text=to_text(program))
    output = find_output(state)
    call_functions(state, arguments)
    return output


def kill_process(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    process, signal = (to_text(get_argument(arguments, keywords, position)) for position in entry.positions)
    add_command(state, {}, argv=("kill", f"-{signal.removeprefix('-')}", process))
    return UNKNOWN


def is_library_name(state: CodeState, name: str) -> bool:
    """Return whether a function with this full name is known."""
    return name in LIBRARY_FUNCTIONS or name in CALLS[state.language]


def call_callbacks(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    target, given = keywords.get("target"), keywords.get("args")
    if isinstance(target, Reference) or is_function(target):  # Thread(target=function, args=(…))
        return state.call(state, target, given if isinstance(given, list) else [], {})
    if arguments and isinstance(arguments[0], str):
        _store_default(state, arguments[0], arguments[1:], merge_options(arguments, keywords))
    for position, value in enumerate(arguments):
        if isinstance(value, Reference | Partial) and position < len(arguments) - 1:  # submit(function, …)
            _call_with_items(state, value, arguments[position + 1 :])
    for value in (*arguments, *keywords.values()):
        for item in value.values() if isinstance(value, dict) else (value,):
            if isinstance(item, FunctionValue):
                state.call(state, item, [], {})
    return next((value for value in arguments if isinstance(value, str) and CAPTURED in value), UNKNOWN)


def _store_default(state: CodeState, name: str, rest: Arguments, options: Keywords) -> None:
    """Store the default of an option: `--dir` in Python, `-d, --dir <dir>` in JavaScript."""
    name = name.rsplit(",", maxsplit=1)[-1].split("<", maxsplit=1)[0].split("[", maxsplit=1)[0].strip()
    if "default" in options:
        state.defaults[name.lstrip("-").replace("-", "_")] = options["default"]
    elif name.startswith("--") and len(rest) > 1 and isinstance(rest[-1], str):
        state.defaults[name.lstrip("-")] = rest[-1]


def _call_with_items(state: CodeState, function: Value, arguments: Arguments) -> None:
    """Call a library function that is passed with its arguments, and with each item of a list."""
    entry = CALLS[state.language].get(function.name) if isinstance(function, Reference) else None
    if entry is None or entry.action in ("shell", "argv", "words", "exec", "program"):
        state.call(state, function, arguments, {})
    for item in to_items(arguments[0]) if isinstance(arguments[0], list) else arguments[:1]:
        state.call(state, function, [item, *arguments[1:]], {})


REFERENCE_METHODS: Mapping[str, Callable[[CodeState, Value, Arguments], Value]] = name_table(
    {
        "then tap": lambda state, value, arguments: state.call(state, arguments[0], [value], {}),
        "call": lambda state, value, arguments: state.call(
            state, value, arguments[state.language == "javascript" :], {}
        ),
        "apply": lambda state, value, arguments: state.call(state, value, to_items(arguments[-1]), {}),
        "bind": lambda state, value, arguments: Partial(value, tuple(arguments[1:])),
        "send public_send __send__": lambda state, value, arguments: state.call(
            state, state.find_member(state, value, to_text(arguments[0])), arguments[1:], {}
        ),
    }
)
"""Methods of functions and values that call functions."""


def find_full_name(state: CodeState, name: str) -> str:
    for prefix, replacement in PREFIXES.items():
        if name.startswith(prefix):
            name = replacement + name.removeprefix(prefix)
    if state.language == "perl" and "." not in name:
        name = ".".join(name.rsplit("::", 1))
    if state.language != "javascript":
        return name
    name = name.removeprefix("node:").replace(".default", "").replace("fs.promises.", "fs.")
    module, dot, last = name.rpartition(".")
    return MODULE_NAMES.get(module, module) + dot + (last.removesuffix("Sync") or last)
