"""Conversion of Python code, parsed by the standard library, into the common syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hookline.lazy import re
from hookline.shell.code import syntax
from hookline.shell.code.syntax import NOTHING, Body, Node
from hookline.shell.result import UNKNOWN

_OPERATORS: Mapping[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "neg", ast.UAdd: "+", ast.Invert: "~",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "==",
    ast.IsNot: "!=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "property", "cached_property", "cache"})


_MARKS = re.compile("\0([\U000f0000-\U000ffffd]*)")
_HIDDEN_MARKS = re.compile("\ua66e([\U00020000-\U0002a000]*)")
"""An unknown part with its marks, as letters that may stand in a name."""


def parse_python(source: str) -> Body:
    """Return the statements of *source*; a `Failure` if it is not valid Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_MARKS.sub(_hide, source) if UNKNOWN in source else source)
        return _convert_body(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return (syntax.Failure(f"invalid Python code: {type(error).__name__}", source),)


def _hide(match: re.Match[str]) -> str:
    return "\ua66e" + "".join(chr(0x20000 + min(ord(mark) - 0xF0000, 0xA000)) for mark in match[1])


def _reveal(text: str) -> str:
    """Return *text* with the unknown parts that `_hide` replaced."""
    if "\ua66e" not in text:
        return text
    return _HIDDEN_MARKS.sub(
        lambda match: (
            UNKNOWN
            + "".join(
                chr(0xF0000 + ord(mark) - 0x20000) if mark < "\U0002a000" else "\U000ffffd"
                for mark in match[1]
            )
        ),
        text,
    )


def _convert(node: ast.AST | None) -> Node:
    if node is None:
        return NOTHING
    converter = _EXPRESSIONS.get(type(node))
    return converter(node) if converter is not None else syntax.Literal(UNKNOWN)


def _convert_all(nodes: Iterable[ast.AST | None]) -> Body:
    return tuple([_convert(node) for node in nodes])


def _convert_body(nodes: Iterable[ast.stmt]) -> Body:
    return tuple([found for node in nodes for found in _STATEMENTS.get(type(node), _convert_nothing)(node)])


def _convert_nothing(node: Any) -> Body:
    return ()


def _constant(node: ast.Constant) -> Node:
    value = node.value
    if isinstance(value, str | bytes):
        return syntax.Literal(_reveal(value if isinstance(value, str) else value.decode("latin-1")))
    return syntax.Literal(value if isinstance(value, int | float) else None)


def _name(node: ast.Name) -> Node:
    return syntax.Name(node.id) if "\ua66e" not in node.id else syntax.Literal(_reveal(node.id))


def _binary(node: ast.BinOp) -> Node:
    """Convert a chain of operators without recursion on its left side."""
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    result = _convert(chain[-1].left)
    for item in reversed(chain):
        result = syntax.Binary(_OPERATORS[type(item.op)], result, _convert(item.right))
    return result


def _boolean(node: ast.BoolOp) -> Node:
    result = _convert(node.values[0])
    for value in node.values[1:]:
        result = syntax.Binary(_OPERATORS[type(node.op)], result, _convert(value))
    return result


def _compare(node: ast.Compare) -> Node:
    if len(node.ops) > 1:
        return syntax.Template((*_convert_all((node.left, *node.comparators)), syntax.Literal(UNKNOWN)))
    return syntax.Binary(_OPERATORS[type(node.ops[0])], _convert(node.left), _convert(node.comparators[0]))


def _call(node: ast.Call) -> Node:
    keywords = tuple([(keyword.arg or "**", _convert(keyword.value)) for keyword in node.keywords])
    return syntax.Call(_convert(node.func), _convert_all(node.args), keywords)


def _formatted(node: ast.FormattedValue) -> Node:
    value = _convert(node.value)
    if isinstance(node.format_spec, ast.JoinedStr) and isinstance(node.format_spec.values[0], ast.Constant):
        return syntax.Call(syntax.Name("format"), (value, _convert(node.format_spec.values[0])))
    return syntax.Call(syntax.Name("repr"), (value,)) if node.conversion == ord("r") else value


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Node:
    return syntax.Comprehension(_convert(node.elt), _clauses(node.generators))


def _clauses(generators: list[ast.comprehension]) -> tuple[tuple[Node, Node, Body], ...]:
    return tuple(
        [(_convert(item.target), _convert(item.iter), _convert_all(item.ifs)) for item in generators]
    )


def _map_comprehension(node: ast.DictComp) -> Node:
    pair = syntax.ListDisplay((_convert(node.key), _convert(node.value)))
    return syntax.Call(syntax.Name("dict"), (syntax.Comprehension(pair, _clauses(node.generators)),))


def _parameters(arguments: ast.arguments) -> tuple[syntax.Parameter, ...]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = [
        syntax.Parameter(item.arg, _convert(default) if default is not None else None)
        for item, default in zip(positional, defaults, strict=True)
    ]
    if arguments.vararg is not None:
        found.append(syntax.Parameter(arguments.vararg.arg, kind="*"))
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(syntax.Parameter(item.arg, _convert(default) if default is not None else None, "="))
    if arguments.kwarg is not None:
        found.append(syntax.Parameter(arguments.kwarg.arg, kind="**"))
    return tuple(found)


def _lambda(node: ast.Lambda) -> Node:
    return syntax.Function("", _parameters(node.args), (syntax.Return(_convert(node.body)),))


def _map_display(node: ast.Dict) -> Node:
    keys = [_convert(key) if key is not None else syntax.Spread(NOTHING) for key in node.keys]
    return syntax.MapDisplay(tuple(zip(keys, _convert_all(node.values), strict=True)))


def _slice(node: ast.Slice) -> Node:
    bounds = (node.lower, node.upper, node.step)
    return syntax.Slice(*(_convert(bound) if bound is not None else None for bound in bounds))


def _assign(node: ast.Assign) -> Body:
    first, *others = [_convert(target) for target in node.targets]
    assignments = [syntax.Assign(first, _convert(node.value))]
    return (*assignments, *(syntax.Assign(target, first) for target in others))


def _augmented(node: ast.AugAssign) -> Body:
    target = _convert(node.target)
    value = syntax.Binary(_OPERATORS[type(node.op)], target, _convert(node.value))
    return (syntax.Assign(target, value),)


def _annotated(node: ast.AnnAssign) -> Body:
    return (syntax.Assign(_convert(node.target), _convert(node.value)),) if node.value is not None else ()


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body:
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    body = _convert_body(node.body)
    outer = {name for item in node.body if isinstance(item, ast.Global | ast.Nonlocal) for name in item.names}
    if outer:
        body = tuple([_assign_outer(item, outer) for item in body])
    calls = [item for item in node.decorator_list if isinstance(item, ast.Call)]
    decorated = bool(names - _PLAIN_DECORATORS)
    return (*_convert_all(calls), syntax.Function(node.name, _parameters(node.args), body, decorated))


def _assign_outer(node: Node, outer: set[str]) -> Node:
    if isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name) and node.target.name in outer:
        return node._replace(declares=False)
    return node


