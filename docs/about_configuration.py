"""What the docs say about the files a person writes: their keys and types, the kinds and the stores."""

import sys
from collections.abc import Iterable

from cells import code, table

from hookline import kinds, stores
from hookline.core.kind import Kind
from hookline.policy.parse_files import ENTRY, OPTIONS

WORDS = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true | false",
    list: "list",
    dict: "table",
}


def options() -> str:
    return table(["key", "type"], ([f"`{key}`", _said(types)] for key, types in OPTIONS.items()))


def entry_keys() -> str:
    return table(["key", "type"], ([f"`{key}`", _said(types)] for key, types in ENTRY.items()))


def kind_list() -> str:
    rows = (_kind(kinds.load(name)) for name in kinds.names())
    return table(["kind", "told by", "further keys", "what it does"], rows)


def _kind(kind: Kind) -> list[str]:
    further = code(key for key in kind.fields if key != kind.key)
    return [kind.name, f"`{kind.key}`", further, kind.about]


def store_list() -> str:
    return table(["store", "what it is"], ([f"`{name}`", _about_store(name)] for name in stores.names()))


def _about_store(name: str) -> str:
    return (sys.modules[stores.load(name).__module__].__doc__ or "").strip().partition("\n")[0]


def _said(types: Iterable[type]) -> str:
    words = [WORDS[kind] for kind in types]
    return "number" if words == ["whole number", "number"] else " or ".join(words)
