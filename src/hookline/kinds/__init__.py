"""The kinds of configured hooks, one a file; each file's `KIND` says how such a hook is carried out."""

from hookline.core.kind import Kind
from hookline.core.registry import Family

FAMILY = Family(package=__name__, noun="kind of hook", constant="KIND")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Kind:
    kind: Kind = FAMILY.load(name)
    return kind
