"""Parsing of compound commands: those that begin with a keyword or a parenthesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.source import (
    ParseError,
    Source,
    expect,
    peek,
    skip_blanks,
    skip_newlines,
    take,
    to_line_span,
)
from hookline.shell.syntax import Compound, Steps, Term
from hookline.shell.words import read_arith_command, read_regex, read_term

Reader: TypeAlias = Callable[[Source], Compound]

_VARIABLE = re.compile(r"[^ \t\n;&|()<>]+")
_IN = re.compile(r"in(?=[ \t\n;]|\\\n|\Z)")
_ESAC = re.compile(r"esac(?=[ \t\n;&|()<>]|\Z)")
_CLAUSE_END = re.compile(r";;&|;;|;&")
_TEST_END = re.compile(r"\]\](?=[ \t\n;&|()<>]|\Z)")
_TEST_OPERATOR = re.compile(r"&&|\|\||[()<>]|!(?=[ \t\n(])")


def _read_group(src: Source) -> Compound:
    src.pos += 1
    body = src.read_steps(src, frozenset({"}"}))
    expect(src, "}")
    return Compound("{", (body,))


def _read_parenthesis(src: Source) -> Compound:
    if src.text.startswith("((", src.pos, src.end):
        start, arith = src.pos, read_arith_command(src)
        if arith is not None:
            return Compound("((", (), (Term((arith,), to_line_span(src, (start, src.pos))),))
    src.pos += 1
    body = src.read_steps(src, frozenset())
    expect(src, ")")
    return Compound("(", (body,))


def _read_if(src: Source) -> Compound:
    src.pos += len("if")
    bodies = [_read_until(src, "then")]
    while True:
        bodies.append(src.read_steps(src, frozenset({"elif", "else", "fi"})))
        if take(src, "elif"):
            bodies.append(_read_until(src, "then"))
        elif take(src, "else"):
            bodies.append(_read_until(src, "fi"))
            return Compound("if", tuple(bodies))
        else:
            expect(src, "fi")
            return Compound("if", tuple(bodies))


def _read_until(src: Source, keyword: str) -> Steps:
    body = src.read_steps(src, frozenset({keyword}))
    expect(src, keyword)
    return body


def _read_while(src: Source) -> Compound:
    kind = src.text[src.pos : src.pos + len("while")]
    src.pos += len("while")
    condition = _read_until(src, "do")
    return Compound(kind, (condition, _read_until(src, "done")))


def _read_for(src: Source) -> Compound:
    src.pos += len("for")
    return _read_loop(src, "for")


def _read_select(src: Source) -> Compound:
    src.pos += len("select")
    return _read_loop(src, "select")


def _read_loop(src: Source, kind: str) -> Compound:
    skip_blanks(src)
    if src.text.startswith("((", src.pos, src.end):
        head = _read_parenthesis(src)
        return Compound("for((", (_read_loop_body(src),), head.words)
    match = _VARIABLE.match(src.text, src.pos, src.end)
    if match is None:
        raise ParseError("a loop has no variable")
    src.pos = match.end()
    skip_newlines(src)
    words = _read_loop_words(src) if _IN.match(src.text, src.pos, src.end) else None
    kind = kind if words is not None else "for@"
    return Compound(kind, (_read_loop_body(src),), words or (), match.group())


def _read_loop_words(src: Source) -> tuple[Term, ...]:
    src.pos += len("in")
    words: list[Term] = []
    skip_blanks(src)
    while src.pos < src.end and src.text[src.pos] not in ";\n":
        words.append(read_term(src))
        skip_blanks(src)
    return tuple(words)


def _read_loop_body(src: Source) -> Steps:
    skip_blanks(src)
    take(src, ";")
    skip_newlines(src)
    if take(src, "{"):
        return _read_until(src, "}")
    expect(src, "do")
    return _read_until(src, "done")


def _read_case(src: Source) -> Compound:
    src.pos += len("case")
    skip_blanks(src)
    words = [read_term(src)]
    skip_newlines(src)
    expect(src, "in")
    skip_newlines(src)
    bodies: list[Steps] = []
    while _ESAC.match(src.text, src.pos, src.end) is None:
        words += _read_patterns(src)
        bodies.append(src.read_steps(src, frozenset({"esac"})))
        if (match := _CLAUSE_END.match(src.text, src.pos, src.end)) is None:
            break
        src.pos = match.end()
        skip_newlines(src)
    expect(src, "esac")
    return Compound("case", tuple(bodies), tuple(words))


def _read_patterns(src: Source) -> list[Term]:
    take(src, "(")
    skip_blanks(src)
    words = [read_term(src)]
    skip_blanks(src)
    while take(src, "|"):
        skip_blanks(src)
        words.append(read_term(src))
        skip_blanks(src)
    expect(src, ")")
    return words


def _read_test(src: Source) -> Compound:
    src.pos += len("[[")
    words: list[Term] = []
    skip_newlines(src)
    while _TEST_END.match(src.text, src.pos, src.end) is None:
        if not peek(src):
            raise ParseError("unclosed [[")
        match = _TEST_OPERATOR.match(src.text, src.pos, src.end)
        if match is not None and not src.text.startswith(("<(", ">("), src.pos, src.end):
            src.pos = match.end()
        else:
            words += _read_operand(src)
        skip_newlines(src)
    src.pos += len("]]")
    return Compound("[[", (), tuple(words))


def _read_operand(src: Source) -> list[Term]:
    word = read_term(src)
    return [word, read_regex(src)] if word.parts == ("=~",) else [word]


READERS: Mapping[str, Reader] = {
    "{": _read_group,
    "(": _read_parenthesis,
    "if": _read_if,
    "while": _read_while,
    "until": _read_while,
    "for": _read_for,
    "select": _read_select,
    "case": _read_case,
    "[[": _read_test,
}
