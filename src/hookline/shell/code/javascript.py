"""The syntax of JavaScript, and of the TypeScript that adds types to it."""

from __future__ import annotations

import re

from hookline.shell.code import syntax
from hookline.shell.code.parser import (
    parse_block,
    parse_expression,
    parse_function,
    parse_items,
    parse_parameters,
    parse_program,
    parse_statement,
)
from hookline.shell.code.statements import (
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
    PATTERN,
    Language,
    Lexer,
    ParseFailure,
    Parser,
    Token,
    accept,
    expect,
    find_closing,
    peek,
    split_template,
    take,
    unescape,
)
from hookline.shell.options import word_set

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z)|^\#![^\n]*)+)
      | (?P<number>0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?n?)
      | (?P<name>[A-Za-z_$\x80-\U0010ffff\0][\w$\x80-\U0010ffff\0]*)
      | (?P<quote>["'`/])
      | (?P<operator>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.
          |\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*%&|^~!<>=?:;,.(){}\[\]\#@])""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(r"\\.|\$\{", re.DOTALL)
_PATTERN = re.compile(r"/(?![*/])(?:[^\n/\\\[]|\\.|\[(?:[^\n\]\\]|\\.)*\])+/[a-z]*")
_MAX_TYPE_TOKENS = 10
"""Maximum tokens of the type of an arrow function."""
_VALUE_ENDS = word_set(") ] }")
_BEFORE_PATTERN = word_set("return typeof case in of delete void throw new else do await yield")


def parse_javascript(source: str) -> Body:
    """Return the statements of *source*."""
    return parse_program(LANGUAGE, source)


def _read_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    quote, start = match[0], match.end()
    if quote == "/":
        return _read_pattern(lexer, match)
    end = find_closing(lexer.text, start, quote)
    text = lexer.text[start:end]
    if quote == "`":
        return split_template(lexer, text, _TEMPLATE), end + 1
    return syntax.Literal(unescape(text)), end + 1


def _read_pattern(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    previous = lexer.tokens[-1] if lexer.tokens else None
    is_value = previous is not None and (
        previous.kind in ("number", "literal")
        or (previous.kind == "name" and previous.text not in _BEFORE_PATTERN)
        or previous.text in _VALUE_ENDS
    )
    pattern = None if is_value else _PATTERN.match(lexer.text, match.start())
    if pattern is not None:
        return PATTERN, pattern.end()
    return None, match.end() + lexer.text.startswith("=", match.end())


def _finish_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.text == "=>" and not token.after_newline:
        return _parse_arrow(parser, _to_parameters(node))
    if token.kind == "literal" and token.text.startswith("`"):
        parser.position += 1
        return syntax.Call(node, (token.node,))
    if token.text == "?." and peek(parser, 1).text in ("(", "["):
        parser.position += 1
        return node
    if token.text in ("as", "satisfies") and peek(parser, 1).kind == "name" and not token.after_newline:
        parser.position += 2
        return node
    if token.text == "!" and peek(parser, 1).text in (".", ")", ";", ","):
        parser.position += 1
        return node
    return None


def _parse_arrow(parser: Parser, parameters: tuple[syntax.Parameter, ...]) -> Node:
    expect(parser, "=>")
    if peek(parser).text == "{":
        return syntax.Function("", parameters, parse_block(parser))
    return syntax.Function("", parameters, (syntax.Return(parse_expression(parser, 1)),))


def _to_parameters(node: Node) -> tuple[syntax.Parameter, ...]:
    """Return the parameters of an arrow function whose left side was parsed as an expression."""
    nodes = node.items if isinstance(node, syntax.ListDisplay) else (node,)
    return tuple([_to_parameter(item) for item in nodes])


def _to_parameter(node: Node) -> syntax.Parameter:
    if isinstance(node, syntax.Name):
        return syntax.Parameter(node.name)
    if isinstance(node, syntax.Spread) and isinstance(node.value, syntax.Name):
        return syntax.Parameter(node.value.name, kind="*")
    if isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name):
        return syntax.Parameter(node.target.name, node.value)
    return syntax.Parameter("", node.target if isinstance(node, syntax.Assign) else node, "pattern")


def _parse_parenthesis_or_arrow(parser: Parser) -> Node:
    """Parse `(…)`, which may be the parameters of an arrow function, with types."""
    end = parser.closings.get(parser.position - 1, parser.position)
    after = [token.text for token in parser.tokens[end + 1 : end + _MAX_TYPE_TOKENS]]
    if after[:1] == ["=>"] or (after[:1] == [":"] and "=>" in after):
        parameters = parse_parameters(parser)
        while peek(parser).text != "=>":
            parser.position += 1
        return _parse_arrow(parser, parameters)
    items = parse_items(parser, ")")
    return items[-1] if items else NOTHING


def _parse_new(parser: Parser) -> Node:
    node: Node = syntax.Name(take(parser).text)
    while accept(parser, "."):
        node = syntax.Attribute(node, take(parser).text)
    return syntax.Call(node, parse_items(parser, ")") if accept(parser, "(") else ())


def _parse_function(parser: Parser) -> Node:
    accept(parser, "*")
    name = take(parser).text if peek(parser).kind == "name" else ""
    return parse_function(parser, name)


def _parse_async(parser: Parser) -> Node:
    """Parse `async`, which changes nothing in a function; elsewhere it is a name."""
    if accept(parser, "function"):
        return _parse_function(parser)
    if accept(parser, "("):
        return _parse_parenthesis_or_arrow(parser)
    return syntax.Name(take(parser).text if peek(parser).kind == "name" else "async")


def _parse_declaration(parser: Parser) -> Body:
    """Parse `const a = 1, {b} = c`."""
    found: list[Node] = []
    while True:
        target = _parse_target(parser)
        if accept(parser, "="):
            found.append(syntax.Assign(target, parse_expression(parser, 1)))
        elif peek(parser).text in ("of", "in"):
            return (target,)
        if not accept(parser, ","):
            return tuple(found)


def _parse_target(parser: Parser) -> Node:
    if peek(parser).text in ("{", "["):
        node = parse_expression(parser, 50)
    elif peek(parser).kind == "name":
        node = syntax.Name(take(parser).text)
    else:
        raise ParseFailure
    if accept(parser, ":"):  # a type
        while peek(parser).text not in ("=", ",", ";", "of", "") and not peek(parser).after_newline:
            parser.position += 1
    return node


def _parse_for(parser: Parser) -> Body:
    accept(parser, "await")
    expect(parser, "(")
    start = parser.position
    declares = accept(parser, "const", "let", "var")
    if declares or peek(parser, 1).text in ("of", "in"):
        target = _parse_target(parser)
        if peek(parser).text in ("of", "in"):
            parser.position += 1
            source = parse_expression(parser)
            expect(parser, ")")
            return (syntax.Loop(target, source, parse_block(parser)),)
    parser.position = start
    return parse_counting_loop(parser)


def _parse_import(parser: Parser) -> Body:
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


def _parse_export(parser: Parser) -> Body:
    accept(parser, "default")
    return parse_statement(parser)


def _skip_type_declaration(parser: Parser) -> Body:
    while peek(parser).kind != "end" and peek(parser).text not in ("{", ";", "="):
        parser.position += 1
    if accept(parser, "{"):
        depth = 1
        while depth and (token := take(parser)).kind != "end":
            depth += (token.text == "{") - (token.text == "}")
        return ()
    parse_expression(parser) if accept(parser, "=") else None
    return ()


_PRECEDENCES = (
    "|| ??", "&&", "|", "^", "&", "== != === !==", "< <= > >= in instanceof", "<< >> >>>", "+ -", "* / %",
    "**",
)  # fmt: skip
LANGUAGE = Language(
    token=_TOKEN,
    read_quote=_read_quote,
    operators={
        ",": 0,
        **{sign: 4 + 2 * level for level, signs in enumerate(_PRECEDENCES) for sign in signs.split()},
    },
    assignments=word_set("= += -= *= /= %= **= &&= ||= ??= |= &= ^= <<= >>= >>>="),
    prefixes=word_set("! - + ~ typeof void delete await yield ++ --"),
    statements={
        **dict.fromkeys(("const", "let", "var"), _parse_declaration),
        "if": parse_if,
        "while": parse_while,
        "do": parse_do,
        "for": _parse_for,
        "switch": parse_switch,
        "try": parse_try,
        "class": parse_class,
        "return": parse_return,
        **dict.fromkeys(("throw", "break", "continue"), parse_stop),
        "import": _parse_import,
        "export": _parse_export,
        **dict.fromkeys(("interface", "declare"), _skip_type_declaration),
    },
    operands={
        "(": _parse_parenthesis_or_arrow,
        "new": _parse_new,
        "function": _parse_function,
        "async": _parse_async,
        "class": lambda parser: parse_class(parser)[0],
        "true": lambda parser: syntax.Literal(value=True),
        "false": lambda parser: syntax.Literal(value=False),
        **dict.fromkeys(("null", "undefined"), lambda parser: NOTHING),
    },
    finish_operand=_finish_operand,
)
