"""Effects of library calls on files, and their output."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.shell.code.commands import (
    COMMAND_ACTIONS,
    Recorder,
    call_functions,
    get_argument,
    is_function,
    merge_options,
    run_command,
    run_words,
)
from hookline.shell.code.functions import (
    expand_home,
    resolve_path,
)
from hookline.shell.code.library_calls import LibraryCall
from hookline.shell.code.methods import flatten_items
from hookline.shell.code.values import (
    ITEM,
    TREE,
    UNKNOWN,
    Arguments,
    Choice,
    CodeState,
    Effect,
    FileValue,
    Keywords,
    PathValue,
    Reference,
    Value,
    bound_text,
    count_work,
    distribute,
    find_texts,
    find_truth,
    join_paths,
    list_items,
    remove_marks,
    to_items,
    to_text,
    walk_tree,
)
from hookline.shell.result import Action


def apply_call(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Record the effects of a library call, and return its result as far as it is known."""
    count_work(state, 4)
    return _ACTIONS[entry.action](state, entry, arguments, keywords)


def add_effect(state: CodeState, action: Action, path: Value, *, recursive: bool = False) -> None:
    """Record an *action* on each possible *path*."""
    for text in find_texts(path):
        whole = expand_home(state, text)
        if state.folder and action != "send" and not whole.startswith(UNKNOWN):
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
        return Effect(action, whole if action == "delete" else head + UNKNOWN, recursive=True)
    if action == "delete" and path.endswith("/" + ITEM):
        path = path.removesuffix(ITEM) + "*"
    return Effect(action, remove_marks(path), recursive)


def _simple(action: Action) -> Recorder:
    """Return the recorder of *action* on the paths at the positions of the entry."""

    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        for position in entry.positions:
            add_effect(state, action, get_argument(arguments, keywords, position))
        return call_functions(state, arguments)

    return record


def _open(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = get_argument(arguments, keywords, 0)
    mode = to_text(get_argument(arguments, keywords, 1)) if len(arguments) > 1 or "mode" in keywords else "r"
    text = to_text(path)
    if text.startswith("|"):  # Ruby and Perl: open("| command")
        run_command(state, text[1:], {})
        return UNKNOWN
    action = _find_action(mode)
    add_effect(state, action, path)
    if action == "write":
        _store_content(state, text, "")
    file = FileValue(text, mode)
    for argument in arguments:
        if is_function(argument):
            state.call(state, argument, [file], {})
    return file


def _open_handle(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Open a file or a pipe as Perl does: `open(F, "> path")`, `open(F, "-|", command, …)`."""
    mode, *rest = [*arguments[1:], UNKNOWN][:2] if len(arguments) < 3 else arguments[1:]  # noqa: PLR2004
    text = to_text(mode).strip()
    if text in ("-|", "|-"):
        return run_words(state, LibraryCall("words", (0,)), rest, keywords)
    if text.startswith("|") or text.endswith("|"):
        run_command(state, text.strip("|"), keywords)
        return UNKNOWN
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
    add_effect(state, "read", path)
    call_functions(state, arguments)
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
    if UNKNOWN not in path:
        state.written[resolve_path(state, path)] = bound_text(state, text)


def _write(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    path = get_argument(arguments, keywords, entry.positions[0])
    edits = any(_appends(item) for item in (*arguments[2:], keywords))
    add_effect(state, "edit" if edits else "write", path)
    if len(arguments) > 1:
        _store_content(state, to_text(path), to_text(arguments[1]))
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
        found = flatten_items(
            arguments if several else to_items(first) if isinstance(first, list) else [first]
        )
        for path in found:
            if isinstance(path, str | PathValue | Choice):
                add_effect(state, "delete", path, recursive=tree)
        return call_functions(state, arguments)

    return record


def _remove(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    """Delete a path, with its contents if the options say so or are not known."""
    options = arguments[1] if len(arguments) > 1 else {}
    recursive = (
        find_truth(options.get("recursive", False)) if isinstance(options, dict) else not is_function(options)
    )
    add_effect(state, "delete", get_argument(arguments, keywords, 0), recursive=recursive is not False)
    return call_functions(state, arguments)


def _transfer(source_action: Action, *, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        source, target = (get_argument(arguments, keywords, position) for position in entry.positions)
        content = read_content(state, to_text(source))
        for item in to_items(source) if isinstance(source, list) else [source]:
            add_effect(state, source_action, item, recursive=recursive)
        add_effect(state, "write", target, recursive=recursive)
        _store_content(state, to_text(target), content)
        return call_functions(state, arguments)

    return record


def _list(*, joined: bool, recursive: bool = False) -> Recorder:
    def record(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
        folder = get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
        options = arguments[1] if len(arguments) > 1 else None
        tree = recursive or (isinstance(options, dict) and bool(find_truth(options.get("recursive"))))
        add_effect(state, "list", folder, recursive=tree)
        items = list_items(state, to_text(folder), recursive=tree, joined=joined)
        for argument in arguments:
            if is_function(argument):  # Node passes (error, names), Ruby passes a name
                values: Arguments = [None, items] if state.language == "javascript" else items
                state.call(state, argument, values, {})
        return items

    return record


def _walk(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    folder = get_argument(arguments, keywords, entry.positions[0]) if arguments else "."
    add_effect(state, "list", folder, recursive=True)
    rounds = walk_tree(state, to_text(folder))
    if state.language == "perl":  # find(\&function, folder) sets $_ and $File::Find::name
        path = join_paths(to_text(folder), TREE)
        state.scope.names |= dict.fromkeys(("$_", "$File::Find::name"), path)
        options = arguments[0] if isinstance(arguments[0], dict) else {"wanted": arguments[0]}
        state.call(state, options.get("wanted", UNKNOWN), [path], {})
    return rounds


def _print(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    keywords = merge_options(arguments, keywords)
    target = keywords.get("file")
    separator, end = _ENDS[state.language]
    end = to_text(keywords.get("end", end))
    separator = to_text(keywords.get("sep", separator))
    texts = [to_text(item) for item in flatten_items(arguments) if not isinstance(item, dict)]
    path = target.path if isinstance(target, FileValue) else "/dev/stdout" if target is None else "/dev/null"
    write_content(state, path, separator.join(texts) + end)
    return UNKNOWN


_ENDS = {
    "python": (" ", "\n"),
    "javascript": (" ", "\n"),
    "ruby": ("\n", "\n"),
    "perl": ("", ""),
    "php": ("", ""),
}


def _exit(state: CodeState, entry: LibraryCall, arguments: Arguments, keywords: Keywords) -> Value:
    return None


_ACTIONS: Mapping[str, Recorder] = {
    **COMMAND_ACTIONS,
    "open": _open,
    "pipe": _open_handle,
    "read": _read,
    "write": _write,
    "edit": _simple("edit"),
    "mode": _simple("mode"),
    "send": _simple("send"),
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
    "exit": _exit,
    "same": lambda state, entry, arguments, keywords: arguments[0] if arguments else UNKNOWN,
}
