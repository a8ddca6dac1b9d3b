"""Word expansion: turn words as written into the arguments of a command.

Braces come first: `{a,b}` and `{1..3}` turn one word into several, before any other expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from hookline.lazy import re
from hookline.shell import params
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    MAX_TEXT,
    OPAQUE,
    ShellState,
    add_problem,
    cwd,
    lookup,
    rollback,
    spend,
    store_file,
    too_deep,
    unset_value,
)
from hookline.shell.syntax import Arith, Array, Code, Double, Param, Part, Quoted, Span, Term

_MAX_SUBSTITUTION_FILES = 50
"""Maximum process substitutions with a file name of their own; further ones are unknown files."""
_WORK_PER_ITEM, _WORK_PER_ALTERNATIVE = 4, 24
"""Units of work of an item of an array, and of a word that braces expand to."""
_ASSIGNMENT_PREFIX = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_GLOB = re.compile(r"[*?\[]|[@!+]\(")
_GROUP = re.compile(r"([!@+*?])\(([^()]*)\)")
_NUMBER = re.compile(r"0|-?[1-9]\d{0,8}", re.ASCII)
_MAX_CALCULATION = 80
_CALCULATION = re.compile(
    r"\s*(\$?[A-Za-z_]\w*|\d{1,9})\s*(?:([-+*])\s*(\$?[A-Za-z_]\w*|\d{1,9})\s*)?", re.ASCII
)
_DEFAULT_IFS = " \t\n"
_DEFAULT_SPLIT = re.compile(r"[ \t\n]+")


class _Piece(NamedTuple):
    """A part of the text that a word expands to."""

    text: str
    unquoted: bool = False
    """True if glob characters in the text are active."""
    split: bool = False
    """True if separators in the text split it into words."""
    word_end: bool = False
    """True if a word ends here, regardless of the text."""


class _Field(Struct, kw_only=True):
    """A word being built from pieces."""

    texts: list[str] = field(default_factory=list)
    present: bool = False
    glob: bool = False


def expand_words(state: ShellState, terms: Iterable[Term]) -> list[Word]:
    """Return the words that *terms* expand to."""
    words: list[Word] = []
    for term in terms:
        first = term.parts[0]
        if term.plain and isinstance(first, str):
            words.append(Word(text=first, span=term.span))
        elif len(term.parts) == 1 and isinstance(first, Quoted):
            words.append(Word(text=first.text, span=term.span))
        else:
            alternatives = expand_braces(term.parts) if state.work_left >= 0 else []
            if len(alternatives) > 1:
                spend(state, _WORK_PER_ALTERNATIVE * len(alternatives))
            for parts in alternatives:
                words += _split_fields(state, parts, term.span)
    return words


def expand_text(state: ShellState, parts: tuple[Part, ...], *, tilde: bool = False) -> str:
    """Return *parts* expanded to one string: the value of an assignment, a here-document, a file name."""
    pieces = _expand_parts(state, parts, quoted=True, tilde=tilde)
    joined = "".join(" " if piece.word_end else piece.text for piece in pieces)
    spend(state, len(joined) >> 5)
    return joined if len(joined) <= MAX_TEXT else OPAQUE


def _split_fields(state: ShellState, parts: tuple[Part, ...], span: Span) -> list[Word]:
    fields = [_Field()]
    for piece in _expand_parts(state, parts, quoted=False, tilde=True):
        if piece.word_end:
            fields.append(_Field())
        elif piece.split:
            _add_split_value(state, fields, piece.text)
        else:
            _add_piece(fields[-1], piece)
    return [word for one in fields if one.present for word in _to_words(state, one, span)]


def _to_words(state: ShellState, word_field: _Field, span: Span) -> list[Word]:
    text = "".join(word_field.texts)
    spend(state, len(text) >> 5)
    text = text if len(text) <= MAX_TEXT else OPAQUE
    texts = _expand_group(text) if word_field.glob and "(" in text else [text]
    return [Word(text=one, span=span, glob=word_field.glob) for one in texts]


def _expand_group(text: str) -> list[str]:
    """Return the patterns that a word with a group stands for: `@(a|b)` for two, `!(a)` for nearly all."""
    match = _GROUP.search(text)
    if match is None:
        return [text]
    names = ["*"] if match[1] == "!" else match[2].split("|")[:MAX_WORDS]
    return [_GROUP.sub("*", text[: match.start()] + name + text[match.end() :]) for name in names]


def _add_piece(target: _Field, piece: _Piece) -> None:
    target.texts.append(piece.text)
    target.present = True
    target.glob = target.glob or (piece.unquoted and _GLOB.search(piece.text) is not None)


def _add_split_value(state: ShellState, fields: list[_Field], value: str) -> None:
    """Add the value of an unquoted expansion, which separators split into words."""
    separators = lookup(state, "IFS")
    chunks = _split_value(value, _DEFAULT_IFS if separators is None or UNKNOWN in separators else separators)
    spend(state, len(chunks))
    for position, chunk in enumerate(chunks):
        if position and fields[-1].present:
            fields.append(_Field())
        if chunk:
            _add_piece(fields[-1], _Piece(chunk, unquoted=True))


def _split_value(value: str, separators: str) -> list[str]:
    if separators == _DEFAULT_IFS:
        return _DEFAULT_SPLIT.split(value)
    if not separators:
        return [value]
    return re.split("[" + re.escape(separators) + "]", value)


def _expand_parts(state: ShellState, parts: tuple[Part, ...], *, quoted: bool, tilde: bool) -> list[_Piece]:
    out: list[_Piece] = []
    if len(parts) > 1:
        spend(state, 2 * len(parts))
    for position, part in enumerate(parts):
        if isinstance(part, str):
            value = _expand_tilde(state, part, alone=len(parts) == 1) if tilde and position == 0 else part
            out.append(_Piece(value, unquoted=not quoted))
        else:
            _EXPANDERS[type(part)](state, part, out, quoted)
    return out


def _expand_tilde(state: ShellState, part: str, *, alone: bool) -> str:
    """Return *part* with `~` expanded at its start, and in `name=…` after the sign and each colon."""
    if "~" not in part:
        return part
    match = _ASSIGNMENT_PREFIX.match(part)
    if match is None:
        return _expand_home(state, part, alone=alone)
    *paths, last = part[match.end() :].split(":")
    expanded = [_expand_home(state, path, alone=True) for path in paths]
    return match.group() + ":".join([*expanded, _expand_home(state, last, alone=alone)])


def _expand_home(state: ShellState, path: str, *, alone: bool) -> str:
    name, slash, rest = path[1:].partition("/")
    if not path.startswith("~") or not (slash or alone):
        return path
    folders = {"": lookup(state, "HOME") or state.home, "+": cwd(state), "root": "/root"}
    folders.setdefault(state.home.rpartition("/")[2], state.home)
    return folders.get(name, UNKNOWN) + slash + rest


def _expand_quoted(_state: ShellState, part: Quoted, out: list[_Piece], _in_quotes: object) -> None:
    out.append(_Piece(part.text))


def _expand_double(state: ShellState, part: Double, out: list[_Piece], _in_quotes: object) -> None:
    out += _expand_parts(state, part.parts, quoted=True, tilde=False) if part.parts else [_Piece("")]


def _expand_param(state: ShellState, part: Param, out: list[_Piece], in_quotes: object) -> None:
    unquoted = not in_quotes
    if params.is_plain_variable(state, part):
        value = lookup(state, part.name) or "" if part.name in state.variables else unset_value(state)
        out.append(_Piece(value, unquoted=unquoted, split=unquoted))
        return
    expand = partial(expand_text, state, tilde=unquoted)
    default_parts = params.find_default_parts(state, part, expand)
    if default_parts is not None:
        pieces = _expand_parts(state, default_parts, quoted=not unquoted, tilde=unquoted) or [
            _Piece("", split=unquoted)
        ]
        out += [piece._replace(split=True) if piece.unquoted else piece for piece in pieces]
        return
    values = params.expand_parameter(state, part, expand)
    if len(values) > 1 and not spend(state, _WORK_PER_ITEM * len(values)):
        values = (OPAQUE,)
    for position, value in enumerate(values):
        if position:
            out.append(_Piece("", word_end=True))
        out.append(_Piece(value, unquoted=unquoted, split=unquoted))


def _expand_code(state: ShellState, part: Code, out: list[_Piece], in_quotes: object) -> None:
    output = evaluate_substitution(state, part, UNKNOWN if part.kind == ">(" else "")
    if part.kind in ("<(", ">("):
        path = f"/dev/fd/{63 - len(state.files)}" if len(state.files) < _MAX_SUBSTITUTION_FILES else UNKNOWN
        store_file(state, path, output)
        if part.kind == ">(":
            state.sinks[path] = part
        out.append(_Piece(path))
    else:
        unquoted = not in_quotes
        out.append(_Piece(output.rstrip("\n"), unquoted=unquoted, split=unquoted))


def evaluate_substitution(state: ShellState, part: Code, stdin: str) -> str:
    """Evaluate the commands of a substitution in a subshell, and return their output."""
    if too_deep(state):
        add_problem(state, "substitutions are nested too deeply", state.line, (0, len(state.line)))
        return UNKNOWN
    checkpoint, via, alternative, alternative_count = (
        len(state.undo_log),
        state.via,
        state.alternative,
        state.alternative_count,
    )
    state.depth += 1
    state.via = (*via, "`…`" if part.kind == "`" else part.kind + "…)")
    output = state.evaluate(state, part.body, stdin)
    rollback(state, checkpoint)
    state.depth -= 1
    state.via, state.alternative, state.alternative_count = via, alternative, alternative_count
    return output


def _expand_arith(state: ShellState, part: Arith, out: list[_Piece], _in_quotes: object) -> None:
    _expand_parts(state, part.parts, quoted=True, tilde=False)
    out.append(_Piece(_calculate(state, part.text)))


def _calculate(state: ShellState, text: str) -> str:
    """Return the value of a number, a variable, or one operation on two of them; otherwise unknown."""
    match = _CALCULATION.fullmatch(text) if len(text) <= _MAX_CALCULATION else None
    if match is None:
        return UNKNOWN
    left, operator, right = match.groups()
    values = [_number(state, name) for name in (left, right or "0")]
    if None in values:
        return UNKNOWN
    first, second = (value or 0 for value in values)
    return str({None: first, "+": first + second, "-": first - second, "*": first * second}[operator])


def _number(state: ShellState, name: str) -> int | None:
    name = name.removeprefix("$")
    value = name if name.isdecimal() else lookup(state, name) if name in state.variables else None
    return int(value) if value is not None and _NUMBER.fullmatch(value) else None


def _expand_array(state: ShellState, part: Array, out: list[_Piece], _in_quotes: object) -> None:
    out.append(_Piece(" ".join(word.text for word in expand_words(state, part.items))))


_EXPANDERS: Mapping[type, Callable[[ShellState, Any, list[_Piece], object], None]] = {
    Quoted: _expand_quoted,
    Double: _expand_double,
    Param: _expand_param,
    Code: _expand_code,
    Arith: _expand_arith,
    Array: _expand_array,
}


MAX_WORDS = 1024
"""Maximum words that one word expands to; `{a,b}` repeated twenty times is a million."""
_MAX_TOKENS = 4096
"""Maximum braces, commas and texts in one word with braces."""
_BRACE_CHARACTERS = re.compile(r"([{},])")
_NUMBER_RANGE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})", re.ASCII)
_LETTER_RANGE = re.compile(r"([A-Za-z])\.\.([A-Za-z])")
_STEPPED_RANGE = re.compile(r"[^.]+\.\.[^.]+\.\.-?\d+", re.ASCII)
_Parts: TypeAlias = tuple[Part, ...]


def expand_braces(parts: _Parts) -> list[_Parts]:
    """Return the words that *parts* expand to; *parts* itself without braces, opaque if too many."""
    if not any(isinstance(part, str) and "{" in part for part in parts):
        return [parts]
    count = sum(part.count("{") + part.count(",") for part in parts if isinstance(part, str))
    words = _expand(_tokenize(parts)) if count + len(parts) <= _MAX_TOKENS else None
    return [(OPAQUE,)] if words is None else [merged for word in words if (merged := _merge_texts(word))]


class _OpenBrace:
    """A brace that is not closed yet: the words before it, and its alternatives so far."""

    __slots__ = ("alternatives", "before")

    def __init__(self, before: list[_Parts]) -> None:
        self.before = before
        self.alternatives: list[list[_Parts]] = []


def _tokenize(parts: _Parts) -> list[tuple[str, Part]]:
    tokens: list[tuple[str, Part]] = []
    for part in parts:
        if isinstance(part, str):
            tokens += [
                (piece if piece in ("{", "}", ",") else "", piece)
                for piece in _BRACE_CHARACTERS.split(part)
                if piece
            ]
        else:
            tokens.append(("", part))
    return tokens


def _expand(tokens: list[tuple[str, Part]]) -> list[_Parts] | None:
    current: list[_Parts] | None = [()]
    stack: list[_OpenBrace] = []
    for kind, part in tokens:
        if current is None:
            return None
        if kind == "{":
            stack.append(_OpenBrace(current))
            current = [()]
        elif kind == "," and stack:
            stack[-1].alternatives.append(current)
            current = [()]
        elif kind == "}" and stack:
            current = _close_brace(stack.pop(), current)
        else:
            current = [(*word, part) for word in current]
    return None if current is None else _restore_unclosed(stack, current)


def _close_brace(brace: _OpenBrace, last: list[_Parts]) -> list[_Parts] | None:
    if brace.alternatives:
        return _product(brace.before, [word for group in (*brace.alternatives, last) for word in group])
    range_words = _expand_range(last[0][0]) if len(last) == 1 and len(last[0]) == 1 else None
    if range_words is not None:
        return _product(brace.before, range_words)
    return _product(brace.before, [("{", *word, "}") for word in last])


def _expand_range(part: Part) -> list[_Parts] | None:
    if not isinstance(part, str):
        return None
    if (match := _NUMBER_RANGE.fullmatch(part)) is not None:
        return _enumerate_range(int(match.group(1)), int(match.group(2)), str)
    if (match := _LETTER_RANGE.fullmatch(part)) is not None:
        return _enumerate_range(ord(match.group(1)), ord(match.group(2)), chr)
    return [(UNKNOWN,)] if _STEPPED_RANGE.fullmatch(part) else None


def _enumerate_range(first: int, last: int, spell: Callable[[int], str]) -> list[_Parts]:
    if abs(last - first) >= MAX_WORDS:
        return [(UNKNOWN,)]
    step = 1 if first <= last else -1
    return [(spell(number),) for number in range(first, last + step, step)]


def _product(before: list[_Parts], after: list[_Parts]) -> list[_Parts] | None:
    if len(before) * len(after) > MAX_WORDS:
        return None
    return [left + right for left in before for right in after]


def _restore_unclosed(stack: list[_OpenBrace], current: list[_Parts]) -> list[_Parts] | None:
    """Return *current* with the braces that nothing closed as ordinary characters."""
    words: list[_Parts] | None = current
    while stack and words is not None:
        brace = stack.pop()
        tail, words = words, [(*word, "{") for word in brace.before]
        for group in brace.alternatives:
            words = _product(words, [(*word, ",") for word in group]) if words is not None else None
        words = _product(words, tail) if words is not None else None
    return words


def _merge_texts(parts: _Parts) -> _Parts:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        else:
            merged.append(part)
    return tuple(merged)
