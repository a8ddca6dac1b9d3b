"""Operators on values, and the names of files to which a condition restricts a variable.

A deletion of particular names, after `if name.endswith(".pyc")`, is less dangerous than one of all items of a
folder, so that only variables with an item of a folder are restricted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hookline.lazy import re
from hookline.shell.code import syntax
from hookline.shell.code.syntax import Node
from hookline.shell.code.values import (
    CAPTURED,
    ITEM,
    MAX_ITEMS,
    MAX_TEXT,
    TREE,
    UNKNOWN,
    CodeState,
    Environment,
    FunctionValue,
    PathValue,
    Scope,
    Value,
    bound_text,
    choose,
    find_truth,
    is_known,
    join_paths,
    name_table,
    remove_marks,
    to_text,
    translate_pattern,
)

_MAX_NUMBER = 1 << 64
_MAX_SHIFT = 64
_MAX_WIDTH_DIGITS = 4
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[[Any, Any], Value]] = {
    **dict.fromkeys(("==", "===", "eq"), operator.eq),
    **dict.fromkeys(("!=", "!==", "ne"), operator.ne),
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FORMAT = re.compile(r"%(?:\((\w+)\))?([-+ 0#]*)(\d*)(?:\.\d+)?([a-zA-Z%])")

_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)(?:[.\[][^{}:!]*)?(?:![rsa])?(:[^{}]*)?\}")


def apply_operator(state: CodeState, sign: str, left: Value, right: Value) -> Value:
    """Return the value of `left sign right`."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _calculate(state, sign, left, right)
    if sign in _COMPARISONS:
        return _compare(sign, left, right)
    operator_function = _OPERATORS.get(sign)
    return UNKNOWN if operator_function is None else operator_function(state, left, right)


def _add(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, list) or isinstance(right, list):
        return _join_lists(left, right)
    if isinstance(left, PathValue):
        return PathValue(join_paths(left.text, to_text(right)))
    return bound_text(state, to_text(left) + to_text(right))


def _append(state: CodeState, left: Value, right: Value) -> Value:
    if not isinstance(left, list):
        return _add(state, left, right)
    left += [right] if len(left) < MAX_ITEMS else []
    return left


def _divide(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, PathValue) or isinstance(right, PathValue):
        return PathValue(join_paths(to_text(left), to_text(right)))
    return UNKNOWN


def _modulo(state: CodeState, left: Value, right: Value) -> Value:
    return bound_text(state, format_percent(left, right)) if isinstance(left, str) else UNKNOWN


