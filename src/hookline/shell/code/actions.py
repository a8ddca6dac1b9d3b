"""Commands that library calls run, their effects on files, and their output."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping

from hookline.shell.code.commands import (
    Recorder,
    add_command,
    call_functions,
    find_output,
    get_argument,
    is_function,
    is_library_name,
    kill_process,
    merge_options,
    record_upload,
    run_command,
    run_exec,
    run_file,
    run_shell,
    run_words,
    write_input,
)
from hookline.shell.code.files import (
    add_effect,
    describe_effect,
    fill_files,
    read_content,
    store_content,
    write_content,
)
from hookline.shell.code.methods import PATH_PROPERTIES, flatten_items, get_text
from hookline.shell.code.tables import LibraryCall
from hookline.shell.code.values import (
    CAPTURED,
    ITEM,
    TREE,
    UNKNOWN,
    Arguments,
    Choice,
    CodeState,
    FileValue,
    Keywords,
    PathValue,
    Reference,
    Value,
    capture,
    count_work,
    distribute,
    expand_home,
    find_parent,
    find_texts,
    find_truth,
    join_paths,
    list_items,
    remove_marks,
    to_items,
    to_text,
    translate_pattern,
)
from hookline.shell.result import Action


def _send(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Send a request, and return its response."""
    address = get_argument(arguments, keywords, 0)
    add_effect(state, "send", address)
    record_upload(state, to_text(address), [*arguments[1:], keywords])
    response = capture(state, f"curl -s {shlex.quote(remove_marks(to_text(address)))}")
    call_functions(state, arguments, response)
    return response


