"""The syntax of JavaScript, with the types of TypeScript, and of PHP."""

from __future__ import annotations

from hookline.lazy import re
from hookline.shell.code import statements, syntax
from hookline.shell.code.parser import (
    ASSIGNMENT,
    parse_block,
    parse_expression,
    parse_function,
    parse_items,
    parse_parameters,
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
    follows_value,
    peek,
    rank_operators,
    read_here_document,
    read_quoted,
    skip_until,
    take,
    unescape,
)
from hookline.shell.options import word_set

_JAVASCRIPT_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z)|^\#![^\n]*)+)
      | (?P<number>0[xXoObB][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?n?)
      | (?P<name>\#?[A-Za-z_$\x80-\U0010ffff\0][\w$\x80-\U0010ffff\0]*)
      | (?P<quote>["'`/])
      | (?P<operator>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.
          |\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*%&|^~!<>=?:;,.(){}\[\]\#@])""",
    re.VERBOSE | re.DOTALL,
)

_JAVASCRIPT_TEMPLATE = re.compile(r"\\.|\$\{", re.DOTALL)

_PATTERN = re.compile(r"/(?![*/])(?:[^\n/\\\[]|\\.|\[(?:[^\n\]\\]|\\.)*\])+/[a-z]*")

_MAX_TYPE_TOKENS = 10
"""Maximum tokens of the type of an arrow function."""

_BEFORE_PATTERN = word_set("return typeof case in of delete void throw new else do await yield")


def _read_javascript_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    quote, start = match[0], match.end()
    if quote == "/":
        return _read_pattern(lexer, match)
    if quote == "`":
        return read_quoted(lexer, start, quote, "Q")
    end = find_closing(lexer.text, start, quote)
    return syntax.Literal(unescape(lexer.text[start:end])), end + 1


def _read_pattern(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    previous = lexer.tokens[-1] if lexer.tokens else None
    is_name = previous is not None and previous.kind == "name" and previous.text not in _BEFORE_PATTERN
    is_value = is_name or follows_value(lexer)
    pattern = None if is_value else _PATTERN.match(lexer.text, match.start())
    if pattern is not None:
        return PATTERN, pattern.end()
    return None, match.end() + lexer.text.startswith("=", match.end())


def _finish_javascript_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.text == "=>" and not token.after_newline:
        return _parse_arrow_body(parser, _to_parameters(node))
    if token.kind == "literal" and token.text.startswith("`"):
        parser.position += 1
        return syntax.Call(node, (_quote_parts(node, token.node),))
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


def _quote_parts(tag: Node, text: Node) -> Node:
    """Return the template *text* of a shell command, with its values in quotes as `$` passes them."""
    function = tag.function if isinstance(tag, syntax.Call) else tag
    if getattr(function, "name", "") not in ("$", "execa") or not isinstance(text, syntax.Template):
        return text
    parts = [
        part if isinstance(part, syntax.Literal) else syntax.Call(syntax.Module("zx.quote"), (part,))
        for part in text.parts
    ]
    return syntax.Template(tuple(parts))


def _parse_arrow_body(parser: Parser, parameters: tuple[syntax.Parameter, ...]) -> Node:
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
        return _parse_arrow_body(parser, parameters)
    items = parse_items(parser, ")")
    return items[-1] if items else NOTHING


def _parse_new_object(parser: Parser) -> Node:
    node: Node = syntax.Name(take(parser).text)
    while accept(parser, "."):
        node = syntax.Attribute(node, take(parser).text)
    return syntax.Call(node, parse_items(parser, ")") if accept(parser, "(") else ())


def _parse_function(parser: Parser) -> Node:
    accept(parser, "*", "&")
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


def _parse_for_of(parser: Parser) -> Body:
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
    return statements.parse_counting_loop(parser)


_JAVASCRIPT_PRECEDENCES = (
    "|| ??", "&&", "|", "^", "&", "== != === !==", "< <= > >= in instanceof", "<< >> >>>", "+ -", "* / %",
    "**",
)  # fmt: skip

JAVASCRIPT = Language(
    token=_JAVASCRIPT_TOKEN,
    read_quote=_read_javascript_quote,
    template=_JAVASCRIPT_TEMPLATE,
    operators=rank_operators(",", _JAVASCRIPT_PRECEDENCES),
    assignments=word_set("= += -= *= /= %= **= &&= ||= ??= |= &= ^= <<= >>= >>>="),
    prefixes=word_set("! - + ~ typeof void delete await ++ --"),
    statements={
        **dict.fromkeys(("const", "let", "var"), _parse_declaration),
        **statements.BRACES,
        "for": _parse_for_of,
        "throw": statements.parse_stop,
        "import": statements.parse_import,
        "export": statements.parse_export,
        **dict.fromkeys(("interface", "declare"), statements.skip_type_declaration),
    },
    operands={
        "(": _parse_parenthesis_or_arrow,
        "new": _parse_new_object,
        "function": _parse_function,
        "async": _parse_async,
        "yield": lambda parser: syntax.Yield(parse_expression(parser, ASSIGNMENT)),
        "class": lambda parser: statements.parse_class(parser)[0],
        **statements.TRUTHS,
        **dict.fromkeys(("null", "undefined"), lambda parser: NOTHING),
    },
    finish_operand=_finish_javascript_operand,
)

_PHP_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#(?!\[)[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)|<\?(?:php|=)?|\?>
          |\((?:string|int|bool|float|array|object)\))+)
      | (?P<quote>["'`]|<<<)
      | (?P<number>0[xXoObB][\da-fA-F]+|\d[\d_]*(?:\.\d+)?)
      | (?P<name>\$?\\?[A-Za-z_\0\x80-\U0010ffff][\w\\\0\x80-\U0010ffff]*)
      | (?P<operator>\?\?=|\?->|<=>|===|!==|\*\*=|\.\.\.|->|=>|::|==|!=|<>|<=|>=|&&|\|\||\?\?|\+\+|--|\+=|-=
          |\*=|/=|\.=|%=|<<|>>|\*\*|[-+*/%.<>=!?:;,(){}\[\]&|^~@$])""",
    re.VERBOSE | re.DOTALL,
)

_PHP_TEMPLATE = re.compile(r"\\.|\{(?=\$)|(\$\w+(?:->\w+|\[[^\]\s]{1,40}\])*)", re.DOTALL)


def _read_php_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    quote, start = match[0], match.end()
    if quote == "<<<":
        return read_here_document(lexer, start)
    return read_quoted(lexer, start, quote, {'"': "Q", "'": "q", "`": "x"}[quote])


def _finish_php_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.text in ("->", "::", "?->") and peek(parser, 1).text.startswith("$"):
        parser.position += 2
        return syntax.Attribute(node, parser.tokens[parser.position - 1].text.lstrip("$"))
    if isinstance(node, syntax.Name) and node.name.startswith("\\"):
        return syntax.Name(node.name.rpartition("\\")[2])
    if token.text == "instanceof":
        parser.position += 2
        return syntax.Unary("~", node)
    return None


def _parse_php_new(parser: Parser) -> Node:
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


def _parse_arrow_function(parser: Parser) -> Node:
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


def _parse_counting(parser: Parser) -> Body:
    expect(parser, "(")
    return statements.parse_counting_loop(parser)


def _parse_call(parser: Parser) -> Node:
    """Parse the arguments of `echo`, `print` or `include`, which has no parentheses."""
    name = syntax.Name(parser.tokens[parser.position - 1].text)
    items: list[Node] = []
    while not statements.ends_statement(parser):
        items.append(parse_expression(parser, ASSIGNMENT))
        if not accept(parser, ","):
            break
    return syntax.Call(name, tuple(items))


def _skip_line(parser: Parser) -> Body:
    skip_until(parser, ";", "{")
    return ()


_PHP_PRECEDENCES = (
    "??", "||", "&&", "|", "^", "&", "== != === !== <>", "< <= > >= <=>", "<< >>", "+ - .", "* / %", "**",
)  # fmt: skip


PHP = Language(
    token=_PHP_TOKEN,
    read_quote=_read_php_quote,
    template=_PHP_TEMPLATE,
    operators=rank_operators("or and xor", _PHP_PRECEDENCES),
    assignments=word_set("= += -= *= /= .= %= **= ??="),
    prefixes=word_set("! - + ~ @ & clone throw await ++ --"),
    statements={
        **statements.BRACES,
        "for": _parse_counting,
        "foreach": _parse_foreach,
        **dict.fromkeys(("interface", "trait"), statements.parse_class),
        **dict.fromkeys(("use", "namespace", "declare", "global"), _skip_line),
    },
    operands={
        "new": _parse_php_new,
        **dict.fromkeys(("array", "["), _parse_array),
        "function": _parse_function,
        "fn": _parse_arrow_function,
        "match": statements.parse_match,
        **dict.fromkeys(("echo", "print", "include", "include_once", "require", "require_once"), _parse_call),
        **statements.TRUTHS,
        **dict.fromkeys(("null", "NULL"), lambda parser: NOTHING),
    },
    finish_operand=_finish_php_operand,
)
