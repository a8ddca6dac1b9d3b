"""A precedence parser for JavaScript, Perl, Ruby and PHP, with a table for each language.

The parser is tolerant: a statement that it cannot parse becomes a `Failure`, and it continues after it.
"""

from __future__ import annotations

import re

from hookline.shell.code import syntax
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.code.tokens import (
    CLOSING,
    Language,
    Lexer,
    ParseFailure,
    Parser,
    Token,
    accept,
    expect,
    match_parentheses,
    peek,
    take,
    tokenize,
)
from hookline.shell.result import UNKNOWN

_MAX_DEPTH = 40
"""Maximum nesting of expressions and statements; each level takes about five frames."""
ASSIGNMENT = 1
"""The precedence of assignments."""
CONDITIONAL = 3
_UNARY = 40
_MEMBER_OPERATORS = (".", "?.", "->", "::", "&.", "?->")
_BLOCK_ENDS = ("endif", "endforeach", "endfor", "endwhile")


def parse_program(language: Language, source: str, template_depth: int = 0) -> Body:
    """Return the statements of *source*."""
    lexer = Lexer(language, source, template_depth, parse_program)
    tokens = tokenize(lexer)
    parser = Parser(language, source, tokens, match_parentheses(tokens))
    body: list[Node] = []
    while peek(parser).kind != "end":
        body += parse_body(parser)
        parser.position += peek(parser).kind != "end"  # a closing bracket that was not opened
    return tuple(body)


def parse_body(parser: Parser, *ends: str) -> Body:
    """Parse statements up to a token of *ends* or a closing brace."""
    body: list[Node] = []
    while (token := peek(parser)).kind != "end":
        if token.kind != "literal" and (token.text in ends or token.text == "}"):
            break
        start = parser.position
        try:
            body += parse_statement(parser)
        except ParseFailure:
            _skip_statement(parser, start)
            body.append(
                syntax.Failure("code cannot be parsed", parser.text[token.start : peek(parser).start])
            )
    return tuple(body)


def _skip_statement(parser: Parser, start: int) -> None:
    parser.position = max(parser.position, start + 1)
    while (token := peek(parser)).kind != "end" and token.text not in (";", "}"):
        if token.after_newline and parser.position > start + 1:
            return
        parser.position += 1
    accept(parser, ";")


def parse_statement(parser: Parser) -> Body:
    parser.depth += 1
    if parser.depth > _MAX_DEPTH:
        parser.depth -= 1
        raise ParseFailure
    try:
        body = _parse_modified(parser)
    finally:
        parser.depth -= 1
    return body


def _parse_modified(parser: Parser) -> Body:
    """Parse a statement with the modifiers after it: `… if test`, `… for items`."""
    token = peek(parser)
    handler = parser.language.statements.get(token.text) if token.kind == "name" else None
    if handler is not None and peek(parser, 1).text not in ("=", ".", "=>", ":"):
        parser.position += 1
        body = handler(parser)
    elif accept(parser, "{"):
        body = parse_body(parser)
        expect(parser, "}")
    elif accept(parser, ";"):
        return ()
    else:
        body = (_parse_targets(parser, parse_expression(parser)),)
    while peek(parser).text in parser.language.modifiers and not peek(parser).after_newline:
        word = take(parser).text
        test = parse_expression(parser)
        if word in ("for", "foreach"):
            body = (syntax.Loop(syntax.Name("$_"), test, body),)
        elif word == "rescue":
            body = (syntax.Block((body, (test,))),)
        else:
            test = syntax.Unary("!", test) if word in ("unless", "until") else test
            body = (syntax.If(test, body, ()),)
    accept(parser, ";")
    return body


def _parse_targets(parser: Parser, first: Node) -> Node:
    """Parse the rest of `a, b = c`, which has no brackets in Ruby."""
    items = [first]
    while parser.language.newline_ends and accept(parser, ","):
        accept(parser, "*")
        items.append(parse_expression(parser))
    last = items[-1]
    if len(items) == 1 or not isinstance(last, syntax.Assign):
        return first
    return syntax.Assign(syntax.ListDisplay((*items[:-1], last.target)), last.value, declares=False)


def parse_expression(parser: Parser, minimum: int = 0) -> Node:
    """Parse an expression of operators with at least the precedence *minimum*."""
    parser.depth += 1
    if parser.depth > _MAX_DEPTH:
        parser.depth -= 1
        raise ParseFailure
    try:
        left = _parse_operand(parser)
        while (right := _parse_operator(parser, left, minimum)) is not None:
            left = right
    finally:
        parser.depth -= 1
    return left


