"""Names of files to which a condition restricts a variable: `if name.endswith(".pyc")`.

Only variables with an item of a folder are restricted: a deletion of particular names is less dangerous than
one of all items.
"""

from __future__ import annotations

from typing import NamedTuple

from hookline.shell.code import syntax
from hookline.shell.code.syntax import Node
from hookline.shell.code.values import (
    ITEM,
    TREE,
    UNKNOWN,
    CodeState,
    FunctionValue,
    PathValue,
    Scope,
    Value,
    choose,
    remove_marks,
    translate_pattern,
)

_PREFIX_TESTS = frozenset({"startswith", "startsWith", "start_with?", "str_starts_with", "hasPrefix"})
_SUFFIX_TESTS = frozenset({"endswith", "endsWith", "end_with?", "str_ends_with"})
_CONTENT_TESTS = frozenset({"includes", "include?", "contains", "str_contains", "strpos", "indexOf"})
_PATTERN_TESTS = frozenset({"fnmatch", "fnmatchcase", "match", "full_match", "minimatch", "fnmatch?"})
_UNKNOWN_TESTS = frozenset({"test", "match?", "search", "fullmatch", "preg_match"})
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
    kind = _KINDS.get(name, "none")
    if name in _UNKNOWN_TESTS or (name in _PATTERN_TESTS and not literals):
        literals, kind = [UNKNOWN], "unknown"
    found = [_restrict(state, _find_subject(node), literals, kind) for node in nodes]
    return next((restrictions for restrictions in found if restrictions), {})


_KINDS = {
    **dict.fromkeys(_PREFIX_TESTS, "prefix"),
    **dict.fromkeys(_SUFFIX_TESTS, "suffix"),
    **dict.fromkeys(_CONTENT_TESTS, "content"),
    **dict.fromkeys(_PATTERN_TESTS, "pattern"),
}


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
    return (
        {subject.name: choose([PathValue(new) if value is not text else new for new in texts])}
        if texts
        else {}
    )


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
