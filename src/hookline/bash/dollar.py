"""Read what a dollar sign begins: parameters, command substitution, arithmetic."""

from __future__ import annotations

import re

from hookline.bash import words
from hookline.bash.source import Source, deeper, expect, inside, spend, take
from hookline.bash.syntax import Arith, Code, Param, Part, Steps

_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.ASCII)
_PREFIXED = re.compile(r"!(?:[A-Za-z_]|[0-9@*#])|#(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?=[}\[])", re.ASCII)
_OPERATOR = re.compile(r":[-=+?]|[-=+?]|##?|%%?|/[/#%]?|\^\^?|,,?|@(?=[A-Za-z]\})|:|@|\*")
_ARITH_STEP = re.compile(r"[^()'\"\\`]+")
_BRACE_RUN = re.compile(r"[^}'\"\\$`]+")
_QUOTED_BRACE_RUN = re.compile(r"[^}\"\\$`]+")
_SLASH_RUN = re.compile(r"[^}/'\"\\$`]+")
_SUBSCRIPT_RUN = re.compile(r"[^\]'\"\\$`]+")


def expansion(src: Source, parts: list[Part], *, quoted: bool) -> None:
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
        parts.append(Code(commands(src), "$("))
    elif following.startswith("["):
        _old_arith(src, parts)
    else:
        words.literal(parts, "$")
        src.pos += 1


def commands(src: Source) -> Steps:
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
    return Arith(words.heredoc(within), src.text[start:close])


def _old_arith(src: Source, parts: list[Part]) -> None:
    close = src.text.find("]", src.pos, src.end)
    if close < 0:
        words.literal(parts, "$")
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
    words.read(src, arg, _BRACE_RUN, words.QUOTES)
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
    words.read(src, parts, _SUBSCRIPT_RUN, words.QUOTES)
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
        words.read(src, arg, _SLASH_RUN, words.QUOTES)
        if take(src, "/"):
            words.read(src, other, _BRACE_RUN, words.QUOTES)
    elif quoted and op[-1] in "-=+?":
        words.read(src, arg, _QUOTED_BRACE_RUN, words.QUOTES_IN_DOUBLE)
    else:
        words.read(src, arg, _BRACE_RUN, words.QUOTES)
    return param._replace(op=param.op + op, arg=tuple(arg), other=tuple(other))
