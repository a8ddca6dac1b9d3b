"""Library functions without effects."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import TypeAlias

from hookline.shell.code.methods import (
    LIST_METHODS,
    MAPPING_METHODS,
    apply_text_method,
    flatten_items,
    get_number,
    get_text,
    join_characters,
    join_texts,
)
from hookline.shell.code.operators import decode_text, format_percent, format_value
from hookline.shell.code.values import (
    MAX_ITEMS,
    TREE,
    UNKNOWN,
    Arguments,
    CodeState,
    Environment,
    Keywords,
    Partial,
    PathValue,
    Reference,
    Value,
    bound_text,
    choose,
    find_parent,
    is_known,
    join_paths,
    to_items,
    to_text,
    translate_pattern,
)

Function: TypeAlias = Callable[[CodeState, Arguments, Keywords], Value]

_TEMPORARY = "/tmp/" + UNKNOWN  # noqa: S108 -- nothing is written there
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def find_folder(state: CodeState) -> str:
    """Return the working directory."""
    return state.folder or state.cwd or UNKNOWN


def expand_home(state: CodeState, path: str) -> str:
    """Return *path* with a leading `~` replaced by the home directory."""
    return state.home + path[1:] if path == "~" or path.startswith("~/") else path


def resolve_path(state: CodeState, path: str) -> str:
    """Return *path* as a normalised absolute path."""
    return posixpath.normpath(join_paths(find_folder(state), path)) if path else find_folder(state)


def _first(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return arguments[0] if arguments else UNKNOWN


def _join(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return join_paths(*map(to_text, arguments)) if arguments else ""


def _join_relative(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Join paths where an absolute one does not replace those before it."""
    texts = [to_text(item) for item in flatten_items(arguments)]
    return posixpath.normpath("/".join(texts)) if texts else "."


