"""Methods of texts, lists, mappings and paths by their names in each language, and decoders of texts."""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import posixpath
import shlex
import zlib
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.code.operators import find_item, format_percent, restrict_by_function
from hookline.shell.code.values import (
    MAX_ITEMS,
    MAX_TEXT,
    UNKNOWN,
    Arguments,
    CodeState,
    Environment,
    PathValue,
    Value,
    bound_text,
    choose,
    count_work,
    distribute,
    find_parent,
    find_truth,
    name_table,
    to_items,
    to_text,
)

TextMethod: TypeAlias = Callable[[str, list[Value]], Value]

_MAX_CHARACTER = 0x110000

_MAX_DIGITS = 18

ListMethod: TypeAlias = Callable[[CodeState, list[Value], Arguments], Value]


def apply_text_method(state: CodeState, name: str, receiver: Value, arguments: Arguments) -> Value | None:
    """Return the result of a method of a text; None if there is no such method."""
    text = to_text(receiver)
    method = LOOSE_METHODS.get(name)
    if method is None and name in EXACT_METHODS:
        known = all(UNKNOWN not in item for item in (text, *map(to_text, arguments)))
        method = EXACT_METHODS[name] if known else _find_nothing
    if method is None:
        return None
    count_work(state, len(text) >> 6)
    result = distribute(lambda *values: method(text, list(values)), *arguments)
    return bound_text(state, result) if isinstance(result, str) else result


def _find_nothing(text: str, arguments: Arguments) -> Value:
    return UNKNOWN


def get_text(arguments: Arguments, position: int, default: str = "") -> str:
    return to_text(arguments[position]) if position < len(arguments) else default


def get_number(arguments: Arguments, position: int, default: int | None = None) -> int | None:
    value = arguments[position] if position < len(arguments) else default
    return value if isinstance(value, int) else default


def _split(text: str, arguments: Arguments) -> Value:
    separator = get_text(arguments, 0)
    if not arguments or separator in (r"\s+", " +", " "):
        return list(text.split(None if separator != " " else " ")[:MAX_ITEMS])
    if not separator or UNKNOWN in separator:  # a NUL character stands for an unknown part
        return [text] if separator else list(text[:MAX_ITEMS])
    limit = get_number(arguments, 1, -1)
    return list(text.split(separator, -1 if limit is None else limit)[:MAX_ITEMS])


def join_texts(state: CodeState, separator: str, items: list[Value]) -> Value:
    """Return the texts of *items*, joined by *separator*."""
    return distribute(lambda *texts: bound_text(state, separator.join(map(to_text, texts))), *items)


def _replace(text: str, arguments: Arguments) -> Value:
    old, new = get_text(arguments, 0), get_text(arguments, 1)
    if len(arguments) != 2 or not isinstance(arguments[0], str) or not old:  # noqa: PLR2004 -- old and new
        return UNKNOWN if arguments and not isinstance(arguments[0], dict) else text
    if text.count(old) * len(new) > MAX_TEXT:
        return UNKNOWN
    return text.replace(old, new)


def _repeat(text: str, arguments: Arguments) -> Value:
    count = get_number(arguments, 0)
    return text * count if count is not None and 0 <= count * len(text) <= MAX_TEXT else UNKNOWN


def _slice(text: str, arguments: Arguments) -> Value:
    return text[get_number(arguments, 0) : get_number(arguments, 1)]


def _substring(text: str, arguments: Arguments) -> Value:
    start, length = get_number(arguments, 0, 0) or 0, get_number(arguments, 1)
    return text[start:] if length is None else text[start:][:length]


def _pad(text: str, arguments: Arguments) -> Value:
    width = get_number(arguments, 0, 0) or 0
    return text.rjust(width, get_text(arguments, 1, " ")[:1] or " ") if width <= MAX_TEXT else UNKNOWN


