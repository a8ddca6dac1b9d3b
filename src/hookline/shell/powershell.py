"""A PowerShell line becomes the commands it would run; enough of the language to see what they are called on.

Pipelines, blocks and subexpressions are taken apart, plain assignments are remembered, aliases spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hookline.shell.result import UNKNOWN, Word
from hookline.shell.syntax import Span

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r]|`\r?\n)+|<\#.*?(?:\#>|\Z)|\#[^\n]*)
      | (?P<single>'(?:[^']|'')*+(?:'|\Z))
      | (?P<double>"(?:[^"`]|`.|"")*+(?:"|\Z))
      | (?P<end>\|\||&&|[;\n|{}(),])
      | (?P<sign>&(?=[ \t"'$(])|\.(?=[ \t"'$]))
      | (?P<variable>\$(?:\{[^}]*\}|[\w:?]+))
      | (?P<bare>(?:`.|[^\s;|{}(),'"`$])+|\$|`|.)""",
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(r"\$(?:\{([^}]*)\}|([\w:]+))|\$\(|`(.)", re.DOTALL)
ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("ri", "rm", "rmdir", "rd", "del", "erase"), "remove-item"),
    **dict.fromkeys(("iwr", "curl", "wget", "irm"), "invoke-webrequest"),
    "iex": "invoke-expression",
    **dict.fromkeys(("saps", "start"), "start-process"),
    "clc": "clear-content",
    "cd": "set-location",
    "sl": "set-location",
}
_HOMES = frozenset({"home", "env:userprofile", "env:home", "env:homepath"})


class Piece(NamedTuple):
    kind: str
    text: str
    span: Span


def commands(code: str, depth: int = 0) -> Iterator[tuple[Word, ...]]:
    """The commands of *code* as argument lists; the spans are places in *code*.

    What is piped into a command stands behind its own words, after a `|`; so does what stands in brackets
    behind an `Invoke-Expression`.
    """
    known: dict[str, str] = {}
    piped: tuple[str, ...] = ()
    asking: tuple[Word, ...] = ()
    for words, end in _statements(code, known):
        argv = _named(words)
        if argv:
            whole = (*argv, *(Word(text=text, span=argv[-1].span) for text in piped))
            yield whole
            yield from _evaluated(whole, depth)
            if asking:
                yield (*asking, *(Word(text=text, span=asking[0].span) for text in _told(words, argv)))
        asking = argv if end == "(" and argv and argv[0].text == "invoke-expression" else ()
        piped = _told(words, argv) if end == "|" else ()


def _told(words: list[Word], argv: tuple[Word, ...]) -> tuple[str, ...]:
    """What the next command in a pipe is told of this one; a text by itself as it is written."""
    if len(words) == 1 and any(blank in words[0].text for blank in " \n"):
        return "|", words[0].text
    return ("|", *(word.text for word in argv[:_MAX_PIPED]))


def _evaluated(argv: tuple[Word, ...], depth: int) -> Iterator[tuple[Word, ...]]:
    """What `Invoke-Expression` makes of a text, and the program that `Start-Process` starts."""
    words = [word for word in argv[1:] if word.text not in ("|", ",")]
    if depth >= _MAX_DEPTH or not words:
        return
    if argv[0].text == "invoke-expression":
        text = " ".join(word.text for word in words if word.text.lower() != "-command")
        read = UNKNOWN not in text and (not depth or len(text) <= _MAX_NESTED)
        for inner in commands(text, depth + 1) if read else ():
            yield tuple(Word(text=word.text, span=words[0].span, glob=word.glob) for word in inner)
    elif argv[0].text == "start-process":
        yield tuple(word for word in words if word.text.lower() not in _STARTING)


_MAX_DEPTH = 4
_MAX_NESTED = 10_000
"""Texts that are evaluated inside each other, and how long those inside may be."""
_STARTING = frozenset(
    {"-filepath", "-argumentlist", "-args", "-wait", "-nonewwindow", "-passthru", "-verb", "runas"}
)
_MAX_PIPED = 50
"""Words of one command that the next one in a pipe is told of."""


def _statements(code: str, known: dict[str, str]) -> Iterator[tuple[list[Word], str]]:
    words: list[Word] = []
    joined = False
    for piece in _pieces(code):
        if piece.kind == "end" and piece.text != ",":
            yield _assigned(words, known), piece.text
            words, joined = [], False
        elif piece.kind in ("blank", "end", "sign"):
            joined = False
        else:
            text = _value(piece, known)
            if joined:
                words[-1] = Word(text=words[-1].text + text, span=(words[-1].span[0], piece.span[1]))
            else:
                words.append(Word(text=text, span=piece.span, glob=piece.kind == "bare" and "*" in text))
            joined = True
    yield _assigned(words, known), ""


def _pieces(code: str) -> Iterator[Piece]:
    for found in _TOKEN.finditer(code):
        yield Piece(found.lastgroup or "", found.group(), found.span())


def _assigned(words: list[Word], known: dict[str, str]) -> list[Word]:
    """What is left to run of a statement, once `$name = value` is remembered."""
    if len(words) > 1 and words[1].text == "=" and words[0].text.startswith(_NAMED):
        if len(words) == 3:  # noqa: PLR2004 -- name, sign, value
            known[words[0].text[1:]] = words[2].text
        return words[2:]
    return words


_NAMED = UNKNOWN + "$"
"""Begins an unknown variable, whose name follows so that it can be assigned."""


def _value(piece: Piece, known: dict[str, str]) -> str:
    if piece.kind == "single":
        return piece.text[1:].removesuffix("'").replace("''", "'")
    if piece.kind == "variable":
        return _variable(piece.text.strip("${}"), known)
    if piece.kind == "double":
        return _INSIDE.sub(lambda found: _inside(found, known), piece.text[1:].removesuffix('"'))
    return piece.text.replace("`", "")


def _inside(found: re.Match[str], known: dict[str, str]) -> str:
    if found.group(3) is not None:
        return found.group(3)
    return _variable(found.group(1) or found.group(2) or "", known)


def _variable(name: str, known: dict[str, str]) -> str:
    low = name.lower()
    if low in _HOMES:
        return "~"
    if low in ("pwd", "psscriptroot"):
        return "."
    return known.get("$" + name, {"true": "$true", "false": "$false"}.get(low, _NAMED + name))


def _named(words: list[Word]) -> tuple[Word, ...]:
    """*words* with the program's plain name first, and without the marks of unknown variables."""
    while words and words[0].text.lower() in _KEYWORDS:
        words = words[1:]
    if not words:
        return ()
    first = words[0].text.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    name = Word(text=ALIASES.get(first, first), span=words[0].span)
    return (name, *(_clean(word) for word in words[1:]))


def _clean(word: Word) -> Word:
    if _NAMED not in word.text:
        return word
    return Word(text=re.sub(re.escape(_NAMED) + r"[\w:?]*", UNKNOWN, word.text), span=word.span)


_KEYWORDS = frozenset(
    {"if", "else", "elseif", "foreach", "for", "while", "do", "try", "catch", "finally", "return"}
)