def _parse_operator(parser: Parser, left: Node, minimum: int) -> Node | None:
    """Parse an operator and its right side after *left*; None if there is no such operator."""
    token = peek(parser)
    language = parser.language
    if token.kind in ("literal", "end", "number") or (token.after_newline and language.newline_ends):
        return None
    if token.text in language.assignments:
        if minimum > ASSIGNMENT:
            return None
        parser.position += 1
        value = parse_expression(parser, ASSIGNMENT)
        if token.text not in ("=", ":="):
            value = syntax.Binary(token.text[:-1], left, value)
        return syntax.Assign(left, value, declares=False)
    if token.text == "?":
        return _parse_conditional(parser, left, minimum)
    precedence = language.operators.get(token.text)
    if precedence is None or precedence < minimum or (precedence == minimum and minimum):
        return None
    parser.position += 1
    return join_operands(token.text, left, parse_expression(parser, precedence))


def join_operands(operator: str, left: Node, right: Node) -> Node:
    """Return the node of a binary operator; a substitution in Perl changes its left side."""
    if operator == "=~" and isinstance(right, syntax.Call) and isinstance(right.function, syntax.Name):
        call = syntax.Call(syntax.Attribute(left, right.function.name), right.arguments)
        return syntax.Assign(left.target if isinstance(left, syntax.Assign) else left, call, declares=False)
    return syntax.Binary(operator, left, right)


def _parse_conditional(parser: Parser, test: Node, minimum: int) -> Node | None:
    if minimum > CONDITIONAL:
        return None
    parser.position += 1
    if accept(parser, ":"):  # PHP: a ?: b
        return syntax.Binary("||", test, parse_expression(parser, CONDITIONAL))
    then = parse_expression(parser, ASSIGNMENT)
    expect(parser, ":")
    return syntax.Conditional(test, then, parse_expression(parser, ASSIGNMENT))


def _parse_operand(parser: Parser) -> Node:
    token = take(parser)
    language = parser.language
    if token.kind in ("literal", "number"):
        return _parse_suffixes(parser, token.node if token.kind == "literal" else _number(token.text))
    if token.text in language.operands:
        return _parse_suffixes(parser, language.operands[token.text](parser))
    if token.text in language.prefixes:
        operand = parse_expression(parser, _UNARY)
        return (
            syntax.Unary(token.text, operand) if not token.text.isalpha() or token.text == "not" else operand
        )
    if token.kind == "name":
        return _parse_suffixes(parser, syntax.Name(token.text))
    if token.text == "(":
        return _parse_suffixes(parser, parse_parenthesis(parser))
    if token.text == "[":
        return _parse_suffixes(parser, syntax.ListDisplay(parse_items(parser, "]")))
    if token.text == "{":
        return _parse_suffixes(parser, parse_mapping(parser))
    raise ParseFailure


def _number(text: str) -> Node:
    plain = re.sub(r"^0(?=\d+$)", "0o", text.replace("_", "").lower().rstrip("n"))
    try:
        return syntax.Literal(
            int(plain, 0) if not re.search(r"[.e]", plain) or plain[:2] == "0x" else float(plain)
        )
    except ValueError:
        return syntax.Literal(UNKNOWN)


def parse_parenthesis(parser: Parser) -> Node:
    items = parse_items(parser, ")")
    return (
        items[0] if len(items) == 1 and not isinstance(items[0], syntax.Spread) else syntax.ListDisplay(items)
    )


def parse_items(parser: Parser, end: str) -> Body:
    """Parse expressions that commas separate, up to the bracket *end*; `key => value` gives a mapping."""
    items: list[Node] = []
    pairs: list[tuple[Node, Node]] = []
    while not accept(parser, end):
        if peek(parser).kind == "end":
            raise ParseFailure
        if accept(parser, ","):
            continue
        if accept(parser, "...", "*", "**", "&"):
            items.append(syntax.Spread(parse_expression(parser, ASSIGNMENT)))
            continue
        item = parse_expression(parser, ASSIGNMENT)
        if accept(parser, "=>", ":"):
            pairs.append((_key(item), parse_expression(parser, ASSIGNMENT)))
        else:
            items.append(item)
    return (*items, syntax.MapDisplay(tuple(pairs))) if pairs else tuple(items)


def _key(node: Node) -> Node:
    return syntax.Literal(node.name) if isinstance(node, syntax.Name) and node.name[:1] not in "$@%" else node


def parse_mapping(parser: Parser) -> Node:
    """Parse `{key: value, name, ...rest, method() { … }}` after its opening brace."""
    pairs: list[tuple[Node, Node]] = []
    while not accept(parser, "}"):
        if peek(parser).kind == "end":
            raise ParseFailure
        if accept(parser, ",", ";"):
            continue
        if accept(parser, "...", "**"):
            pairs.append((syntax.Spread(NOTHING), parse_expression(parser, ASSIGNMENT)))
            continue
        pairs.append(_parse_entry(parser))
    return syntax.MapDisplay(tuple(pairs))