def _unite(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    return _join_lists(left, right) if isinstance(left, list) else UNKNOWN


def _calculate(state: CodeState, sign: str, left: float, right: float) -> Value:
    if sign in _COMPARISONS:
        return _COMPARISONS[sign](left, right)
    if sign == ".":
        return to_text(left) + to_text(right)
    function = _ARITHMETIC.get(sign)
    if function is None or state.uncertain or not -_MAX_NUMBER < left < _MAX_NUMBER:
        return UNKNOWN
    if not -_MAX_NUMBER < right < _MAX_NUMBER or (sign == "<<" and right > _MAX_SHIFT):
        return UNKNOWN
    try:
        return function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN


def _compare(sign: str, left: Value, right: Value) -> Value:
    if sign in ("<", "<=", ">", ">="):
        return UNKNOWN
    if is_known(left) and is_known(right) and type(left) is type(right):
        return _COMPARISONS[sign](left, right)
    return UNKNOWN


def _contains(item: Value, container: Value, *, negated: bool) -> Value:
    if not is_known(item):
        return UNKNOWN
    if isinstance(container, str) and UNKNOWN not in container:
        return (to_text(item) in container) is not negated
    if isinstance(container, list) and all(is_known(other) for other in container):
        return (item in container) is not negated
    return UNKNOWN


def _repeat(state: CodeState, left: Value, right: Value) -> Value:
    if isinstance(left, list) and isinstance(right, str):  # Ruby: ["a", "b"] * " "
        return bound_text(state, right.join(map(to_text, left)))
    text, count = (left, right) if isinstance(right, int) else (right, left)
    if not isinstance(count, int) or isinstance(count, bool):
        return UNKNOWN
    if isinstance(text, str) and len(text) * max(count, 0) <= MAX_TEXT:
        return bound_text(state, text * count)
    if isinstance(text, list) and len(text) * max(count, 0) <= MAX_ITEMS:
        return text * count
    return UNKNOWN


def _join_lists(left: Value, right: Value) -> Value:
    first = left if isinstance(left, list) else [left]
    second = right if isinstance(right, list) else [right]
    return [*first, *second][:MAX_ITEMS]


_OPERATORS: Mapping[str, Callable[[CodeState, Value, Value], Value]] = {
    **dict.fromkeys(("+", ".", ".."), _add),
    "<<": _append,
    **dict.fromkeys(("*", "x"), _repeat),
    "/": _divide,
    "%": _modulo,
    "|": _unite,
    "in": lambda state, left, right: _contains(left, right, negated=False),
    "not in": lambda state, left, right: _contains(left, right, negated=True),
}


def apply_unary(sign: str, value: Value) -> Value:
    """Return the value of an operator with one operand."""
    truth = find_truth(value)
    if sign in ("not", "!"):
        return UNKNOWN if truth is None else not truth
    if isinstance(value, int | float) and sign in ("neg", "-"):
        return -value
    return value if sign in ("+", "typeof", "\\", "ref") else UNKNOWN


def find_item(state: CodeState, value: Value, key: Value) -> Value:
    """Return an item of *value*; for an unknown key, any of them. A slice is a list of its bounds."""
    if isinstance(key, list):
        return _find_slice(value, key)
    if isinstance(value, Environment) or value == UNKNOWN:
        entries = value if isinstance(value, Environment) else state.defaults
        return entries.get(to_text(key), UNKNOWN)
    if isinstance(value, dict):
        name = to_text(key)
        if UNKNOWN in name:
            return choose([*value.values(), UNKNOWN])
        return value.get(name, UNKNOWN)
    if isinstance(value, list):
        if isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        parts = [item for item in value if isinstance(item, str) and CAPTURED in item]
        return choose(parts) if isinstance(key, int) else choose([*value, UNKNOWN])
    if isinstance(value, str) and isinstance(key, int) and UNKNOWN not in value:
        return value[key] if -len(value) <= key < len(value) else ""
    return UNKNOWN


def _find_slice(value: Value, bounds: list[Value]) -> Value:
    known = [bound for bound in bounds if bound is None or isinstance(bound, int)]
    if len(known) < len(bounds) or known[2:] == [0]:
        return UNKNOWN
    if isinstance(value, list):  # an unknown item may stand for several
        return value[slice(*known)] or [item for item in value if UNKNOWN in to_text(item)]
    if isinstance(value, str) and UNKNOWN not in value:
        return value[slice(*known)]
    return value if isinstance(value, str) and known[:1] == [None] and known[2:] == [None] else UNKNOWN


def format_percent(pattern: str, values: Value) -> str:
    """Return *pattern* with each `%s` or similar replaced."""
    rest = list(values) if isinstance(values, list) else [values]
    rest.reverse()

    def replace(match: re.Match[str]) -> str:
        if match[4] == "%":
            return "%"
        if match[1]:
            value = values.get(match[1], UNKNOWN) if isinstance(values, dict) else UNKNOWN
        else:
            value = rest.pop() if rest else UNKNOWN
        return format_value(value, match[4] if match[4] in "xXobc" else "", match[2] + match[3])

    return _FORMAT.sub(replace, pattern)


def format_value(value: Value, kind: str, width: str = "") -> str:
    """Return *value* in the format of `format()`, as far as it is known."""
    if not kind and not width.strip("-s"):
        return to_text(value)
    if not is_known(value) or len(width) > _MAX_WIDTH_DIGITS:
        return UNKNOWN
    try:
        return format(value, width.replace("-", "<") + kind)
    except (ValueError, TypeError, OverflowError):
        return UNKNOWN


def format_fields(pattern: str, values: list[Value], names: Mapping[str, Value]) -> str:
    """Return *pattern* with each `{…}` replaced."""
    rest = list(reversed(values))

    def replace(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1].isdigit():
            value = values[int(match[1][:4])] if int(match[1][:4]) < len(values) else UNKNOWN
        else:
            value = names.get(match[1], UNKNOWN) if match[1] else rest.pop() if rest else UNKNOWN
        return format_value(value, "", (match[2] or ":")[1:])

    return _FIELD.sub(replace, pattern)


_TESTS = name_table(
    {
        "startswith startsWith start_with? str_starts_with hasPrefix": "prefix",
        "endswith endsWith end_with? str_ends_with": "suffix",
        "includes include? contains str_contains strpos indexOf": "content",
        "fnmatch fnmatchcase match full_match minimatch fnmatch?": "pattern",
        "test match? search fullmatch preg_match": "unknown",
    }
)
"""Functions that test the name of a file, and the part of it that they compare."""
_SUFFIX_PARTS = frozenset({"suffix", "extname", "splitext", "getExtension", "pathinfo"})
_EQUALITIES = {"==": True, "===": True, "eq": True, "!=": False, "!==": False, "ne": False}
_MEMBERSHIPS = {"in": True, "not in": False}
_MATCHES = {"=~": True, "!~": False}


class _Subject(NamedTuple):
    name: str
    is_suffix: bool


def find_restrictions(state: CodeState, test: Node, *, truth: bool) -> dict[str, Value]:
    """Return the restricted values of variables where the *test* has the value *truth*."""
    if not state.lists_folders:
        return {}
    if isinstance(test, syntax.Unary) and test.operator in ("not", "!"):
        return find_restrictions(state, test.operand, truth=not truth)
    if isinstance(test, syntax.Module) and truth:  # Perl: a pattern, which is compared with $_
        subjects = (_Subject("$_", is_suffix=False), _Subject("$File::Find::name", is_suffix=False))
        found = [_restrict(state, subject, [UNKNOWN], "unknown") for subject in subjects]
        return found[0] | found[1]
    if isinstance(test, syntax.Call):
        return _restrict_by_call(state, test) if truth else {}
    if not isinstance(test, syntax.Binary):
        return {}
    if test.operator in ("and", "&&", "or", "||"):
        left = find_restrictions(state, test.left, truth=truth)
        right = find_restrictions(state, test.right, truth=truth)
        if (test.operator in ("and", "&&")) is truth:
            return left | right
        return {name: choose((left[name], right[name])) for name in left if name in right}
    return _restrict_by_comparison(state, test, truth=truth)


def restrict_by_function(state: CodeState, function: Value, item: Value) -> Value:
    """Return *item*, restricted by the condition that *function* returns for it."""
    if not isinstance(function, FunctionValue) or not function.node.parameters:
        return item
    name, outer = function.node.parameters[0].name, state.scope
    state.scope = Scope(function.scope, {name: item})
    tests = [node.value if isinstance(node, syntax.Return) else node for node in function.node.body[-1:]]
    restrictions = find_restrictions(state, tests[0], truth=True) if tests else {}
    state.scope = outer
    return restrictions.get(name, item)


def _restrict_by_comparison(state: CodeState, test: syntax.Binary, *, truth: bool) -> dict[str, Value]:
    if _EQUALITIES.get(test.operator) is truth:
        subject, values = _find_subject(test.left), _find_literals(test.right)
        if subject is None or not values:
            subject, values = _find_subject(test.right), _find_literals(test.left)
        return _restrict(state, subject, values, "" if subject and not subject.is_suffix else "suffix")
    if _MEMBERSHIPS.get(test.operator) is truth:
        subject = _find_subject(test.left)
        if subject is not None:
            return _restrict(
                state, subject, _find_literals(test.right), "suffix" if subject.is_suffix else ""
            )
        return _restrict(state, _find_subject(test.right), _find_literals(test.left), "content")
    if _MATCHES.get(test.operator) is truth:
        return _restrict(state, _find_subject(test.left), [UNKNOWN], "unknown")
    return {}


def _restrict_by_call(state: CodeState, test: syntax.Call) -> dict[str, Value]:
    function = test.function
    name = function.name if isinstance(function, syntax.Attribute | syntax.Name) else ""
    name = name.rpartition(".")[2]
    receiver = (function.target,) if isinstance(function, syntax.Attribute) else ()
    nodes = (*receiver, *test.arguments)
    literals = [text for node in nodes for text in _find_literals(node)]
    kind = _TESTS.get(name, "none")
    if kind == "unknown" or (kind == "pattern" and not literals):
        literals, kind = [UNKNOWN], "unknown"
    found = [_restrict(state, _find_subject(node), literals, kind) for node in nodes]
    return next((restrictions for restrictions in found if restrictions), {})


def _find_subject(node: Node) -> _Subject | None:
    """Return the variable whose name or suffix *node* is: `p.suffix`, `os.path.basename(p)`."""
    is_suffix = False
    for _ in range(6):
        if isinstance(node, syntax.Name):
            return _Subject(node.name, is_suffix)
        if isinstance(node, syntax.Attribute):
            is_suffix |= node.name in _SUFFIX_PARTS
            node = node.target
        elif isinstance(node, syntax.Index):
            node = node.target
        elif isinstance(node, syntax.Call):
            function = node.function
            is_suffix |= getattr(function, "name", "").rpartition(".")[2] in _SUFFIX_PARTS
            node = node.arguments[0] if node.arguments else function
        else:
            return None
    return None


def _find_literals(node: Node) -> list[str]:
    if isinstance(node, syntax.Literal):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, syntax.ListDisplay):
        return [text for item in node.items for text in _find_literals(item)]
    return []


