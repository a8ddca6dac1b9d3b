"""Read commands: lists, pipelines, and simple commands; the keyworded ones are next door."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell import compounds
from hookline.shell.heredocs import redirection
from hookline.shell.source import (
    MAX_FAILURES,
    Failure,
    Source,
    Unparsed,
    blanks,
    deeper,
    expect,
    fail,
    mark,
    newlines,
    peek,
    take,
)
from hookline.shell.syntax import (
    Assignment,
    Command,
    Function,
    Node,
    Part,
    Pipe,
    Quoted,
    Redirection,
    Span,
    Step,
    Steps,
    Term,
)
from hookline.shell.words import term

RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|coproc|time|\[\[|[{}!])"
    r"(?=[ \t\n;&|()<>]|\\\n|\r\n|\Z)"
)
_FIRST = frozenset("itefwudcs[{}!")
"""What they begin with."""
_SEPARATOR = re.compile(r"&&|\|\||;(?![;&])|&(?!>)|(?=\n)")
_PREFIX = re.compile(r"(?:!|time(?:[ \t]+-p)?(?:[ \t]+--)?)(?=[ \t\n;&|()<>]|\\\n|\Z)")
_FUNCTION_NAME = re.compile(r"[^ \t\n;&|()<>]+")
_COPROC_NAME = re.compile(
    r"[A-Za-z_]\w*[ \t]+(?=[({]|(?:if|while|until|for|case|select|\[\[)[ \t\n])", re.ASCII
)
_PLAIN = re.compile(
    r"""([A-Za-z_./:@%+,-][A-Za-z0-9_./:@%+,=-]*|'[^']*'|"[^"$`\\]*")(?=[ \t\n;|&)<>]|\Z)[ \t]*"""
)
"""A word that is what it says, or what is between its quotes, and can be nothing else behind another word."""
_GLUED = re.compile(r"\{(?=[^\s({\\])")
_SPARE = 10_000
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=", re.ASCII)
_OPEN_SUBSCRIPT = re.compile(r"([A-Za-z_]\w*)\[", re.ASCII)


def parse(
    text: str, *, offset: int = 0, fixed: Span | None = None, depth: int = 0, left: list[int] | None = None
) -> tuple[Steps, tuple[Failure, ...]]:
    """All commands of *text*, and the stretches of it that are no shell grammar; *left* counts them down."""
    src = Source(
        text=text,
        pos=0,
        end=len(text),
        grammar=_steps,
        depth=depth,
        offset=offset,
        fixed=fixed,
        spare=[4 * len(text) + _SPARE],
    )
    src.left = src.left if left is None else left
    items: list[Step] = []
    while src.pos < src.end:
        start = src.pos
        try:
            for step in _each(src, frozenset()):
                items.append(step)
                start = src.pos
            reason = f"unexpected {peek(src)!r}" if src.pos < src.end else ""
        except Unparsed as why:
            reason = str(why)
        if reason:
            _skip(src, start, reason)
            src.depth = depth
    return Steps(tuple(items)), tuple(src.failures)


def _skip(src: Source, start: int, reason: str) -> None:
    """Give up the stretch from *start* to the end of the line, or of the text if that happens too often."""
    final = len(src.failures) >= MAX_FAILURES or src.left[0] < 0
    newline = -1 if final else src.text.find("\n", src.pos, src.end)
    src.pos = src.end if newline < 0 else newline + 1
    src.pending.clear()
    fail(src, reason, start)


def _steps(src: Source, stop: frozenset[str]) -> Steps:
    return Steps(tuple(_each(src, stop)))


def _each(src: Source, stop: frozenset[str]) -> Iterator[Step]:
    op = ";"
    newlines(src)
    while not _ended(src, stop):
        node, before = _pipeline(src), op
        op = _separator(src)
        yield Step(before, node, op == "&")
        if not op:
            return
        op = op if op in ("&&", "||") else ";"
        newlines(src)
        if op != ";" and _ended(src, stop):
            raise Unparsed(f"nothing follows {op!r}")


def _ended(src: Source, stop: frozenset[str]) -> bool:
    if src.pos >= src.end or src.text[src.pos] == ")":
        return True
    if src.text[src.pos] == ";":
        return src.text.startswith((";;", ";&"), src.pos, src.end)
    found = RESERVED.match(src.text, src.pos, src.end) if stop else None
    return found is not None and found.group() in stop


def _separator(src: Source) -> str:
    """Step over what stands between two pipelines; empty if nothing does."""
    blanks(src)
    found = _SEPARATOR.match(src.text, src.pos, src.end) if src.pos < src.end else None
    if found is None:
        return ""
    src.pos = found.end()
    return found.group() or ";"


def _pipeline(src: Source) -> Node:
    stages = [_stage(src)]
    blanks(src)
    while peek(src) == "|" and not src.text.startswith("||", src.pos, src.end):
        src.pos += 2 if src.text.startswith("|&", src.pos, src.end) else 1
        newlines(src)
        stages.append(_stage(src))
        blanks(src)
    return stages[0] if len(stages) == 1 else Pipe(tuple(stages))


