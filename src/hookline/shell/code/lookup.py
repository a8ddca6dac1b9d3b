"""Lookup of variables, members and library functions of evaluated code, and calls of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hookline.shell.code import syntax
from hookline.shell.code.actions import apply_call, call_path_method
from hookline.shell.code.commands import (
    REFERENCE_METHODS,
    call_callbacks,
    call_functions,
    find_full_name,
    is_function,
    is_library_name,
    write_input,
)
from hookline.shell.code.files import call_file_method, call_other, fill_files
from hookline.shell.code.functions import Given, substitute_variables
from hookline.shell.code.methods import (
    LIST_METHODS,
    MAPPING_METHODS,
    PATH_PROPERTIES,
    apply_text_method,
    get_text,
    join_texts,
)
from hookline.shell.code.objects import find_class_member, find_program, run_program
from hookline.shell.code.operators import find_item, format_fields
from hookline.shell.code.syntax import Body, Node
from hookline.shell.code.tables import (
    CALLS,
    LANGUAGE_FUNCTIONS,
    LIBRARY_FUNCTIONS,
    METHODS_OF_ANY,
    find_constant,
)
from hookline.shell.code.values import (
    CAPTURED,
    MAX_ITEMS,
    UNKNOWN,
    Arguments,
    Choice,
    ClassValue,
    CodeState,
    Environment,
    FileValue,
    FunctionValue,
    Instance,
    Keywords,
    Method,
    Partial,
    PathValue,
    Program,
    Reference,
    Scope,
    Value,
    bound_text,
    choose,
    distribute,
    to_items,
    to_text,
)
from hookline.shell.shell_state import UNSET


def find_name(state: CodeState, node: syntax.Name) -> Value:
    scope: Scope | None = state.scope
    names = _find_names(state.language, node.name)
    while scope is not None:
        if (name := next((name for name in names if name in scope.names), None)) is not None:
            return scope.names[name]
        scope = scope.parent
    if len(names) > 1 and node.name.startswith("&"):
        return Reference(names[1])
    found = find_constant(state, node.name)
    if found is not None:
        return found
    if node.name.startswith(("$", "@", "%")) and state.language != "javascript":
        return UNSET if node.name.startswith("$") and node.name[1:].isalpha() else UNKNOWN
    for module in state.star_modules:
        if is_library_name(state, f"{module}.{node.name}"):
            return Reference(f"{module}.{node.name}")
    return Reference(node.name)


def _find_names(language: str, name: str) -> tuple[str, ...]:
    """Return the names of a variable: `&name` in Perl is a function, and `name` in Ruby may read `@name`."""
    if language == "perl" and name.startswith("&"):
        return name, name[1:]
    return (name, "@" + name) if language == "ruby" else (name,)


def find_value(state: CodeState, node: syntax.Name) -> Value:
    """Return the value of a name; in Ruby, that of a method is the result of a call."""
    value = find_name(state, node)
    is_call = state.language == "ruby" and isinstance(value, FunctionValue) and value.node.name
    return state.call(state, value, [], {}) if is_call else value


def find_member(state: CodeState, value: Value, name: str) -> Value:
    if isinstance(value, Reference):
        full = f"{value.name}.{name}" if value.name else name
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
        if isinstance(member, FunctionValue) and _takes_class(state, member):
            return FunctionValue(member.node, member.scope, value)
        return Method(value, name) if member is None else member
    if isinstance(value, Program):
        return Program(value.words, (*value.members, name))
    return find_attribute(state, value, name)


def _takes_class(state: CodeState, function: FunctionValue) -> bool:
    """Return whether a method receives the class on which it is called."""
    return state.language != "python" or [item.name for item in function.node.parameters[:1]] == ["cls"]


def _prepare_arguments(
    state: CodeState, function: FunctionValue, given: Arguments, keywords: Keywords
) -> tuple[Arguments, Keywords]:
    """Set the names that stand for the arguments, and return the arguments for the parameters."""
    names = state.scope.names
    names["@_" if state.language == "perl" else "arguments"] = given
    if function.instance is not None:
        names |= dict.fromkeys(("this", "self", "$this"), function.instance)
        if state.language in ("python", "perl"):
            given = [function.instance, *given]
    if state.language == "perl" and not function.node.name:
        names |= {"$_": given[0]} if given else {}
    if (
        state.language == "ruby"
        and len(given) == 1 < len(function.node.parameters)
        and isinstance(given[0], list)
    ):
        given = given[0]
    options = given[-1] if given and isinstance(given[-1], dict) and state.language == "ruby" else {}
    return given, {**options, **keywords}


def bind_parameters(
    state: CodeState, function: FunctionValue, arguments: Arguments, keywords: Keywords
) -> None:
    names = state.scope.names
    given, keywords = _prepare_arguments(state, function, list(arguments), keywords)
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
            default = state.defaults.get(parameter.name, UNKNOWN)
            names[parameter.name] = state.evaluate(state, parameter.default) if parameter.default else default
    _promote_parameters(state, function)


def _promote_parameters(state: CodeState, function: FunctionValue) -> None:
    """Store the arguments of a constructor as attributes, as PHP does for parameters with `private`."""
    if function.node.name == "__construct" and isinstance(function.instance, Instance):
        for parameter in function.node.parameters:
            function.instance.attributes.setdefault(
                parameter.name.lstrip("$"), state.scope.names[parameter.name]
            )


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
        name = to_text(key)
        container[name] = (
            choose((container[name], value)) if value == UNKNOWN and name in container else value
        )
    elif isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
        container[key] = value
    elif isinstance(container, list) and len(container) < MAX_ITEMS:
        container.append(value)
    else:  # sys.stdout = open(…)
        fill_files(state, [value])


def call_library(state: CodeState, name: str, arguments: Arguments, keywords: Keywords) -> Value:
    """Call the library function *name*; a function that is not known calls the functions passed to it."""
    full = find_full_name(state, name)
    if f".{full}".endswith(".method") and state.language == "ruby":  # File.method(:delete)
        return find_member(state, Reference(full.removesuffix("method").rstrip(".")), get_text(arguments, 0))
    base, _, last = full.rpartition(".")
    entry = CALLS[state.language].get(full)
    if entry is None and arguments and last in REFERENCE_METHODS and full not in LIBRARY_FUNCTIONS:
        return REFERENCE_METHODS[last](state, Reference(base), arguments)
    function = LANGUAGE_FUNCTIONS[state.language].get(full)
    if function is None and entry is None:
        function = LIBRARY_FUNCTIONS.get(full)
    if function is not None:
        found = function
        return distribute(lambda *values: found(Given(state, list(values), keywords)), *arguments)
    if entry is not None:
        return apply_call(state, entry, arguments, keywords)
    program = find_program(state, full)
    if program is not None:  # a library for git takes the repository first
        takes_folder = bool(program.members) and len(arguments) > 1
        return run_program(state, program, arguments[takes_folder:], keywords)
    if state.language == "perl" and isinstance(own := find_name(state, syntax.Name(last)), FunctionValue):
        return state.call(state, own, [base or UNKNOWN, *arguments], keywords)
    method = "" if full == "run" else last  # only a method of that name runs a command; a function may be any
    return call_unknown_method(state, method, UNKNOWN, arguments, keywords)


def call_unknown_method(
    state: CodeState, name: str, receiver: Value, arguments: Arguments, keywords: Keywords
) -> Value:
    """Call a method of an object of unknown type, which is known by its name if that has one meaning."""
    if state.language == "perl" and isinstance(found := find_name(state, syntax.Name(name)), FunctionValue):
        return state.call(state, found, [receiver, *arguments], keywords)
    short = name.removesuffix("Sync") if state.language == "javascript" else name
    entry = METHODS_OF_ANY[state.language].get(short)
    given = arguments[0] if arguments else None
    if entry is None or (name == "run" and not isinstance(given, str | list)):
        return call_other(state, name, arguments, keywords)
    on_path = "Path." + name in CALLS[state.language] and (not arguments or name.startswith("write_"))
    return apply_call(state, entry, [receiver, *arguments] if on_path else arguments, keywords)


def find_attribute(state: CodeState, value: Value, name: str) -> Value:
    """Return the attribute *name* of a built-in value: a property, an entry of a mapping, or a method."""
    if isinstance(value, PathValue) and name in PATH_PROPERTIES:
        return PATH_PROPERTIES[name](value.text)
    if isinstance(value, dict) and (name in value or isinstance(value, Environment)):
        return find_item(state, value, name) if name not in MAPPING_METHODS else Method(value, name)
    if isinstance(value, FileValue) and name in ("buffer", "name", "filename"):
        return value if name == "buffer" else value.path
    if name == "path" and isinstance(value, list) and value[:1] and isinstance(value[0], PathValue):
        return PATH_PROPERTIES["parent"](value[0].text)  # the folder of fs.opendir
    if name == "length" and isinstance(value, list | str):
        return len(value) if UNKNOWN not in value else UNKNOWN
    if value == UNKNOWN and name in state.defaults:
        return state.defaults[name]
    if isinstance(value, str) and UNKNOWN in value and name in ("name", "path", *_OUTPUTS):
        return value
    return Method(value, name)


_OUTPUTS = ("stdin", "stdout", "text", "content", "body", "data", "output")
_OUTPUT_METHODS: Mapping[str, Callable[[CodeState, Any, Arguments], Value]] = {
    **dict.fromkeys(("communicate", "write", "puts", "print", "sendline", "end"), write_input),
    **dict.fromkeys(
        (*_OUTPUTS, "read", "decode", "toString", "readlines"), lambda state, output, given: output
    ),
    **dict.fromkeys(("on", "once"), lambda state, output, given: call_functions(state, given, output)),
    "pipe": lambda state, output, given: (
        write_input(state, to_text(given[0]), [output]) if given else UNKNOWN
    ),
}


def _find_caller(
    receiver: Value, name: str, arguments: Arguments
) -> Callable[[CodeState, Any, Arguments], Value] | None:
    """Return the function for a method that any value has, or the output of a command."""
    if isinstance(receiver, dict):
        return _call_with_pairs(name) if arguments and is_function(arguments[-1]) else None
    if isinstance(receiver, list):
        return LIST_METHODS.get(name)
    if arguments and name in ("then", "tap"):
        return REFERENCE_METHODS[name]
    if receiver == UNKNOWN and len(arguments) > 1 and isinstance(arguments[0], Reference):
        return lambda state, receiver, arguments: call_callbacks(state, arguments, {})
    if not isinstance(receiver, str) or CAPTURED not in receiver:
        return None
    return _OUTPUT_METHODS.get(name)


def _call_with_pairs(name: str) -> Callable[[CodeState, Any, Arguments], Value] | None:
    """Return the method of a list that calls a function, for the pairs of a mapping."""
    method = LIST_METHODS.get("map" if name == "each_pair" else name)
    if method is None:
        return None
    found = method
    return lambda state, entries, arguments: found(state, [list(pair) for pair in entries.items()], arguments)


def call_method(
    state: CodeState, receiver: Value, name: str, arguments: Arguments, keywords: Keywords
) -> Value:
    """Call the method *name* of a built-in value."""
    if isinstance(receiver, Choice):
        return choose([call_method(state, item, name, arguments, keywords) for item in receiver.options])
    caller = _find_caller(receiver, name, arguments)
    if caller is not None:
        return caller(state, receiver, arguments)
    if isinstance(receiver, PathValue):
        return call_path_method(state, receiver, name, arguments, keywords)
    if isinstance(receiver, FileValue):
        return call_file_method(state, receiver, name, arguments)
    if isinstance(receiver, dict) and name in MAPPING_METHODS:
        return MAPPING_METHODS[name](receiver, arguments)
    if isinstance(receiver, str | int | float):
        return _call_text_method(state, receiver, name, arguments, keywords)
    if isinstance(receiver, FunctionValue | ClassValue | Partial) and name in ("call", "new", "apply", "()"):
        return state.call(state, receiver, arguments, keywords)
    return call_unknown_method(state, name, receiver, arguments, keywords)


def _call_text_method(
    state: CodeState, receiver: str | float, name: str, arguments: Arguments, keywords: Keywords
) -> Value:
    text = to_text(receiver)
    if name == "join" and isinstance(receiver, str):
        return join_texts(state, text, to_items(arguments[0] if arguments else UNKNOWN))
    if name == "format" and isinstance(receiver, str):
        return distribute(
            lambda *values: bound_text(state, format_fields(text, list(values), keywords)), *arguments
        )
    if name in ("substitute", "safe_substitute"):
        values = dict(keywords) | {k: v for one in arguments if isinstance(one, dict) for k, v in one.items()}
        return substitute_variables(text, values)
    if name in ("each", "times", "forEach", "map", "filter", "each_line"):
        items: list[Value] = list(range(min(receiver, MAX_ITEMS))) if isinstance(receiver, int) else [text]
        return LIST_METHODS["filter" if name == "filter" else "map"](state, items, arguments)
    result = apply_text_method(state, name, receiver, arguments)
    if result is not None:
        return result
    if UNKNOWN in text and is_library_name(state, "Path." + name):
        return call_library(state, "Path." + name, [receiver, *arguments], keywords)
    return call_unknown_method(state, name, receiver, arguments, keywords)
