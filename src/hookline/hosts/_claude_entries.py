"""Reader of hook entries in Claude Code's settings format, which several hosts share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from hookline.core.frozen import Frozen
from hookline.core.install_table import UserHook
from hookline.core.values import replace
from hookline.lazy import re

IGNORED_KEYS = {
    "if": "runs for every call that its matcher matches: `if` is not supported",
    "once": "runs every time: `once` is not supported",
    "async": "runs synchronously: `async` is not supported",
    "asyncRewake": "runs synchronously: `asyncRewake` is not supported",
}
"""Keys of an entry that hookline does not support, and the behaviour without them."""
SUPPORTED_KEYS = {
    "type",
    "command",
    "args",
    "shell",
    "timeout",
    "onFailure",
    "statusMessage",
    "name",
    "description",
}
"""Keys that hookline supports, and keys that are only displayed."""
PROJECT_VARIABLE = "${CLAUDE_PROJECT_DIR}"
"""Placeholder that the host expands in commands without a shell; hookline runs those unexpanded."""
HOST_VARIABLES = re.compile(r"\bCLAUDE_(?:ENV_FILE|PLUGIN_ROOT|PLUGIN_DATA|CODE_\w+)\b")
"""Variables that only the host sets; hookline sets the project folder itself."""


def read_hooks(entry: Any) -> Iterator[UserHook]:
    """Yield the hooks of one entry, which has a matcher and a list of hooks."""
    hooks = entry.get("hooks") if isinstance(entry, Mapping) else None
    match = entry.get("matcher", "") if isinstance(entry, Mapping) else ""
    if not isinstance(hooks, list) or not isinstance(match, str):
        yield UserHook(refusal="is not a valid entry: the list `hooks` is missing")
        return
    for hook in hooks:
        yield _read_hook(hook, match) if isinstance(hook, Mapping) else UserHook(refusal="is not an object")


def read_hooks_in_ms(entry: Any) -> Iterator[UserHook]:
    """Yield the hooks of one entry whose timeouts are in milliseconds."""
    yield from (replace(hook, timeout=hook.timeout and hook.timeout / 1000) for hook in read_hooks(entry))


def _read_hook(hook: Mapping[str, Any], match: str) -> UserHook:
    kind, command = hook.get("type", "command"), _read_command(hook)
    text = command or str(hook.get("url") or hook.get("tool") or hook.get("prompt") or "")
    refused = _find_refusal(kind, hook, command)
    ignored = [
        *(message for key, message in IGNORED_KEYS.items() if hook.get(key)),
        *_describe_unknown_keys(hook),
    ]
    missing = HOST_VARIABLES.findall(command if isinstance(command, str) else " ".join(command))
    ignored += [f"uses ${name}, which is not set there" for name in dict.fromkeys(missing)]
    seconds = hook.get("timeout")
    is_timeout = isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0
    more = Frozen({"on_failure": "block"} if hook.get("onFailure") == "block" else {})
    return UserHook(
        command=text,
        match=match,
        timeout=seconds if is_timeout else None,
        extra_keys=more,
        unconverted=tuple(ignored),
        refusal=refused,
    )


def _read_command(hook: Mapping[str, Any]) -> str | tuple[str, ...]:
    command, words = hook.get("command"), hook.get("args")
    if not isinstance(command, str):
        return ""
    if not isinstance(words, list):
        return command
    argv = (command, *map(str, words))
    return argv if PROJECT_VARIABLE not in "".join(argv) else " ".join(map(_quote_word, argv))


def _quote_word(word: str) -> str:
    """Return *word* quoted for a shell, with the project folder left to expand."""
    return (
        f'"{PROJECT_VARIABLE}"'.join(quote(part) if part else "" for part in word.split(PROJECT_VARIABLE))
        or "''"
    )


def _find_refusal(kind: Any, hook: Mapping[str, Any], command: str | tuple[str, ...]) -> str:
    if kind != "command":
        return f"has the type {kind!r}; only commands can be converted"
    if hook.get("shell", "bash") != "bash":
        return f"requires the shell {hook['shell']!r}; hookline runs commands in /bin/sh"
    return "" if command else "has no command"


def _describe_unknown_keys(hook: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"has the unknown key {key!r}" for key in hook if key not in SUPPORTED_KEYS | IGNORED_KEYS.keys()
    )
