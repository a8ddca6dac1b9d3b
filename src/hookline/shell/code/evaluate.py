"""Evaluation of the common syntax tree with values that may be unknown.

Both branches of a condition are evaluated unless it is known; a loop runs for each known item, or once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hookline.shell.code import syntax
from hookline.shell.code.lookup import (
    assign,
    bind_parameters,
    call_library,
    call_method,
    find_member,
    find_name,
    find_value,
)
from hookline.shell.code.objects import create_instance, extend_program, find_call, find_program, run_program
from hookline.shell.code.operators import apply_operator, apply_unary, find_item, find_restrictions
from hookline.shell.code.syntax import Body, Node
from hookline.shell.code.values import (
    CAPTURED,
    MAX_ITEMS,
    UNKNOWN,
    Arguments,
    Choice,
    ClassValue,
    CodeState,
    FunctionValue,
    Instance,
    Keywords,
    Method,
    OutOfWork,
    Partial,
    Program,
    Reference,
    Scope,
    Value,
    bound_text,
    choose,
    count_work,
    distribute,
    find_truth,
    forget_numbers,
    is_certain,
    is_known,
    report,
    to_any_depth,
    to_list,
    to_text,
)

_MAX_DEPTH = 90
"""Maximum nesting of expressions and calls; each level takes about three frames."""
_MAX_RECURSION = 3


def run(state: CodeState, body: Body) -> None:
    """Evaluate the program *body*, and then the functions that other code may call."""
    execute(state, body)
    for function in state.functions:
        if (function.node.decorated or state.calls_unknown) and id(function.node) not in state.called:
            call(state, function, [], {})


def execute(state: CodeState, body: Body) -> bool:
    """Evaluate the statements of *body*; return True if the rest of the enclosing body is not reached."""
    if state.language != "python":
        for node in body:
            if isinstance(node, syntax.Function):
                _function(state, node)  # may be called before its definition
    for node in body:
        executor = _STATEMENTS.get(type(node))
        if executor is None:
            evaluate(state, node)
        elif executor(state, node):
            return True
    return False


def evaluate(state: CodeState, node: Node) -> Value:
    count_work(state, 1)
    if state.depth >= _MAX_DEPTH:
        report(state, "code is nested too deeply", "")
        raise OutOfWork
    state.depth += 1
    try:
        return _EXPRESSIONS[type(node)](state, node)
    finally:
        state.depth -= 1


def _attribute(state: CodeState, node: syntax.Attribute) -> Value:
    target = evaluate(state, node.target)
    return distribute(lambda value: find_member(state, value, node.name), target)


def _index(state: CodeState, node: syntax.Index) -> Value:
    target = evaluate(state, node.target)
    if isinstance(node.key, syntax.Slice):
        bounds = [evaluate(state, bound) if bound is not None else None for bound in node.key]
        return distribute(lambda value: find_item(state, value, bounds), target)
    key = evaluate(state, node.key)
    if isinstance(target, Reference) and (program := find_program(state, target.name)) is not None:
        target = program
    if isinstance(target, Program):  # plumbum: git["push", "origin"]
        return extend_program(state, target, key)
    if isinstance(target, Reference | Instance):
        return distribute(lambda item: find_member(state, target, to_text(item)), key)
    return distribute(lambda value, item: find_item(state, value, item), target, key)


def _call(state: CodeState, node: syntax.Call) -> Value:
    target = node.function
    function = find_name(state, target) if isinstance(target, syntax.Name) else evaluate(state, target)
    keywords: dict[str, Value] = {}
    arguments = _evaluate_items(state, node.arguments)
    for name, expression in node.keywords:
        value = evaluate(state, expression)
        keywords |= value if name == "**" and isinstance(value, dict) else {name: value}
    return call(state, function, arguments, keywords)


def _evaluate_items(state: CodeState, nodes: Body) -> list[Value]:
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, syntax.Spread):
            items += to_list(state, evaluate(state, node.value))
        else:
            items.append(evaluate(state, node))
    count_work(state, len(items))
    return items


def call(state: CodeState, function: Value, arguments: Arguments, keywords: Keywords) -> Value:
    """Call *function*, which may be a function of the code, of a library, or a method of a value."""
    caller = _CALLERS.get(type(function))
    if caller is not None:
        return caller(state, function, arguments, keywords)
    if state.language == "php" and isinstance(function, str) and UNKNOWN not in function:
        return call(state, find_name(state, syntax.Name(function)), arguments, keywords)
    is_member = state.language == "ruby" and not arguments and is_known(function)  # of a record
    if is_member or (isinstance(function, str) and CAPTURED in function):
        return function
    state.calls_unknown = True
    return call_library(state, "", arguments, keywords)


def _call_function(
    state: CodeState, function: FunctionValue, arguments: Arguments, keywords: Keywords
) -> Value:
    node = function.node
    state.called.add(id(node))
    if sum(node is other for other in state.calls) >= _MAX_RECURSION:
        return UNKNOWN
    if node in state.calls:
        arguments = [to_any_depth(argument) for argument in arguments]
    outer, scope = state.scope, Scope(function.scope)
    state.scope = scope
    state.calls.append(node)
    bind_parameters(state, function, arguments, keywords)
    execute(state, node.body)
    state.calls.pop()
    state.scope = outer
    if scope.yielded:
        return scope.yielded
    return choose(scope.returned) if scope.returned else None


def _function(state: CodeState, node: syntax.Function) -> Value:
    function = FunctionValue(node, state.scope)
    if node.name:
        state.functions.append(function)
        state.scope.names[node.name] = function
    return function


def _class(state: CodeState, node: syntax.Class) -> bool:
    outer = state.scope
    cls = ClassValue(node, {}, [evaluate(state, base) for base in node.bases])
    state.scope = Scope(outer, cls.members)
    execute(state, node.body)
    state.scope = outer
    outer.names[node.name] = cls
    return False


def _assign(state: CodeState, node: syntax.Assign) -> Value:
    value = evaluate(state, node.value)
    assign(state, node.target, value, declares=node.declares)
    return value


def _template(state: CodeState, node: syntax.Template) -> Value:
    parts = [evaluate(state, part) for part in node.parts]
    return distribute(lambda *texts: bound_text(state, "".join(map(to_text, texts))), *parts)


def _binary(state: CodeState, node: syntax.Binary) -> Value:
    """Evaluate a chain of operators without recursion on its left side."""
    chain = [node]
    while isinstance(chain[-1].left, syntax.Binary):
        chain.append(chain[-1].left)
    value = evaluate(state, chain[-1].left)
    for item in reversed(chain):
        count_work(state, 1)
        if item.operator in _LAZY_OPERATORS:
            value = _evaluate_lazily(state, item, value)
        else:
            apply = partial(apply_operator, state, item.operator)
            value = distribute(apply, value, evaluate(state, item.right))
    return value


_LAZY_OPERATORS = {"and": False, "&&": False, "or": True, "||": True, "??": True, "//": True}
"""Operators that may not evaluate the right side, and the truth of the left side for which they do not."""


def _evaluate_lazily(state: CodeState, node: syntax.Binary, left: Value) -> Value:
    if node.operator == "//" and state.language == "python":
        return apply_operator(state, "//", left, evaluate(state, node.right))
    truth = find_truth(left)
    if truth is not None and truth is _LAZY_OPERATORS[node.operator]:
        return left
    restrictions = find_restrictions(state, node.left, truth=not _LAZY_OPERATORS[node.operator])
    saved = dict(state.scope.names) if restrictions else {}
    state.scope.names |= restrictions
    right = evaluate(state, node.right)
    state.scope.names |= {name: saved[name] for name in restrictions if name in saved}
    return right if truth is not None else choose((left, right))


def _conditional(state: CodeState, node: syntax.Conditional) -> Value:
    truth = evaluate(state, node.test)
    if isinstance(truth, bool):
        return evaluate(state, node.then if truth else node.otherwise)
    return choose((evaluate(state, node.then), evaluate(state, node.otherwise)))


def _comprehension(state: CodeState, node: syntax.Comprehension) -> Value:
    items: list[Value] = []
    outer, state.scope = state.scope, Scope(state.scope)
    _run_clause(state, node, 0, items)
    state.scope = outer
    return items


def _run_clause(state: CodeState, node: syntax.Comprehension, position: int, items: list[Value]) -> None:
    if position == len(node.clauses):
        if len(items) < MAX_ITEMS:
            items.append(evaluate(state, node.element))
        return
    target, source, conditions = node.clauses[position]
    for item in to_list(state, evaluate(state, source)):
        count_work(state, 1)
        assign(state, target, item, declares=True)
        if _holds(state, conditions):
            _run_clause(state, node, position + 1, items)


def _holds(state: CodeState, conditions: Body) -> bool:
    """Return False if one of *conditions* is known to be false; restrict names by the others."""
    for condition in conditions:
        if evaluate(state, condition) is False:
            return False
        state.scope.names |= find_restrictions(state, condition, truth=True)
    return True


def _if(state: CodeState, node: syntax.If) -> bool:
    truth = evaluate(state, node.test)
    if isinstance(truth, bool) and not state.uncertain:
        return execute(state, node.then if truth else node.otherwise)
    names, before = state.scope.names, dict(state.scope.names)
    count_work(state, len(names) >> 2)
    names |= find_restrictions(state, node.test, truth=True)
    stopped = execute(state, node.then)
    after_then = dict(names)
    names.clear()
    names |= before
    names |= (negative := find_restrictions(state, node.test, truth=False))
    otherwise_stopped = execute(state, node.otherwise)
    if otherwise_stopped and not stopped:
        names.clear()
        names |= after_then
    elif not stopped:
        changed = [name for name, value in after_then.items() if names.get(name, value) is not value]
        merged = {name: choose((after_then[name], names[name])) for name in changed if name not in negative}
        names |= {name: value for name, value in after_then.items() if name not in names} | merged
    return stopped and otherwise_stopped


def _loop(state: CodeState, node: syntax.Loop) -> bool:
    source = evaluate(state, node.source)
    if node.target is None:
        if source is not False:
            _run_uncertain(state, node)
        return False
    items = to_list(state, source)
    for item in items if len(items) < MAX_ITEMS else [*items, UNKNOWN]:
        count_work(state, 1)
        assign(state, node.target, item, declares=True)
        if is_certain(item):
            execute(state, node.body)
        else:
            _run_uncertain(state, node)
    return False


def _run_uncertain(state: CodeState, node: syntax.Loop) -> None:
    """Run the body of a loop once in which numbers that it changes are unknown."""
    state.uncertain += 1
    forget_numbers(state, node.body)
    if node.target is None:
        state.scope.names |= find_restrictions(state, node.source, truth=True)
    execute(state, node.body)
    state.uncertain -= 1


def _return(state: CodeState, node: syntax.Return) -> bool:
    state.scope.returned.append(evaluate(state, node.value))
    return True


def _yield(state: CodeState, node: syntax.Yield) -> Value:
    if len(state.scope.yielded) < MAX_ITEMS:
        state.scope.yielded += _evaluate_items(state, (node.value,))
    return UNKNOWN


def _map_display(state: CodeState, node: syntax.MapDisplay) -> Value:
    found: dict[str, Value] = {}
    for key, expression in node.pairs:
        value = evaluate(state, expression)
        if not isinstance(key, syntax.Spread):
            found[to_text(evaluate(state, key))] = value
        elif isinstance(value, dict):
            found |= value
    return found


def _evaluate_statement(state: CodeState, node: Node) -> Value:
    """Evaluate a statement in the place of an expression, which some languages allow."""
    if isinstance(node, syntax.If):
        branches = [syntax.Block((branch,)) for branch in (node.then, node.otherwise)]
        return _conditional(state, syntax.Conditional(node.test, *branches))
    if isinstance(node, syntax.Block) and len(node.parts) == 1 and node.parts[0]:
        *first, last = node.parts[0]
        return UNKNOWN if execute(state, tuple(first)) else evaluate(state, last)
    execute(state, (node,))
    return UNKNOWN


_STATEMENTS: Mapping[type, Callable[[CodeState, Any], bool]] = {
    syntax.If: _if,
    syntax.Loop: _loop,
    syntax.Return: _return,
    syntax.Stop: lambda state, node: True,
    syntax.Block: lambda state, node: all([execute(state, part) for part in node.parts if part] or [False]),
    syntax.Class: _class,
    syntax.Failure: lambda state, node: report(state, *node),
}
_EXPRESSIONS: Mapping[type, Callable[[CodeState, Any], Value]] = {
    syntax.Literal: lambda state, node: node.value,
    syntax.Name: find_value,
    syntax.Module: lambda state, node: Reference(node.name),
    syntax.Attribute: _attribute,
    syntax.Index: _index,
    syntax.Call: _call,
    syntax.Binary: _binary,
    syntax.Unary: lambda state, node: apply_unary(node.operator, evaluate(state, node.operand)),
    syntax.ListDisplay: lambda state, node: _evaluate_items(state, node.items),
    syntax.MapDisplay: _map_display,
    syntax.Template: _template,
    syntax.Conditional: _conditional,
    syntax.Comprehension: _comprehension,
    syntax.Function: _function,
    syntax.Assign: _assign,
    syntax.Yield: _yield,
    syntax.Spread: lambda state, node: evaluate(state, node.value),
    syntax.Slice: lambda state, node: UNKNOWN,
    **dict.fromkeys(_STATEMENTS, _evaluate_statement),
}
_CALLERS: Mapping[type, Callable[[CodeState, Any, Arguments, Keywords], Value]] = {
    Reference: lambda state, value, *given: call_library(state, value.name, *given),
    Method: lambda state, value, *given: call_method(state, value.receiver, value.name, *given),
    FunctionValue: _call_function,
    ClassValue: create_instance,
    Partial: lambda state, value, arguments, keywords: call(
        state, value.function, [*value.arguments, *arguments], {**dict(value.keywords), **keywords}
    ),
    Program: run_program,
    Instance: lambda state, value, *given: call(state, find_call(value), *given),
    Choice: lambda state, value, *given: choose([call(state, option, *given) for option in value.options]),
}