def _restrict(state: CodeState, subject: _Subject | None, literals: list[str], kind: str) -> dict[str, Value]:
    value = _find_variable(state.scope, subject.name) if subject is not None else None
    text = value.text if isinstance(value, PathValue) else value
    if subject is None or not isinstance(text, str) or kind == "none":
        return {}
    if ITEM not in text and TREE not in text:
        return {}
    texts = [_restrict_text(text, literal, kind) for literal in literals]
    values = [PathValue(new) if value is not text else new for new in texts]
    return {subject.name: choose(values)} if values else {}


def _restrict_text(text: str, literal: str, kind: str) -> str:
    if kind == "unknown":
        return remove_marks(text)
    name = _FORMS[kind].replace("?", literal) if kind != "pattern" else translate_pattern(literal)
    base = text.removesuffix("/" + ITEM) if text.endswith(TREE + "/" + ITEM) else text
    if base.endswith(TREE):
        return f"{base}/{name.removeprefix('./')}"
    head, _, tail = base.rpartition(ITEM)
    return head + name.removeprefix("./") + tail


_FORMS = {"": "?", "prefix": "?" + UNKNOWN, "suffix": UNKNOWN + "?", "content": f"{UNKNOWN}?{UNKNOWN}"}


def _find_variable(scope: Scope | None, name: str) -> Value:
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    return None
