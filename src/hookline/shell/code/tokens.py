"""Tokens of JavaScript, Perl, Ruby and PHP, and strings with expressions in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from hookline.lazy import re
from hookline.shell.code import syntax
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.quotes import decode_ansi
from hookline.shell.result import UNKNOWN

_MAX_TEMPLATES = 3
"""Maximum nesting of expressions in strings."""
_VALUE_ENDS = frozenset({")", "]", "}"})
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
PATTERN = syntax.Module("RegExp")
"""A regular expression; its text is not evaluated."""


class ParseFailure(Exception):
    """The code at this point cannot be parsed."""


class Token(NamedTuple):
    kind: str
    """`name`, `number`, `operator`, `literal` or `end`."""
    text: str
    start: int
    after_newline: bool = False
    node: Node = NOTHING


class Language(NamedTuple):
    """The parts in which the languages differ."""

    token: re.Pattern[str]
    """Groups: `space`, `name`, `number`, `quote` and `operator`."""
    read_quote: Callable[[Lexer, re.Match[str]], tuple[Node | None, int]]
    """Reads a string, pattern or here-document; returns no node if the text is an operator."""
    template: re.Pattern[str]
    """Finds a name in group 1, or the `{` of an expression, in a string."""
    operators: Mapping[str, int]
    """Binary operators by precedence."""
    assignments: frozenset[str]
    prefixes: frozenset[str]
    """Operators and words before an operand."""
    statements: Mapping[str, Callable[[Parser], Body]]
    operands: Mapping[str, Callable[[Parser], Node]]
    """Words that begin an operand, such as `function`."""
    finish_operand: Callable[[Parser, Node, Token], Node | None]
    """Parses a part that follows an operand and that other languages do not have; None if there is none."""
    modifiers: frozenset[str] = frozenset()
    """Words after a statement: `… if test`."""
    block_end: str = ""
    """The word that closes a block, whose header has no parentheses; empty if braces enclose it."""
    newline_ends: bool = False
    """True if an operator at the start of a line does not continue the line before it."""


def rank_operators(weakest: str, levels: tuple[str, ...]) -> dict[str, int]:
    """Return the precedence of each operator; those of a later level bind more tightly."""
    ranks = {sign: 4 + 2 * level for level, signs in enumerate(levels) for sign in signs.split()}
    return dict.fromkeys(weakest.split(), 0) | ranks


class Lexer(Struct):
    language: Language
    text: str
    depth: int
    parse: Callable[[Language, str, int], Body]
    """Parses code in a string; passed in because the parser uses the tokens."""
    tokens: list[Token] = field(default_factory=list)
    line_end: int = 0
    """The end of the here-documents that begin in this line."""


class Parser(Struct):
    language: Language
    text: str
    tokens: list[Token]
    closings: Mapping[int, int]
    """The index of the token that closes each parenthesis."""
    position: int = 0
    depth: int = 0
    allows_do: bool = True
    """False in the header of a loop of Ruby, where `do` does not begin a block."""


def tokenize(lexer: Lexer) -> list[Token]:
    position, newline, length = 0, True, len(lexer.text)
    while position < length:
        match = lexer.language.token.match(lexer.text, position)
        kind = match.lastgroup if match is not None else None
        if match is None or kind is None:
            lexer.tokens.append(Token("operator", lexer.text[position], position, newline))
            position, newline = position + 1, False
            continue
        end = match.end()
        if kind == "space":
            if "\n" in match[0]:
                newline = True
                end, lexer.line_end = max(end, lexer.line_end), 0
            position = end
            continue
        node: Node | None = None
        if kind == "quote":
            node, end = lexer.language.read_quote(lexer, match)
            kind = "literal" if node is not None else "operator"
        token = Token(kind, lexer.text[position:end], position, newline, node or NOTHING)
        lexer.tokens.append(token)
        position, newline = max(end, position + 1), False
    return [*lexer.tokens, Token("end", "", length, after_newline=True)]


def match_parentheses(tokens: list[Token]) -> dict[int, int]:
    """Return the index of the closing parenthesis for that of each opening one."""
    closings: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.text == "(" and token.kind == "operator":
            opened.append(index)
        elif token.text == ")" and opened and token.kind == "operator":
            closings[opened.pop()] = index
    return closings


def find_closing(text: str, start: int, opening: str) -> int:
    """Return the position of the bracket or quote that closes the *opening* before *start*, or the end."""
    closing, depth, position = CLOSING.get(opening, opening), 1, start
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return position
        elif char == opening:
            depth += 1
        position += 1
    return len(text)


def parse_template(lexer: Lexer, text: str) -> Node:
    """Return the value of the code *text* in a string."""
    if lexer.depth >= _MAX_TEMPLATES:
        return syntax.Literal(UNKNOWN)
    body = lexer.parse(lexer.language, text, lexer.depth + 1)
    return body[0] if len(body) == 1 and not isinstance(body[0], syntax.Failure) else syntax.Literal(UNKNOWN)


def read_quoted(lexer: Lexer, start: int, opening: str, kind: str) -> tuple[Node | None, int]:
    """Read a literal after its *opening*; return it and the position after it.

    The *kind* is `q` for a plain text, `Q` for one with expressions, `x` for a command, `w` for words, `r`
    for a pattern.
    """
    end = find_closing(lexer.text, start, opening)
    text = lexer.text[start:end]
    if kind == "r":
        return PATTERN, skip_flags(lexer, end + 1)
    if kind == "w":
        return syntax.ListDisplay(tuple([syntax.Literal(word) for word in text.split()])), end + 1
    if kind == "q":
        return syntax.Literal(re.sub(r"\\([\\'])", r"\1", text)), end + 1
    value = split_template(lexer, text)
    return (syntax.Call(syntax.Name("`"), (value,)) if kind == "x" else value), end + 1


def follows_value(lexer: Lexer) -> bool:
    """Return whether the next token stands after a number, a literal or a closing bracket."""
    previous = lexer.tokens[-1] if lexer.tokens else None
    return previous is not None and (previous.kind in ("number", "literal") or previous.text in _VALUE_ENDS)


def split_template(lexer: Lexer, text: str) -> Node:
    """Return a string with expressions."""
    parts: list[Node] = []
    position = 0
    for match in lexer.language.template.finditer(text):
        if match.start() < position:
            continue
        if match.start() > position:
            parts.append(syntax.Literal(unescape(text[position : match.start()])))
        position = match.end()
        if match[0].endswith("{"):
            position = find_closing(text, match.end(), "{")
            parts.append(parse_template(lexer, text[match.end() : position]))
            position += 1
        elif match.lastindex:
            parts.append(parse_template(lexer, match[1]))
        else:
            parts.append(syntax.Literal(unescape(match[0])))
    if position < len(text):
        parts.append(syntax.Literal(unescape(text[position:])))
    if len(parts) > 1 or (parts and not isinstance(parts[0], syntax.Literal)):
        return syntax.Template(tuple(parts))
    return parts[0] if parts else syntax.Literal("")


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", decode_ansi(text), flags=re.DOTALL) if "\\" in text else text


def peek(parser: Parser, offset: int = 0) -> Token:
    return parser.tokens[min(parser.position + offset, len(parser.tokens) - 1)]


def take(parser: Parser) -> Token:
    token = peek(parser)
    parser.position += 1
    return token


def accept(parser: Parser, *texts: str) -> bool:
    """Take the next token if it is one of *texts*."""
    found = peek(parser).text in texts and peek(parser).kind != "literal"
    parser.position += found
    return found


def expect(parser: Parser, text: str) -> None:
    if not accept(parser, text):
        raise ParseFailure


def skip_until(parser: Parser, *ends: str) -> None:
    """Skip the tokens before one of *ends*."""
    while peek(parser).kind != "end" and peek(parser).text not in ends:
        parser.position += 1


def skip_flags(lexer: Lexer, position: int) -> int:
    """Return the position after the letters at *position*."""
    while lexer.text[position : position + 1].isalpha():
        position += 1
    return position


_HERE_DOCUMENT = re.compile(r"[~-]?([\"']?)(\w+)\1")


def read_here_document(lexer: Lexer, start: int) -> tuple[Node | None, int]:
    """Read a here-document whose name begins at *start*; its text begins in the next line."""
    match = _HERE_DOCUMENT.match(lexer.text, start)
    if match is None:
        return None, start
    line_end = lexer.text.find("\n", match.end())
    begin = max(lexer.line_end, line_end + 1 or len(lexer.text))
    closing = re.compile(rf"^[ \t]*{match[2]}\b", re.MULTILINE).search(lexer.text, begin)
    text = lexer.text[begin : closing.start() if closing is not None else len(lexer.text)]
    lexer.line_end = closing.end() if closing is not None else len(lexer.text)
    if match[1] == "'":
        return syntax.Literal(text), match.end()
    return split_template(lexer, text), match.end()