def _resolve(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    paths = [to_text(item) for item in arguments]
    return resolve_path(state, join_paths(*paths) if paths else "")


def _expand_path(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    base = get_text(arguments, 1) if len(arguments) > 1 else ""
    return resolve_path(state, join_paths(base, expand_home(state, get_text(arguments, 0))))


def _path_function(function: Callable[[CodeState, str], str]) -> Function:
    """Return a function from a path to a path, which keeps a path object."""

    def apply(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
        found = function(state, get_text(arguments, 0))
        return PathValue(found) if arguments and isinstance(arguments[0], PathValue) else found

    return apply


def _new_path(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return PathValue(join_paths(*map(to_text, arguments)) if arguments else ".")


def _expand_variables(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return _VARIABLE.sub(
        lambda match: to_text(state.environment.get(match[1] or match[2], UNKNOWN)), get_text(arguments, 0)
    )


def _find_variable(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    name = get_text(arguments, 0)
    if name in state.environment:
        return state.environment[name]
    return choose((UNKNOWN, arguments[1])) if len(arguments) > 1 else UNKNOWN


def _set_variable(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    name, equals, value = get_text(arguments, 0).partition("=")
    text = value if equals else get_text(arguments, 1)
    state.environment[name] = state.changed_variables[name] = text
    return None


def _change_folder(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    state.folder = resolve_path(state, expand_home(state, get_text(arguments, 0, UNKNOWN)))
    return None


def _range(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    numbers = [item for item in arguments if isinstance(item, int)]
    if not numbers or len(numbers) != len(arguments) or numbers[2:] == [0]:
        return UNKNOWN
    return list(range(*numbers[:3])[:MAX_ITEMS])


def _integer(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    text, base = get_text(arguments, 0), get_number(arguments, 1, 10)
    try:
        return int(text[:40], base if base is not None and 0 <= base <= 36 else 10)  # noqa: PLR2004 -- digits
    except ValueError:
        return UNKNOWN


def _length(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    value = arguments[0] if arguments else UNKNOWN
    return len(value) if isinstance(value, str | list) and UNKNOWN not in value else UNKNOWN


def _load_json(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    text = get_text(arguments, 0, UNKNOWN)
    if UNKNOWN in text:
        return UNKNOWN
    bound_text(state, text)
    try:
        value: Value = json.loads(text)
    except (ValueError, RecursionError):
        return UNKNOWN
    return value


def _dump_json(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    value = arguments[0] if arguments else UNKNOWN
    return json.dumps(value) if is_known(value) else UNKNOWN


def _pairs(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return [[index, item] for index, item in enumerate(to_items(arguments[0] if arguments else UNKNOWN))]


def _zip(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return [list(items) for items in zip(*map(to_items, arguments), strict=False)][:MAX_ITEMS]


def _new_mapping(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    source = arguments[0] if arguments else {}
    if isinstance(source, Environment) and not keywords:
        return source
    if isinstance(source, dict):
        return {**source, **keywords}
    pairs = [item for item in to_items(source) if isinstance(item, list) and len(item) > 1]
    return {**{to_text(pair[0]): pair[1] for pair in pairs}, **keywords}


def _new_list(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    if state.language == "javascript" and len(arguments) > 1:  # Array.from(items, function)
        return LIST_METHODS["map"](state, to_items(arguments[0]), arguments[1:])
    if arguments and isinstance(arguments[0], str) and arguments[0] == UNKNOWN:
        return [UNKNOWN]
    return list(to_items(arguments[0])) if arguments else []


def _find_member(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Return the value of `getattr(value, name)`."""
    return state.find_member(state, arguments[0], get_text(arguments, 1)) if len(arguments) > 1 else UNKNOWN


def _import_module(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    name = get_text(arguments, 0)
    if name.startswith(("./", "/", "../")) and UNKNOWN not in name:
        return UNKNOWN
    return Reference(name) if name and UNKNOWN not in name else UNKNOWN


def _run_code(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return state.run_code(state, get_text(arguments, 0, UNKNOWN))


def _substitute(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Return `re.sub(pattern, new, text)` for a pattern without special characters."""
    pattern = get_text(arguments, 0)
    if len(arguments) < 3 or re.escape(pattern).replace("\\", "") != pattern or "\\" in re.escape(pattern):  # noqa: PLR2004
        return UNKNOWN
    return apply_text_method(state, "replace", arguments[2], arguments[:2])


def _glob(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    state.lists_folders = True
    root = get_text([keywords.get("root_dir", "")], 0)
    patterns = (
        [to_text(item) for item in to_items(arguments[0])]
        if arguments and isinstance(arguments[0], list)
        else [get_text(arguments, 0)]
    )
    return [translate_pattern(join_paths(root, expand_home(state, pattern))) for pattern in patterns]


def _glob_path(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    state.lists_folders = True
    return [
        PathValue(
            join_paths(get_text(arguments, 0), translate_pattern(get_text(arguments, 1)).removeprefix("./"))
        )
    ]


def _glob_tree(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    state.lists_folders = True
    name = translate_pattern(get_text(arguments, 1)).removeprefix("./")
    return [PathValue(join_paths(get_text(arguments, 0), TREE, name))]


def _partial(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return Partial(arguments[0], tuple(arguments[1:])) if arguments else UNKNOWN


def _character(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return join_characters(flatten_items(arguments))


def _split_words(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Split as a shell does, for words with simple quotes."""
    words = re.findall(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""", get_text(arguments, 0)[:4_000])
    return [
        re.sub(r"""'([^']*)'|"([^"]*)\"""", lambda match: match[1] or match[2] or "", word) for word in words
    ]


def _format(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return format_value(arguments[0], "", get_text(arguments, 1)) if arguments else UNKNOWN


def _format_percent(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return bound_text(state, format_percent(get_text(arguments, 0), arguments[1:]))


def _join_list(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Return `join(separator, item, …)`, where the items may be a list."""
    return join_texts(state, get_text(arguments, 0), flatten_items(arguments[1:]))


def _chain(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return list(chain(*map(to_items, arguments)))[:MAX_ITEMS]


def _reverse(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    if len(arguments) == 1 and isinstance(arguments[0], str):
        return apply_text_method(state, "reverse", arguments[0], []) or ""
    return flatten_items(arguments)[::-1]


def _reduce(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    items = to_items(arguments[1] if len(arguments) > 1 else UNKNOWN)
    return LIST_METHODS["reduce"](state, items, [*arguments[:1], *arguments[2:]])


def _choose(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return choose(to_items(arguments[0] if arguments else UNKNOWN))


def _decode(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Decode a text by the encoding in the second argument; a list has the numbers of characters."""
    if arguments and isinstance(arguments[0], list):
        return join_characters(arguments[0])
    return decode_text(get_text(arguments, 1), get_text(arguments, 0, UNKNOWN))


def _pack(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    if get_text(arguments, 0)[:1] in "CcUW":
        return join_characters(flatten_items(arguments[1:]))
    return decode_text("hex", get_text(arguments, 1, UNKNOWN))


def _join_words(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return join_texts(state, " ", to_items(arguments[0] if arguments else UNKNOWN))


def _split_extension(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return list(posixpath.splitext(get_text(arguments, 0)))


def _extension(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    path = get_text(arguments, 0, UNKNOWN)
    return UNKNOWN if UNKNOWN in path else posixpath.splitext(path)[1]


def _call_by_name(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    name = get_text(arguments, 0, UNKNOWN)
    return state.call(state, UNKNOWN if UNKNOWN in name else Reference(name), arguments[1:], {})


def _container(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    """Return the array or hash of Perl with a name, or the one that a variable of that name refers to."""
    return next((value for value in arguments if isinstance(value, list | dict)), UNKNOWN)


def _compile(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
    return Partial(Reference("eval"), tuple(arguments[-1:]))


def _entries(part: str) -> Function:
    """Return a function that returns the keys, values or entries of a mapping."""

    def function(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
        return (
            MAPPING_METHODS[part](arguments[0], [])
            if arguments and isinstance(arguments[0], dict)
            else [UNKNOWN]
        )

    return function


def _of_list(name: str, subject: str) -> Function:
    """Return a function that calls a method of the list at the position *subject*, which may change it."""

    def function(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
        position = int(subject)
        target = arguments[position] if position < len(arguments) else UNKNOWN
        rest = arguments[:position] + arguments[position + 1 :]
        return LIST_METHODS[name](
            state, target if isinstance(target, list) else to_items(target), flatten_items(rest)
        )

    return function


def _of_text(name: str, subject: str) -> Function:
    """Return a function that calls a method of the text at the position *subject*."""

    def function(state: CodeState, arguments: Arguments, keywords: Keywords) -> Value:
        position = int(subject)
        receiver = arguments[position] if position < len(arguments) else UNKNOWN
        result = apply_text_method(state, name, receiver, arguments[:position] + arguments[position + 1 :])
        return UNKNOWN if result is None else result

    return function


_PLAIN = (
    _first, _join, _join_relative, _resolve, _expand_path, _new_path, _expand_variables, _find_variable,
    _set_variable, _change_folder, _range, _integer, _length, _load_json, _dump_json, _pairs, _zip,
    _new_mapping, _new_list, _find_member, _import_module, _run_code, _substitute, _glob, _glob_path,
    _glob_tree, _partial, _character, _split_words, _format, _format_percent, _join_list, _chain,
    _reverse, _reduce, _choose, _decode, _pack, _join_words, _split_extension, _extension, _call_by_name,
    _compile, _container,
)  # fmt: skip
FUNCTIONS: Mapping[str, Function] = {
    **{function.__name__[1:]: function for function in _PLAIN},
    "home": lambda state, arguments, keywords: state.home,
    "home_path": lambda state, arguments, keywords: PathValue(state.home),
    "folder": lambda state, arguments, keywords: find_folder(state),
    "folder_path": lambda state, arguments, keywords: PathValue(find_folder(state)),
    "stdin": lambda state, arguments, keywords: state.stdin or UNKNOWN,
    "temporary": lambda state, arguments, keywords: _TEMPORARY,
    "temporary_root": lambda state, arguments, keywords: _TEMPORARY[:-2],
    "parent": _path_function(lambda state, path: find_parent(path)),
    "base": _path_function(lambda state, path: posixpath.basename(path) or UNKNOWN),
    "expand_home": _path_function(expand_home),
    "absolute": _path_function(resolve_path),
    **{part: _entries(part) for part in ("keys", "values", "entries")},
}
"""Functions by the names that the table uses."""
FUNCTION_FAMILIES: Mapping[str, Callable[..., Function]] = {
    "text": _of_text,
    "items": _of_list,
    "encoded": lambda encoding: (
        lambda state, arguments, keywords: decode_text(encoding, get_text(arguments, 0, UNKNOWN))
    ),
}
"""Functions with parameters, such as the name of a method."""
