"""Read the commands that begin with a keyword or a parenthesis."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.source import Source, Unparsed, blanks, expect, mark, newlines, peek, take
from hookline.shell.syntax import Compound, Steps, Term
from hookline.shell.words import arith_command, pattern, term

Reader: TypeAlias = Callable[[Source], Compound]

_VARIABLE = re.compile(r"[^ \t\n;&|()<>]+")
_IN = re.compile(r"in(?=[ \t\n;]|\\\n|\Z)")
_ESAC = re.compile(r"esac(?=[ \t\n;&|()<>]|\Z)")
_CLAUSE_END = re.compile(r";;&|;;|;&")
_TEST_END = re.compile(r"\]\](?=[ \t\n;&|()<>]|\Z)")
_TEST_OPERATOR = re.compile(r"&&|\|\||[()<>]|!(?=[ \t\n(])")


def _group(src: Source) -> Compound:
    src.pos += 1
    body = src.grammar(src, frozenset({"}"}))
    expect(src, "}")
    return Compound("{", (body,))


def _parenthesis(src: Source) -> Compound:
    if src.text.startswith("((", src.pos, src.end):
        start, found = src.pos, arith_command(src)
        if found is not None:
            return Compound("((", (), (Term((found,), mark(src, (start, src.pos))),))
    src.pos += 1
    body = src.grammar(src, frozenset())
    expect(src, ")")
    return Compound("(", (body,))


def _if(src: Source) -> Compound:
    src.pos += len("if")
    bodies = [_until(src, "then")]
    while True:
        bodies.append(src.grammar(src, frozenset({"elif", "else", "fi"})))
        if take(src, "elif"):
            bodies.append(_until(src, "then"))
        elif take(src, "else"):
            bodies.append(_until(src, "fi"))
            return Compound("if", tuple(bodies))
        else:
            expect(src, "fi")
            return Compound("if", tuple(bodies))


def _until(src: Source, keyword: str) -> Steps:
    body = src.grammar(src, frozenset({keyword}))
    expect(src, keyword)
    return body


def _while(src: Source) -> Compound:
    kind = src.text[src.pos : src.pos + len("while")]
    src.pos += len("while")
    condition = _until(src, "do")
    return Compound(kind, (condition, _until(src, "done")))


def _for(src: Source) -> Compound:
    src.pos += len("for")
    return _loop(src, "for")


def _select(src: Source) -> Compound:
    src.pos += len("select")
    return _loop(src, "select")


def _loop(src: Source, kind: str) -> Compound:
    blanks(src)
    if src.text.startswith("((", src.pos, src.end):
        head = _parenthesis(src)
        return Compound("for((", (_loop_body(src),), head.words)
    found = _VARIABLE.match(src.text, src.pos, src.end)
    if found is None:
        raise Unparsed("a loop has no variable")
    src.pos = found.end()
    newlines(src)
    words = _loop_words(src) if _IN.match(src.text, src.pos, src.end) else None
    kind = kind if words is not None else "for@"
    return Compound(kind, (_loop_body(src),), words or (), found.group())


def _loop_words(src: Source) -> tuple[Term, ...]:
    src.pos += len("in")
    words: list[Term] = []
    blanks(src)
    while src.pos < src.end and src.text[src.pos] not in ";\n":
        words.append(term(src))
        blanks(src)
    return tuple(words)


def _loop_body(src: Source) -> Steps:
    blanks(src)
    take(src, ";")
    newlines(src)
    if take(src, "{"):
        return _until(src, "}")
    expect(src, "do")
    return _until(src, "done")


def _case(src: Source) -> Compound:
    src.pos += len("case")
    blanks(src)
    words = [term(src)]
    newlines(src)
    expect(src, "in")
    newlines(src)
    bodies: list[Steps] = []
    while _ESAC.match(src.text, src.pos, src.end) is None:
        words += _patterns(src)
        bodies.append(src.grammar(src, frozenset({"esac"})))
        if (found := _CLAUSE_END.match(src.text, src.pos, src.end)) is None:
            break
        src.pos = found.end()
        newlines(src)
    expect(src, "esac")
    return Compound("case", tuple(bodies), tuple(words))


def _patterns(src: Source) -> list[Term]:
    take(src, "(")
    blanks(src)
    words = [term(src)]
    blanks(src)
    while take(src, "|"):
        blanks(src)
        words.append(term(src))
        blanks(src)
    expect(src, ")")
    return words


def _test(src: Source) -> Compound:
    src.pos += len("[[")
    words: list[Term] = []
    newlines(src)
    while _TEST_END.match(src.text, src.pos, src.end) is None:
        if not peek(src):
            raise Unparsed("a [[ is never closed")
        found = _TEST_OPERATOR.match(src.text, src.pos, src.end)
        if found is not None and not src.text.startswith(("<(", ">("), src.pos, src.end):
            src.pos = found.end()
        else:
            words += _operand(src)
        newlines(src)
    src.pos += len("]]")
    return Compound("[[", (), tuple(words))


def _operand(src: Source) -> list[Term]:
    found = term(src)
    return [found, pattern(src)] if found.parts == ("=~",) else [found]


READERS: Mapping[str, Reader] = {
    "{": _group,
    "(": _parenthesis,
    "if": _if,
    "while": _while,
    "until": _while,
    "for": _for,
    "select": _select,
    "case": _case,
    "[[": _test,
}
