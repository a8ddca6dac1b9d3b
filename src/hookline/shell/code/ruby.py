"""The syntax of Ruby."""

from __future__ import annotations

from collections.abc import Callable

from hookline.lazy import re
from hookline.shell.code import statements, syntax
from hookline.shell.code.parser import ASSIGNMENT, parse_body, parse_expression, parse_items, parse_parameters
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.code.tokens import (
    Language,
    Lexer,
    ParseFailure,
    Parser,
    Token,
    accept,
    expect,
    follows_value,
    peek,
    rank_operators,
    read_here_document,
    read_quoted,
    take,
)
from hookline.shell.options import word_set

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r\n]|\\\n|\#[^\n]*|^=begin.*?(?:^=end|\Z)|^__END__.*)+)
      | (?P<quote>["'`/]|%[wWiIqQxr]?[({\[<|!/]|<<[~-]?["'A-Z]|:["]|(?<!:):[A-Za-z_]\w*[?!]?)
      | (?P<number>0[xXoObB][\da-fA-F]+|\d[\d_]*(?:\.\d+)?)
      | (?P<name>(?:@@?|\$)?[A-Za-z_\0][\w\0]*(?:[?!](?![=~]))?|\$[0-9!@&*?$])
      | (?P<operator><=>|===|\*\*=|\|\|=|&&=|\.\.\.|<<=|>>=|->|=>|==|!=|=~|!~|<=|>=|&&|\|\||\.\.|&\.|::|\+=|-=
          |\*=|/=|<<|>>|\*\*|[-+*%.<>=!?:;,(){}\[\]&|^~])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_TEMPLATE = re.compile(r"\\.|\#\{", re.DOTALL)
_QUOTES = {"'": "q", "`": "x", "/": "r"}
_ENDS = word_set("end else elsif when rescue ensure in then do")


def _read_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    start = match[0]
    if start[0] == ":" and start != ':"':
        return syntax.Literal(start[1:]), match.end()
    if start[:2] == "<<":
        if _follows_value(lexer, match.start(), spaced=True):
            return None, match.start() + 2
        return read_here_document(lexer, match.start() + 2)
    if start[0] in "/%" and _follows_value(lexer, match.start(), spaced=False):
        return None, match.start() + 1
    kind = _QUOTES.get(start, start[1] if start[0] == "%" else "Q")
    return read_quoted(lexer, match.end(), start[-1], "w" if kind in "WiI" else kind)


def _follows_value(lexer: Lexer, start: int, *, spaced: bool) -> bool:
    """Return whether an operator, and no literal, may stand at *start*."""
    previous = lexer.tokens[-1] if lexer.tokens else None
    if previous is not None and previous.kind == "name":
        before, after = lexer.text[start - 1 : start], lexer.text[start + 1 : start + 2]
        return previous.text not in _ENDS and (spaced or before not in " \t" or after in " =")
    return follows_value(lexer)


def _finish_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.kind == "literal" or token.text == "":
        return _parse_command(parser, node, token) if isinstance(node, syntax.Name) else None
    if token.text in (".", "&.") or (token.text == "::" and peek(parser, 1).text[:1].islower()):
        parser.position += 1
        return _parse_method(parser, node)
    if token.text == "(" and isinstance(node, syntax.Name) and not token.after_newline:
        parser.position += 1
        return syntax.Call(node, _parse_block_argument(parser, _fix_arguments(parse_items(parser, ")"))))
    if token.text == "[" and isinstance(node, syntax.Name) and node.name == "Dir":
        parser.position += 1
        return syntax.Call(syntax.Attribute(node, "glob"), parse_items(parser, "]"))
    if token.text == "do" and parser.allows_do and isinstance(node, syntax.Name | syntax.Call):
        return _add_block(parser, node)
    if token.text == "{" and isinstance(node, syntax.Name | syntax.Call) and not token.after_newline:
        return _add_block(parser, node)
    return _parse_command(parser, node, token) if isinstance(node, syntax.Name) else None


def _parse_command(parser: Parser, node: syntax.Name, token: Token) -> Node | None:
    """Parse a call without parentheses: `system "a"`."""
    is_list = token.text == "[" and parser.text[token.start - 1] == " " and not token.after_newline
    if node.name[:1] in "$@" or not (is_list or _starts_argument(token)):
        return None
    return syntax.Call(node, _parse_block_argument(parser, _parse_arguments(parser)))


def _starts_argument(token: Token) -> bool:
    if token.after_newline:
        return False
    if token.kind == "name":
        return token.text not in RUBY.modifiers | _ENDS and token.text not in RUBY.operators
    return token.kind in ("literal", "number") or token.text == "->"


def _parse_arguments(parser: Parser) -> Body:
    items: list[Node] = []
    pairs: list[tuple[Node, Node]] = []
    while not statements.ends_statement(parser):
        spread = accept(parser, "*", "&", "**")
        item = parse_expression(parser, ASSIGNMENT)
        if accept(parser, ":", "=>"):
            key = syntax.Literal(item.name) if isinstance(item, syntax.Name) else item
            pairs.append((key, parse_expression(parser, ASSIGNMENT)))
        else:
            items.append(syntax.Spread(item) if spread else item)
        if not accept(parser, ","):
            break
    if pairs:
        items.append(syntax.MapDisplay(tuple(pairs)))
    return _fix_arguments(tuple(items))


def _fix_arguments(arguments: Body) -> Body:
    """Return *arguments* with a function in place of `&:name`."""
    return tuple([_to_function(item) for item in arguments])


def _to_function(node: Node) -> Node:
    if isinstance(node, syntax.Spread) and isinstance(node.value, syntax.Call):
        return node.value  # &File.method(:delete)
    if not isinstance(node, syntax.Spread) or not isinstance(node.value, syntax.Literal):
        return node
    call = syntax.Call(syntax.Attribute(syntax.Name("it"), str(node.value.value)), ())
    return syntax.Function("", (syntax.Parameter("it"),), (syntax.Return(call),))


def _parse_method(parser: Parser, node: Node) -> Node:
    """Parse the name and arguments of a method, which is called in any case."""
    name = "call" if peek(parser).text == "(" else take(parser).text
    attribute = syntax.Attribute(node, name)
    token = peek(parser)
    if token.text in RUBY.assignments and name.isidentifier():
        return attribute
    arguments: Body = ()
    if token.text == "(" and not token.after_newline:
        parser.position += 1
        arguments = _fix_arguments(parse_items(parser, ")"))
    elif _starts_argument(token):
        arguments = _parse_arguments(parser)
    return syntax.Call(attribute, _parse_block_argument(parser, arguments))


def _parse_block_argument(parser: Parser, arguments: Body) -> Body:
    if peek(parser).text == "{" or (peek(parser).text == "do" and parser.allows_do):
        return (*arguments, _parse_block(parser))
    return arguments


def _add_block(parser: Parser, node: syntax.Name | syntax.Call) -> Node:
    block = _parse_block(parser)
    if isinstance(node, syntax.Call):
        return node._replace(arguments=(*node.arguments, block))
    return syntax.Call(node, (block,))


def _parse_block(parser: Parser) -> Node:
    opening = take(parser).text
    allows_do, parser.allows_do = parser.allows_do, True
    parameters = parse_parameters(parser, "|") if accept(parser, "|") else (syntax.Parameter("it"),)
    body = parse_body(parser, "end", "rescue", "ensure") if opening == "do" else parse_body(parser)
    parser.allows_do = allows_do
    if opening == "do":
        body = _parse_rescue(parser, body)
    expect(parser, "end" if opening == "do" else "}")
    return syntax.Function("", parameters, statements.return_last(body))


def _parse_rescue(parser: Parser, body: Body) -> Body:
    parts = [body]
    while accept(parser, "rescue", "ensure", "else"):
        if peek(parser).kind == "name" and not peek(parser).after_newline:
            _parse_arguments(parser)
        if accept(parser, "=>"):
            take(parser)
        accept(parser, "then")
        parts.append(parse_body(parser, "rescue", "ensure", "else", "end"))
    return body if len(parts) == 1 else (syntax.Block(tuple(parts)),)


def _parse_for(parser: Parser) -> Body:
    target = parse_expression(parser, 50)
    expect(parser, "in")
    source = statements.parse_header(parser)
    body = statements.parse_branch(parser)
    statements.close_block(parser)
    return (syntax.Loop(target, source, body),)


def _parse_case(parser: Parser) -> Body:
    subject = NOTHING if peek(parser).after_newline else parse_expression(parser)
    cases: list[tuple[Body, Body]] = []
    while not accept(parser, "end"):
        values: Body = ()
        if accept(parser, "when", "in"):
            values = _parse_arguments(parser)
            accept(parser, "then", ";")
        elif not accept(parser, "else", ";"):
            raise ParseFailure
        cases.append((values, parse_body(parser, "when", "else", "end", "in")))
    return syntax.choose_case(subject, cases)


def _parse_begin(parser: Parser) -> Body:
    body = _parse_rescue(parser, parse_body(parser, "rescue", "ensure", "else", "end"))
    expect(parser, "end")
    return body


def _parse_definition(parser: Parser) -> Body:
    name = take(parser).text
    if accept(parser, "."):
        name = take(parser).text
    parameters: tuple[syntax.Parameter, ...] = ()
    if accept(parser, "("):
        parameters = parse_parameters(parser)
    elif not peek(parser).after_newline and peek(parser).kind == "name":
        items = _parse_arguments(parser)
        parameters = tuple([syntax.Parameter(item.name) for item in items if isinstance(item, syntax.Name)])
    if accept(parser, "="):
        return (syntax.Function(name, parameters, (syntax.Return(parse_expression(parser)),)),)
    body = _parse_rescue(parser, parse_body(parser, "end", "rescue", "ensure"))
    expect(parser, "end")
    return (syntax.Function(name, parameters, statements.return_last(body)),)


def _parse_class(parser: Parser) -> Body:
    if accept(parser, "<<"):  # methods of the class that this stands in
        take(parser)
        body = parse_body(parser, "end")
        expect(parser, "end")
        return body
    name = take(parser).text
    bases = (parse_expression(parser),) if accept(parser, "<", "<<") else ()
    body = parse_body(parser, "end")
    expect(parser, "end")
    return (syntax.Class(name, bases, body),)


def _parse_lambda(parser: Parser) -> Node:
    parameters = parse_parameters(parser) if accept(parser, "(") else ()
    block = _parse_block(parser)
    return block._replace(parameters=parameters) if isinstance(block, syntax.Function) else block


def _to_operand(handler: Callable[[Parser], Body]) -> Callable[[Parser], Node]:
    return lambda parser: syntax.Block((handler(parser),))


_PRECEDENCES = (
    ".. ...", "||", "&&", "<=> == === != =~ !~", "< <= > >=", "| ^", "&", "<< >>", "+ -", "* / %", "**",
)  # fmt: skip
_VALUES = {
    "if": statements.parse_if,
    "unless": statements.parse_unless,
    "case": _parse_case,
    "begin": _parse_begin,
}
RUBY = Language(
    token=_TOKEN,
    read_quote=_read_quote,
    template=_TEMPLATE,
    operators=rank_operators("or and", _PRECEDENCES),
    assignments=word_set("= += -= *= /= ||= &&= <<= >>= **="),
    prefixes=word_set("! - + ~ not defined?"),
    statements={
        **statements.COMMON,
        **_VALUES,
        "until": statements.parse_while,
        "for": _parse_for,
        "def": _parse_definition,
        **dict.fromkeys(("class", "module"), _parse_class),
        **dict.fromkeys(("next", "break", "raise"), statements.parse_stop),
    },
    operands={
        **{word: _to_operand(handler) for word, handler in _VALUES.items()},
        "->": _parse_lambda,
        "_1": lambda parser: syntax.Name("it"),
        **statements.TRUTHS,
        "nil": lambda parser: NOTHING,
    },
    finish_operand=_finish_operand,
    modifiers=word_set("if unless while until rescue"),
    block_end="end",
    newline_ends=True,
)
