"""The syntax of Perl."""

from __future__ import annotations

from hookline.lazy import re
from hookline.shell.code import statements, syntax
from hookline.shell.code.parser import (
    ASSIGNMENT,
    parse_block,
    parse_body,
    parse_expression,
    parse_items,
    parse_parenthesis_until,
)
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.code.tokens import (
    CLOSING,
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
    skip_flags,
    skip_until,
    split_template,
    take,
)
from hookline.shell.options import word_set

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*|(?<=\n)=[a-z].*?(?:\n=cut|\Z)|\b__(?:END|DATA)__\b.*)+)
      | (?P<quote>["'`]|\b(?:q|qq|qw|qx|qr|m|s|tr|y)\b(?!\s*(?:=>|=|,|;|\)))\s*[^\w\s]|<<~?["'A-Z_]
          |<\$?\w*>|/)
      | (?P<number>0[xXoObB][\da-fA-F]+|\d[\d_]*(?:\.\d+)?)
      | (?P<name>[$@%&]\#?\$*(?:\w+|::)+|\$\#\{|[$@%](?=[{$])|[$@][_0!&@/\\,;.]|[A-Za-z_\0][\w\0]*(?:::\w+)*)
      | (?P<operator><=>|\*\*=|\|\|=|&&=|//=|\.\.\.|->|=>|==|!=|=~|!~|<=|>=|&&|\|\||\.\.|\+\+|--|\+=|-=
          |\*=|\.=|x=|::|<<|>>|\*\*|[-+*%.<>=!?:;,(){}\[\]\\&|^~])""",
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE = re.compile(
    r"\\.|@\{|\$\{(?=[\w^]+\})|([$@](?:::)?\w+(?:(?:->)?(?:\[[^\]\s]{1,40}\]|\{[^}\s]{1,40}\})|::\w+)*)",
    re.DOTALL,
)
_QUOTES = {"q": "q", "'": "q", "qq": "Q", '"': "Q", "qx": "x", "`": "x", "qw": "w", "m": "r", "qr": "r"}
_DEFAULT_ARGUMENTS = {"shift": "@_", **dict.fromkeys(("print", "say", "unlink", "rmdir", "lc"), "$_")}
_OPENERS = frozenset({"open", "opendir"})


def _read_quote(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    start = match[0]
    if start.startswith(("/", "<")):
        return _read_angle_or_slash(lexer, match)
    name = start[:-1].strip() or start
    if name in ("s", "tr", "y"):
        end = find_closing(lexer.text, match.end(), start[-1])
        return _read_substitution(lexer, name, start[-1], lexer.text[match.end() : end], end)
    return read_quoted(lexer, match.end(), start[-1], _QUOTES[name])


def _read_substitution(lexer: Lexer, kind: str, opening: str, old: str, end: int) -> tuple[Node | None, int]:
    start = end + 1
    if opening in CLOSING:
        start = lexer.text.find(opening, start) + 1 or len(lexer.text)
    end = find_closing(lexer.text, start, opening)
    new = lexer.text[start:end]
    flags_end = skip_flags(lexer, end + 1)
    if "e" in lexer.text[end + 1 : flags_end]:  # the replacement is code
        return syntax.Call(
            syntax.Name("gsub"), (lexer.parse(lexer.language, new, lexer.depth + 1) or (NOTHING,))
        ), flags_end
    plain = re.fullmatch(r"[\w\s/:@#%&=,;<>-]*", old) is not None
    arguments: Body = (syntax.Literal(old) if plain or kind != "s" else PATTERN, split_template(lexer, new))
    return syntax.Call(syntax.Name("gsub" if kind == "s" else "tr"), arguments), flags_end


def _read_angle_or_slash(lexer: Lexer, match: re.Match[str]) -> tuple[Node | None, int]:
    previous = lexer.tokens[-1] if lexer.tokens else None
    is_value = previous is not None and (
        follows_value(lexer) or previous.text[:1] in "$@" or previous.text in ("shift", "pop")
    )
    if match[0] == "/":
        if is_value:
            double = lexer.text[match.start() : match.start() + 2]
            return None, match.end() + (double in ("//", "/="))
        return PATTERN, skip_flags(lexer, find_closing(lexer.text, match.end(), "/") + 1)
    if match[0].startswith("<<"):
        return (None, match.start() + 2) if is_value else read_here_document(lexer, match.start() + 2)
    if match[0].endswith(">"):
        name = match[0][1:-1] or "STDIN"
        return syntax.Call(syntax.Attribute(syntax.Name(name), "gets"), ()), match.end()
    return None, match.end()


def _finish_operand(parser: Parser, node: Node, token: Token) -> Node | None:
    if token.text == "->" and peek(parser, 1).text in ("[", "{", "("):
        parser.position += 1
        return node
    if token.text == "->" and peek(parser, 1).kind == "name" and peek(parser, 2).text != "(":
        parser.position += 2
        return syntax.Call(syntax.Attribute(node, parser.tokens[parser.position - 1].text), ())
    if token.text == "{" and _is_container(node) and not token.after_newline:
        parser.position += 1
        return syntax.Index(_to_container(node, "%"), _parse_key(parser))
    if token.text == "[" and isinstance(node, syntax.Name) and node.name.startswith("$"):
        parser.position += 1
        return syntax.Index(_to_container(node, "@"), parse_parenthesis_until(parser, "]"))
    if isinstance(node, syntax.Name) and node.name[:1] not in "$@%&":
        return _parse_call(parser, node, token)
    return None


def _parse_key(parser: Parser) -> Node:
    """Parse the key of a hash, which may be a word without quotes."""
    token = peek(parser)
    if token.kind != "name" or token.text[:1] in "$@" or peek(parser, 1).text != "}":
        return parse_parenthesis_until(parser, "}")
    parser.position += 2
    return syntax.Literal(token.text)


def _parse_call(parser: Parser, function: syntax.Name, token: Token) -> Node | None:
    """Parse the arguments of a call without parentheses, or of `open`."""
    if token.text == "(" and function.name in _OPENERS:
        parser.position += 1
        return _to_call(function, parse_items(parser, ")"))
    if _starts_argument(parser, token):
        return _to_call(function, _parse_arguments(parser, function.name))
    ends = token.kind == "end" or token.text in (";", ")", "||", "//", "}") or token.text in PERL.modifiers
    default = _DEFAULT_ARGUMENTS.get(function.name)
    return syntax.Call(function, (syntax.Name(default),)) if ends and default is not None else None


def _to_call(function: syntax.Name, arguments: Body) -> Node:
    """Return a call; `open` assigns the file to its first argument."""
    call = syntax.Call(function, arguments)
    if function.name not in _OPENERS or not arguments:
        return call
    handle = arguments[0].target if isinstance(arguments[0], syntax.Assign) else arguments[0]
    return syntax.Assign(handle, call)


def _is_container(node: Node) -> bool:
    return isinstance(node, syntax.Index) or (isinstance(node, syntax.Name) and node.name.startswith("$"))


def _to_container(node: Node, sigil: str) -> Node:
    """Return the variable of an item: `$x[0]` is an item of `@x`, if that is not a reference in `$x`."""
    if isinstance(node, syntax.Name) and node.name.startswith("$"):
        return (
            syntax.Name(sigil + node.name[1:])
            if node.name[1:] in ("ENV", "ARGV", "_")
            else syntax.Call(syntax.Module("container"), (syntax.Name(sigil + node.name[1:]), node))
        )
    return node


def _starts_argument(parser: Parser, token: Token) -> bool:
    """Return whether *token* begins the arguments of a call without parentheses."""
    if token.after_newline and token.kind == "name" and token.text[:1] not in "$@%":
        return False
    if token.kind == "name":
        return token.text not in PERL.modifiers and token.text not in PERL.operators
    return token.kind in ("literal", "number") or token.text in ("\\", "[", "-") or token.text == "{"


def _parse_arguments(parser: Parser, name: str) -> Body:
    """Parse arguments without parentheses; `map`, `grep` and `sort` may begin with a block."""
    items: list[Node] = []
    if peek(parser).text == "{":
        items.append(syntax.Function("", (), statements.return_last(parse_block(parser))))
        if peek(parser).kind == "end":
            return tuple(items)
    elif name in ("print", "printf", "say") and peek(parser).kind == "name" and _is_file_handle(parser):
        handle = take(parser)
        return (
            *_parse_list(parser),
            syntax.MapDisplay(((syntax.Literal("file"), syntax.Name(handle.text)),)),
        )
    return (*items, *_parse_list(parser))


def _is_file_handle(parser: Parser) -> bool:
    following = peek(parser, 1)
    return following.kind == "literal" or (following.kind == "name" and following.text[:1] in "$@")


def _parse_list(parser: Parser) -> Body:
    items: list[Node] = []
    while not statements.ends_statement(parser) or (not items and peek(parser).kind == "literal"):
        if peek(parser).text in (")", "]", "}", ":", "or", "and") or peek(parser).kind == "end":
            break
        items.append(parse_expression(parser, ASSIGNMENT))
        if not accept(parser, ",", "=>"):
            break
    return tuple(items)


def _parse_declaration(parser: Parser) -> Node:
    if accept(parser, "("):
        return syntax.ListDisplay(parse_items(parser, ")"))
    token = take(parser)
    if token.kind != "name":
        raise ParseFailure
    return syntax.Name(token.text)


def _parse_foreach(parser: Parser) -> Body:
    accept(parser, "my", "our")
    target: Node = syntax.Name(take(parser).text) if peek(parser).kind == "name" else syntax.Name("$_")
    expect(parser, "(")
    start = parser.position
    items = parse_items(parser, ")") if ";" not in _texts_before(parser, ")") else None
    if items is None:
        parser.position = start
        return statements.parse_counting_loop(parser)
    return (syntax.Loop(target, syntax.ListDisplay(tuple(map(syntax.Spread, items))), parse_block(parser)),)


def _texts_before(parser: Parser, end: str) -> list[str]:
    closing = parser.closings.get(parser.position - 1, parser.position)
    return [token.text for token in parser.tokens[parser.position : closing]]


def _parse_sub(parser: Parser) -> Node:
    name = take(parser).text if peek(parser).kind == "name" else ""
    if accept(parser, "("):
        while not accept(parser, ")") and peek(parser).kind != "end":
            parser.position += 1
    return syntax.Function(name, (), statements.return_last(parse_block(parser)))


def _skip_line(parser: Parser) -> Body:
    skip_until(parser, ";")
    return ()


def _parse_block_value(parser: Parser) -> Node:
    """Parse `do { … }` or `eval { … }`; `eval` of a text is a call."""
    if peek(parser).text != "{":
        return syntax.Call(syntax.Module("eval"), (parse_expression(parser, ASSIGNMENT),))
    return syntax.Block((parse_block(parser),))


def _parse_dereference(parser: Parser) -> Node:
    """Parse `@{…}` and `@$x`."""
    if accept(parser, "{"):
        body = parse_body(parser)
        expect(parser, "}")
        return body[0] if body else NOTHING
    return syntax.Name(take(parser).text)


_PRECEDENCES = (
    "..", "|| //", "&&", "| ^", "&", "== != <=> eq ne cmp", "< <= > >= lt gt le ge", "<< >>", "+ - .",
    "* / % x", "=~ !~", "**",
)  # fmt: skip
PERL = Language(
    token=_TOKEN,
    read_quote=_read_quote,
    template=_TEMPLATE,
    operators=rank_operators("or and xor", _PRECEDENCES),
    assignments=word_set("= += -= *= .= x= ||= &&= //= **="),
    prefixes=word_set("! - + ~ \\ not defined ref scalar"),
    statements={
        **statements.COMMON,
        "unless": statements.parse_unless,
        "until": statements.parse_while,
        **dict.fromkeys(("for", "foreach"), _parse_foreach),
        **dict.fromkeys(("last", "next", "redo", "die"), statements.parse_stop),
        **dict.fromkeys(("use", "no", "package", "require"), _skip_line),
    },
    operands={
        **dict.fromkeys(("my", "our", "local", "state"), _parse_declaration),
        "sub": _parse_sub,
        **dict.fromkeys(("do", "eval"), _parse_block_value),
        **dict.fromkeys(("@", "$", "%", "$#{"), _parse_dereference),
        "undef": lambda parser: NOTHING,
    },
    finish_operand=_finish_operand,
    modifiers=word_set("if unless for foreach while until"),
)
