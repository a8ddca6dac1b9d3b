"""Values of PowerShell expressions: texts that are joined, formatted, replaced or decoded, and tables.

A value is a tuple of texts. An expression that cannot be computed here raises `NotConstantError`.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from hookline.lazy import re
from hookline.shell.options import word_set
from hookline.shell.result import UNKNOWN
from hookline.shell.syntax import Span

Value: TypeAlias = tuple[str, ...]

VARIABLE_MARK = UNKNOWN + "$"
"""Prefix of an unknown variable; its name follows, so that it can be assigned."""
_STRING_EXPANSION = re.compile(r"\$(?:\{([^}]*)\}|([\w:]+))|\$\(|`(.)", re.DOTALL)
_HOME_VARIABLES = word_set("home env:userprofile env:home env:homepath")
_STATIC = re.compile(r"\[(?:system\.)?([\w.]+(?:\[\])?)\](?:::([\w.]+))?(\w*)")
_INDEX = re.compile(r"\[(-?\d{1,4})(?:\.\.(-?\d{1,4}))?\]")
_NUMBER = re.compile(r"0x[0-9a-f]{1,4}|\d{1,9}", re.IGNORECASE)
_PLACE = re.compile(r"\{(\d{1,3})[^{}]*\}")
_MAX_LENGTH = 8_000
"""Maximum characters of a computed value."""
_MAX_DEPTH = 20


class NotConstantError(Exception):
    """The value of an expression is known only at run time."""


class Token(NamedTuple):
    kind: str
    text: str
    span: Span


class Tokens(Struct):
    """The tokens of a line, the position of the next one, and the variables that are known there."""

    items: list[Token]
    variables: dict[str, Value]
    pos: int = 0
    depth: int = 0
    tried: int = 0
    """Position up to which an expression was tried in vain."""

    def at(self, *texts: str) -> bool:
        return self.pos < len(self.items) and self.items[self.pos].text.lower() in texts

    def skip_blanks(self) -> None:
        while self.pos < len(self.items) and self.items[self.pos].kind == "blank":
            self.pos += 1

    def take(self) -> Token:
        if self.pos >= len(self.items):
            raise NotConstantError
        self.pos += 1
        return self.items[self.pos - 1]

    def expect(self, text: str) -> None:
        while self.pos < len(self.items) and self.items[self.pos].text in ("\n", " ", "\t"):
            self.pos += 1
        self.skip_blanks()
        if self.take().text != text:
            raise NotConstantError


def fold(tokens: Tokens, *, operators: bool) -> Value | None:
    """Return the value that begins at the next token and pass it, or return None and stay."""
    start = tokens.pos
    if start < tokens.tried:
        return None
    try:
        return _read_expression(tokens) if operators else _read_postfix(tokens)
    except (NotConstantError, ValueError, IndexError, RecursionError):
        tokens.tried, tokens.pos, tokens.depth = max(tokens.pos - 1, start + 1), start, 0
        return None


def _read_expression(tokens: Tokens) -> Value:
    value = _read_list(tokens)
    while True:
        position = tokens.pos
        tokens.skip_blanks()
        if not tokens.at(*_OPERATORS):
            tokens.pos = position
            return value
        operator = tokens.take().text.lower()
        value = _limit(_OPERATORS[operator](value, _read_list(tokens)))


def _read_list(tokens: Tokens) -> Value:
    value = list(_read_postfix(tokens))
    while True:
        position = tokens.pos
        tokens.skip_blanks()
        if not tokens.at(","):
            tokens.pos = position
            return tuple(value)
        tokens.take()
        value += _read_postfix(tokens)


def _limit(value: Value) -> Value:
    if sum(map(len, value)) > _MAX_LENGTH:
        raise NotConstantError
    return value


def _read_postfix(tokens: Tokens) -> Value:
    """Read a value with its methods, properties and indexes."""
    tokens.skip_blanks()
    value = _read_primary(tokens)
    while tokens.pos < len(tokens.items) and tokens.items[tokens.pos].text[:1] in (".", "["):
        text = tokens.take().text.lower()
        if text.startswith("["):
            value = _read_index(value, text)
            continue
        arguments = _read_arguments(tokens) if tokens.at("(") else ()
        method = _METHODS.get(text[1:])
        if method is None and not value[0].startswith((".net", "start-process")):
            raise NotConstantError
        value = _limit(method(value, arguments)) if method is not None else value
    return value


def _read_index(value: Value, text: str) -> Value:
    match, items = _INDEX.fullmatch(text), tuple(value[0]) if len(value) == 1 else value
    if match is None or not items:
        raise NotConstantError
    first, last = int(match[1]), int(match[2] or match[1])
    positions = range(first, last + 1) if first <= last else range(first, last - 1, -1)
    return tuple(items[at] for at in positions if -len(items) <= at < len(items))


def _read_arguments(tokens: Tokens) -> Value:
    tokens.take()
    tokens.skip_blanks()
    if tokens.at(")"):
        tokens.take()
        return ()
    value = _read_expression(tokens)
    tokens.expect(")")
    return value


def _read_primary(tokens: Tokens) -> Value:
    token = tokens.take()
    text = token.text.lower()
    if token.kind in ("single", "double", "variable"):
        return read_token(token, tokens.variables)
    if (text in ("@", "$") and tokens.at("(")) or text == "(":
        tokens.pos += text != "("
        return _read_group(tokens)
    if text == "@" and tokens.at("{"):
        return _read_table(tokens)
    if text.startswith("["):
        return _read_static(tokens, text)
    if text == "-join":
        return ("".join(_read_list(tokens)),)
    if _NUMBER.fullmatch(text):
        return (text,)
    raise NotConstantError


def _read_group(tokens: Tokens) -> Value:
    """Read a value in parentheses, which may be the result of a command such as `Join-Path`."""
    tokens.depth += 1
    tokens.skip_blanks()
    if tokens.depth > _MAX_DEPTH:
        raise NotConstantError
    if tokens.at(*_COMMANDS):
        command, words = _COMMANDS[tokens.take().text.lower()], list[str]()
        while not tokens.at(")"):
            tokens.skip_blanks()
            token = tokens.items[tokens.pos]
            if token.kind == "bare" and not token.text.startswith(("[", "@", "$")):
                words += [] if tokens.take().text.startswith("-") else [token.text]
            else:
                words += _read_list(tokens)
            tokens.skip_blanks()
        value = command(tuple(words))
    else:
        value = _read_expression(tokens)
    tokens.expect(")")
    tokens.depth -= 1
    return value


def _read_table(tokens: Tokens) -> Value:
    """Read `@{ Path = "x"; Force = $true }` as the parameters that it stands for: `-Path x -Force`."""
    tokens.take()
    words: list[str] = []
    while True:
        while tokens.at(";", "\n") or (
            tokens.pos < len(tokens.items) and tokens.items[tokens.pos].kind == "blank"
        ):
            tokens.pos += 1
        if tokens.at("}"):
            tokens.take()
            return tuple(words)
        key = tokens.take().text.strip("'\"")
        if not key.endswith("="):
            tokens.expect("=")
        value = _read_expression(tokens)
        if value != ("$false",):
            words += ["-" + key.rstrip("="), *(text for text in value if text != "$true")]


def _read_static(tokens: Tokens, text: str) -> Value:
    """Read a cast such as `[char]65`, or a call of a .NET class; other calls become commands `.net NAME`."""
    match = _STATIC.fullmatch(text)
    if match is None:
        raise NotConstantError
    kind, member = match[1].rpartition(".")[2], match[2]
    if not member:
        value = (match[3],) if match[3] else _read_postfix(tokens)
        return _cast(kind, value)
    if (kind, member) == ("array", "reverse"):
        return _reverse(tokens)
    if not tokens.at("("):
        raise NotConstantError
    arguments, name = _read_arguments(tokens), f"{kind}::{member.rpartition('.')[2]}"
    if name == "encoding::getstring":
        wide = member.startswith("unicode")
        return (arguments[0].encode("latin-1").decode("utf-16-le" if wide else "utf-8", "replace"),)
    static = _STATICS.get(name)
    if static is not None:
        return _limit(static(arguments))
    suffix = "-file" if name == "file::delete" else ""
    return (f".net {name.partition('::')[2]}{suffix}", *arguments)


def _cast(kind: str, value: Value) -> Value:
    if kind == "char":
        return tuple(chr(int(text, 0)) if _NUMBER.fullmatch(text) else text for text in value)
    if kind == "char[]":
        return tuple(value[0]) if len(value) == 1 else _cast("char", value)
    return value


def _reverse(tokens: Tokens) -> Value:
    tokens.expect("(")
    name = _name(tokens.take().text)
    tokens.variables[name] = tokens.variables.get(name, ())[::-1]
    tokens.expect(")")
    return ()


def _decode_base64(arguments: Value) -> Value:
    return (binascii.a2b_base64(arguments[0].encode("ascii", "ignore")).decode("latin-1"),)


def _format(value: Value, arguments: Value) -> Value:
    return (_PLACE.sub(lambda match: arguments[int(match[1])], value[0]),)


def _replace(value: Value, arguments: Value) -> Value:
    """Replace a literal text; the pattern of `-replace` is an expression, which may escape characters."""
    old = re.sub(r"\\(\W)", r"\1", arguments[0])
    if not old:
        raise NotConstantError
    new = arguments[1] if len(arguments) > 1 else ""
    return tuple(re.sub(re.escape(old), lambda _: new, text, flags=re.IGNORECASE) for text in value)


def _replace_pattern(value: Value, arguments: Value) -> Value:
    if re.search(r"(?<!\\)[.*+?^$\[\](){}|]", arguments[0]):
        raise NotConstantError
    return _replace(value, arguments)


def _split(value: Value, arguments: Value) -> Value:
    separator = re.sub(r"\\(\W)", r"\1", arguments[0]) if arguments else ""
    return tuple(piece for text in value for piece in (text.split(separator) if separator else text.split()))


def _substring(value: Value, arguments: Value) -> Value:
    start = int(arguments[0])
    return (value[0][start : start + int(arguments[1]) if len(arguments) > 1 else None],)


def _add(value: Value, other: Value) -> Value:
    return (value[0] + "".join(other),) if len(value) == 1 else value + other


_OPERATORS: Mapping[str, Callable[[Value, Value], Value]] = {
    "+": _add,
    "-f": _format,
    "-join": lambda value, other: (other[0].join(value),),
    **dict.fromkeys(("-replace", "-ireplace", "-creplace"), _replace_pattern),
    "-split": _split,
}
_METHODS: Mapping[str, Callable[[Value, Value], Value]] = {
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "tochararray": lambda value, _: tuple(value[0]),
    "tolower": lambda value, _: (value[0].lower(),),
    "trim": lambda value, _: (value[0].strip(),),
    **dict.fromkeys(
        ("tostring", "invoke", "source", "path", "definition", "normalize"), lambda value, _: value
    ),
}
_STATICS: Mapping[str, Callable[[Value], Value]] = {
    "convert::frombase64string": _decode_base64,
    "string::join": lambda value: (value[0].join(value[1:]),),
    "string::concat": lambda value: ("".join(value),),
    "string::format": lambda value: _format(value[:1], value[1:]),
    "regex::unescape": lambda value: value,
    "path::combine": lambda value: ("/".join(value),),
    "convert::toint32": lambda value: (str(int(value[0], int(value[1]) if value[1:] else 10)),),
    "scriptblock::create": lambda value: ("invoke-expression", *value),
    "process::start": lambda value: ("start-process", *value),
    "environment::getfolderpath": lambda value: ("~",) if value == ("UserProfile",) else (UNKNOWN,),
    "environment::getenvironmentvariable": lambda value: (look_up(f"env:{value[0]}", {}),),
}
"""Static methods whose result is known; `ScriptBlock.Create` and `Process.Start` stand for commands."""
_COMMANDS: Mapping[str, Callable[[Value], Value]] = {
    "join-path": lambda words: ("/".join(words),),
    **dict.fromkeys(
        word_set("resolve-path rvpa convert-path get-item gi get-command gcm write-output"),
        lambda words: words,
    ),
}
"""Commands whose output is one of their arguments, or made of them."""


def read_token(token: Token, variables: Mapping[str, Value]) -> Value:
    """Return the value of a string, variable or word."""
    if token.kind == "single":
        return (token.text[1:].removesuffix("'").replace("''", "'"),)
    if token.kind == "variable":
        return variables.get(_name(token.text)) or (look_up(_name(token.text), variables),)
    if token.kind == "double":
        inner = token.text[1:].removesuffix('"')
        return (_STRING_EXPANSION.sub(lambda match: _expand_in_string(match, variables), inner),)
    return (token.text.replace("`", ""),)


def _expand_in_string(match: re.Match[str], variables: Mapping[str, Value]) -> str:
    if match.group(3) is not None:
        return match.group(3)
    return look_up(match.group(1) or match.group(2) or "", variables)


def _name(text: str) -> str:
    return text.strip("${}").lower()


def look_up(name: str, variables: Mapping[str, Value]) -> str:
    """Return the text of a variable, or a mark with its name if it is unknown."""
    low = name.lower()
    if low in _HOME_VARIABLES:
        return "~"
    if low in ("pwd", "psscriptroot"):
        return "."
    if low in ("true", "false"):
        return "$" + low
    return " ".join(variables[low]) if variables.get(low) else VARIABLE_MARK + low
