"""Claude Code's way to write hooks into settings, which several hosts share: entries that others wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from hookline.core.frozen import Frozen
from hookline.core.install_table import Written
from hookline.core.values import replace

LOST = {
    "if": "runs for every call that its match fits: `if` is not read here",
    "once": "runs every time: `once` means nothing here",
    "async": "is waited for: `async` means nothing here",
    "asyncRewake": "is waited for, and wakes nobody: `asyncRewake` means nothing here",
}
"""What an entry may ask for that we cannot give, and what happens instead."""
KNOWN = {"type", "command", "args", "shell", "timeout", "onFailure", "statusMessage", "name", "description"}
"""What we can give, and what is only for show."""
PROJECT = "${CLAUDE_PROJECT_DIR}"
"""What is put into the words of a command without a shell; we start those as they are."""
VARIABLES = re.compile(r"\bCLAUDE_(?:ENV_FILE|PLUGIN_ROOT|PLUGIN_DATA|CODE_\w+)\b")
"""What only the host itself can set; the project's folder is told by us as well."""


def hooks(entry: Any) -> Iterator[Written]:
    """The hooks of one entry: a matcher, and a list of what to run."""
    given = entry.get("hooks") if isinstance(entry, Mapping) else None
    match = entry.get("matcher", "") if isinstance(entry, Mapping) else ""
    if not isinstance(given, list) or not isinstance(match, str):
        yield Written(refused="is no entry that could be read: it needs a list called `hooks`")
        return
    for one in given:
        yield _hook(one, match) if isinstance(one, Mapping) else Written(refused="is no object")


def timed_in_ms(entry: Any) -> Iterator[Written]:
    """The same, of hosts that count in milliseconds."""
    yield from (replace(one, seconds=one.seconds and one.seconds / 1000) for one in hooks(entry))


def _hook(one: Mapping[str, Any], match: str) -> Written:
    kind, command = one.get("type", "command"), _command(one)
    shown = command or str(one.get("url") or one.get("tool") or one.get("prompt") or "")
    refused = _refused(kind, one, command)
    asked = [*(said for key, said in LOST.items() if one.get(key)), *_unknown(one)]
    missing = VARIABLES.findall(command if isinstance(command, str) else " ".join(command))
    asked += [f"wants ${name}, which is not set there" for name in dict.fromkeys(missing)]
    seconds = one.get("timeout")
    counts = isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0
    blocks = Frozen({"on_failure": "block"} if one.get("onFailure") == "block" else {})
    return Written(
        command=shown,
        match=match,
        seconds=seconds if counts else None,
        more=blocks,
        lost=tuple(asked),
        refused=refused,
    )


def _command(one: Mapping[str, Any]) -> str | tuple[str, ...]:
    command, words = one.get("command"), one.get("args")
    if not isinstance(command, str):
        return ""
    if not isinstance(words, list):
        return command
    whole = (command, *map(str, words))
    return whole if PROJECT not in "".join(whole) else " ".join(map(_for_a_shell, whole))


def _for_a_shell(word: str) -> str:
    """A word that a shell reads as the same, with the project's folder put in."""
    return f'"{PROJECT}"'.join(quote(part) if part else "" for part in word.split(PROJECT)) or "''"


def _refused(kind: Any, one: Mapping[str, Any], command: str | tuple[str, ...]) -> str:
    if kind != "command":
        return f"is of the type {kind!r}; only commands carry over"
    if one.get("shell", "bash") != "bash":
        return f"wants the shell {one['shell']!r}; commands run in /bin/sh here"
    return "" if command else "has no command"


def _unknown(one: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"says {key!r}, which is not known here" for key in one if key not in KNOWN | LOST.keys())