def _stage(src: Source) -> Node:
    while peek(src) in ("!", "t") and (found := _PREFIX.match(src.text, src.pos, src.end)) is not None:
        src.pos = found.end()
        blanks(src)
        if src.pos >= src.end or src.text[src.pos] in ";&|\n)":
            return Command((), (), (), mark(src, found.span()))
    return _command(src)


def _command(src: Source) -> Node:
    found = RESERVED.match(src.text, src.pos, src.end) if peek(src) in _FIRST else None
    keyword = found.group() if found is not None else ""
    if not keyword and peek(src) != "(":
        return _simple(src)
    if keyword in ("function", "coproc"):
        src.pos += len(keyword)
        return _function(src) if keyword == "function" else _coproc(src)
    reader = compounds.READERS.get(keyword or "(")
    if reader is None:
        raise Unparsed(f"unexpected {keyword!r}")
    deeper(src)
    node = reader(src)
    src.depth -= 1
    return node._replace(redirections=tuple(_redirections(src)))


def _redirections(src: Source) -> Iterator[Redirection]:
    blanks(src)
    while (found := _redirection(src)) is not None:
        yield found
        blanks(src)


def _redirection(src: Source) -> Redirection | None:
    return redirection(src)


def _function(src: Source) -> Function:
    blanks(src)
    found = _FUNCTION_NAME.match(src.text, src.pos, src.end)
    if found is None:
        raise Unparsed("a function has no name")
    src.pos = found.end()
    blanks(src)
    if take(src, "("):
        _close(src)
    return _body(src, found.group())


def _close(src: Source) -> None:
    blanks(src)
    expect(src, ")")


def _body(src: Source, name: str) -> Function:
    newlines(src)
    if _GLUED.match(src.text, src.pos, src.end):
        raise Unparsed("nothing stands between '{' and the first command of a function")
    deeper(src)
    body = _command(src)
    src.depth -= 1
    return Function(name, body)


def _coproc(src: Source) -> Node:
    blanks(src)
    found = _COPROC_NAME.match(src.text, src.pos, src.end)
    if found is not None and RESERVED.match(src.text, src.pos, src.end) is None:
        src.pos = found.end()
    deeper(src)
    node = _command(src)
    src.depth -= 1
    return node


def _simple(src: Source) -> Node:
    start = last = src.pos
    assignments: list[Assignment] = []
    words: list[Term] = []
    redirections: list[Redirection] = []
    src.left[0] -= 1
    if src.left[0] < 0:
        raise Unparsed("too much to read")
    while src.pos < src.end and (char := src.text[src.pos]) not in "\n;|)":
        if words and (plain := _PLAIN.match(src.text, src.pos, src.end)) is not None:
            last = plain.end(1)
            words.append(_said(plain.group(1), mark(src, plain.span(1))))
            src.pos = plain.end()
            blanks(src)
            continue
        if char in "<>&0123456789{" and (found := _redirection(src)) is not None:
            redirections.append(found)
        elif char == "&":
            break
        elif char == "(":
            return _defined(src, words)
        else:
            _add(term(src), assignments, words)
        last = src.pos
        blanks(src)
    if last == start:
        raise Unparsed(f"unexpected {peek(src)!r}")
    return Command(tuple(assignments), tuple(words), tuple(redirections), mark(src, (start, last)))


def _said(word: str, span: Span) -> Term:
    if word[0] in ("'", '"'):
        return Term((Quoted(word[1:-1]),), span)
    return Term((word,), span, plain=True)


def _defined(src: Source, words: list[Term]) -> Function:
    """`name () body`, found out only at the parenthesis."""
    src.pos += 1
    if len(words) != 1:
        raise Unparsed("unexpected '('")
    _close(src)
    return _body(
        src, "".join(part if isinstance(part, str) else getattr(part, "text", "") for part in words[0].parts)
    )


def _add(word: Term, assignments: list[Assignment], words: list[Term]) -> None:
    found = None if words else assignment(word)
    if found is None:
        words.append(word)
    else:
        assignments.append(found)


def assignment(word: Term) -> Assignment | None:
    """*word* as `name=value`, `name+=value` or `name[subscript]=value`, if it is one."""
    first = word.parts[0]
    if not isinstance(first, str):
        return None
    found = _ASSIGNMENT.match(first) if "=" in first else None
    if found is None:
        return _computed_subscript(word, first)
    rest = first[found.end() :]
    parts = ((rest,) if rest else ()) + word.parts[1:]
    return Assignment(found.group(1), bool(found.group(3)), found.group(2) or "", parts, word.span)


def _computed_subscript(word: Term, first: str) -> Assignment | None:
    """`name[$i]=value`: the subscript is made of several parts."""
    found = _OPEN_SUBSCRIPT.match(first) if "[" in first else None
    if found is None:
        return None
    for place, part in enumerate(word.parts[1:], 1):
        if isinstance(part, str) and "]" in part:
            before, _, value = part.partition("=")
            if not before.endswith(("]", "]+")) or "=" not in part:
                return None
            return Assignment(
                found.group(1),
                append=False,
                subscript=_key(word.parts[1:place]),
                parts=(value, *word.parts[place + 1 :]),
                span=word.span,
            )
    return None


def _key(parts: tuple[Part, ...]) -> str:
    return parts[0].text if len(parts) == 1 and isinstance(parts[0], Quoted) else "?"