def _translate(text: str, arguments: Arguments) -> Value:
    letters = "".join(map(to_text, arguments)).replace("-", "")
    return decode_text("rot13", text) if re.fullmatch("[A-Za-z]*", letters) and "N" in letters else UNKNOWN


def _find_alternatives(arguments: Arguments) -> tuple[str, ...]:
    return tuple([to_text(item) for value in arguments[:1] for item in flatten_items([value])])


def _unpack(text: str, arguments: Arguments) -> Value:
    """Decode by a template of Ruby or Perl: base64 or hexadecimal digits."""
    kind = get_text(arguments, 0)[:1]
    return decode_text({"m": "base64", "u": "uu", "H": "hex"}.get(kind, ""), text)


LOOSE_METHODS: Mapping[str, TextMethod] = name_table(
    {
        "upper toUpperCase upcase": lambda text, arguments: text.upper(),
        "lower toLowerCase downcase casefold": lambda text, arguments: text.lower(),
        "strip trim": lambda text, arguments: text.strip(get_text(arguments, 0) or None),
        "lstrip trimStart": lambda text, arguments: text.lstrip(get_text(arguments, 0) or None),
        "rstrip trimEnd chomp": lambda text, arguments: text.rstrip(get_text(arguments, 0) or None),
        "replace replaceAll gsub sub": _replace,
        "split Split": _split,
        "rsplit": lambda text, arguments: list(
            text.rsplit(get_text(arguments, 0) or None, get_number(arguments, 1) or -1)
        ),
        "splitlines lines each_line": lambda text, arguments: list(text.splitlines()),
        "encode to_s valueOf to_str to_sym freeze dup force_encoding": lambda text, arguments: text,
        "concat + prepend": lambda text, arguments: text + "".join(map(to_text, arguments)),
        "title": lambda text, arguments: text.title(),
        "capitalize": lambda text, arguments: text.capitalize(),
        "swapcase": lambda text, arguments: text.swapcase(),
        "removeprefix": lambda text, arguments: text.removeprefix(get_text(arguments, 0)),
        "removesuffix delete_suffix": lambda text, arguments: text.removesuffix(get_text(arguments, 0)),
        "partition": lambda text, arguments: list(text.partition(get_text(arguments, 0) or " ")),
        "rpartition": lambda text, arguments: list(text.rpartition(get_text(arguments, 0) or " ")),
        "as_posix": lambda text, arguments: text,
        "%": lambda text, arguments: format_percent(text, arguments[0] if arguments else UNKNOWN),
    }
)
"""Methods of a text that may have unknown parts."""

EXACT_METHODS: Mapping[str, TextMethod] = name_table(
    {
        "decode toString": lambda text, arguments: decode_text(get_text(arguments, 0), text),
        "hex": lambda text, arguments: text.encode("utf-8", "replace").hex(),
        "startswith startsWith start_with?": lambda text, arguments: text.startswith(
            _find_alternatives(arguments)
        ),
        "endswith endsWith end_with?": lambda text, arguments: text.endswith(_find_alternatives(arguments)),
        "includes include?": lambda text, arguments: get_text(arguments, 0) in text,
        "find index indexOf": lambda text, arguments: text.find(get_text(arguments, 0)),
        "repeat": _repeat,
        "inspect dump": lambda text, arguments: json.dumps(text),
        "shellescape": lambda text, arguments: shlex.quote(text),
        "shellsplit": lambda text, arguments: list(text.split()),
        "slice substring": _slice,
        "substr": _substring,
        "zfill padStart rjust": _pad,
        "reverse strrev": lambda text, arguments: text[::-1],
        "chars each_char": lambda text, arguments: list(text[:MAX_ITEMS]),
        "bytes": lambda text, arguments: [ord(char) for char in text[:MAX_ITEMS]],
        "charAt at": lambda text, arguments: text[get_number(arguments, 0, 0) or 0 :][:1],
        "charCodeAt codePointAt ord": lambda text, arguments: (
            ord(found) if (found := text[get_number(arguments, 0, 0) or 0 :][:1]) else UNKNOWN
        ),
        "chr": lambda text, arguments: (
            chr(int(text)) if text.isdecimal() and int(text[:7]) < _MAX_CHARACTER else UNKNOWN
        ),
        "to_i": lambda text, arguments: (
            int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else UNKNOWN
        ),
        "tr": _translate,
        "unpack1 unpack": _unpack,
    }
)
"""Methods whose result is unknown if a part of the text or of an argument is."""