def _download(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    address, path = (to_text(get_argument(arguments, keywords, position)) for position in entry.positions)
    add_command(state, {}, argv=("curl", "-o", path, address))
    return UNKNOWN


def apply_call(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Record the effects of a library call, and return its result as far as it is known."""
    count_work(state, 4)
    if entry.action not in ("print", "handle"):
        fill_files(state, [*arguments, *keywords.values()])
    return _ACTIONS[entry.action](state, entry, arguments, keywords)


def _simple(action: Action, *, recursive: bool = False) -> Recorder:
    """Return the recorder of *action* on the paths at the positions of the entry."""

    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        for position in entry.positions:
            add_effect(state, action, get_argument(arguments, keywords, position), recursive=recursive)
        return call_functions(state, arguments)

    return record


def _change_mode(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Run `chmod` or `chown` on a path, or on all paths from a position on."""
    position, *modes = entry.positions
    mode = arguments[modes[0]] if modes and modes[0] < len(arguments) else UNKNOWN
    text = f"{mode:o}" if isinstance(mode, int) else to_text(mode)
    name, tree, _ = entry.action.partition("tree")
    paths = arguments[position:] if position else [get_argument(arguments, keywords, 0)]
    for path in [text for item in flatten_items(paths) for text in find_texts(item)]:
        effect = describe_effect("mode", expand_home(state, path), recursive=bool(tree))
        words = (name, "-R", text) if effect.recursive else (name, text)
        add_command(state, {}, argv=(*words, effect.path))
    return call_functions(state, arguments)


def _open(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = get_argument(arguments, keywords, 0)
    given = get_argument(arguments, keywords, 1) if len(arguments) > 1 or "mode" in keywords else "r"
    mode = _FLAGS.get(given & 3, "w") if isinstance(given, int) else to_text(given)
    text = to_text(path)
    if text.startswith("|"):  # Ruby and Perl: open("| command")
        run_command(state, text[1:], {})
        return UNKNOWN
    action = _find_action(mode)
    add_effect(state, action, path)
    if action == "write":
        store_content(state, text, "")
    file = FileValue(text, mode)
    for argument in arguments:
        if is_function(argument):
            state.call(state, argument, [file], {})
    return file


_FLAGS = {0: "r", 2: "r+"}
"""Modes of `os.open` by the access in its flags."""


def _open_handle(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Open a file or a pipe as Perl does: `open(F, "> path")`, `open(F, "-|", command, …)`."""
    mode, *rest = [*arguments[1:], UNKNOWN][:2] if len(arguments) < 3 else arguments[1:]  # noqa: PLR2004
    text = to_text(mode).strip()
    if text in ("-|", "|-"):
        return run_words(state, LibraryCall("words", (0,)), rest, keywords)
    if text.startswith("|") or text.endswith("|"):
        run_command(state, text.strip("|"), keywords)
        return find_output(state)
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
    path = get_argument(arguments, keywords, entry.positions[0])
    if to_text(path).startswith(("http://", "https://")):
        return _send(state, entry, arguments, keywords)
    add_effect(state, "read", path)
    call_functions(state, arguments)
    return distribute(lambda value: read_content(state, to_text(value)), path)


def _write(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = get_argument(arguments, keywords, entry.positions[0])
    add_effect(state, "edit" if any(map(_appends, (*arguments[2:], keywords))) else "write", path)
    if len(arguments) > 1:
        store_content(state, to_text(path), to_text(arguments[1]))
    return call_functions(state, arguments)


def _appends(options: Value) -> bool:
    """Return whether *options* of a write add to the file: a constant, or a mode in a mapping."""
    if isinstance(options, Reference):
        return "APPEND" in options.name
    modes = [options.get("flag"), options.get("mode")] if isinstance(options, Mapping) else []
    return any(isinstance(mode, str) and mode.startswith("a") for mode in modes)


def _delete(*, tree: bool, several: bool) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        first = get_argument(arguments, keywords, 0)
        for path in flatten_items(arguments if several else [first]):
            if isinstance(path, str) and "*" in path and state.language == "javascript":
                path = translate_pattern(path)  # noqa: PLW2901 -- del("dist/**")
            if isinstance(path, str | PathValue | Choice):
                add_effect(state, "delete", path, recursive=tree)
        return call_functions(state, arguments)

    return record


def _remove(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Delete a path, with its contents if the options say so or are not known."""
    options = arguments[1] if len(arguments) > 1 else {}
    recursive: bool | None = not is_function(options)
    if isinstance(options, dict):
        recursive = find_truth(options.get("recursive", False))
    add_effect(state, "delete", get_argument(arguments, keywords, 0), recursive=recursive is not False)
    return call_functions(state, arguments)


def _transfer(source_action: Action, *, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        source, target = (get_argument(arguments, keywords, position) for position in entry.positions)
        content = read_content(state, to_text(source))
        for item in to_items(source) if isinstance(source, list) else [source]:
            add_effect(state, source_action, item, recursive=recursive)
        add_effect(state, "write", target, recursive=recursive)
        store_content(state, to_text(target), content)
        return call_functions(state, arguments)

    return record


def _list(*, joined: bool, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        folder = get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
        options = arguments[1] if len(arguments) > 1 else None
        tree = recursive or (isinstance(options, dict) and bool(find_truth(options.get("recursive"))))
        add_effect(state, "list", folder, recursive=tree)
        entries = isinstance(options, dict) and bool(find_truth(options.get("withFileTypes")))
        items = list_items(state, to_text(folder), recursive=tree, joined=joined or entries)
        for argument in arguments:
            if is_function(argument):  # Node passes (error, names), Ruby passes a name
                values: Arguments = [None, items] if state.language == "javascript" else items
                state.call(state, argument, values, {})
        return items

    return record


def _walk(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    folder = get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
    add_effect(state, "list", folder, recursive=True)
    state.lists_folders = True
    path = join_paths(to_text(folder) or ".", TREE)
    if state.language == "perl" and arguments:  # find(\&function, folder) sets $_ and $File::Find::name
        state.scope.names |= dict.fromkeys(("$_", "$File::Find::name"), path)
        options = arguments[0] if isinstance(arguments[0], dict) else {"wanted": arguments[0]}
        state.call(state, options.get("wanted", UNKNOWN), [path], {})
    return [[path, [ITEM], [ITEM]]]


def _print(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    keywords = merge_options(arguments, keywords)
    if arguments and is_function(arguments[0]):  # Perl: print {$handle} …
        keywords = {**keywords, "file": state.call(state, arguments[0], [], {})}
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


def _write_handle(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Write to an open file, or to the input of a program if nothing is known about the handle."""
    handle, text = (get_argument(arguments, keywords, position) for position in entry.positions)
    if isinstance(handle, FileValue):
        write_content(state, handle.path, to_text(text))
    elif state.captured:
        write_input(state, capture(state, state.captured[-1]), [text])
    return UNKNOWN


_ENDS = {"python": (" ", "\n"), "javascript": (" ", "\n"), "ruby": ("\n", "\n")}
"""The separator and end of printed texts; nothing in other languages."""


_ACTIONS: Mapping[str, Recorder] = {
    **dict.fromkeys(("shell", "argv"), run_shell),
    "words": run_words,
    "exec": run_exec,
    "program": run_file,
    "kill": kill_process,
    "open": _open,
    "pipe": _open_handle,
    "read": _read,
    "write": _write,
    "edit": _simple("edit"),
    "mode": _simple("mode"),
    "truncate": _simple("truncate"),
    **dict.fromkeys(("chmod", "chown", "chmodtree", "chowntree"), _change_mode),
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
    "handle": _write_handle,
    "exit": lambda state, entry, arguments, keywords: None,
    "same": lambda state, entry, arguments, keywords: arguments[0] if arguments else UNKNOWN,
}


def call_path_method(
    state: CodeState, path: PathValue, name: str, arguments: Arguments, keywords: Keywords
) -> Value:
    if name in PATH_PROPERTIES:
        return PATH_PROPERTIES[name](path.text)
    if name in ("joinpath", "join", "+", "/", "child"):
        return PathValue(join_paths(path.text, *map(to_text, arguments)))
    if name in ("with_name", "with_stem"):
        return PathValue(join_paths(find_parent(path.text), get_text(arguments, 0)))
    if name == "with_suffix":
        return PathValue(posixpath.splitext(path.text)[0] + get_text(arguments, 0))
    if is_library_name(state, "Path." + name):
        return state.call(state, Reference("Path." + name), [path, *arguments], keywords)
    return path.text if name in ("to_s", "as_posix", "toString", "getPathname", "getRealPath") else UNKNOWN
