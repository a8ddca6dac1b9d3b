"""The syntax of PHP."""

from __future__ import annotations

import re

from hookline.shell.code import syntax
from hookline.shell.code.parser import (
    ASSIGNMENT,
    parse_block,
    parse_expression,
    parse_function,
    parse_items,
    parse_parameters,
    parse_program,
)
from hookline.shell.code.statements import (
    ends_statement,
    parse_class,
    parse_counting_loop,
    parse_do,
    parse_if,
    parse_return,
    parse_stop,
    parse_switch,
    parse_try,
    parse_while,
)
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.code.tokens import (
    Language,
    Lexer,
    Parser,
    Token,
    accept,
    expect,
    find_closing,
    peek,
    read_here_document,
    split_template,
    take,
)
from hookline.shell.options import word_set

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#(?!\[)[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)|<\?(?:php|=)?|\?>
          |\((?:string|int|bool|float|array|object)\))+)
      | (?P<quote>["'`]|<<<)
      | (?P<number>0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?)
      | (?P<name>\$?\\?[A-Za-z_\0\x80-\U0010ffff][\w\\\0\x80-\U0010ffff]*)
      | (?P<operator>\?\?=|\?->|<=>|===|!==|\*\*=|\.\.\.|->|=>|::|==|!=|<>|<=|>=|&&|\|\||\?\?|\+\+|--|\+=|-=
          |\*=|/=|\.=|%=|<<|>>|\*\*|[-+*/%.<>=!?:;,(){}\[\]&|^~@$])""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(r"\\.|\{(?=\$)|(\$\w+(?:->\w+|\[[^\]\s]{1,40}\])*)", re.DOTALL)


def parse_php(source: str) -> Body:
    """Return the statements of *source*."""
    return parse_program(LANGUAGE, source)


def _read_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    quote, start = match[0], match.end()
    if quote == "<<<":
        return read_here_document(lexer, start, _TEMPLATE)
    end = find_closing(lexer.text, start, quote)
    text = lexer.text[start:end]
    if quote == "'":
        return syntax.Literal(re.sub(r"\\([\\'])", r"\1", text)), end + 1
    value = split_template(lexer, text, _TEMPLATE)
    return (syntax.Call(syntax.Name("`"), (value,)) if quote == "`" else value), end + 1


def _finish_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.text in ("->", "::", "?->") and peek(parser, 1).text.startswith("$"):
        parser.position += 2
        return syntax.Attribute(node, parser.tokens[parser.position - 1].text.lstrip("$"))
    if isinstance(node, syntax.Name) and node.name.startswith("\\"):
        return syntax.Name(node.name.rpartition("\\")[2])
    if token.text == "instanceof":
        parser.position += 2
        return syntax.Unary("~", node)
    return None


def _parse_new(parser: Parser) -> Node:
    name = syntax.Name(take(parser).text.rpartition("\\")[2])
    return syntax.Call(name, parse_items(parser, ")") if accept(parser, "(") else ())


def _parse_array(parser: Parser) -> Node:
    """Parse `[…]` or `array(…)`, which is a list or a mapping."""
    opening = parser.tokens[parser.position - 1].text
    if opening == "array" and not accept(parser, "("):
        return syntax.Name("array")
    items = parse_items(parser, "]" if opening == "[" else ")")
    is_mapping = len(items) == 1 and isinstance(items[0], syntax.MapDisplay)
    return items[0] if is_mapping else syntax.ListDisplay(items)


def _parse_function(parser: Parser) -> Node:
    accept(parser, "&")
    name = take(parser).text if peek(parser).kind == "name" else ""
    return parse_function(parser, name)


def _parse_arrow(parser: Parser) -> Node:
    expect(parser, "(")
    parameters = parse_parameters(parser)
    expect(parser, "=>")
    return syntax.Function("", parameters, (syntax.Return(parse_expression(parser, ASSIGNMENT)),))


def _parse_foreach(parser: Parser) -> Body:
    expect(parser, "(")
    source = parse_expression(parser)
    expect(parser, "as")
    accept(parser, "&")
    target = parse_expression(parser, ASSIGNMENT)
    if accept(parser, "=>"):
        accept(parser, "&")
        target = parse_expression(parser, ASSIGNMENT)
    expect(parser, ")")
    return (syntax.Loop(target, source, parse_block(parser)),)


def _parse_for(parser: Parser) -> Body:
    expect(parser, "(")
    return parse_counting_loop(parser)


def _parse_call(parser: Parser) -> Node:
    """Parse the arguments of `echo`, `print` or `include`, which has no parentheses."""
    name = syntax.Name(parser.tokens[parser.position - 1].text)
    items: list[Node] = []
    while not ends_statement(parser):
        items.append(parse_expression(parser, ASSIGNMENT))
        if not accept(parser, ","):
            break
    return syntax.Call(name, tuple(items))


def _skip_line(parser: Parser) -> Body:
    while not accept(parser, ";") and peek(parser).kind != "end" and peek(parser).text != "{":
        parser.position += 1
    return ()


_PRECEDENCES = (
    "??", "||", "&&", "|", "^", "&", "== != === !== <>", "< <= > >= <=>", "<< >>", "+ - .", "* / %", "**",
)  # fmt: skip
LANGUAGE = Language(
    token=_TOKEN,
    read_quote=_read_quote,
    operators={
        **dict.fromkeys(("or", "and", "xor"), 0),
        **{sign: 4 + 2 * level for level, signs in enumerate(_PRECEDENCES) for sign in signs.split()},
    },
    assignments=word_set("= += -= *= /= .= %= **= ??="),
    prefixes=word_set("! - + ~ @ & clone throw await ++ --"),
    statements={
        "if": parse_if,
        "while": parse_while,
        "do": parse_do,
        "for": _parse_for,
        "foreach": _parse_foreach,
        "switch": parse_switch,
        "try": parse_try,
        **dict.fromkeys(("class", "interface", "trait"), parse_class),
        "return": parse_return,
        **dict.fromkeys(("break", "continue"), parse_stop),
        **dict.fromkeys(("use", "namespace", "declare", "global"), _skip_line),
    },
    operands={
        "new": _parse_new,
        **dict.fromkeys(("array", "["), _parse_array),
        "function": _parse_function,
        "fn": _parse_arrow,
        **dict.fromkeys(("echo", "print", "include", "include_once", "require", "require_once"), _parse_call),
        **dict.fromkeys(("true", "TRUE"), lambda parser: syntax.Literal(value=True)),
        **dict.fromkeys(("false", "FALSE"), lambda parser: syntax.Literal(value=False)),
        **dict.fromkeys(("null", "NULL"), lambda parser: NOTHING),
    },
    finish_operand=_finish_operand,
)
