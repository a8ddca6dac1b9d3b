"""Generated documentation of the built-in hooks: their order, their descriptions and their settings."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from cells import NONE, code, table

from hookline import hooks
from hookline.core.events import Event
from hookline.core.hook import ANY, Hook
from hookline.core.setting_types import describe_type

WIDTH = 100
"""Width of the settings in characters."""


def built_ins() -> str:
    """Return a table of the hooks in the order in which they run."""
    ordered = sorted((hooks.load(name) for name in hooks.names()), key=lambda hook: hook.priority)
    rows = ([_priority(h), f"[{h.name}](#{h.name})", _listens(h), h.nature] for h in ordered)
    return table(["priority", "hook", "events", "nature"], rows)


def failures() -> str:
    """Return a table of the effects of a failed hook, without and with the profile `unattended`."""
    guards = [h for h in (hooks.load(name) for name in hooks.names()) if "on_failure" in h.unattended]
    names = ", ".join(f"`{guard.name}`" for guard in sorted(guards, key=lambda guard: guard.priority))
    rows = [
        [names, "the call passes", "the call is blocked"],
        ["other built-in hooks, your own hooks", "the call passes", "the call passes"],
    ]
    return table(["failed hook", "effect", 'effect with `profile = "unattended"`'], rows)


def hook_sections() -> str:
    return "\n".join(_hook_section(hooks.load(name)) for name in hooks.names())


def _hook_section(hook: Hook) -> str:
    doc = inspect.cleandoc(sys.modules[hook.judge.__module__].__doc__ or hook.about)
    aliases = f"Alias: {code(hook.aliases)}.\n\n" if hook.aliases else ""
    default = "" if hook.enabled else "Off by default.\n\n"
    return f"### {hook.name}\n\n{_unwrap(doc)}\n\n{default}{aliases}{settings(hook)}"


def _priority(hook: Hook) -> str:
    """Return the priority; a hook may have a different one at each event."""
    if len({*hook.priorities.values()}) < 2:  # noqa: PLR2004 -- the same at every event
        return str(hook.priority)
    return ", ".join(f"{number} (`{event.__name__}`)" for event, number in hook.priorities.items())


def _listens(hook: Hook) -> str:
    return "every event" if Event in hook.on else code(event.__name__ for event in hook.on)


def _unwrap(text: str) -> str:
    """Return *text* with each paragraph on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def settings(hook: Hook) -> str:
    """Return the hook's settings with their defaults as TOML, and those that need no trust."""
    if not hook.settings:
        return "No settings.\n"
    lines = "\n".join(_setting(hook, key) for key in hook.settings)
    free = code(_without_trust(hook))
    return f"```toml\n{lines}\n```\n" + (f"\nAllowed without trust: {free}.\n" if free != NONE else "")


def _setting(hook: Hook, key: str) -> str:
    """Return a line of TOML, with a comment if the default does not show the type."""
    line = f"{key} = {_toml(hook.settings[key])}"
    if key == "allow" or hook.types[key] in {bool, float, int, str}:
        return line
    comment = f"# {typed(hook.types[key])}"
    if len(f"{line}  {comment}") <= WIDTH:
        return f"{line}  {comment}"
    return f"{fill(comment, WIDTH, subsequent_indent='# ', break_on_hyphens=False)}\n{line}"


def _without_trust(hook: Hook) -> Iterator[str]:
    """Yield the settings of an untrusted project that apply: the name for any value, or single values."""
    for key in hook.settings:
        allowed = hook.stricter.get(key, ())
        if allowed == ANY or (hook.nature == "advice" and key not in hook.stricter):
            yield key
        else:
            yield from (f"{key} = {_toml(value)}" for value in allowed)


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
    """Return a type in the words of the configuration's own messages."""
    return describe_type(kind).removeprefix("a ").replace("texts", "text")