def _parse_entry(parser: Parser) -> tuple[Node, Node]:
    while peek(parser).text in ("async", "get", "set", "*") and peek(parser, 1).kind in ("name", "literal"):
        parser.position += 1
    if accept(parser, "["):
        key = parse_parenthesis_until(parser, "]")
    else:
        token = take(parser)
        key = token.node if token.kind == "literal" else syntax.Literal(token.text)
        if token.kind == "operator":
            raise ParseFailure
        if token.kind == "name" and peek(parser).text in (",", "}", "="):
            name: Node = syntax.Name(token.text)
            default = parse_expression(parser, ASSIGNMENT) if accept(parser, "=") else None
            return key, name if default is None else syntax.Assign(name, default)
    if peek(parser).text == "(":
        return key, parse_function(parser, "")
    if not accept(parser, ":", "=>", ","):
        raise ParseFailure
    return key, parse_expression(parser, ASSIGNMENT)


def parse_parenthesis_until(parser: Parser, end: str) -> Node:
    node = parse_expression(parser)
    expect(parser, end)
    return node


def _parse_suffixes(parser: Parser, node: Node) -> Node:
    """Parse the attributes, calls and indices after an operand."""
    while (token := peek(parser)).kind != "end":
        following = parser.language.finish_operand(parser, node, token)
        if following is None:
            following = _parse_suffix(parser, node, token)
        if following is None:
            return node
        node = following
    return node


def _parse_suffix(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.kind == "literal":
        return None
    is_member = token.text in _MEMBER_OPERATORS and token.text not in parser.language.operators
    if is_member and peek(parser, 1).kind == "name":
        parser.position += 2
        return syntax.Attribute(node, parser.tokens[parser.position - 1].text)
    if token.text == "(" and not token.after_newline:
        parser.position += 1
        return syntax.Call(node, parse_items(parser, ")"))
    if token.text == "[" and not token.after_newline:
        parser.position += 1
        key = parse_parenthesis_until(parser, "]") if peek(parser).text != "]" else NOTHING
        parser.position += key is NOTHING
        return syntax.Index(node, key)
    if token.text in ("++", "--"):
        parser.position += 1
        return syntax.Assign(node, syntax.Binary(token.text[0], node, syntax.Literal(1)), declares=False)
    return None


def parse_function(parser: Parser, name: str) -> Node:
    """Parse the parameters and the body of a function."""
    parameters = parse_parameters(parser) if accept(parser, "(") else ()
    skip_type(parser)
    if accept(parser, "use"):  # PHP: variables of the enclosing function
        expect(parser, "(")
        parse_items(parser, ")")
        skip_type(parser)
    return syntax.Function(name, parameters, parse_block(parser))


def parse_parameters(parser: Parser, end: str = ")") -> tuple[syntax.Parameter, ...]:
    found: list[syntax.Parameter] = []
    while not accept(parser, end):
        if peek(parser).kind == "end":
            raise ParseFailure
        if accept(parser, ",", "?", "&", ";", "|") or skip_modifier(parser):
            continue
        kind = "*" if accept(parser, "...", "*", "**") else ""
        found.append(_parse_parameter(parser, kind))
    return tuple(found)


def skip_modifier(parser: Parser) -> bool:
    """Skip a word before another word, such as `static` or a type."""
    following = peek(parser, 1)
    is_type = following.text in ("...", "|") and "." in parser.language.operators  # PHP
    found = peek(parser).kind == "name" and (following.kind == "name" or is_type)
    parser.position += found
    return found


def _parse_parameter(parser: Parser, kind: str) -> syntax.Parameter:
    if accept(parser, "{"):
        pattern = parse_mapping(parser)
        skip_type(parser)
        if accept(parser, "="):
            parse_expression(parser, ASSIGNMENT)
        return syntax.Parameter("", pattern, "pattern")
    if accept(parser, "[", "("):
        opening = parser.tokens[parser.position - 1].text
        return syntax.Parameter("", syntax.ListDisplay(parse_items(parser, CLOSING[opening])), "pattern")
    name = take(parser)
    if name.kind != "name":
        raise ParseFailure
    accept(parser, "?")
    if parser.language.newline_ends and accept(parser, ":"):  # Ruby: name: default
        has_default = peek(parser).text not in (",", ")", "|")
        return syntax.Parameter(name.text, parse_expression(parser, ASSIGNMENT) if has_default else None, "=")
    skip_type(parser)
    default = parse_expression(parser, ASSIGNMENT) if accept(parser, "=") else None
    return syntax.Parameter(name.text, default, kind)


def skip_type(parser: Parser) -> None:
    """Skip the type of a variable or function in TypeScript or PHP."""
    if not accept(parser, ":"):
        return
    depth = 0
    while (token := peek(parser)).kind != "end":
        if not depth and token.text in ("=", ",", ")", "{", ";", "=>", "of", "in"):
            return
        depth += (token.text in ("<", "[", "(")) - (token.text in (">", "]", ")"))
        parser.position += 1


def parse_block(parser: Parser) -> Body:
    """Parse a body in braces or, in PHP, between a colon and `endif` or the like, or one statement."""
    if "." in parser.language.operators and accept(parser, ":"):
        body = parse_body(parser, "else", "elseif", *_BLOCK_ENDS)
        accept(parser, *_BLOCK_ENDS)
        return body
    if not accept(parser, "{"):
        return parse_statement(parser)
    body = parse_body(parser)
    expect(parser, "}")
    return body
