"""Operators on values: concatenation, arithmetic, comparison, formatting, decoding, items of containers."""

from __future__ import annotations

import base64
import binascii
import codecs
import operator
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from hookline.shell.code.values import (
    MAX_ITEMS,
    MAX_TEXT,
    UNKNOWN,
    CodeState,
    Environment,
    PathValue,
    Value,
    bound_text,
    choose,
    find_truth,
    is_known,
    join_paths,
    to_text,
)

_MAX_NUMBER = 1 << 64
_MAX_SHIFT = 64
_MAX_WIDTH_DIGITS = 4
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[[Any, Any], Value]] = {
    **dict.fromkeys(("==", "===", "eq"), operator.eq),
    **dict.fromkeys(("!=", "!==", "ne"), operator.ne),
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FORMAT = re.compile(r"%(?:\((\w+)\))?([-+ 0#]*)(\d*)(?:\.\d+)?([a-zA-Z%])")
_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)(?:[.\[][^{}:!]*)?(?:![rsa])?(:[^{}]*)?\}")


def apply_operator(state: CodeState, sign: str, left: Value, right: Value) -> Value:
    """Return the value of `left sign right`."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _calculate(state, sign, left, right)
    if sign in _COMPARISONS:
        return _compare(sign, left, right)
    operator_function = _OPERATORS.get(sign)
    return UNKNOWN if operator_function is None else operator_function(state, left, right)


def _add(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, list) or isinstance(right, list):
        return _join_lists(left, right)
    if isinstance(left, PathValue):
        return PathValue(join_paths(left.text, to_text(right)))
    return bound_text(state, to_text(left) + to_text(right))


def _divide(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, PathValue) or isinstance(right, PathValue):
        return PathValue(join_paths(to_text(left), to_text(right)))
    return UNKNOWN


def _modulo(state: CodeState, left: Value, right: Value) -> Value:
    return bound_text(state, format_percent(left, right)) if isinstance(left, str) else UNKNOWN


def _unite(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    return _join_lists(left, right) if isinstance(left, list) else UNKNOWN


def _calculate(state: CodeState, sign: str, left: float, right: float) -> Value:
    if sign in _COMPARISONS:
        return _COMPARISONS[sign](left, right)
    if sign == ".":
        return to_text(left) + to_text(right)
    function = _ARITHMETIC.get(sign)
    if function is None or state.uncertain or not -_MAX_NUMBER < left < _MAX_NUMBER:
        return UNKNOWN
    if not -_MAX_NUMBER < right < _MAX_NUMBER or (sign == "<<" and right > _MAX_SHIFT):
        return UNKNOWN
    try:
        return function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN


def _compare(sign: str, left: Value, right: Value) -> Value:
    if sign in ("<", "<=", ">", ">="):
        return UNKNOWN
    if is_known(left) and is_known(right) and type(left) is type(right):
        return _COMPARISONS[sign](left, right)
    return UNKNOWN


def _contains(item: Value, container: Value, *, negated: bool) -> Value:
    if not is_known(item):
        return UNKNOWN
    if isinstance(container, str) and UNKNOWN not in container:
        return (to_text(item) in container) is not negated
    if isinstance(container, list) and all(is_known(other) for other in container):
        return (item in container) is not negated
    return UNKNOWN


def _repeat(state: CodeState, left: Value, right: Value) -> Value:
    text, count = (left, right) if isinstance(right, int) else (right, left)
    if not isinstance(count, int) or isinstance(count, bool):
        return UNKNOWN
    if isinstance(text, str) and len(text) * max(count, 0) <= MAX_TEXT:
        return bound_text(state, text * count)
    if isinstance(text, list) and len(text) * max(count, 0) <= MAX_ITEMS:
        return text * count
    return UNKNOWN


def _join_lists(left: Value, right: Value) -> Value:
    first = left if isinstance(left, list) else [left]
    second = right if isinstance(right, list) else [right]
    return [*first, *second][:MAX_ITEMS]


_OPERATORS: Mapping[str, Callable[[CodeState, Value, Value], Value]] = {
    **dict.fromkeys(("+", ".", "<<", ".."), _add),
    **dict.fromkeys(("*", "x"), _repeat),
    "/": _divide,
    "%": _modulo,
    "|": _unite,
    "in": lambda state, left, right: _contains(left, right, negated=False),
    "not in": lambda state, left, right: _contains(left, right, negated=True),
}


def apply_unary(sign: str, value: Value) -> Value:
    """Return the value of an operator with one operand."""
    truth = find_truth(value)
    if sign in ("not", "!"):
        return UNKNOWN if truth is None else not truth
    if isinstance(value, int | float) and sign in ("neg", "-"):
        return -value
    return value if sign in ("+", "typeof", "\\", "ref") else UNKNOWN


def find_item(state: CodeState, value: Value, key: Value) -> Value:
    """Return an item of *value*; for an unknown key, any of them. A slice is a list of its bounds."""
    if isinstance(key, list):
        return _find_slice(value, key)
    if isinstance(value, Environment):
        return value.get(to_text(key), UNKNOWN)
    if isinstance(value, dict):
        name = to_text(key)
        if UNKNOWN in name:
            return choose([*value.values(), UNKNOWN])
        return value.get(name, UNKNOWN)
    if isinstance(value, list):
        if isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        return UNKNOWN if isinstance(key, int) else choose([*value, UNKNOWN])
    if isinstance(value, str) and isinstance(key, int) and UNKNOWN not in value:
        return value[key] if -len(value) <= key < len(value) else ""
    return UNKNOWN


def _find_slice(value: Value, bounds: list[Value]) -> Value:
    known = [bound for bound in bounds if bound is None or isinstance(bound, int)]
    if len(known) < len(bounds) or known[2:] == [0]:
        return UNKNOWN
    if isinstance(value, list):
        return value[slice(*known)]
    if isinstance(value, str) and UNKNOWN not in value:
        return value[slice(*known)]
    return value if isinstance(value, str) and known[:1] == [None] and known[2:] == [None] else UNKNOWN


def format_percent(pattern: str, values: Value) -> str:
    """Return *pattern* with each `%s` or similar replaced."""
    rest = list(values) if isinstance(values, list) else [values]
    rest.reverse()

    def replace(match: re.Match[str]) -> str:
        if match[4] == "%":
            return "%"
        if match[1]:
            value = values.get(match[1], UNKNOWN) if isinstance(values, dict) else UNKNOWN
        else:
            value = rest.pop() if rest else UNKNOWN
        return format_value(value, match[4] if match[4] in "xXobc" else "", match[2] + match[3])

    return _FORMAT.sub(replace, pattern)


def format_value(value: Value, kind: str, width: str = "") -> str:
    """Return *value* in the format of `format()`, as far as it is known."""
    if not kind and not width.strip("-s"):
        return to_text(value)
    if not is_known(value) or len(width) > _MAX_WIDTH_DIGITS:
        return UNKNOWN
    try:
        return format(value, width.replace("-", "<") + kind)
    except (ValueError, TypeError, OverflowError):
        return UNKNOWN


def format_fields(pattern: str, values: list[Value], names: Mapping[str, Value]) -> str:
    """Return *pattern* with each `{…}` replaced."""
    rest = list(reversed(values))

    def replace(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1].isdigit():
            value = values[int(match[1][:4])] if int(match[1][:4]) < len(values) else UNKNOWN
        else:
            value = names.get(match[1], UNKNOWN) if match[1] else rest.pop() if rest else UNKNOWN
        return format_value(value, "", (match[2] or ":")[1:])

    return _FIELD.sub(replace, pattern)


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
