"""Classes of evaluated code: their members and instances."""

from __future__ import annotations

from hookline.shell.code.values import (
    Arguments,
    ClassValue,
    CodeState,
    FunctionValue,
    Instance,
    Keywords,
    Value,
)

_CONSTRUCTORS = ("__init__", "constructor", "initialize", "__construct")
_CALL_METHODS = ("__call__", "__invoke", "call")
"""Methods that a call of an instance runs."""


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


def find_call(instance: Instance) -> Value:
    """Return the function that a call of *instance* runs."""
    found = (find_class_member(instance.cls, name) for name in _CALL_METHODS)
    member = next((value for value in found if isinstance(value, FunctionValue)), None)
    return FunctionValue(member.node, member.scope, instance) if member is not None else None
