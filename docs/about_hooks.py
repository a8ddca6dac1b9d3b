"""What the docs say about the built-in hooks: their order, and each one's settings from its signature."""

import inspect
import sys
from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from cells import code, table

from hookline import hooks
from hookline.core.events import Event
from hookline.core.hook import ANY, Hook


def built_ins() -> str:
    """One row a hook, in the order in which they run."""
    every = sorted((hooks.load(name) for name in hooks.names()), key=lambda hook: hook.priority)
    rows = ([str(h.priority), f"[{h.name}](#{h.name})", _listens(h), h.nature, h.about] for h in every)
    return table(["priority", "hook", "events", "nature", "what it does"], rows)


def hook_sections() -> str:
    return "\n".join(_hook_section(hooks.load(name)) for name in hooks.names())


def _hook_section(hook: Hook) -> str:
    doc = inspect.cleandoc(sys.modules[hook.judge.__module__].__doc__ or hook.about)
    facts = f"Listens for {_listens(hook)}; priority {hook.priority}; {hook.nature}; {_usually(hook)}.\n"
    also = f"Also answers to {code(hook.aliases)}.\n" if hook.aliases else ""
    switch = f"Switched off by `AR_DISABLE_{hook.name.upper().replace('-', '_')}`.\n"
    return f"### {hook.name}\n\n{_reflowed(doc)}\n\n{facts}{also}{switch}\n{settings(hook)}"


def _usually(hook: Hook) -> str:
    return "on" if hook.enabled else "off until you switch it on"


def _listens(hook: Hook) -> str:
    return "every event" if Event in hook.on else code(event.__name__ for event in hook.on)


def _reflowed(text: str) -> str:
    """Docstrings are wrapped for the code; here a paragraph is one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def settings(hook: Hook) -> str:
    """The settings of a hook, from its signature."""
    if not hook.settings:
        return "It has no settings of its own.\n"
    rows = (
        [f"`{key}`", f"`{typed(hook.types[key])}`", f"`{_toml(value)}`", _untrusted(hook, key)]
        for key, value in hook.settings.items()
    )
    return table(["setting", "type", "default", "a project may set it untrusted"], rows)


def _untrusted(hook: Hook, key: str) -> str:
    allowed = hook.stricter.get(key, ())
    if hook.nature == "advice" or allowed == ANY:
        return "to anything"
    return f"to {code(map(_toml, allowed))}" if allowed else "no"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple | list | frozenset):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return str(value)


def typed(kind: Any) -> str:
    """A type as its reader would say it."""
    if get_origin(kind) is Literal:
        return " | ".join(_toml(word) for word in get_args(kind))
    if isinstance(kind, UnionType):
        return " | ".join(typed(one) for one in get_args(kind))
    if get_origin(kind) in (tuple, list):
        return f"list of {typed(get_args(kind)[0])}"
    named = getattr(kind, "__name__", str(kind)) if not get_args(kind) else str(kind)
    return {"str": "text", "bool": "true | false", "NoneType": "none"}.get(named, named.split(".")[-1])
