"""Commands that library calls run, their effects on files, and their output."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.code.functions import expand_home, resolve_path
from hookline.shell.code.methods import flatten_items
from hookline.shell.code.tables import GIT_METHODS, LibraryCall
from hookline.shell.code.values import (
    CAPTURED,
    ITEM,
    TREE,
    UNKNOWN,
    Arguments,
    Choice,
    CodeCommand,
    CodeState,
    Effect,
    FileValue,
    FunctionValue,
    Keywords,
    Method,
    Partial,
    PathValue,
    Program,
    Reference,
    Value,
    bound_text,
    capture,
    count_work,
    distribute,
    find_texts,
    find_truth,
    join_paths,
    list_items,
    remove_marks,
    substitute_captured,
    to_items,
    to_text,
)
from hookline.shell.result import Action

Recorder: TypeAlias = Callable[[CodeState, LibraryCall, Arguments, Keywords], Value]

_MAX_CAPTURED_TEXT = 2_000
_KEYWORDS = (
    ("args", "cmd", "command", "path", "src", "file", "filename", "top", "name", "url", "executable"),
    ("mode", "dst", "dest", "target"),
)


def _get_argument(arguments: Arguments, keywords: Keywords, position: int) -> Value:
    """Return the argument at *position*, or the keyword with one of its usual names."""
    if position < len(arguments):
        return arguments[position]
    names = _KEYWORDS[position] if position < len(_KEYWORDS) else ()
    return next((keywords[name] for name in names if name in keywords), UNKNOWN)


def _add_command(
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
    if text is None and any(CAPTURED in word for word in argv):
        text, argv = " ".join([word if CAPTURED in word else shlex.quote(word) for word in argv]), ()
    clean = remove_marks(substitute_captured(state, text)) if text is not None else None
    words = tuple(remove_marks(word) for word in argv)
    stdin = given if isinstance(given, str) else ""
    state.commands.append(CodeCommand(clean, words, cwd, tuple(settings.items()), stdin))


def _find_output(state: CodeState) -> Value:
    """Return the output of the last command."""
    if not state.commands:
        return UNKNOWN
    last = state.commands[-1]
    text = last.text if last.text is not None else shlex.join(last.argv)
    return capture(state, text) if len(text) <= _MAX_CAPTURED_TEXT else UNKNOWN


def _run_command(state: CodeState, value: Value, keywords: Keywords) -> None:
    """Run *value*, which is the text of a shell command or the list of its arguments."""
    if isinstance(value, Choice):
        for option in value.options:
            _run_command(state, option, keywords)
    elif isinstance(value, list):
        _run_argv(state, value, keywords)
    else:
        _add_command(state, keywords, text=to_text(value))


def _run_argv(state: CodeState, items: list[Value], keywords: Keywords) -> None:
    if isinstance(items[:1] and items[0], dict):  # Ruby: the environment comes first
        keywords, items = {**keywords, "env": items[0]}, items[1:]
    words = [item for item in items if not isinstance(item, dict)]
    if words and find_truth(keywords.get("shell")) and len(words) == 1:
        _add_command(state, keywords, text=to_text(words[0]))
    elif words:
        count_work(state, 2 * len(words))
        distribute(lambda *texts: _add_command(state, keywords, argv=tuple(map(to_text, texts))), *words)


def _merge_options(arguments: Arguments, keywords: Keywords) -> Keywords:
    last = arguments[-1] if arguments else None
    return {**last, **keywords} if isinstance(last, dict) else keywords


def _shell(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    command = _get_argument(arguments, keywords, entry.positions[0])
    if isinstance(command, dict):  # Bun.spawn({cmd: […]}), or $(options)`…`
        if "cmd" not in command:
            return Reference("$")
        command = command["cmd"]
    _run_command(state, command, _merge_options(arguments, keywords))
    output = _find_output(state)
    _call_functions(state, arguments, *([output] if state.language == "ruby" else []))
    return output


def write_input(state: CodeState, output: str, arguments: Arguments) -> Value:
    """Record the command of *output* again, with a text that the code writes to its input."""
    command = substitute_captured(state, output)[3:-2]
    keywords = {"input": "".join(map(to_text, arguments))}
    _add_command(state, keywords, text=command)
    return UNKNOWN


def _call_functions(state: CodeState, arguments: Arguments, *values: Value) -> Value:
    """Call functions that are passed as callbacks, and return the unknown result of a command."""
    for argument in arguments:
        if _is_function(argument):
            state.call(state, argument, list(values), {})
    return UNKNOWN


def _is_function(value: Value) -> bool:
    return isinstance(value, FunctionValue | Partial | Method)


def _run_words(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run the arguments from a position on: a shell text, or a program and its arguments."""
    options = _merge_options(arguments, keywords)
    words = [item for item in flatten_items(arguments[entry.positions[0] :]) if not _is_function(item)]
    texts = [item for item in words if not isinstance(item, dict)]
    if len(texts) == 1 and not isinstance(arguments[0], list):
        _run_command(state, texts[0], options)
    else:
        _run_argv(state, words, options)
    output = _find_output(state)
    _call_functions(state, arguments)
    return output