def _class(node: ast.ClassDef) -> Body:
    return (syntax.Class(node.name, _convert_all(node.bases), _convert_body(node.body)),)


def _for(node: ast.For | ast.AsyncFor) -> Body:
    loop = syntax.Loop(_convert(node.target), _convert(node.iter), _convert_body(node.body))
    return (loop, *_convert_body(node.orelse))


def _with(node: ast.With | ast.AsyncWith) -> Body:
    opened = [
        syntax.Assign(_convert(item.optional_vars), _convert(item.context_expr))
        if item.optional_vars is not None
        else _convert(item.context_expr)
        for item in node.items
    ]
    names = [item.optional_vars for item in node.items if isinstance(item.optional_vars, ast.Name)]
    closed = [syntax.Call(syntax.Attribute(syntax.Name(name.id), "__exit__"), ()) for name in names]
    return (*opened, *_convert_body(node.body), *closed)


def _try(node: ast.Try) -> Body:
    handlers = tuple([_convert_body(handler.body) for handler in node.handlers])
    main = _convert_body(node.body) + _convert_body(node.orelse)
    return (syntax.Block((main, *handlers, _convert_body(node.finalbody))),)


def _match(node: ast.Match) -> Body:
    cases = [(_find_case_values(case.pattern), _convert_body(case.body)) for case in node.cases]
    return syntax.choose_case(_convert(node.subject), cases)


