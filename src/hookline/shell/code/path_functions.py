"""Library functions on paths, by the names that the table of functions uses."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from hookline.shell.code.functions import Function, Given
from hookline.shell.code.methods import flatten_items, get_text
from hookline.shell.code.values import (
    TREE,
    UNKNOWN,
    CodeState,
    FileValue,
    FunctionValue,
    PathValue,
    Value,
    expand_home,
    find_folder,
    find_parent,
    join_paths,
    resolve_path,
    to_text,
    translate_pattern,
)

_TEMPORARY = "/tmp"
_PACKAGES = f"/{UNKNOWN}/site-packages"
"""The folder of Python's installed packages."""


def _join_relative(given: Given) -> Value:
    """Join paths where an absolute one does not replace those before it."""
    texts = [to_text(item) for item in flatten_items(given.values)]
    return posixpath.normpath("/".join(texts)) if texts else "."


def _expand_path(given: Given) -> Value:
    path = expand_home(given.state, get_text(given.values, 0))
    return resolve_path(given.state, join_paths(get_text(given.values, 1), path))


def _of_path(function: Callable[[CodeState, str], str]) -> Function:
    """Return a function from a path to a path, which keeps a path object."""

    def apply(given: Given) -> Value:
        found = function(given.state, get_text(given.values, 0))
        return PathValue(found) if isinstance(given.first, PathValue) else found

    return apply


def _change_folder(given: Given) -> Value:
    outer = given.state.folder
    given.state.folder = resolve_path(given.state, expand_home(given.state, given.text))
    for function in given.values[1:]:  # Ruby: Dir.chdir(folder) { … }
        given.state.call(given.state, function, [given.text], {})
        given.state.folder = outer
    return None


def _create_file(given: Given) -> FileValue:
    """Return a temporary file with a name of its own, and pass it to a block."""
    file = FileValue(f"{_TEMPORARY}/tmp{len(given.state.written)}", "w")
    given.state.written[file.path] = ""
    for function in given.values:
        if isinstance(function, FunctionValue):
            given.state.call(given.state, function, [file], {})
    return file


def _glob(given: Given) -> Value:
    given.state.lists_folders = True
    root = to_text(given.keywords.get("root_dir", ""))
    text = get_text(given.values, 0)
    several = given.state.language == "perl" and " " in text
    patterns = given.items if isinstance(given.first, list) else list(text.split()) if several else [text]
    paths = [join_paths(root, expand_home(given.state, to_text(pattern))) for pattern in patterns]
    return [translate_pattern(path) for path in paths]


def _glob_below(*folders: str) -> Function:
    """Return a function that finds a pattern directly below a path object, or below *folders* of it."""

    def function(given: Given) -> Value:
        given.state.lists_folders = True
        name = translate_pattern(get_text(given.values, 1)).removeprefix("./")
        return [PathValue(join_paths(get_text(given.values, 0), *folders, name))]

    return function


PATH_FUNCTIONS: Mapping[str, Function] = {
    "join": lambda given: join_paths(*given.texts) if given.values else "",
    "join_relative": _join_relative,
    "resolve": lambda given: resolve_path(given.state, join_paths(*given.texts) if given.values else ""),
    "expand_path": _expand_path,
    "new_path": lambda given: PathValue(join_paths(*given.texts) if given.values else "."),
    "change_folder": _change_folder,
    "glob": _glob,
    "glob_path": _glob_below(),
    "glob_tree": _glob_below(TREE),
    "split_extension": lambda given: list(posixpath.splitext(get_text(given.values, 0))),
    "extension": lambda given: UNKNOWN if UNKNOWN in given.text else posixpath.splitext(given.text)[1],
    "home": lambda given: given.state.home,
    "package_folder": lambda given: _PACKAGES,
    "package_folders": lambda given: [_PACKAGES],
    "named_package_folders": lambda given: dict.fromkeys(("purelib", "platlib"), _PACKAGES),
    "home_path": lambda given: PathValue(given.state.home),
    "folder": lambda given: find_folder(given.state),
    "folder_path": lambda given: PathValue(find_folder(given.state)),
    "temporary": lambda given: f"{_TEMPORARY}/tmp.{len(given.state.commands)}",
    "temporary_file": _create_file,
    "temporary_path": lambda given: _create_file(given).path,
    "temporary_pair": lambda given: [file := _create_file(given), file.path],
    "temporary_root": lambda given: _TEMPORARY,
    "parent": _of_path(lambda state, path: find_parent(path)),
    "base": _of_path(lambda state, path: posixpath.basename(path) or UNKNOWN),
    "expand_home": _of_path(expand_home),
    "absolute": _of_path(resolve_path),
}
