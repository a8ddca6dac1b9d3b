"""Library functions without effects, by the names that the table of functions uses."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from itertools import chain
from typing import NamedTuple, TypeAlias

from hookline.lazy import re
from hookline.shell.code.methods import (
    LIST_METHODS,
    MAPPING_METHODS,
    apply_text_method,
    decode_text,
    flatten_items,
    get_number,
    get_text,
    join_characters,
    join_texts,
)
from hookline.shell.code.operators import apply_operator, format_percent, format_value
from hookline.shell.code.values import (
    MAX_ITEMS,
    UNKNOWN,
    Arguments,
    CodeState,
    Environment,
    FunctionValue,
    Keywords,
    Partial,
    PathValue,
    Program,
    Reference,
    Value,
    bound_text,
    choose,
    is_known,
    to_items,
    to_text,
)

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_MAX_BASE, _MAX_DIGITS = 36, 40


class Given(NamedTuple):
    """The arguments of one call."""

    state: CodeState
    values: Arguments
    keywords: Keywords

    @property
    def first(self) -> Value:
        return self.values[0] if self.values else UNKNOWN

    @property
    def text(self) -> str:
        """The text of the first argument; unknown if there is none."""
        return get_text(self.values, 0, UNKNOWN)

    @property
    def texts(self) -> list[str]:
        return [to_text(item) for item in self.values]

    @property
    def items(self) -> list[Value]:
        """The items of the first argument."""
        return to_items(self.first)


Function: TypeAlias = Callable[[Given], Value]


def substitute_variables(text: str, values: Mapping[str, Value]) -> str:
    """Return *text* with the values in place of `$name` and `${name}`."""
    return _VARIABLE.sub(lambda match: to_text(values.get(match[1] or match[2], UNKNOWN)), text)


def _find_variable(given: Given) -> Value:
    if given.text in given.state.environment:
        return given.state.environment[given.text]
    return choose((UNKNOWN, *given.values[1:2]))


def _set_variable(given: Given) -> Value:
    name, equals, value = get_text(given.values, 0).partition("=")
    text = value if equals else get_text(given.values, 1)
    given.state.environment[name] = given.state.changed_variables[name] = text
    return None


def _range(given: Given) -> Value:
    numbers = [item for item in given.values if isinstance(item, int)]
    if not numbers or len(numbers) != len(given.values) or numbers[2:] == [0]:
        return UNKNOWN
    return list(range(*numbers[:3])[:MAX_ITEMS])


def _integer(given: Given) -> Value:
    base = get_number(given.values, 1, 10)
    try:
        return int(given.text[:_MAX_DIGITS], base if base is not None and 0 <= base <= _MAX_BASE else 10)
    except ValueError:
        return UNKNOWN


def _length(given: Given) -> Value:
    value = given.first
    return len(value) if isinstance(value, str | list) and UNKNOWN not in value else UNKNOWN


def _load_json(given: Given) -> Value:
    if UNKNOWN in given.text:
        return UNKNOWN
    bound_text(given.state, given.text)
    try:
        value: Value = json.loads(given.text)
    except (ValueError, RecursionError):
        return UNKNOWN
    return value


def _new_mapping(given: Given) -> Value:
    source = given.values[0] if given.values else {}
    if isinstance(source, Environment) and not given.keywords:
        return source
    if isinstance(source, dict):
        return {**source, **given.keywords}
    pairs = [item for item in to_items(source) if isinstance(item, list) and len(item) > 1]
    return {**{to_text(pair[0]): pair[1] for pair in pairs}, **given.keywords}


def _new_list(given: Given) -> Value:
    if given.state.language == "javascript" and len(given.values) > 1:  # Array.from(items, function)
        return LIST_METHODS["map"](given.state, given.items, given.values[1:])
    return list(given.items) if given.values else []


def _new_record(given: Given) -> Value:
    """Return the type of records whose fields the arguments of `namedtuple` or `Struct.new` name."""
    fields = given.values[1] if given.state.language == "python" and len(given.values) > 1 else given.values
    names = fields.replace(",", " ").split() if isinstance(fields, str) else to_items(fields)
    return Partial(Reference("record()"), (list(names),))


def _find_default(given: Given) -> Value:
    """Return the default of a field, or the result of the function that makes it."""
    factory = given.keywords.get("default_factory", given.keywords.get("factory"))
    if factory is not None:
        return given.state.call(given.state, factory, [], {})
    return given.keywords.get("default", given.first)


def _quote(given: Given) -> Value:
    """Return a text in quotes for a shell; the items of a list become words."""
    texts = [to_text(item) for item in (given.items if isinstance(given.first, list) else [given.first])]
    return " ".join([text if UNKNOWN in text else shlex.quote(text) for text in texts])


def _find_program(*words: str) -> Function:
    """Return a function that returns an object which runs a program, in the folder of the last argument."""

    def function(given: Given) -> Value:
        options = [to_text(value) for value in given.values if isinstance(value, str | PathValue)]
        if words == ("ssh",):
            return Program((*words, *(options or ["host"])[:1]))
        return Program((*words, "-C", options[-1]) if words and options else (*words, *options))

    return function


def _find_member(given: Given) -> Value:
    """Return the value of `getattr(value, name)`."""
    if len(given.values) < 2:  # noqa: PLR2004 -- value and name
        return UNKNOWN
    return given.state.find_member(given.state, given.first, get_text(given.values, 1))


def _import_module(given: Given) -> Value:
    if given.text == "shelljs/global":
        given.state.star_modules.append("shelljs")
    is_module = given.text and UNKNOWN not in given.text and not given.text.startswith(("./", "/", "../"))
    return Reference(given.text) if is_module else UNKNOWN


def _run_code(given: Given) -> Value:
    run = (
        given.state.call(given.state, given.first, [], {}) if isinstance(given.first, FunctionValue) else None
    )
    return run or given.state.run_code(given.state, given.text)


def _substitute(given: Given) -> Value:
    """Return `re.sub(pattern, new, text)` for a pattern without special characters."""
    if len(given.values) < 3 or re.escape(given.text) != given.text:  # noqa: PLR2004 -- pattern, new, text
        return UNKNOWN
    return apply_text_method(given.state, "replace", given.values[2], given.values[:2])


def _split_words(given: Given) -> Value:
    """Split as a shell does, for words with simple quotes."""
    words = _WORD.findall(get_text(given.values, 0)[:4_000])
    return [_QUOTED.sub(lambda match: match[1] or match[2] or "", word) for word in words]


def _reverse(given: Given) -> Value:
    if len(given.values) == 1 and isinstance(given.first, str):
        return apply_text_method(given.state, "reverse", given.first, []) or ""
    return flatten_items(given.values)[::-1]


def _reduce(given: Given) -> Value:
    items = to_items(given.values[1] if len(given.values) > 1 else UNKNOWN)
    return LIST_METHODS["reduce"](given.state, items, [*given.values[:1], *given.values[2:]])


def _decode(given: Given) -> Value:
    """Decode a text by the encoding in the second argument; a list has the numbers of characters."""
    if isinstance(given.first, list):
        return join_characters(given.first)
    return decode_text(get_text(given.values, 1), given.text)


def _pack(given: Given) -> Value:
    if get_text(given.values, 0)[:1] in "CcUW":
        return join_characters(flatten_items(given.values[1:]))
    return decode_text("hex", get_text(given.values, 1, UNKNOWN))


def _call_by_name(given: Given) -> Value:
    function = given.first if UNKNOWN in given.text else Reference(given.text)
    return given.state.call(given.state, function, flatten_items(given.values[1:]), {})


def _entries(part: str) -> Function:
    """Return a function that returns the keys, values or entries of a mapping."""
    method = MAPPING_METHODS[part]
    return lambda given: method(given.first, []) if isinstance(given.first, dict) else [UNKNOWN]


def _split_subject(given: Given, subject: str) -> tuple[Value, Arguments]:
    """Return the argument at the position *subject*, and the others."""
    position = int(subject)
    value = given.values[position] if position < len(given.values) else UNKNOWN
    return value, given.values[:position] + given.values[position + 1 :]


def _of_list(name: str, subject: str) -> Function:
    """Return a function that calls a method of the list at the position *subject*, which may change it."""

    def function(given: Given) -> Value:
        value, rest = _split_subject(given, subject)
        items = value if isinstance(value, list) else to_items(value)
        return LIST_METHODS[name](given.state, items, flatten_items(rest))

    return function


def _of_text(name: str, subject: str) -> Function:
    """Return a function that calls a method of the text at the position *subject*."""

    def function(given: Given) -> Value:
        value, rest = _split_subject(given, subject)
        result = apply_text_method(given.state, name, value, rest)
        return UNKNOWN if result is None else result

    return function


FUNCTIONS: Mapping[str, Function] = {
    "first": lambda given: given.first,
    "expand_variables": lambda given: substitute_variables(given.text, given.state.environment),
    "find_variable": _find_variable,
    "set_variable": _set_variable,
    "range": _range,
    "integer": _integer,
    "length": _length,
    "load_json": _load_json,
    "dump_json": lambda given: json.dumps(given.first) if is_known(given.first) else UNKNOWN,
    "pairs": lambda given: [[index, item] for index, item in enumerate(given.items)],
    "zip": lambda given: [list(items) for items in zip(*map(to_items, given.values), strict=False)][
        :MAX_ITEMS
    ],
    "new_mapping": _new_mapping,
    "new_list": _new_list,
    "new_record": _new_record,
    "field": _find_default,
    "record": lambda given: (
        dict(zip(map(to_text, given.items), given.values[1:], strict=False)) | dict(given.keywords)
    ),
    "quote": _quote,
    "find_member": _find_member,
    "import_module": _import_module,
    "run_code": _run_code,
    "call_function": lambda given: given.state.call(given.state, given.first, to_items(given.values[-1]), {}),
    "substitute": _substitute,
    "partial": lambda given: Partial(given.first, tuple(given.values[1:]), tuple(given.keywords.items())),
    "character": lambda given: join_characters(flatten_items(given.values)),
    "split_words": _split_words,
    "format": lambda given: format_value(given.first, "", get_text(given.values, 1)),
    "format_percent": lambda given: bound_text(
        given.state, format_percent(get_text(given.values, 0), given.values[1:])
    ),
    "join_list": lambda given: join_texts(
        given.state, get_text(given.values, 0), flatten_items(given.values[1:])
    ),
    "chain": lambda given: list(chain(*map(to_items, given.values)))[:MAX_ITEMS],
    "reverse": _reverse,
    "reduce": _reduce,
    "choose": lambda given: choose(given.items),
    "decode": _decode,
    "pack": _pack,
    "join_words": _quote,
    "call_by_name": _call_by_name,
    "compile": lambda given: Partial(Reference("eval"), tuple(given.values[-1:])),
    "container": lambda given: next(
        (item for item in given.values if isinstance(item, list | dict)), UNKNOWN
    ),
    "stdin": lambda given: given.state.stdin or UNKNOWN,
    **{part: _entries(part) for part in ("keys", "values", "entries")},
}
FUNCTION_FAMILIES: Mapping[str, Callable[..., Function]] = {
    "text": _of_text,
    "items": _of_list,
    "program": _find_program,
    "object": lambda name: lambda given: Reference(name),
    "operate": lambda sign: lambda given: apply_operator(given.state, sign, *given.values[:2]),
    "encoded": lambda encoding: lambda given: decode_text(encoding, given.text),
}
"""Functions with parameters, such as the name of a method."""
