"""Variables, attributes and parameters of evaluated code."""

from __future__ import annotations

from hookline.shell.code import syntax
from hookline.shell.code.calls import find_attribute, find_constant, is_library_name
from hookline.shell.code.syntax import Body, Node
from hookline.shell.code.values import (
    MAX_ITEMS,
    UNKNOWN,
    Arguments,
    Choice,
    ClassValue,
    CodeState,
    Environment,
    FunctionValue,
    Instance,
    Keywords,
    Method,
    Reference,
    Scope,
    Value,
    choose,
    to_items,
    to_text,
)
from hookline.shell.shell_state import UNSET

_CONSTRUCTORS = ("__init__", "constructor", "initialize", "__construct")


def find_name(state: CodeState, node: syntax.Name) -> Value:
    scope: Scope | None = state.scope
    while scope is not None:
        if node.name in scope.names:
            return scope.names[node.name]
        scope = scope.parent
    found = find_constant(state, node.name)
    if found is not None:
        return found
    if node.name.startswith(("$", "@", "%")) and state.language != "javascript":
        return UNSET if node.name.startswith("$") and node.name[1:].isalpha() else UNKNOWN
    for module in state.star_modules:
        if is_library_name(state, f"{module}.{node.name}"):
            return Reference(f"{module}.{node.name}")
    return Reference(node.name)


def find_member(state: CodeState, value: Value, name: str) -> Value:
    if isinstance(value, Reference):
        full = f"{value.name}.{name}"
        found = find_constant(state, full)
        return Reference(full) if found is None else found
    if isinstance(value, Instance):
        if name in value.attributes:
            return value.attributes[name]
        member = find_class_member(value.cls, name)
        if isinstance(member, FunctionValue):
            return FunctionValue(member.node, member.scope, value)
        return Method(value, name) if member is None else member
    if isinstance(value, ClassValue):
        member = find_class_member(value, name)
        return Method(value, name) if member is None else member
    return find_attribute(state, value, name)


def find_class_member(cls: ClassValue, name: str) -> Value:
    for _ in range(8):
        if name in cls.members:
            return cls.members[name]
        base = next((base for base in cls.bases if isinstance(base, ClassValue)), None)
        if base is None or base is cls:
            return None
        cls = base
    return None


def create_instance(state: CodeState, cls: ClassValue, arguments: Arguments, keywords: Keywords) -> Value:
    instance = Instance(cls)
    for name in _CONSTRUCTORS:
        member = find_class_member(cls, name)
        if isinstance(member, FunctionValue):
            state.call(state, FunctionValue(member.node, member.scope, instance), arguments, keywords)
            return instance
    instance.attributes |= dict(keywords)
    names = [name for name, value in cls.members.items() if not isinstance(value, FunctionValue)]
    instance.attributes |= dict(zip(names, arguments, strict=False))
    return instance


def bind_parameters(
    state: CodeState, function: FunctionValue, arguments: Arguments, keywords: Keywords
) -> None:
    names = state.scope.names
    given = list(arguments)
    names["@_" if state.language == "perl" else "arguments"] = given
    if function.instance is not None:
        names |= dict.fromkeys(("this", "self", "$this"), function.instance)
        if state.language in ("python", "perl"):
            given = [function.instance, *given]
    for position, parameter in enumerate(function.node.parameters):
        if parameter.kind == "*":
            names[parameter.name] = given[position:]
        elif parameter.kind == "**":
            names[parameter.name] = dict(keywords)
        elif parameter.name in keywords:
            names[parameter.name] = keywords[parameter.name]
        elif position < len(given) and parameter.kind != "=":
            _bind_parameter(state, parameter, given[position])
        else:
            names[parameter.name] = state.evaluate(state, parameter.default) if parameter.default else UNKNOWN


def _bind_parameter(state: CodeState, parameter: syntax.Parameter, value: Value) -> None:
    """Bind a parameter; a pattern such as `{path}` is stored as the target in the default."""
    if parameter.kind == "pattern" and parameter.default is not None:
        assign(state, parameter.default, value, declares=True)
    else:
        state.scope.names[parameter.name] = value


def assign(state: CodeState, target: Node, value: Value, *, declares: bool) -> None:
    """Assign *value* to the variables of *target*."""
    if isinstance(target, syntax.Name):
        _assign_name(state, target.name, value, declares=declares)
    elif isinstance(target, syntax.ListDisplay):
        _unpack(state, target.items, value, declares=declares)
    elif isinstance(target, syntax.MapDisplay):
        for key, inner in target.pairs:
            name = to_text(state.evaluate(state, key)) if not isinstance(key, syntax.Spread) else ""
            assign(state, inner, find_member(state, value, name) if name else value, declares=declares)
    elif isinstance(target, syntax.Attribute | syntax.Index):
        container = state.evaluate(state, target.target)
        position = target.name if isinstance(target, syntax.Attribute) else state.evaluate(state, target.key)
        _store(state, container, position, value)
    elif isinstance(target, syntax.Assign):  # a default in a pattern
        assign(state, target.target, choose((value, state.evaluate(state, target.value))), declares=declares)


def _assign_name(state: CodeState, name: str, value: Value, *, declares: bool) -> None:
    if name == "*" and isinstance(value, Reference):
        state.star_modules.append(value.name)
        return
    scope: Scope | None = state.scope
    while scope is not None and not declares:
        if name in scope.names or (name.startswith("@") and scope.parent is None):  # Ruby: @name
            scope.names[name] = value
            return
        scope = scope.parent
    state.scope.names[name] = value


def _unpack(state: CodeState, targets: Body, value: Value, *, declares: bool) -> None:
    items = to_items(value) if isinstance(value, list | Choice) else []
    for position, target in enumerate(targets):
        if isinstance(target, syntax.Spread):
            assign(state, target.value, items[position:] or UNKNOWN, declares=declares)
        else:
            item = items[position] if position < len(items) else UNKNOWN
            assign(state, target, item, declares=declares)


def _store(state: CodeState, container: Value, key: Value, value: Value) -> None:
    if isinstance(container, Instance):
        container.attributes[to_text(key)] = value
    elif isinstance(container, Environment):
        container[to_text(key)] = state.changed_variables[to_text(key)] = to_text(value)
    elif isinstance(container, dict) and len(container) < MAX_ITEMS:
        container[to_text(key)] = value
    elif isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
        container[key] = value
    elif isinstance(container, list) and len(container) < MAX_ITEMS:
        container.append(value)
