"""Generated documentation of the configuration files: keys with types, kinds of hooks, and stores."""

import sys
from collections.abc import Iterable, Mapping

from cells import NONE, code, table

from hookline import kinds, stores
from hookline.cli.config import DEFAULTS
from hookline.core.kind import Kind
from hookline.core.variables import OLD_NAMES
from hookline.policy.parse_files import ENTRY, OPTIONS

WORDS = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    list: "list",
    dict: "table",
}
OPTION_NOTES = {
    "profile": '`"none"` turns every built-in hook off until its `enabled = true`; '
    '`"unattended"` makes `privacy-block`, `budget-countdown` and failed guards block where they would warn, '
    "as in every run of the engine",
    "import": 'hooks in Python modules, such as `"package.module:name"`',
    "store": "one of the [stores](#stores)",
    "store_address": "address of the PostgreSQL database, or absolute path of the sqlite file",
    "keep_days": "maximum age of [stored records](../guides/stores.md)",
    "keep_records": "maximum number of stored records",
    "answer_within": "seconds for a whole answer, if the host allows more; at most a day",
    "approvals": '`"wait"`: in a session without a user, a call that needs a person '
    "[waits](../guides/approvals.md) for `hookline approvals`",
    "approvals_within": "seconds that such a question waits, if the host's entry allows it; at most a day",
    "context_cap": "characters of context in an answer, if the host allows more",
    "continuations": "[continuations](../guides/turns.md) of a turn by all hooks, if the host allows more",
}
ENTRY_NOTES = {
    "name": "lower-case letters, digits, `.`, `_` and `-`",
    "priority": "-1000 to 1000, lowest first; 50 by default",
    "match": "names joined by `|`, or a regular expression, for the tool's name or kind, "
    "the source of a session start, and the like",
    "timeout": "seconds, more than 0 and at most 600; by default that of the [event](concepts.md#events)",
    "on_failure": '`"warn"` (default) or `"block"`',
    "on_timeout": "the same; by default that of `on_failure`",
    "observer": "see also blocked calls, and change nothing",
    "hosts": "run only under these [hosts](hosts.md)",
}
"""Descriptions of the keys; the keys and types come from the code."""


def options() -> str:
    rows = (
        [f"`{key}`", _describe_types(types), _default(key), OPTION_NOTES.get(key, "")]
        for key, types in OPTIONS.items()
    )
    return table(["option", "type", "default", "description"], rows)


def _default(key: str) -> str:
    value = DEFAULTS[key]
    if isinstance(value, str) and value:
        return f'`"{value}"`'
    return f"`{value:.0f}`" if value else NONE


def entry_keys() -> str:
    return _keys(ENTRY, ENTRY_NOTES)


def _keys(keys: Mapping[str, Iterable[type]], notes: Mapping[str, str]) -> str:
    rows = ([f"`{key}`", _describe_types(types), notes.get(key, "")] for key, types in keys.items())
    return table(["key", "type", "description"], rows)


def kind_list() -> str:
    rows = (_kind(kinds.load(name)) for name in kinds.names())
    return table(["kind", "key", "further keys", "description"], rows)


def _kind(kind: Kind) -> list[str]:
    further = code(key for key in kind.fields if key != kind.key)
    return [kind.name, f"`{kind.key}`", further, kind.about]


def old_names() -> str:
    rows = ([f"`{old}{_suffix(old)}`", f"`{new}{_suffix(new)}`"] for new, old in OLD_NAMES.items())
    return table(["older name", "present name"], rows)


def _suffix(name: str) -> str:
    return "<NAME>" if name.endswith("_") else ""


def store_list() -> str:
    return table(["store", "description"], ([f"`{name}`", _describe_store(name)] for name in stores.names()))


def _describe_store(name: str) -> str:
    return (sys.modules[stores.load(name).__module__].__doc__ or "").strip().partition("\n")[0]


def _describe_types(types: Iterable[type]) -> str:
    words = [WORDS[kind] for kind in types]
    return "number" if words == ["whole number", "number"] else " or ".join(words)
