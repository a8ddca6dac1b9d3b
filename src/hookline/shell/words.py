"""Parsing of one word: literal text, quotes, parameters, substitutions and arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.quotes import (
    Reader,
    append_literal,
    decode_ansi,
    read_backtick,
    read_backtick_in_double,
    read_escape,
    read_escape_in_braces,
    read_escape_in_double,
    read_escape_in_heredoc,
    read_parts,
    read_single_quoted,
)
from hookline.shell.source import (
    ParseError,
    Source,
    enter_nesting,
    expect,
    narrow_source,
    skip_blanks,
    skip_newlines,
    spend_rescan,
    spend_work,
    take,
    to_line_span,
)
from hookline.shell.syntax import Arith, Array, Code, Double, Param, Part, Quoted, Steps, Term

WORD_WORK = 5
"""Units of work of a word, at about a microsecond each in all guards."""
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=^!-]+(?=[ \t\n;|&()<>]|\Z)")
_QUOTE_CHARACTERS = ("'", '"')
_QUOTED_WORD = re.compile(r"""(?:'[^']*'|"[^"$`\\]*")(?=[ \t\n;|&<>)]|\Z)""")
"""A word that is quoted from end to end, without expansions."""
_SUBSCRIPT_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\[[^\]\n'\"$`\\]*\]\+?=")
_ARRAY_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_WORD_RUN = re.compile(r"[^ \t\n'\"\\$`|&;()<>]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.ASCII)
_PARAM_PREFIX = re.compile(r"!(?:[A-Za-z_]|[0-9@*#])|#(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?=[}\[])", re.ASCII)
_PARAM_OPERATOR = re.compile(r":[-=+?]|[-=+?]|##?|%%?|/[/#%]?|\^\^?|,,?|@(?=[A-Za-z]\})|:|@|\*")
_ARITH_STEP = re.compile(r"[^()'\"\\`]+")
_BRACE_RUN = re.compile(r"[^}'\"\\$`]+")
_QUOTED_BRACE_RUN = re.compile(r"[^}\"\\$`]+")
_SLASH_RUN = re.compile(r"[^}/'\"\\$`]+")
_SUBSCRIPT_RUN = re.compile(r"[^\]'\"\\$`]+")
_ANSI_QUOTED = re.compile(r"((?:[^'\\]|\\.)*)'", re.DOTALL)


def read_term(src: Source) -> Term:
    """Read the word at the cursor; the caller has checked that there is one."""
    match = _PLAIN_WORD.match(src.text, src.pos, src.end)
    start = src.pos
    spend_work(src, WORD_WORK)
    if match is not None and not src.text.startswith("(", match.end(), src.end):
        src.pos = match.end()
        return Term((match.group(),), to_line_span(src, (start, src.pos)), plain=True)
    if src.text[src.pos : src.pos + 1] in _QUOTE_CHARACTERS and (
        match := _QUOTED_WORD.match(src.text, src.pos, src.end)
    ):
        src.pos = match.end()
        return Term((Quoted(match.group()[1:-1]),), to_line_span(src, (start, src.pos)))
    match = _SUBSCRIPT_ASSIGNMENT.match(src.text, src.pos, src.end)
    parts: list[Part] = []
    if match is not None:
        parts.append(match.group())
        src.pos = match.end()
    _read_word(src, parts)
    if src.pos == start:
        raise ParseError(
            f"unexpected {src.text[start : start + 1]!r}" if start < src.end else "unexpected end"
        )
    return Term(tuple(parts), to_line_span(src, (start, src.pos)))


def read_double_quoted(src: Source, parts: list[Part]) -> None:
    src.pos += 1
    inner: list[Part] = []
    read_parts(src, inner, _DOUBLE_RUN, DOUBLE_QUOTE_READERS)
    if not src.text.startswith('"', src.pos, src.end):
        raise ParseError('unclosed "')
    src.pos += 1
    parts.append(Double(tuple(inner)))


def _read_dollar(src: Source, parts: list[Part]) -> None:
    next_char = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    if next_char == "'":
        match = _ANSI_QUOTED.match(src.text, src.pos + 2, src.end)
        if match is None:
            raise ParseError("unclosed $'")
        spend_work(src, match.group(1).count("\\"))
        parts.append(Quoted(decode_ansi(match.group(1))))
        src.pos = match.end()
    elif next_char == '"':
        src.pos += 1
        read_double_quoted(src, parts)
    else:
        _read_expansion(src, parts, quoted=False)


def _read_dollar_in_double(src: Source, parts: list[Part]) -> None:
    _read_expansion(src, parts, quoted=True)


def _read_process_substitution(src: Source, parts: list[Part]) -> None:
    """Read `<(…)` or `>(…)`; any other `<` or `>` ends the word."""
    if src.text.startswith("(", src.pos + 1, src.end):
        kind = src.text[src.pos : src.pos + 2]
        src.pos += 2
        parts.append(Code(_read_commands(src), kind))


def _read_parenthesis(src: Source, parts: list[Part]) -> None:
    """Read the value of an array or the group of an extended glob; any other parenthesis ends the word."""
    before = parts[-1] if parts else ""
    if not isinstance(before, str):
        return
    if len(parts) == 1 and _ARRAY_ASSIGNMENT.fullmatch(before):
        parts.append(_read_array(src))
    elif before[-1:] in set("@!+*?") and not src.text.startswith("()", src.pos, src.end):
        _read_glob_group(src, parts)


def _read_array(src: Source) -> Array:
    enter_nesting(src)
    src.pos += 1
    items: list[Term] = []
    skip_newlines(src)
    while src.pos < src.end and src.text[src.pos] != ")":
        items.append(read_term(src))
        skip_newlines(src)
    expect(src, ")")
    src.depth -= 1
    return Array(tuple(items))


def _read_glob_group(src: Source, parts: list[Part]) -> None:
    enter_nesting(src)
    append_literal(parts, "(")
    src.pos += 1
    read_parts(src, parts, _GROUP_RUN, _GROUP_READERS)
    expect(src, ")")
    append_literal(parts, ")")
    src.depth -= 1


def _read_nested_group(src: Source, parts: list[Part]) -> None:
    _read_glob_group(src, parts)


def _read_word(src: Source, parts: list[Part]) -> None:
    read_parts(src, parts, _WORD_RUN, _WORD_READERS)


def read_regex(src: Source) -> Term:
    """Read the right side of `=~`: a word in which parentheses and bars are ordinary characters."""
    skip_blanks(src)
    start, parts = src.pos, list[Part]()
    read_parts(src, parts, _REGEX_RUN, _GROUP_READERS)
    return Term(tuple(parts), to_line_span(src, (start, src.pos)))


def _read_expansion(src: Source, parts: list[Part], *, quoted: bool) -> None:
    """Read the expansion at the dollar sign, or the bare dollar sign."""
    name = _NAME.match(src.text, src.pos + 1, src.end)
    if name is not None:
        parts.append(Param(name.group()))
        src.pos = name.end()
        return
    next_chars = src.text[src.pos + 1 : min(src.pos + 3, src.end)]
    if next_chars.startswith("{"):
        src.pos += 2
        parts.append(_read_braced(src, quoted=quoted))
    elif next_chars == "((" and (close := _find_arith_end(src, src.pos + 3)) is not None:
        parts.append(_read_arith(src, src.pos + 3, close))
        src.pos = close + 2
    elif next_chars.startswith("("):
        src.pos += 2
        parts.append(Code(_read_commands(src), "$("))
    elif next_chars.startswith("["):
        _read_old_arith(src, parts)
    else:
        append_literal(parts, "$")
        src.pos += 1


def _read_commands(src: Source) -> Steps:
    """Read commands and the closing parenthesis."""
    enter_nesting(src)
    body = src.read_steps(src, frozenset())
    expect(src, ")")
    src.depth -= 1
    return body


def read_arith_command(src: Source) -> Arith | None:
    """Read `((…))` at the cursor; return None if the parentheses are subshells."""
    close = _find_arith_end(src, src.pos + 2)
    if close is None:
        return None
    arith = _read_arith(src, src.pos + 2, close)
    src.pos = close + 2
    return arith


def _find_arith_end(src: Source, pos: int) -> int | None:
    start, depth, steps = pos, 0, 0
    while pos < src.end and steps < src.work_left[0]:
        steps += 1
        match = _ARITH_STEP.match(src.text, pos, src.end)
        pos = match.end() if match is not None else pos
        char = src.text[pos : min(pos + 1, src.end)]
        if char == ")" and depth == 0:
            break
        depth += (char == "(") - (char == ")")
        pos = _skip_character(src, pos, char)
    spend_rescan(src, pos - start + (steps << 4))
    return pos if src.text.startswith("))", pos, src.end) else None


def _skip_character(src: Source, pos: int, char: str) -> int:
    if char == "\\":
        return pos + 2
    if char in ("'", '"', "`"):
        close = src.text.find(char, pos + 1, src.end)
        return src.end if close < 0 else close + 1
    return pos + 1


def _read_arith(src: Source, start: int, close: int) -> Arith:
    inner = narrow_source(src, start, close)
    enter_nesting(inner)
    return Arith(read_heredoc_parts(inner), src.text[start:close])


def _read_old_arith(src: Source, parts: list[Part]) -> None:
    close = src.text.find("]", src.pos, src.end)
    if close < 0:
        append_literal(parts, "$")
        src.pos += 1
    else:
        parts.append(_read_arith(src, src.pos + 2, close))
        src.pos = close + 1


def _read_braced(src: Source, *, quoted: bool) -> Part:
    enter_nesting(src)
    if src.text.startswith((" ", "\n", "\t", "|"), src.pos, src.end):
        return _read_inline_commands(src)
    prefix = _read_prefix(src)
    match = _BRACED_NAME.match(src.text, src.pos, src.end)
    if match is None:
        return _read_nameless(src)
    src.pos = match.end()
    subscript = _read_subscript(src)
    param = _read_operator(src, Param(match.group(), prefix, subscript=subscript), quoted=quoted)
    expect(src, "}")
    src.depth -= 1
    return param


def _read_nameless(src: Source) -> Param:
    """Read `${` without a name; a shell rejects it only when it runs, so the value is unknown."""
    arg: list[Part] = []
    read_parts(src, arg, _BRACE_RUN, QUOTE_READERS)
    expect(src, "}")
    src.depth -= 1
    return Param("", "?", tuple(arg))


def _read_inline_commands(src: Source) -> Code:
    """Read `${ commands; }`, which newer shells run without a subshell."""
    src.pos += 1
    body = src.read_steps(src, frozenset({"}"}))
    expect(src, "}")
    src.depth -= 1
    return Code(body, "$(")


def _read_prefix(src: Source) -> str:
    """Read `!` or `#` before a name; alone they are parameters themselves."""
    match = _PARAM_PREFIX.match(src.text, src.pos, src.end)
    if match is None:
        return ""
    src.pos += 1
    return "len" if match.group()[0] == "#" else "!"


def _read_subscript(src: Source) -> tuple[Part, ...]:
    if not take(src, "["):
        return ()
    parts: list[Part] = []
    read_parts(src, parts, _SUBSCRIPT_RUN, QUOTE_READERS)
    expect(src, "]")
    return tuple(parts)


def _read_operator(src: Source, param: Param, *, quoted: bool) -> Param:
    match = _PARAM_OPERATOR.match(src.text, src.pos, src.end)
    if match is None:
        return param
    src.pos, op = match.end(), match.group()
    arg: list[Part] = []
    other: list[Part] = []
    if op.startswith("/"):
        read_parts(src, arg, _SLASH_RUN, QUOTE_READERS)
        if take(src, "/"):
            read_parts(src, other, _BRACE_RUN, QUOTE_READERS)
    elif quoted and op[-1] in "-=+?":
        read_parts(src, arg, _QUOTED_BRACE_RUN, BRACE_READERS_IN_DOUBLE)
    else:
        read_parts(src, arg, _BRACE_RUN, QUOTE_READERS)
    return param._replace(op=param.op + op, arg=tuple(arg), other=tuple(other))


_DOUBLE_RUN = re.compile(r'[^"\\$`]+')
_HEREDOC_RUN = re.compile(r"[^\\$`]+")
_GROUP_RUN = re.compile(r"[^'\"\\$`()]+")
_REGEX_RUN = re.compile(r"[^ \t\n'\"\\$`()]+")

DOUBLE_QUOTE_READERS: Mapping[str, Reader] = {
    "\\": read_escape_in_double,
    "$": _read_dollar_in_double,
    "`": read_backtick_in_double,
}
_HEREDOC_READERS: Mapping[str, Reader] = {
    "\\": read_escape_in_heredoc,
    "$": _read_dollar_in_double,
    "`": read_backtick,
}
QUOTE_READERS: Mapping[str, Reader] = {
    "'": read_single_quoted,
    '"': read_double_quoted,
    "\\": read_escape,
    "$": _read_dollar,
    "`": read_backtick,
}
BRACE_READERS_IN_DOUBLE: Mapping[str, Reader] = {
    **DOUBLE_QUOTE_READERS,
    '"': read_double_quoted,
    "\\": read_escape_in_braces,
}
"""Readers inside `"${name:-…}"`, where an apostrophe is an ordinary character."""
_WORD_READERS: Mapping[str, Reader] = {
    **QUOTE_READERS,
    "<": _read_process_substitution,
    ">": _read_process_substitution,
    "(": _read_parenthesis,
}
_GROUP_READERS: Mapping[str, Reader] = {**QUOTE_READERS, "(": _read_nested_group}


def read_heredoc_parts(src: Source) -> tuple[Part, ...]:
    """Read all of *src* as the body of a here-document with an unquoted delimiter."""
    parts: list[Part] = []
    read_parts(src, parts, _HEREDOC_RUN, _HEREDOC_READERS)
    return tuple(parts)
