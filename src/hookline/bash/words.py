"""Read one word: literal runs, the four kinds of quotes, and whatever a dollar or backtick begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hookline.bash.source import (
    MAX_FAILURES,
    Source,
    Unparsed,
    apart,
    blanks,
    deeper,
    expect,
    fail,
    inside,
    mark,
    newlines,
    spend,
)
from hookline.bash.syntax import Array, Code, Double, Part, Quoted, Steps, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import TypeAlias

Reader: TypeAlias = Callable[[Source, list[Part]], None]

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=^!-]+(?=[ \t\n;|&()<>]|\Z)")
_QUOTES = ("'", '"')
_QUOTED = re.compile(r"""(?:'[^']*'|"[^"$`\\]*")(?=[ \t\n;|&<>)]|\Z)""")
"""A word that is quoted from end to end, with nothing in it that expands."""
_SUBSCRIPT = re.compile(r"[A-Za-z_]\w*\[[^\]\n'\"$`\\]*\]\+?=")
_ARRAY = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_RUN = re.compile(r"[^ \t\n'\"\\$`|&;()<>]+")
_ANSI = re.compile(r"((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICK = re.compile(r"((?:[^`\\]|\\.)*)`", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([\\`$])")
_BACKTICK_ESCAPE_QUOTED = re.compile(r'\\([\\`$"])')


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


def read(src: Source, parts: list[Part], run: re.Pattern[str], readers: Mapping[str, Reader]) -> None:
    """Read parts into *parts* until a character that no reader knows, or the end."""
    while src.pos < src.end:
        found = run.match(src.text, src.pos, src.end)
        if found is not None:
            literal(parts, found.group())
            src.pos = found.end()
            continue
        reader = readers.get(src.text[src.pos])
        if reader is None:
            return
        before = src.pos
        reader(src, parts)
        if src.pos == before:
            return


def literal(parts: list[Part], text: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, str):
        parts[-1] = last + text
    else:
        parts.append(text)


def single(src: Source, parts: list[Part]) -> None:
    close = src.text.find("'", src.pos + 1, src.end)
    if close < 0:
        raise Unparsed("a ' is never closed")
    parts.append(Quoted(src.text[src.pos + 1 : close]))
    src.pos = close + 1


def double(src: Source, parts: list[Part]) -> None:
    src.pos += 1
    within: list[Part] = []
    read(src, within, _DOUBLE_RUN, IN_DOUBLE)
    if not src.text.startswith('"', src.pos, src.end):
        raise Unparsed('a " is never closed')
    src.pos += 1
    parts.append(Double(tuple(within)))


def escaped(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        parts.append(Quoted(following or "\\"))


def backtick(src: Source, parts: list[Part]) -> None:
    _backtick(src, parts, _BACKTICK_ESCAPE)


def _escape_in_double(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        literal(parts, following if following and following in '$`"\\' else "\\" + following)


def _escape_in_heredoc(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        literal(parts, following if following and following in "$`\\" else "\\" + following)


def _backtick_in_double(src: Source, parts: list[Part]) -> None:
    _backtick(src, parts, _BACKTICK_ESCAPE_QUOTED)


def _backtick(src: Source, parts: list[Part], escape: re.Pattern[str]) -> None:
    found = _BACKTICK.match(src.text, src.pos + 1, src.end)
    if found is None:
        raise Unparsed("a ` is never closed")
    span = found.span(1)
    spend(src, span[1] - span[0])
    code = found.group(1)
    within = apart(src, escape.sub(r"\1", code), span) if "\\" in code else inside(src, *span)
    parts.append(Code(_whole(within, within.pos), "`"))
    src.pos = found.end()


def _whole(src: Source, start: int) -> Steps:
    """All of *src* as commands; a shell reads backticks late, so what is around them holds all the same."""
    try:
        deeper(src)
        body = src.grammar(src, frozenset())
        if src.pos == src.end:
            return body
        reason = f"unexpected {src.text[src.pos]!r}"
    except Unparsed as why:
        reason = str(why)
    if len(src.failures) >= MAX_FAILURES:
        raise Unparsed(reason)
    src.pos = src.end
    fail(src, reason, start)
    return Steps(())


def _dollar(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    if following == "'":
        found = _ANSI.match(src.text, src.pos + 2, src.end)
        if found is None:
            raise Unparsed("a $' is never closed")
        from hookline.bash.ansi import ansi  # noqa: PLC0415 -- rare

        parts.append(Quoted(ansi(found.group(1))))
        src.pos = found.end()
    elif following == '"':
        src.pos += 1
        double(src, parts)
    else:
        _expansion(src, parts, quoted=False)


def _dollar_in_double(src: Source, parts: list[Part]) -> None:
    _expansion(src, parts, quoted=True)


def _expansion(src: Source, parts: list[Part], *, quoted: bool) -> None:
    from hookline.bash import dollar  # noqa: PLC0415 -- most words expand nothing

    dollar.expansion(src, parts, quoted=quoted)


def _escape_in_braces(src: Source, parts: list[Part]) -> None:
    if src.text.startswith("\\}", src.pos, src.end):
        literal(parts, "}")
        src.pos += 2
    else:
        _escape_in_double(src, parts)


def _process(src: Source, parts: list[Part]) -> None:
    """`<(…)` and `>(…)`; any other `<` or `>` ends the word."""
    if src.text.startswith("(", src.pos + 1, src.end):
        kind = src.text[src.pos : src.pos + 2]
        src.pos += 2
        from hookline.bash import dollar  # noqa: PLC0415 -- as above

        parts.append(Code(dollar.commands(src), kind))


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


_DOUBLE_RUN = re.compile(r'[^"\\$`]+')
_HEREDOC_RUN = re.compile(r"[^\\$`]+")
_GROUP_RUN = re.compile(r"[^'\"\\$`()]+")
_REGEX_RUN = re.compile(r"[^ \t\n'\"\\$`()]+")

IN_DOUBLE: Mapping[str, Reader] = {
    "\\": _escape_in_double,
    "$": _dollar_in_double,
    "`": _backtick_in_double,
}
_IN_HEREDOC: Mapping[str, Reader] = {
    "\\": _escape_in_heredoc,
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
QUOTES_IN_DOUBLE: Mapping[str, Reader] = {**IN_DOUBLE, '"': double, "\\": _escape_in_braces}
"""Inside `"${name:-…}"`: an apostrophe is an ordinary character there."""
_IN_WORD: Mapping[str, Reader] = {**QUOTES, "<": _process, ">": _process, "(": _parenthesis}
_IN_GROUP: Mapping[str, Reader] = {**QUOTES, "(": _nested_group}


def heredoc(src: Source) -> tuple[Part, ...]:
    """All of *src* as the body of a here-document whose delimiter was not quoted."""
    parts: list[Part] = []
    read(src, parts, _HEREDOC_RUN, _IN_HEREDOC)
    return tuple(parts)
