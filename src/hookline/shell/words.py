"""Read one word: literal runs, quotes, and parameters, substitutions and arithmetic after a dollar sign."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookline.shell.ansi import ansi
from hookline.shell.quotes import (
    Reader,
    backtick,
    backtick_in_double,
    escape_in_braces,
    escape_in_double,
    escape_in_heredoc,
    escaped,
    literal,
    read,
    single,
)
from hookline.shell.source import (
    Source,
    Unparsed,
    blanks,
    deeper,
    expect,
    inside,
    mark,
    newlines,
    spend,
    take,
)
from hookline.shell.syntax import Arith, Array, Code, Double, Param, Part, Quoted, Steps, Term

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=^!-]+(?=[ \t\n;|&()<>]|\Z)")
_QUOTES = ("'", '"')
_QUOTED = re.compile(r"""(?:'[^']*'|"[^"$`\\]*")(?=[ \t\n;|&<>)]|\Z)""")
"""A word that is quoted from end to end, with nothing in it that expands."""
_SUBSCRIPT = re.compile(r"[A-Za-z_]\w*\[[^\]\n'\"$`\\]*\]\+?=")
_ARRAY = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_RUN = re.compile(r"[^ \t\n'\"\\$`|&;()<>]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.ASCII)
_PREFIXED = re.compile(r"!(?:[A-Za-z_]|[0-9@*#])|#(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?=[}\[])", re.ASCII)
_OPERATOR = re.compile(r":[-=+?]|[-=+?]|##?|%%?|/[/#%]?|\^\^?|,,?|@(?=[A-Za-z]\})|:|@|\*")
_ARITH_STEP = re.compile(r"[^()'\"\\`]+")
_BRACE_RUN = re.compile(r"[^}'\"\\$`]+")
_QUOTED_BRACE_RUN = re.compile(r"[^}\"\\$`]+")
_SLASH_RUN = re.compile(r"[^}/'\"\\$`]+")
_SUBSCRIPT_RUN = re.compile(r"[^\]'\"\\$`]+")
_ANSI = re.compile(r"((?:[^'\\]|\\.)*)'", re.DOTALL)


def term(src: Source) -> Term:
    """The word that begins here; the caller knows that one does."""
    found = _PLAIN.match(src.text, src.pos, src.end)
    start = src.pos
    if found is not None and not src.text.startswith("(", found.end(), src.end):
        src.pos = found.end()
        return Term((found.group(),), mark(src, (start, src.pos)), plain=True)
    if src.text[src.pos : src.pos + 1] in _QUOTES and (found := _QUOTED.match(src.text, src.pos, src.end)):
        src.pos = found.end()
        return Term((Quoted(found.group()[1:-1]),), mark(src, (start, src.pos)))
    found = _SUBSCRIPT.match(src.text, src.pos, src.end)
    parts: list[Part] = []
    if found is not None:
        parts.append(found.group())
        src.pos = found.end()
    _word(src, parts)
    if src.pos == start:
        raise Unparsed(f"unexpected {src.text[start : start + 1]!r}" if start < src.end else "unexpected end")
    return Term(tuple(parts), mark(src, (start, src.pos)))


def double(src: Source, parts: list[Part]) -> None:
    src.pos += 1
    within: list[Part] = []
    read(src, within, _DOUBLE_RUN, IN_DOUBLE)
    if not src.text.startswith('"', src.pos, src.end):
        raise Unparsed('a " is never closed')
    src.pos += 1
    parts.append(Double(tuple(within)))


def _dollar(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    if following == "'":
        found = _ANSI.match(src.text, src.pos + 2, src.end)
        if found is None:
            raise Unparsed("a $' is never closed")
        parts.append(Quoted(ansi(found.group(1))))
        src.pos = found.end()
    elif following == '"':
        src.pos += 1
        double(src, parts)
    else:
        _expansion(src, parts, quoted=False)


def _dollar_in_double(src: Source, parts: list[Part]) -> None:
    _expansion(src, parts, quoted=True)


def _process(src: Source, parts: list[Part]) -> None:
    """`<(…)` and `>(…)`; any other `<` or `>` ends the word."""
    if src.text.startswith("(", src.pos + 1, src.end):
        kind = src.text[src.pos : src.pos + 2]
        src.pos += 2
        parts.append(Code(_commands(src), kind))


def _parenthesis(src: Source, parts: list[Part]) -> None:
    """The value of an array, or the group of an extended glob; any other parenthesis ends the word."""
    before = parts[-1] if parts else ""
    if not isinstance(before, str):
        return
    if len(parts) == 1 and _ARRAY.fullmatch(before):
        parts.append(_array(src))
    elif before[-1:] in set("@!+*?") and not src.text.startswith("()", src.pos, src.end):
        _glob_group(src, parts)


def _array(src: Source) -> Array:
    deeper(src)
    src.pos += 1
    items: list[Term] = []
    newlines(src)
    while src.pos < src.end and src.text[src.pos] != ")":
        items.append(term(src))
        newlines(src)
    expect(src, ")")
    src.depth -= 1
    return Array(tuple(items))


def _glob_group(src: Source, parts: list[Part]) -> None:
    deeper(src)
    literal(parts, "(")
    src.pos += 1
    read(src, parts, _GROUP_RUN, _IN_GROUP)
    expect(src, ")")
    literal(parts, ")")
    src.depth -= 1


def _nested_group(src: Source, parts: list[Part]) -> None:
    _glob_group(src, parts)


def _word(src: Source, parts: list[Part]) -> None:
    read(src, parts, _RUN, _IN_WORD)


def pattern(src: Source) -> Term:
    """The right side of `=~`: a word in which parentheses and bars are ordinary."""
    blanks(src)
    start, parts = src.pos, list[Part]()
    read(src, parts, _REGEX_RUN, _IN_GROUP)
    return Term(tuple(parts), mark(src, (start, src.pos)))


def _expansion(src: Source, parts: list[Part], *, quoted: bool) -> None:
    """Read the expansion at this dollar sign, or the bare dollar sign."""
    named = _NAME.match(src.text, src.pos + 1, src.end)
    if named is not None:
        parts.append(Param(named.group()))
        src.pos = named.end()
        return
    following = src.text[src.pos + 1 : min(src.pos + 3, src.end)]
    if following.startswith("{"):
        src.pos += 2
        parts.append(_braced(src, quoted=quoted))
    elif following == "((" and (close := _arith_end(src, src.pos + 3)) is not None:
        parts.append(_arith(src, src.pos + 3, close))
        src.pos = close + 2
    elif following.startswith("("):
        src.pos += 2
        parts.append(Code(_commands(src), "$("))
    elif following.startswith("["):
        _old_arith(src, parts)
    else:
        literal(parts, "$")
        src.pos += 1


def _commands(src: Source) -> Steps:
    """Commands up to and over the closing parenthesis."""
    deeper(src)
    body = src.grammar(src, frozenset())
    expect(src, ")")
    src.depth -= 1
    return body


def arith_command(src: Source) -> Arith | None:
    """`((…))` at the cursor, or None if the parentheses turn out to be subshells."""
    close = _arith_end(src, src.pos + 2)
    if close is None:
        return None
    found = _arith(src, src.pos + 2, close)
    src.pos = close + 2
    return found


def _arith_end(src: Source, pos: int) -> int | None:
    start, depth = pos, 0
    while pos < src.end:
        found = _ARITH_STEP.match(src.text, pos, src.end)
        pos = found.end() if found is not None else pos
        char = src.text[pos : min(pos + 1, src.end)]
        if char == ")" and depth == 0:
            break
        depth += (char == "(") - (char == ")")
        pos = _over(src, pos, char)
    spend(src, pos - start)
    return pos if src.text.startswith("))", pos, src.end) else None


def _over(src: Source, pos: int, char: str) -> int:
    if char == "\\":
        return pos + 2
    if char in ("'", '"', "`"):
        close = src.text.find(char, pos + 1, src.end)
        return src.end if close < 0 else close + 1
    return pos + 1


def _arith(src: Source, start: int, close: int) -> Arith:
    within = inside(src, start, close)
    deeper(within)
    return Arith(heredoc(within), src.text[start:close])


def _old_arith(src: Source, parts: list[Part]) -> None:
    close = src.text.find("]", src.pos, src.end)
    if close < 0:
        literal(parts, "$")
        src.pos += 1
    else:
        parts.append(_arith(src, src.pos + 2, close))
        src.pos = close + 1


def _braced(src: Source, *, quoted: bool) -> Part:
    deeper(src)
    if src.text.startswith((" ", "\n", "\t", "|"), src.pos, src.end):
        return _inline(src)
    prefix = _prefix(src)
    found = _BRACED_NAME.match(src.text, src.pos, src.end)
    if found is None:
        return _nameless(src)
    src.pos = found.end()
    subscript = _subscript(src)
    param = _operands(src, Param(found.group(), prefix, subscript=subscript), quoted=quoted)
    expect(src, "}")
    src.depth -= 1
    return param


def _nameless(src: Source) -> Param:
    """`${` and no name: a shell finds out when it runs, and so the value is unknown."""
    arg: list[Part] = []
    read(src, arg, _BRACE_RUN, QUOTES)
    expect(src, "}")
    src.depth -= 1
    return Param("", "?", tuple(arg))


def _inline(src: Source) -> Code:
    """`${ commands; }`, which newer shells run in place."""
    src.pos += 1
    body = src.grammar(src, frozenset({"}"}))
    expect(src, "}")
    src.depth -= 1
    return Code(body, "$(")


def _prefix(src: Source) -> str:
    """`!` or `#` in front of a name; alone they are parameters themselves."""
    found = _PREFIXED.match(src.text, src.pos, src.end)
    if found is None:
        return ""
    src.pos += 1
    return "len" if found.group()[0] == "#" else "!"


def _subscript(src: Source) -> tuple[Part, ...]:
    if not take(src, "["):
        return ()
    parts: list[Part] = []
    read(src, parts, _SUBSCRIPT_RUN, QUOTES)
    expect(src, "]")
    return tuple(parts)


def _operands(src: Source, param: Param, *, quoted: bool) -> Param:
    found = _OPERATOR.match(src.text, src.pos, src.end)
    if found is None:
        return param
    src.pos, op = found.end(), found.group()
    arg: list[Part] = []
    other: list[Part] = []
    if op.startswith("/"):
        read(src, arg, _SLASH_RUN, QUOTES)
        if take(src, "/"):
            read(src, other, _BRACE_RUN, QUOTES)
    elif quoted and op[-1] in "-=+?":
        read(src, arg, _QUOTED_BRACE_RUN, QUOTES_IN_DOUBLE)
    else:
        read(src, arg, _BRACE_RUN, QUOTES)
    return param._replace(op=param.op + op, arg=tuple(arg), other=tuple(other))


_DOUBLE_RUN = re.compile(r'[^"\\$`]+')
_HEREDOC_RUN = re.compile(r"[^\\$`]+")
_GROUP_RUN = re.compile(r"[^'\"\\$`()]+")
_REGEX_RUN = re.compile(r"[^ \t\n'\"\\$`()]+")

IN_DOUBLE: Mapping[str, Reader] = {
    "\\": escape_in_double,
    "$": _dollar_in_double,
    "`": backtick_in_double,
}
_IN_HEREDOC: Mapping[str, Reader] = {
    "\\": escape_in_heredoc,
    "$": _dollar_in_double,
    "`": backtick,
}
QUOTES: Mapping[str, Reader] = {
    "'": single,
    '"': double,
    "\\": escaped,
    "$": _dollar,
    "`": backtick,
}
QUOTES_IN_DOUBLE: Mapping[str, Reader] = {**IN_DOUBLE, '"': double, "\\": escape_in_braces}
"""Inside `"${name:-…}"`: an apostrophe is an ordinary character there."""
_IN_WORD: Mapping[str, Reader] = {**QUOTES, "<": _process, ">": _process, "(": _parenthesis}
_IN_GROUP: Mapping[str, Reader] = {**QUOTES, "(": _nested_group}


def heredoc(src: Source) -> tuple[Part, ...]:
    """All of *src* as the body of a here-document whose delimiter was not quoted."""
    parts: list[Part] = []
    read(src, parts, _HEREDOC_RUN, _IN_HEREDOC)
    return tuple(parts)
