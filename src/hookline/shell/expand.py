"""Turn words as written into the words a command gets: expansion, splitting, quote removal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct, field

from hookline.shell import params
from hookline.shell.braces import braces
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    MAX_TEXT,
    UNSET,
    World,
    cwd,
    look,
    rollback,
    spend,
    store,
    too_deep,
    trouble,
)
from hookline.shell.syntax import Arith, Array, Code, Double, Param, Part, Quoted, Span, Term

_MAX_PIPES = 50
"""Process substitutions that get a name of their own; later ones are unknown files."""
_FEW, _PER_ITEM = 100, 32
"""A long array costs this much an item each time it is spelled out: the line has it only once."""
_SETTING = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_GLOB = re.compile(r"[*?\[]")
_DEFAULT_IFS = " \t\n"
_DEFAULT_SPLIT = re.compile(r"[ \t\n]+")


class _Piece(NamedTuple):
    text: str
    bare: bool = False
    """Not quoted: globs in it count."""
    split: bool = False
    gap: bool = False
    """A word ends here, whatever the text."""


class _Field(Struct, kw_only=True):
    texts: list[str] = field(default_factory=list)
    present: bool = False
    glob: bool = False


def words(world: World, terms: Iterable[Term]) -> list[Word]:
    """The words that *terms* become."""
    out: list[Word] = []
    for term in terms:
        first = term.parts[0]
        if term.plain and isinstance(first, str):
            out.append(Word(text=first, span=term.span))
        elif len(term.parts) == 1 and isinstance(first, Quoted):
            out.append(Word(text=first.text, span=term.span))
        else:
            for parts in braces(term.parts):
                out += _fields(world, parts, term.span)
    return out


def text(world: World, parts: tuple[Part, ...], *, tilde: bool = False) -> str:
    """*parts* as one string: the value of an assignment, a here-document, a file name."""
    pieces = _pieces(world, parts, quoted=True, tilde=tilde)
    joined = "".join(" " if piece.gap else piece.text for piece in pieces)
    spend(world, len(joined) >> 4)
    return joined if len(joined) <= MAX_TEXT else UNKNOWN


def _fields(world: World, parts: tuple[Part, ...], span: Span) -> list[Word]:
    fields = [_Field()]
    for piece in _pieces(world, parts, quoted=False, tilde=True):
        if piece.gap:
            fields.append(_Field())
        elif piece.split:
            _split(world, fields, piece.text)
        else:
            _add(fields[-1], piece)
    return [_word(world, each, span) for each in fields if each.present]


def _word(world: World, one: _Field, span: Span) -> Word:
    full = "".join(one.texts)
    spend(world, len(full) >> 4)
    return Word(text=full if len(full) <= MAX_TEXT else UNKNOWN, span=span, glob=one.glob)


def _add(target: _Field, piece: _Piece) -> None:
    target.texts.append(piece.text)
    target.present = True
    target.glob = target.glob or (piece.bare and _GLOB.search(piece.text) is not None)


def _split(world: World, fields: list[_Field], value: str) -> None:
    """Add an unquoted expansion, which separators in its value break into words."""
    separators = look(world, "IFS")
    chunks = _chunks(value, _DEFAULT_IFS if separators is None or UNKNOWN in separators else separators)
    spend(world, len(chunks))
    for position, chunk in enumerate(chunks):
        if position and fields[-1].present:
            fields.append(_Field())
        if chunk:
            _add(fields[-1], _Piece(chunk, bare=True))


def _chunks(value: str, separators: str) -> list[str]:
    if separators == _DEFAULT_IFS:
        return _DEFAULT_SPLIT.split(value)
    if not separators:
        return [value]
    return re.split("[" + re.escape(separators) + "]", value)


def _pieces(world: World, parts: tuple[Part, ...], *, quoted: bool, tilde: bool) -> list[_Piece]:
    out: list[_Piece] = []
    for position, part in enumerate(parts):
        if isinstance(part, str):
            value = _tilde(world, part, alone=len(parts) == 1) if tilde and position == 0 else part
            out.append(_Piece(value, bare=not quoted))
        else:
            _EXPANDERS[type(part)](world, part, out, quoted)
    return out


def _tilde(world: World, part: str, *, alone: bool) -> str:
    """*part* with the home in it spelled out: at its start, and in `name=…` after the sign and each colon."""
    if "~" not in part:
        return part
    found = _SETTING.match(part)
    if found is None:
        return _home(world, part, alone=alone)
    *whole, end = part[found.end() :].split(":")
    spelled = [_home(world, each, alone=True) for each in whole]
    return found.group() + ":".join([*spelled, _home(world, end, alone=alone)])


def _home(world: World, path: str, *, alone: bool) -> str:
    name, slash, rest = path[1:].partition("/")
    if not path.startswith("~") or not (slash or alone):
        return path
    folders = {"": look(world, "HOME") or world.home, "+": cwd(world), "root": "/root"}
    folders.setdefault(world.home.rpartition("/")[2], world.home)
    return folders.get(name, UNKNOWN) + slash + rest


def _quoted(_world: World, part: Quoted, out: list[_Piece], _in_quotes: object) -> None:
    out.append(_Piece(part.text))


def _double(world: World, part: Double, out: list[_Piece], _in_quotes: object) -> None:
    out += _pieces(world, part.parts, quoted=True, tilde=False) if part.parts else [_Piece("")]


def _param(world: World, part: Param, out: list[_Piece], in_quotes: object) -> None:
    bare = not in_quotes
    if params.simple(world, part):
        value = look(world, part.name) or "" if part.name in world.known else UNSET
        out.append(_Piece(value, bare=bare, split=bare))
        return
    spell = partial(text, world, tilde=bare)
    written = params.fallback(world, part, spell)
    if written is not None:
        pieces = _pieces(world, written, quoted=not bare, tilde=bare) or [_Piece("", split=bare)]
        out += [piece._replace(split=True) if piece.bare else piece for piece in pieces]
        return
    values = params.values(world, part, spell)
    if len(values) > _FEW:
        spend(world, _PER_ITEM * len(values))
    for position, value in enumerate(values):
        if position:
            out.append(_Piece("", gap=True))
        out.append(_Piece(value, bare=bare, split=bare))


def _code(world: World, part: Code, out: list[_Piece], in_quotes: object) -> None:
    printed = substitute(world, part, UNKNOWN if part.kind == ">(" else "")
    if part.kind in ("<(", ">("):
        path = f"/dev/fd/{63 - len(world.files)}" if len(world.files) < _MAX_PIPES else UNKNOWN
        store(world, path, printed)
        if part.kind == ">(":
            world.sinks[path] = part
        out.append(_Piece(path))
    else:
        bare = not in_quotes
        out.append(_Piece(printed.rstrip("\n"), bare=bare, split=bare))


def substitute(world: World, part: Code, stdin: str) -> str:
    """What the commands inside print, followed as the subshell they run in."""
    if too_deep(world):
        trouble(world, "substitutions go too deep", world.line, (0, len(world.line)))
        return UNKNOWN
    before, via, choice, widest = len(world.log), world.via, world.choice, world.widest
    world.depth += 1
    world.via = (*via, "`…`" if part.kind == "`" else part.kind + "…)")
    printed = world.follow(world, part.body, stdin)
    rollback(world, before)
    world.depth -= 1
    world.via, world.choice, world.widest = via, choice, widest
    return printed


def _arith(world: World, part: Arith, out: list[_Piece], _in_quotes: object) -> None:
    _pieces(world, part.parts, quoted=True, tilde=False)
    value = part.text.strip()
    out.append(_Piece(value if value.isdecimal() and not value.startswith("0") else UNKNOWN))


def _array(world: World, part: Array, out: list[_Piece], _in_quotes: object) -> None:
    out.append(_Piece(" ".join(word.text for word in words(world, part.items))))


_EXPANDERS: Mapping[type, Callable[[World, Any, list[_Piece], object], None]] = {
    Quoted: _quoted,
    Double: _double,
    Param: _param,
    Code: _code,
    Arith: _arith,
    Array: _array,
}