def _exec(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    position = entry.positions[0]
    words = _get_argument(arguments, keywords, position + 1)
    items = to_items(words) if isinstance(words, list) else [UNKNOWN]
    _run_argv(state, [_get_argument(arguments, keywords, position), *items[1:]], keywords)
    return UNKNOWN


def _program(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a program with a list of arguments: `spawn("a", ["b"], options)`."""
    options = _merge_options(arguments, keywords)
    program = _get_argument(arguments, keywords, 0)
    if isinstance(program, dict):  # execa(options)`…`
        return Reference("$")
    words = next((item for item in arguments[1:2] if isinstance(item, list)), options.get("args"))
    rest = words if isinstance(words, list) else []
    if find_truth(options.get("shell")):
        text = " ".join(map(to_text, [program, *rest]))
        _add_command(state, options, text=bound_text(state, text))
    elif rest or UNKNOWN in to_text(program) or " " not in to_text(program):
        _run_argv(state, [program, *rest], options)
    else:
        _add_command(state, options, text=to_text(program))
    output = _find_output(state)
    _call_functions(state, arguments)
    return output


def run_program(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a program by the names and arguments of a call: `repo.git.push("origin", force=True)`."""
    words = [*program.words, *program.members]
    is_git = to_text(words[0]) == "git" and len(program.members) < len(words)
    options = {
        **keywords,
        **{key: item for value in arguments if isinstance(value, dict) for key, item in value.items()},
    }
    texts = [_to_word(item) for item in flatten_items(arguments) if not isinstance(item, dict)]
    if is_git and program.members:
        name = program.members[-1]
        words = [*program.words, *GIT_METHODS.get(name, name.replace("_", "-")).split()]
        texts = texts[texts[:1] == ["git"] :]
        if "reset" in words:
            texts = ["--hard" if text.lower().endswith("hard") else text for text in texts]
    flags = [_to_option(name, value) for name, value in options.items()]
    _run_argv(state, [*words, *texts, *[flag for flag in flags if flag]], {})
    _call_functions(state, arguments)
    return Program(program.words) if is_git else _find_output(state)


def _to_word(value: Value) -> str:
    return value.name.rpartition(".")[2] if isinstance(value, Reference) else to_text(value)


def _to_option(name: str, value: Value) -> str:
    """Return the option for a named argument; nothing for one that is false or no text."""
    flag = name if name.startswith("-") else f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
    flag = "--hard" if flag == "--working-tree" else flag
    if value is True or value is None or value == 1:
        return flag if value is not None or name.startswith("-") else ""
    if name.startswith("refspec"):
        return to_text(value)
    return f"{flag}={value}" if isinstance(value, str) else ""


def _send(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Send a request, and return its response."""
    address = _get_argument(arguments, keywords, 0)
    _add_effect(state, "send", address)
    _call_functions(state, arguments)
    return capture(state, f"curl -s {shlex.quote(remove_marks(to_text(address)))}")


def _download(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    address, path = (to_text(_get_argument(arguments, keywords, position)) for position in entry.positions)
    _add_command(state, {}, argv=("curl", "-o", path, address))
    return UNKNOWN


def _kill(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    process, signal = (to_text(_get_argument(arguments, keywords, position)) for position in entry.positions)
    _add_command(state, {}, argv=("kill", f"-{signal.removeprefix('-')}", process))
    return UNKNOWN


def apply_call(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Record the effects of a library call, and return its result as far as it is known."""
    count_work(state, 4)
    return _ACTIONS[entry.action](state, entry, arguments, keywords)


def _add_effect(state: CodeState, action: Action, path: Value, *, recursive: bool = False) -> None:
    """Record an *action* on each possible *path*."""
    for text in find_texts(path):
        whole = expand_home(state, text)
        is_known = not whole.startswith(UNKNOWN) or whole.startswith((ITEM, TREE))
        if state.folder and action != "send" and is_known:
            whole = join_paths(state.folder, whole)
        count_work(state, 4)
        state.effects.append(_describe(action, whole, recursive=recursive))


def _describe(action: Action, path: str, *, recursive: bool) -> Effect:
    """Return the effect on *path*; any path below a folder, or all items of it, become that folder."""
    if path.startswith((ITEM, TREE)):
        path = "./" + path
    head, tree, rest = path.partition(TREE)
    if tree and not rest.replace(TREE, "").replace(ITEM, "").strip("/" + UNKNOWN):
        whole = head.rstrip("/") or head[:1] or "."
        return Effect(action, whole if action in ("delete", "mode") else head + UNKNOWN, recursive=True)
    if action == "delete" and path.endswith("/" + ITEM):
        path = path.removesuffix(ITEM) + "*"
    return Effect(action, remove_marks(path), recursive)


def _simple(action: Action, *, recursive: bool = False) -> Recorder:
    """Return the recorder of *action* on the paths at the positions of the entry."""

    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        for position in entry.positions:
            _add_effect(state, action, _get_argument(arguments, keywords, position), recursive=recursive)
        return _call_functions(state, arguments)

    return record


def _open(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = _get_argument(arguments, keywords, 0)
    mode = to_text(_get_argument(arguments, keywords, 1)) if len(arguments) > 1 or "mode" in keywords else "r"
    text = to_text(path)
    if text.startswith("|"):  # Ruby and Perl: open("| command")
        _run_command(state, text[1:], {})
        return UNKNOWN
    action = _find_action(mode)
    _add_effect(state, action, path)
    if action == "write":
        _store_content(state, text, "")
    file = FileValue(text, mode)
    for argument in arguments:
        if _is_function(argument):
            state.call(state, argument, [file], {})
    return file


def _open_handle(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Open a file or a pipe as Perl does: `open(F, "> path")`, `open(F, "-|", command, …)`."""
    mode, *rest = [*arguments[1:], UNKNOWN][:2] if len(arguments) < 3 else arguments[1:]  # noqa: PLR2004
    text = to_text(mode).strip()
    if text in ("-|", "|-"):
        return _run_words(state, LibraryCall("words", (0,)), rest, keywords)
    if text.startswith("|") or text.endswith("|"):
        _run_command(state, text.strip("|"), keywords)
        return _find_output(state)
    if len(arguments) < 3:  # noqa: PLR2004 -- the mode is a part of the path
        rest = [text.lstrip("+<> ")]
    return _open(state, entry, [rest[0], text[: len(text) - len(text.lstrip("+<>"))] or "r"], keywords)


def _find_action(mode: str) -> Action:
    if "a" in mode or "+<" in mode or ">>" in mode:
        return "edit"
    if "w" in mode or "x" in mode or ">" in mode:
        return "write"
    return "edit" if "+" in mode else "read"


def _read(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = _get_argument(arguments, keywords, entry.positions[0])
    if to_text(path).startswith(("http://", "https://")):
        return _send(state, entry, arguments, keywords)
    _add_effect(state, "read", path)
    _call_functions(state, arguments)
    return distribute(lambda value: read_content(state, to_text(value)), path)


def read_content(state: CodeState, path: str) -> str:
    """Return the content of a file, if the code or the line wrote it."""
    if path in ("/dev/stdin", "php://stdin", "-"):
        return state.stdin or UNKNOWN
    whole = resolve_path(state, path)
    return state.written.get(whole, state.files.get(whole, UNKNOWN))


def write_content(state: CodeState, path: str, text: str) -> None:
    """Add *text* to a file, or to the output."""
    if path in ("/dev/stdout", "php://stdout", "php://output"):
        state.output.append(bound_text(state, text))
    elif not path.startswith("/dev/"):
        whole = resolve_path(state, path)
        _store_content(state, path, state.written.get(whole, state.files.get(whole, "")) + text)


def _store_content(state: CodeState, path: str, text: str) -> None:
    command = substitute_captured(state, text)[3:-2] if text.startswith(CAPTURED) else ""
    if command.startswith("curl "):
        _add_command(state, {}, text=f"{command} > {shlex.quote(path)}")
    if UNKNOWN not in path:
        state.written[resolve_path(state, path)] = bound_text(state, text)


def _write(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = _get_argument(arguments, keywords, entry.positions[0])
    _add_effect(state, "edit" if any(map(_appends, (*arguments[2:], keywords))) else "write", path)
    if len(arguments) > 1:
        _store_content(state, to_text(path), to_text(arguments[1]))
    return _call_functions(state, arguments)


def _appends(options: Value) -> bool:
    """Return whether *options* of a write add to the file: a constant, or a mode in a mapping."""
    if isinstance(options, Reference):
        return "APPEND" in options.name
    modes = [options.get("flag"), options.get("mode")] if isinstance(options, Mapping) else []
    return any(isinstance(mode, str) and mode.startswith("a") for mode in modes)


def _delete(*, tree: bool, several: bool) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        first = _get_argument(arguments, keywords, 0)
        for path in flatten_items(arguments if several else [first]):
            if isinstance(path, str | PathValue | Choice):
                _add_effect(state, "delete", path, recursive=tree)
        return _call_functions(state, arguments)

    return record


def _remove(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Delete a path, with its contents if the options say so or are not known."""
    options = arguments[1] if len(arguments) > 1 else {}
    recursive: bool | None = not _is_function(options)
    if isinstance(options, dict):
        recursive = find_truth(options.get("recursive", False))
    _add_effect(state, "delete", _get_argument(arguments, keywords, 0), recursive=recursive is not False)
    return _call_functions(state, arguments)


def _transfer(source_action: Action, *, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        source, target = (_get_argument(arguments, keywords, position) for position in entry.positions)
        content = read_content(state, to_text(source))
        for item in to_items(source) if isinstance(source, list) else [source]:
            _add_effect(state, source_action, item, recursive=recursive)
        _add_effect(state, "write", target, recursive=recursive)
        _store_content(state, to_text(target), content)
        return _call_functions(state, arguments)

    return record


def _list(*, joined: bool, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        folder = _get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
        options = arguments[1] if len(arguments) > 1 else None
        tree = recursive or (isinstance(options, dict) and bool(find_truth(options.get("recursive"))))
        _add_effect(state, "list", folder, recursive=tree)
        items = list_items(state, to_text(folder), recursive=tree, joined=joined)
        for argument in arguments:
            if _is_function(argument):  # Node passes (error, names), Ruby passes a name
                values: Arguments = [None, items] if state.language == "javascript" else items
                state.call(state, argument, values, {})
        return items

    return record


def _walk(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    folder = _get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
    _add_effect(state, "list", folder, recursive=True)
    state.lists_folders = True
    path = join_paths(to_text(folder) or ".", TREE)
    if state.language == "perl" and arguments:  # find(\&function, folder) sets $_ and $File::Find::name
        state.scope.names |= dict.fromkeys(("$_", "$File::Find::name"), path)
        options = arguments[0] if isinstance(arguments[0], dict) else {"wanted": arguments[0]}
        state.call(state, options.get("wanted", UNKNOWN), [path], {})
    return [[path, [ITEM], [ITEM]]]


def _print(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    keywords = _merge_options(arguments, keywords)
    target = keywords.get("file")
    if isinstance(target, str) and CAPTURED in target:
        return write_input(state, target, arguments[:-1])
    separator, end = _ENDS.get(state.language, ("", ""))
    end = to_text(keywords.get("end", end))
    separator = to_text(keywords.get("sep", separator))
    texts = [to_text(item) for item in flatten_items(arguments) if not isinstance(item, dict)]
    path = target.path if isinstance(target, FileValue) else "/dev/stdout" if target is None else "/dev/null"
    write_content(state, path, separator.join(texts) + end)
    return UNKNOWN


_ENDS = {"python": (" ", "\n"), "javascript": (" ", "\n"), "ruby": ("\n", "\n")}
"""The separator and end of printed texts; nothing in other languages."""


_ACTIONS: Mapping[str, Recorder] = {
    **dict.fromkeys(("shell", "argv"), _shell),
    "words": _run_words,
    "exec": _exec,
    "program": _program,
    "kill": _kill,
    "open": _open,
    "pipe": _open_handle,
    "read": _read,
    "write": _write,
    "edit": _simple("edit"),
    "mode": _simple("mode"),
    "modetree": _simple("mode", recursive=True),
    "script": lambda state, entry, arguments, keywords: state.run_code(
        state, to_text(_read(state, entry, arguments, keywords))
    ),
    "send": _send,
    "download": _download,
    "delete": _delete(tree=False, several=False),
    "deletes": _delete(tree=False, several=True),
    "tree": _delete(tree=True, several=False),
    "trees": _delete(tree=True, several=True),
    "remove": _remove,
    "move": _transfer("move"),
    "copy": _transfer("read"),
    "copytree": _transfer("read", recursive=True),
    "names": _list(joined=False),
    "items": _list(joined=True),
    "find": _list(joined=True, recursive=True),
    "walk": _walk,
    "print": _print,
    "output": lambda state, entry, arguments, keywords: write_content(
        state, "/dev/stdout", to_text(arguments[-1] if arguments else "")
    ),
    "exit": lambda state, entry, arguments, keywords: None,
    "same": lambda state, entry, arguments, keywords: arguments[0] if arguments else UNKNOWN,
}
