"""Files that code opens, reads and writes: their effects, and their contents as far as they are known."""

from __future__ import annotations

import shlex

from hookline.shell.code.commands import add_command, call_callbacks
from hookline.shell.code.methods import flatten_items
from hookline.shell.code.values import (
    CAPTURED,
    ITEM,
    TREE,
    UNKNOWN,
    Arguments,
    CodeState,
    Effect,
    FileValue,
    Keywords,
    Value,
    bound_text,
    capture,
    count_work,
    expand_home,
    find_texts,
    join_paths,
    remove_marks,
    resolve_path,
    substitute_captured,
    to_items,
    to_text,
)
from hookline.shell.options import word_set
from hookline.shell.result import Action


def add_effect(state: CodeState, action: Action, path: Value, *, recursive: bool = False) -> None:
    """Record an *action* on each possible *path*."""
    for text in find_texts(path):
        whole = expand_home(state, text)
        if action == "delete" and CAPTURED in text:
            add_command(state, {}, text=f"rm {'-rf ' if recursive else ''}-- {whole}")
        is_known = not whole.startswith(UNKNOWN) or whole.startswith((ITEM, TREE))
        if state.folder and action != "send" and is_known:
            whole = join_paths(state.folder, whole)
        count_work(state, 4)
        state.effects.append(describe_effect(action, whole, recursive=recursive))


def describe_effect(action: Action, path: str, *, recursive: bool) -> Effect:
    """Return the effect on *path*; any path below a folder, or all items of it, become that folder."""
    if path.startswith((ITEM, TREE)):
        path = "./" + path
    head, tree, rest = path.partition(TREE)
    if tree and not rest.replace(TREE, "").replace(ITEM, "").strip("/" + UNKNOWN):
        whole = head.rstrip("/") or head[:1] or "."
        return Effect(
            action, whole if action in ("delete", "mode", "move") else head + UNKNOWN, recursive=True
        )
    if action in ("delete", "move", "mode") and path.endswith("/" + ITEM):
        path = path.removesuffix(ITEM) + "*"
    return Effect(action, remove_marks(path), recursive)


def read_content(state: CodeState, path: str) -> str:
    """Return the content of a file, if the code or the line wrote it."""
    if path in ("/dev/stdin", "php://stdin", "-"):
        return state.stdin or UNKNOWN
    whole = resolve_path(state, path)
    known = "" if whole == "/dev/null" else state.written.get(whole, state.files.get(whole))
    return capture(state, f"cat {shlex.quote(remove_marks(path))}") if known is None else known


def write_content(state: CodeState, path: str, text: str) -> None:
    """Add *text* to a file, or to the output."""
    if path in ("/dev/stdout", "php://stdout", "php://output"):
        state.output.append(bound_text(state, text))
    elif not path.startswith("/dev/"):
        whole = resolve_path(state, path)
        store_content(state, path, state.written.get(whole, state.files.get(whole, "")) + text)


def store_content(state: CodeState, path: str, text: str) -> None:
    command = substitute_captured(state, text)[3:-2] if text.startswith(CAPTURED) else ""
    if command.startswith("curl "):
        add_command(state, {}, text=f"{command} > {shlex.quote(path)}")
    state.written[resolve_path(state, path)] = bound_text(state, text)


def fill_files(state: CodeState, values: Arguments) -> None:
    """Add unknown text to the files open for writing in *values*, for a function that may write to them."""
    for value in flatten_items(values):
        if isinstance(value, FileValue) and resolve_path(state, value.path) in state.written:
            write_content(state, value.path, UNKNOWN)


def call_other(state: CodeState, name: str, arguments: Arguments, keywords: Keywords) -> Value:
    """Call a function that is not known: it calls the functions, and writes to the files, passed to it."""
    if "close" not in name.lower():
        fill_files(state, [*arguments, *keywords.values()])
    return call_callbacks(state, arguments, keywords)


_PASSIVE = word_set(
    "close flush seek tell rewind truncate fileno path to_path filename isatty sync fsync __enter__ __exit__"
)
"""Methods of an open file that write nothing."""


def call_file_method(state: CodeState, file: FileValue, name: str, arguments: Arguments) -> Value:
    if name in ("write", "puts", "print", "writelines", "<<", "say", "printf"):
        parts = to_items(arguments[0]) if name == "writelines" and arguments else arguments
        end = "\n" if name in ("puts", "say") else ""
        for part in parts:
            write_content(state, file.path, to_text(part) + end)
        return UNKNOWN
    if name in ("read", "readline", "gets", "readlines", "each_line", "on"):
        content = read_content(state, file.path)
        if name in ("readlines", "each_line") and UNKNOWN not in content:
            return list(content.splitlines(keepends=True))
        return content
    if name == "truncate" and arguments == [0]:
        add_effect(state, "write", file.path)
        store_content(state, file.path, "")
    elif name not in _PASSIVE:
        fill_files(state, [file])
    return file.path if name in ("path", "to_path", "filename") else call_callbacks(state, arguments, {})
