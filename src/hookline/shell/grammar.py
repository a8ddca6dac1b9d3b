"""Parsing of command lists, simple commands, redirections and here-documents; see also `compounds`."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.lazy import re
from hookline.shell import compounds
from hookline.shell.result import TOO_LONG
from hookline.shell.source import (
    MAX_FAILURES,
    MAX_LINE,
    Failure,
    LimitError,
    ParseError,
    Source,
    add_failure,
    detach_source,
    enter_nesting,
    expect,
    narrow_source,
    peek,
    skip_blanks,
    skip_newlines,
    spend_work,
    take,
    to_line_span,
)
from hookline.shell.syntax import (
    Assignment,
    Command,
    Compound,
    Function,
    Heredoc,
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
from hookline.shell.words import WORD_WORK, read_heredoc_parts, read_term

_REDIRECTION_OPERATOR = re.compile(
    r"(\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())|(&>>|&>)", re.ASCII
)
_DELIMITER_QUOTES = re.compile(r"\\(.)|['\"]|\$(?=['\"])", re.DOTALL)


def read_redirection(src: Source) -> Redirection | None:
    """Read the redirection at the cursor; return None if there is none."""
    match = _REDIRECTION_OPERATOR.match(src.text, src.pos, src.end)
    if match is None:
        return None
    src.pos = match.end()
    skip_blanks(src)
    start = src.pos
    target = read_term(src)
    op, fd = match.group(2) or match.group(3), match.group(1) or ""
    if op not in ("<<", "<<-"):
        return Redirection(op, fd, target)
    return Redirection(op, fd, target, _defer_heredoc(src, src.text[start : src.pos], tabs=op == "<<-"))


def _defer_heredoc(src: Source, quoted_delimiter: str, *, tabs: bool) -> Heredoc:
    delimiter = _DELIMITER_QUOTES.sub(lambda match: match.group(1) or "", quoted_delimiter)
    literal = delimiter != quoted_delimiter
    document = Heredoc()

    def fill(src: Source) -> None:
        start, end = _skip_heredoc(src, delimiter, tabs=tabs)
        document.parts = _read_body(src, start, end, literal=literal, tabs=tabs)

    src.pending.append(fill)
    return document


def _skip_heredoc(src: Source, delimiter: str, *, tabs: bool) -> tuple[int, int]:
    """Skip the body and its closing line, and return the start and end of the body."""
    start = src.pos
    tail = r"(?=\r?\n|\r?\Z|\))" if src.depth else r"(?=\r?\n|\r?\Z)"
    closing = re.compile(r"(?<=\n)" + (r"\t*" if tabs else "") + re.escape(delimiter) + tail)
    match = closing.search(src.text, start, src.end) if start < src.end else None
    if match is None:
        src.pos = src.end
        return start, src.end
    closed = src.text.startswith(")", match.end(), src.end)
    newline = -1 if closed else src.text.find("\n", match.end(), src.end)
    src.pos = match.end() if closed else src.end if newline < 0 else newline + 1
    return start, match.start()


def _read_body(src: Source, start: int, end: int, *, literal: bool, tabs: bool) -> tuple[Part, ...]:
    text = src.text[start:end]
    if tabs:
        text = re.sub(r"(?m)^\t+", "", text)
    if literal:
        return (Quoted(text),)
    return read_heredoc_parts(
        detach_source(src, text, (start, end)) if tabs else narrow_source(src, start, end)
    )


RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|coproc|time|\[\[|[{}!])"
    r"(?=[ \t\n;&|()<>]|\\\n|\r\n|\Z)"
)
"""A reserved word."""
_RESERVED_INITIALS = frozenset("itefwudcs[{}!")
"""First characters of the reserved words."""
_SEPARATOR = re.compile(r"&&|\|\||;(?![;&])|&(?!>)|(?=\n)")
_PIPELINE_PREFIX = re.compile(r"(?:!|time(?:[ \t]+-p)?(?:[ \t]+--)?)(?=[ \t\n;&|()<>]|\\\n|\Z)")
_FUNCTION_NAME = re.compile(r"[^ \t\n;&|()<>]+")
_COPROC_NAME = re.compile(
    r"[A-Za-z_]\w*[ \t]+(?=[({]|(?:if|while|until|for|case|select|\[\[)[ \t\n])", re.ASCII
)
_PLAIN_WORD = re.compile(
    r"""([A-Za-z_./:@%+,-][A-Za-z0-9_./:@%+,=-]*|'[^']*'|"[^"$`\\]*")(?=[ \t\n;|&)<>]|\Z)[ \t]*"""
)
"""A literal or quoted word without expansions, which after another word cannot be anything else."""
_GLUED_BRACE = re.compile(r"\{(?=[^\s({\\])")
COMMAND_WORK = 50
"""Units of work to parse a simple command, and to record it, at about a microsecond each in all guards."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=", re.ASCII)
_OPEN_SUBSCRIPT = re.compile(r"([A-Za-z_]\w*)\[", re.ASCII)


def parse(
    text: str,
    *,
    offset: int = 0,
    fixed_span: Span | None = None,
    depth: int = 0,
    work_left: list[int] | None = None,
) -> tuple[Steps, tuple[Failure, ...]]:
    """Return all commands of *text*, and the parts that are not valid shell grammar.

    *offset* and *fixed_span* place the text in the original line; *work_left* is counted down.
    """
    if len(text) > MAX_LINE:
        span = fixed_span or (offset, offset + len(text))
        return Steps(()), (Failure(TOO_LONG, text, span, is_limit=True),)
    src = Source(
        text=text,
        pos=0,
        end=len(text),
        read_steps=_read_steps,
        depth=depth,
        offset=offset,
        fixed_span=fixed_span,
    )
    src.work_left = src.work_left if work_left is None else work_left
    items: list[Step] = []
    while src.pos < src.end:
        start = src.pos
        try:
            for step in _iterate_steps(src, frozenset()):
                items.append(step)
                start = src.pos
            failure = ParseError(f"unexpected {peek(src)!r}") if src.pos < src.end else None
        except ParseError as error:
            failure = error
        if failure is not None:
            _skip_line(src, start, failure)
            src.depth = depth
    return Steps(tuple(items)), tuple(src.failures)


def _skip_line(src: Source, start: int, failure: ParseError) -> None:
    """Skip from *start* to the end of the line, or of the text after too many failures."""
    final = len(src.failures) >= MAX_FAILURES or src.work_left[0] < 0
    newline = -1 if final else src.text.find("\n", src.pos, src.end)
    src.pos = src.end if newline < 0 else newline + 1
    src.pending.clear()
    if final and not isinstance(failure, LimitError):
        failure = LimitError(f"too many errors; last: {failure}")
    add_failure(src, failure, start)


def _read_steps(src: Source, stop: frozenset[str]) -> Steps:
    return Steps(tuple(_iterate_steps(src, stop)))


def _iterate_steps(src: Source, stop: frozenset[str]) -> Iterator[Step]:
    op = ";"
    skip_newlines(src)
    while not _at_end(src, stop):
        node, previous_op = _read_pipeline(src), op
        op = _read_separator(src)
        yield Step(previous_op, node, op == "&")
        if not op:
            return
        op = op if op in ("&&", "||") else ";"
        skip_newlines(src)
        if op != ";" and _at_end(src, stop):
            raise ParseError(f"missing command after {op!r}")


def _at_end(src: Source, stop: frozenset[str]) -> bool:
    if src.pos >= src.end or src.text[src.pos] == ")":
        return True
    if src.text[src.pos] == ";":
        return src.text.startswith((";;", ";&"), src.pos, src.end)
    match = RESERVED.match(src.text, src.pos, src.end) if stop else None
    return match is not None and match.group() in stop


def _read_separator(src: Source) -> str:
    """Skip the separator between two pipelines and return it, or an empty string."""
    skip_blanks(src)
    match = _SEPARATOR.match(src.text, src.pos, src.end) if src.pos < src.end else None
    if match is None:
        return ""
    src.pos = match.end()
    return match.group() or ";"


def _read_pipeline(src: Source) -> Node:
    stages = [_read_stage(src)]
    skip_blanks(src)
    while peek(src) == "|" and not src.text.startswith("||", src.pos, src.end):
        src.pos += 2 if src.text.startswith("|&", src.pos, src.end) else 1
        skip_newlines(src)
        stages.append(_read_stage(src))
        skip_blanks(src)
    return stages[0] if len(stages) == 1 else Pipe(tuple(stages))


def _read_stage(src: Source) -> Node:
    while (
        peek(src) in ("!", "t") and (match := _PIPELINE_PREFIX.match(src.text, src.pos, src.end)) is not None
    ):
        src.pos = match.end()
        skip_blanks(src)
        if src.pos >= src.end or src.text[src.pos] in ";&|\n)":
            return Command((), (), (), to_line_span(src, match.span()))
    return _read_command(src)


def _read_command(src: Source) -> Node:
    match = RESERVED.match(src.text, src.pos, src.end) if peek(src) in _RESERVED_INITIALS else None
    keyword = match.group() if match is not None else ""
    if not keyword and peek(src) != "(":
        return _read_simple(src)
    if keyword in ("function", "coproc"):
        src.pos += len(keyword)
        return _read_function(src) if keyword == "function" else _read_coproc(src)
    reader = compounds.READERS.get(keyword or "(")
    if reader is None:
        raise ParseError(f"unexpected {keyword!r}")
    enter_nesting(src)
    node = reader(src)
    src.depth -= 1
    return node._replace(redirections=tuple(_read_redirections(src)))


def _read_redirections(src: Source) -> Iterator[Redirection]:
    skip_blanks(src)
    while (redirection := _next_redirection(src)) is not None:
        yield redirection
        skip_blanks(src)


def _next_redirection(src: Source) -> Redirection | None:
    return read_redirection(src)


def _read_function(src: Source) -> Function:
    skip_blanks(src)
    match = _FUNCTION_NAME.match(src.text, src.pos, src.end)
    if match is None:
        raise ParseError("a function has no name")
    src.pos = match.end()
    skip_blanks(src)
    if take(src, "("):
        _expect_close(src)
    return _read_function_body(src, match.group())


def _expect_close(src: Source) -> None:
    skip_blanks(src)
    expect(src, ")")


def _read_function_body(src: Source, name: str) -> Function:
    skip_newlines(src)
    if _GLUED_BRACE.match(src.text, src.pos, src.end):
        raise ParseError("missing space after '{' of a function")
    enter_nesting(src)
    body = _read_command(src)
    src.depth -= 1
    return Function(name, body)


def _read_coproc(src: Source) -> Node:
    skip_blanks(src)
    match = _COPROC_NAME.match(src.text, src.pos, src.end)
    if match is not None and RESERVED.match(src.text, src.pos, src.end) is None:
        src.pos = match.end()
    enter_nesting(src)
    node = _read_command(src)
    src.depth -= 1
    name = match.group().strip() if match is not None else "COPROC"
    return Compound("coproc", (Steps((Step(";", node, background=True),)),), name=name)


def _read_simple(src: Source) -> Node:
    start = last = src.pos
    assignments: list[Assignment] = []
    words: list[Term] = []
    redirections: list[Redirection] = []
    spend_work(src, COMMAND_WORK)
    while src.pos < src.end and (char := src.text[src.pos]) not in "\n;|)":
        if words and (match := _PLAIN_WORD.match(src.text, src.pos, src.end)) is not None:
            last = match.end(1)
            spend_work(src, WORD_WORK)
            words.append(_plain_term(match.group(1), to_line_span(src, match.span(1))))
            src.pos = match.end()
            skip_blanks(src)
            continue
        if char in "<>&0123456789{" and (redirection := _next_redirection(src)) is not None:
            redirections.append(redirection)
        elif char == "&":
            break
        elif char == "(":
            return _read_definition(src, words)
        else:
            _add_word(read_term(src), assignments, words)
        last = src.pos
        skip_blanks(src)
    if last == start:
        raise ParseError(f"unexpected {peek(src)!r}")
    return Command(tuple(assignments), tuple(words), tuple(redirections), to_line_span(src, (start, last)))


def _plain_term(word: str, span: Span) -> Term:
    if word[0] in ("'", '"'):
        return Term((Quoted(word[1:-1]),), span)
    return Term((word,), span, plain=True)


def _read_definition(src: Source, words: list[Term]) -> Function:
    """Read `name () body`, which is recognised only at the parenthesis."""
    src.pos += 1
    if len(words) != 1:
        raise ParseError("unexpected '('")
    _expect_close(src)
    return _read_function_body(
        src, "".join(part if isinstance(part, str) else getattr(part, "text", "") for part in words[0].parts)
    )


def _add_word(word: Term, assignments: list[Assignment], words: list[Term]) -> None:
    assignment = None if words else parse_assignment(word)
    if assignment is None:
        words.append(word)
    else:
        assignments.append(assignment)


def parse_assignment(word: Term) -> Assignment | None:
    """Return *word* as `name=value`, `name+=value` or `name[subscript]=value`, or None."""
    first = word.parts[0]
    if not isinstance(first, str):
        return None
    match = _ASSIGNMENT.match(first) if "=" in first else None
    if match is None:
        return _parse_computed_subscript(word, first)
    rest = first[match.end() :]
    parts = ((rest,) if rest else ()) + word.parts[1:]
    return Assignment(match.group(1), bool(match.group(3)), match.group(2) or "", parts, word.span)


def _parse_computed_subscript(word: Term, first: str) -> Assignment | None:
    """Return `name[$i]=value`, whose subscript consists of several parts, or None."""
    match = _OPEN_SUBSCRIPT.match(first) if "[" in first else None
    if match is None:
        return None
    for index, part in enumerate(word.parts[1:], 1):
        if isinstance(part, str) and "]" in part:
            before, _, value = part.partition("=")
            if not before.endswith(("]", "]+")) or "=" not in part:
                return None
            return Assignment(
                match.group(1),
                append=False,
                subscript=_subscript_key(word.parts[1:index]),
                parts=(value, *word.parts[index + 1 :]),
                span=word.span,
            )
    return None


def _subscript_key(parts: tuple[Part, ...]) -> str:
    return parts[0].text if len(parts) == 1 and isinstance(parts[0], Quoted) else "?"