def _find_case_values(pattern: ast.pattern) -> Body:
    """Return the values that a pattern matches; none if it matches anything."""
    if isinstance(pattern, ast.MatchValue):
        return (_convert(pattern.value),)
    if isinstance(pattern, ast.MatchOr):
        return tuple([value for part in pattern.patterns for value in _find_case_values(part)])
    is_rest = isinstance(pattern, ast.MatchAs) and pattern.pattern is None
    return () if is_rest else (syntax.Literal(UNKNOWN),)


def _import(node: ast.Import) -> Body:
    return tuple(
        [
            syntax.Assign(syntax.Name(item.asname), syntax.Module(item.name))
            if item.asname
            else syntax.Assign(syntax.Name(root := item.name.partition(".")[0]), syntax.Module(root))
            for item in node.names
        ]
    )


def _import_from(node: ast.ImportFrom) -> Body:
    prefix = node.module or ""
    modules = (prefix if item.name == "*" else f"{node.module}.{item.name}" for item in node.names)
    names = (syntax.Name(item.asname or item.name) for item in node.names)
    return tuple(map(syntax.Assign, names, map(syntax.Module, modules)))


_EXPRESSIONS: Mapping[type, Callable[[Any], Node]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: lambda node: syntax.Attribute(_convert(node.value), node.attr),
    ast.Subscript: lambda node: syntax.Index(_convert(node.value), _convert(node.slice)),
    ast.Slice: _slice,
    ast.Call: _call,
    ast.Starred: lambda node: syntax.Spread(_convert(node.value)),
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.UnaryOp: lambda node: syntax.Unary(_OPERATORS[type(node.op)], _convert(node.operand)),
    ast.Compare: _compare,
    ast.List: lambda node: syntax.ListDisplay(_convert_all(node.elts)),
    ast.Tuple: lambda node: syntax.ListDisplay(_convert_all(node.elts)),
    ast.Set: lambda node: syntax.ListDisplay(_convert_all(node.elts)),
    ast.Dict: _map_display,
    ast.JoinedStr: lambda node: syntax.Template(_convert_all(node.values)),
    ast.FormattedValue: _formatted,
    ast.Lambda: _lambda,
    ast.IfExp: lambda node: syntax.Conditional(*_convert_all((node.test, node.body, node.orelse))),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), _comprehension),
    ast.DictComp: _map_comprehension,
    ast.Await: lambda node: _convert(node.value),
    ast.Yield: lambda node: syntax.Yield(_convert(node.value)),
    ast.YieldFrom: lambda node: syntax.Yield(syntax.Spread(_convert(node.value))),
    ast.NamedExpr: lambda node: syntax.Assign(_convert(node.target), _convert(node.value)),
}
_STATEMENTS: Mapping[type, Callable[[Any], Body]] = {
    ast.Expr: lambda node: (_convert(node.value),),
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _function),
    ast.ClassDef: _class,
    ast.If: lambda node: (
        syntax.If(_convert(node.test), _convert_body(node.body), _convert_body(node.orelse)),
    ),
    **dict.fromkeys((ast.For, ast.AsyncFor), _for),
    ast.While: lambda node: (syntax.Loop(None, _convert(node.test), _convert_body(node.body)),),
    ast.Return: lambda node: (syntax.Return(_convert(node.value)),),
    **dict.fromkeys((ast.Raise, ast.Break, ast.Continue), lambda node: (syntax.Stop(),)),
    **dict.fromkeys((ast.With, ast.AsyncWith), _with),
    **dict.fromkeys((ast.Try, ast.TryStar), _try),
    ast.Match: _match,
    ast.Assert: lambda node: (_convert(node.test),),
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