def _map(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    function = arguments[-1] if arguments else UNKNOWN
    return [state.call(state, function, [item], {}) for item in items[:MAX_ITEMS]]


def _filter(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    function = arguments[-1] if arguments else UNKNOWN
    return [
        restrict_by_function(state, function, item)
        for item in items[:MAX_ITEMS]
        if find_truth(state.call(state, function, [item], {})) is not False
    ]


def _reduce(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    if not arguments:
        return UNKNOWN
    function, rest = arguments[0], list(items)
    value = arguments[1] if len(arguments) > 1 else rest.pop(0) if rest else UNKNOWN
    for item in rest[:MAX_ITEMS]:
        value = state.call(state, function, [value, item], {})
    return value


def _collect(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    memo, function = [*arguments, UNKNOWN, UNKNOWN][:2]
    for item in items[:MAX_ITEMS]:
        state.call(state, function, [item, memo], {})
    return memo


def _append(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    items += arguments[: max(0, MAX_ITEMS - len(items))]
    return items


def _extend(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    items += [item for argument in arguments for item in to_items(argument)][: max(0, MAX_ITEMS - len(items))]
    return items


def _insert(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    position = get_number(arguments, 0, 0) or 0
    items[position:position] = arguments[1:]
    return items


def flatten_items(items: list[Value]) -> list[Value]:
    """Return *items* with the items of inner lists."""
    return [inner for item in items for inner in (item if isinstance(item, list) else [item])][:MAX_ITEMS]


def _reverse(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    items.reverse()
    return items


def _pop(state: CodeState, items: list[Value], arguments: Arguments) -> Value:
    position = get_number(arguments, 0, -1)
    return (
        items.pop(position if position is not None and -len(items) <= position < len(items) else -1)
        if items
        else UNKNOWN
    )


def join_characters(items: list[Value]) -> str:
    """Return the text of the characters with the numbers *items*."""
    return "".join(
        [chr(item) if isinstance(item, int) and 0 <= item < 1 << 16 else UNKNOWN for item in items]
    )


LIST_METHODS: Mapping[str, ListMethod] = name_table(
    {
        "append push add unshift <<": _append,
        "extend update": _extend,
        "concat +": lambda state, items, arguments: _extend(state, list(items), arguments),
        "insert": _insert,
        "join": lambda state, items, arguments: join_texts(
            state, get_text(arguments, 0, "," if state.language == "javascript" else ""), items
        ),
        "map forEach each collect flatMap flat_map each_with_index": _map,
        "filter select find reject some every detect": _filter,
        "reduce inject": _reduce,
        "each_with_object": _collect,
        "flat flatten": lambda state, items, arguments: flatten_items(items),
        "reverse": _reverse,
        "sort uniq copy to_a sorted compact toSorted sort_by values": lambda state, items, arguments: items,
        "slice": lambda state, items, arguments: items[get_number(arguments, 0) : get_number(arguments, 1)],
        "pop": _pop,
        "shift": lambda state, items, arguments: _pop(state, items, [0]),
        "shelljoin *": lambda state, items, arguments: join_texts(state, get_text(arguments, 0, " "), items),
        "first at": lambda state, items, arguments: find_item(state, items, get_number(arguments, 0, 0)),
        "last": lambda state, items, arguments: find_item(state, items, -1),
        "pack toString decode": lambda state, items, arguments: join_characters(items),
    }
)


def _find_entry(entries: dict[str, Value], arguments: Arguments) -> Value:
    key = get_text(arguments, 0)
    if key in entries:
        return entries[key]
    default = arguments[1] if len(arguments) > 1 else None
    if isinstance(entries, Environment):
        return choose((UNKNOWN, default)) if default is not None else UNKNOWN
    return choose((*entries.values(), default)) if UNKNOWN in key else default


def _update(entries: dict[str, Value], arguments: Arguments) -> Value:
    for item in arguments:
        entries |= item if isinstance(item, dict) else {}
    return entries


MAPPING_METHODS: Mapping[str, Callable[[dict[str, Value], Arguments], Value]] = name_table(
    {
        "get fetch setdefault pop": _find_entry,
        "items each entries": lambda entries, arguments: (
            [[key, value] for key, value in entries.items()] or [[UNKNOWN, UNKNOWN]]
        ),
        "values": lambda entries, arguments: list(entries.values()),
        "keys": lambda entries, arguments: list(entries),
        "copy to_h dup": lambda entries, arguments: entries.__class__(entries),
        "update merge merge!": _update,
    }
)

PATH_PROPERTIES: Mapping[str, Callable[[str], Value]] = {
    "parent": lambda text: PathValue(find_parent(text)),
    "parents": lambda text: [
        PathValue(find_parent(text)),
        PathValue(find_parent(find_parent(text))),
        PathValue(find_parent(find_parent(find_parent(text)))),
    ],
    "name": lambda text: posixpath.basename(text) or UNKNOWN,
    "stem": lambda text: posixpath.splitext(posixpath.basename(text))[0] or UNKNOWN,
    "suffix": lambda text: posixpath.splitext(text)[1] if UNKNOWN not in text else UNKNOWN,
    "parts": lambda text: list(text.split("/")),
    "path": PathValue,
    "parentPath": lambda text: PathValue(find_parent(text)),
}


def decode_text(encoding: str, text: str) -> str:
    """Return the *text*, whose characters are bytes, decoded from base64, hexadecimal digits or similar."""
    if UNKNOWN in text:
        return UNKNOWN
    decoder = _DECODERS.get(encoding.lower().replace("-", "").replace("_", ""))
    if decoder is None:
        return text
    try:
        return _to_characters(decoder(text.encode("latin-1")))
    except (ValueError, binascii.Error, zlib.error):
        return UNKNOWN


def _to_characters(data: bytes) -> str:
    """Return *data* as UTF-8 text, or with a character for each byte; no part of it is unknown."""
    try:
        text = data[:MAX_TEXT].decode()
    except ValueError:
        return data[:MAX_TEXT].decode("latin-1")
    return text.replace("\0", "\ufffd")


def _decode_base64(data: bytes) -> bytes:
    plain = data.translate(_URL_SAFE)
    return base64.b64decode(plain + b"=" * (-len(plain) % 4))


def _decompress(data: bytes) -> bytes:
    return zlib.decompressobj(47).decompress(data, MAX_TEXT)


_URL_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")

_URL_SAFE = bytes.maketrans(b"-_", b"+/")

_DECODERS: Mapping[str, Callable[[bytes], bytes]] = {
    **dict.fromkeys(("base64", "base64url", "b64"), _decode_base64),
    "base32": base64.b32decode,
    "base85": base64.b85decode,
    **dict.fromkeys(("hex", "hexcodec"), lambda data: binascii.unhexlify(data.replace(b" ", b""))),
    **dict.fromkeys(
        ("rot13", "rot_13"), lambda data: codecs.encode(data.decode("latin-1"), "rot13").encode()
    ),
    **dict.fromkeys(("zlib", "gzip"), _decompress),
    "unicodeescape": lambda data: data.decode("unicode_escape").encode(),
    "url": lambda data: _URL_ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data),
}
