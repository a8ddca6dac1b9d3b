"""Statements that several languages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hookline.shell.code import syntax
from hookline.shell.code.parser import (
    CONDITIONAL,
    parse_block,
    parse_body,
    parse_expression,
    parse_function,
    parse_parameters,
    parse_parenthesis,
    parse_statement,
    skip_modifier,
    skip_type,
)
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.code.tokens import ParseFailure, Parser, accept, expect, peek, skip_until, take
from hookline.shell.result import UNKNOWN

_WITHOUT_VALUE = (syntax.Loop, syntax.Return, syntax.Stop, syntax.Failure, syntax.Class)


def parse_header(parser: Parser) -> Node:
    """Parse the condition before a block; without parentheses, `do` begins the block."""
    if not parser.language.block_end:
        expect(parser, "(")
        return parse_parenthesis(parser)
    parser.allows_do = False
    test = parse_expression(parser)
    parser.allows_do = True
    accept(parser, "do", "then", ";")
    return test


def parse_branch(parser: Parser, *ends: str) -> Body:
    """Parse a block, up to its closing word or one of *ends* if braces do not enclose it."""
    block_end = parser.language.block_end
    return parse_body(parser, block_end, *ends) if block_end else parse_block(parser)


def close_block(parser: Parser) -> None:
    if parser.language.block_end:
        expect(parser, parser.language.block_end)


def parse_if(parser: Parser) -> Body:
    test = parse_header(parser)
    then = parse_branch(parser, "elsif", "else")
    if accept(parser, "elsif", "elseif"):
        return (syntax.If(test, then, parse_if(parser)),)
    otherwise = parse_branch(parser) if accept(parser, "else") else ()
    close_block(parser)
    return (syntax.If(test, then, otherwise),)


def parse_unless(parser: Parser) -> Body:
    (node,) = parse_if(parser)
    return (node._replace(test=syntax.Unary("!", node.test)),) if isinstance(node, syntax.If) else (node,)


def parse_while(parser: Parser) -> Body:
    test = parse_header(parser)
    body = parse_branch(parser)
    close_block(parser)
    return (syntax.Loop(None, test, body),)


def parse_do(parser: Parser) -> Body:
    body = parse_block(parser)
    if accept(parser, "while", "until"):
        parse_expression(parser)
    return body


def parse_counting_loop(parser: Parser) -> Body:
    """Parse `a; b; c) { … }` of a `for` loop."""
    parts: list[Node] = []
    while not accept(parser, ")"):
        if peek(parser).kind == "end":
            raise ParseFailure
        if not accept(parser, ";", ","):
            parts += parse_statement(parser)
    body = parse_block(parser)
    first, test = (parts[0], parts[1]) if len(parts) > 1 else (NOTHING, NOTHING)
    if isinstance(first, syntax.Assign) and isinstance(test, syntax.Binary) and test.operator == "<":
        return (
            syntax.Loop(first.target, syntax.Call(syntax.Module("range"), (first.value, test.right)), body),
        )
    return (*parts[:1], syntax.Loop(None, syntax.Literal(UNKNOWN), (*parts[1:], *body)))


def parse_return(parser: Parser) -> Body:
    return (syntax.Return(NOTHING if ends_statement(parser) else parse_expression(parser)),)


def parse_stop(parser: Parser) -> Body:
    if not ends_statement(parser):
        parse_expression(parser)
    return (syntax.Stop(),)


def ends_statement(parser: Parser) -> bool:
    """Return whether a statement ends before the next token."""
    token = peek(parser)
    return token.after_newline or token.text in (";", "}") or token.text in parser.language.modifiers


def parse_try(parser: Parser) -> Body:
    parts = [parse_block(parser)]
    while accept(parser, "catch", "finally"):
        if accept(parser, "("):
            parse_parameters(parser)
        parts.append(parse_block(parser))
    return (syntax.Block(tuple(parts)),)


def parse_switch(parser: Parser) -> Body:
    """Parse a `switch`; a case without a `break` continues with the next one."""
    expect(parser, "(")
    subject = parse_parenthesis(parser)
    expect(parser, "{")
    parts: list[tuple[Body, Body]] = []
    while not accept(parser, "}"):
        values: Body = ()
        if accept(parser, "case"):
            values = (parse_expression(parser, CONDITIONAL + 1),)
        elif not accept(parser, "default"):
            raise ParseFailure
        accept(parser, ":", ";")
        parts.append((values, parse_body(parser, "case", "default")))
    return syntax.choose_case(subject, _join_cases(parts))


def _join_cases(parts: list[tuple[Body, Body]]) -> list[tuple[Body, Body]]:
    """Return the cases, each with the bodies up to the next `break`, which ends nothing but the case."""
    cases: list[tuple[Body, Body]] = []
    after: Body = ()
    for values, body in reversed(parts):
        ends = bool(body) and isinstance(body[-1], syntax.Stop | syntax.Return)
        after = body if ends else body + after
        cases.append((values, after[:-1] if after and isinstance(after[-1], syntax.Stop) else after))
    return cases[::-1]


def parse_match(parser: Parser) -> Node:
    """Parse `match (subject) { "a", "b" => value, default => value }`."""
    expect(parser, "(")
    subject = parse_parenthesis(parser)
    expect(parser, "{")
    cases: list[tuple[Body, Body]] = []
    while not accept(parser, "}"):
        values: list[Node] = []
        while not accept(parser, "=>"):
            if not accept(parser, "default", ","):
                values.append(parse_expression(parser, CONDITIONAL))
        cases.append((tuple(values), (parse_expression(parser, CONDITIONAL),)))
        accept(parser, ",")
    return syntax.Block((syntax.choose_case(subject, cases),))


def parse_class(parser: Parser) -> Body:
    """Parse a class with a body in braces."""
    name = take(parser).text if peek(parser).kind == "name" and peek(parser).text != "extends" else ""
    bases: list[Node] = []
    while not accept(parser, "{"):
        word = take(parser)
        if word.kind == "end":
            raise ParseFailure
        if word.kind == "name" and word.text not in ("extends", "implements"):
            bases.append(syntax.Name(word.text))
    body: list[Node] = []
    while not accept(parser, "}"):
        if peek(parser).kind == "end":
            raise ParseFailure
        body += _parse_member(parser)
    return (syntax.Class(name, tuple(bases), tuple(body)),)


def _parse_member(parser: Parser) -> Body:
    while accept(parser, ";", "*", "#", "?") or skip_modifier(parser):
        pass
    name = take(parser)
    if peek(parser).text == "(":
        return (parse_function(parser, name.text),)
    if name.text == "{":  # a static block
        parser.position -= 1
        return parse_block(parser)
    if name.kind not in ("name", "literal"):
        raise ParseFailure
    skip_type(parser)
    if accept(parser, "="):
        return (syntax.Assign(syntax.Name(name.text.lstrip("$")), parse_expression(parser)),)
    return ()


def return_last(body: Body) -> Body:
    """Return *body* with the value of its last expression as its result."""
    if body and isinstance(last := body[-1], syntax.If):
        return (*body[:-1], last._replace(then=return_last(last.then), otherwise=return_last(last.otherwise)))
    if not body or isinstance(body[-1], _WITHOUT_VALUE):
        return body
    return (*body[:-1], syntax.Return(body[-1]))


def parse_import(parser: Parser) -> Body:
    """Parse `import a, {b as c} from "module"`; `import(…)` is an expression."""
    if peek(parser).text in ("(", "."):
        parser.position -= 1
        return (parse_expression(parser),)
    names: list[tuple[str, str]] = []
    while peek(parser).kind not in ("literal", "end"):
        token = take(parser)
        if token.text == "*":
            names.append(("", peek(parser, 1).text))
            parser.position += 2
        elif token.text == "{":
            names += _parse_imported_names(parser)
        elif token.kind == "name" and token.text not in ("from", "type"):
            names.append(("", token.text))
    module = take(parser).node
    source = module.value if isinstance(module, syntax.Literal) and isinstance(module.value, str) else ""
    return tuple(
        [
            syntax.Assign(syntax.Name(alias), syntax.Module(f"{source}.{name}" if name else source))
            for name, alias in names
        ]
    )


def _parse_imported_names(parser: Parser) -> list[tuple[str, str]]:
    names: list[tuple[str, str]] = []
    while not accept(parser, "}"):
        name = take(parser)
        if name.kind == "end":
            raise ParseFailure
        if name.kind == "name" and name.text != "type":
            alias = take(parser).text if accept(parser, "as") else name.text
            names.append(("" if name.text == "default" else name.text, alias))
    return names


def parse_export(parser: Parser) -> Body:
    accept(parser, "default")
    return parse_statement(parser)


def skip_type_declaration(parser: Parser) -> Body:
    skip_until(parser, "{", ";", "=")
    if accept(parser, "{"):
        depth = 1
        while depth and (token := take(parser)).kind != "end":
            depth += (token.text == "{") - (token.text == "}")
        return ()
    parse_expression(parser) if accept(parser, "=") else None
    return ()


COMMON: Mapping[str, Callable[[Parser], Body]] = {
    "if": parse_if,
    "while": parse_while,
    "return": parse_return,
}
BRACES: Mapping[str, Callable[[Parser], Body]] = {
    **COMMON,
    "do": parse_do,
    "switch": parse_switch,
    "try": parse_try,
    "class": parse_class,
    **dict.fromkeys(("break", "continue"), parse_stop),
}
"""Statements of the languages with braces."""
TRUTHS: Mapping[str, Callable[[Parser], Node]] = {
    **dict.fromkeys(("true", "TRUE"), lambda parser: syntax.Literal(value=True)),
    **dict.fromkeys(("false", "FALSE"), lambda parser: syntax.Literal(value=False)),
}
