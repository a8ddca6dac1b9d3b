"""Kinds of configured hooks: one module per kind, with the constant `KIND`."""

from hookline.core.kind import Kind
from hookline.core.registry import Registry

FAMILY = Registry(package=__name__, noun="kind of hook", constant="KIND")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Kind:
    kind: Kind = FAMILY.load(name)
    return kind
