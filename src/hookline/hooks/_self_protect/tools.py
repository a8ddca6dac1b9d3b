"""Judge tools other than POSIX shells: those that write files, Windows shells, and unknown ones."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.patch import parse_patch
from hookline.core.values import replace
from hookline.hooks._self_protect.commands import PERSONAL, moves_home, sets_switch
from hookline.hooks._self_protect.finding import Finding
from hookline.hooks._self_protect.guarded_paths import Guard
from hookline.hooks._self_protect.shell import judged, own, shadows, starts
from hookline.shell.options import word_set

_NAMED = re.compile(r"path|file|dir|folder|target|dest|source|uri", re.IGNORECASE)
_COMMANDS = word_set("command cmd script code args argv commands shell input")
_TYPED = word_set("bash command_line text keys python line run exec")
"""Fields that may hold a command or only a text."""
_READS = re.compile(
    r"(?:^|[_\W])(?:read|get|list|search|find|view|stat|show|describe|query|fetch|tree|info)(?:[_\W]|$)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"write|replace|edit|create|delete|remove|set|put|update|move|rename|append|save|copy", re.IGNORECASE
)
_PEOPLE = re.compile(
    rf"hookline(?:\.exe)?['\"]?\s+(?:{'|'.join(sorted(PERSONAL))}|budget\s+set|daemon\s+stop)\b",
    re.IGNORECASE,
)
_WINDOWS_WRITES = re.compile(
    r"set-content|add-content|out-file|remove-item|move-item|copy-item|new-item|rename-item|clear-content|set-item"
    r"|writealltext|tee-object|\b(?:del|erase|rd|rmdir|ren|move|copy|xcopy|robocopy|ri|rm|mv|cp|sc|ac|ni)\b|>",
    re.IGNORECASE,
)
_LONGEST_PATH = 4096
_DEEPEST = 5
_RUN_BY_OTHERS = ("/.git/hooks/", "/.husky/", "/.git/config", "/.gitconfig")
"""Parts of paths whose files other programs run."""


def written(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    """Judge a file tool: block changes of guarded files, or ask where a person may agree."""
    for path in dict.fromkeys(_paths(event)):
        rule = _rule(path, guard)
        if rule is not None:
            may = rule == "write-project" or (
                rule == "write-wiring" and event.kind == "edit" and not _ours(event)
            )
            yield Finding(rule=rule, what=f"`{path}`", action="ask" if may else "block")
        elif starts(path) and _loosens(path, event):
            yield Finding(rule="switch", what=f"`{path}`")
        elif shadows(path, event.cwd, guard):
            yield Finding(rule="uninstall", what=f"`{path}`")
        elif starts(path) or any(part in path for part in _RUN_BY_OTHERS):
            yield from _run_later(path, event, guard)


def _loosens(path: str, event: PreToolUse) -> bool:
    texts = list(_texts(event.input))
    return any(map(sets_switch, texts)) or (not own(path) and any(map(moves_home, texts)))


def _paths(event: PreToolUse) -> Iterator[str]:
    """Yield the path that the host reports, the fields named like a path, and the files of a patch."""
    yield from [event.path] if event.path else []
    for key, text in _leaves(event.input):
        if _NAMED.search(key) and "\n" not in text and len(text) < _LONGEST_PATH:
            yield text
        yield from (part.path for part in parse_patch(text))


def _leaves(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, str(name), depth + 1)
    elif depth < _DEEPEST and isinstance(value, Sequence) and not isinstance(value, bytes):
        for item in value:
            yield from _leaves(item, key, depth + 1)


def _texts(value: Any) -> Iterator[str]:
    return (text for _, text in _leaves(value))


def _rule(path: str, guard: Guard) -> str | None:
    plain = (
        path.removeprefix("file://localhost")
        .removeprefix("file://")
        .removeprefix("APPROVED:")
        .replace("\\", "/")
    )
    whole = guard.home + plain[1:] if plain.startswith("~/") else plain
    return next(filter(None, (guard.rule(one) for one in guard.places(whole, guard.cwd))), None)


def _ours(event: PreToolUse) -> bool:
    """Return whether the text of an edit mentions hooks or their switches."""
    words = "\n".join(_texts({key: text for key, text in event.input.items() if text != event.path})).lower()
    return any(word in words for word in ("hook", "ar_disable", "autoresearch"))


def _run_later(path: str, event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    content = event.content or ""
    for found in judged(content, guard):
        yield replace(found, what=f"{found.what} in `{path}`", span=None)


def windows(command: str, guard: Guard) -> Iterator[Finding]:
    """Judge PowerShell and cmd lines by their words: a guarded path together with a command that writes."""
    text = command.lower().replace("`", "").replace("^", "").replace("\\", "/")
    if _PEOPLE.search(text):
        yield Finding(rule="command", what="a hookline command for people only")
    if "ar_disable_" in text or "autoresearch_budget_end" in text:
        yield Finding(rule="switch", what="a hookline switch")
    if _WINDOWS_WRITES.search(text):
        names = {posixpath.basename(path) for path in guard.paths} | {
            ".hookline",
            "hookline.toml",
            "trust.json",
        }
        touched = next((name for name in sorted(names) if f"/{name}" in text or f" {name}" in text), None)
        if touched is not None:
            yield Finding(rule="write-user", what=f"`{touched}`")


def other(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    """Judge a tool of unknown kind, taking its texts for paths and for commands."""
    reads = _READS.search(event.tool) is not None and not _CHANGES.search(event.tool)
    for key, text in _leaves(event.input):
        sure = key.lower() in _COMMANDS
        if sure or key.lower() in _TYPED:
            yield from (
                replace(found, span=None, action=found.action if sure else "ask")
                for found in judged(text, guard)
            )
        if not sure and not reads and _may_be_path(key, text):
            rule = _rule(text, guard)
            if rule is not None:
                yield Finding(
                    rule=rule, what=f"`{text}`", action="ask" if rule == "write-project" else "block"
                )
    for value in event.input.values():
        if isinstance(value, tuple | list) and value and all(isinstance(one, str) for one in value):
            yield from (replace(found, span=None) for found in judged(_quoted(value), guard))


def _may_be_path(key: str, text: str) -> bool:
    """Return whether *text* may be a path; one with spaces needs a field or a prefix that says so."""
    named = " " not in text or _NAMED.search(key) is not None or text.startswith(("/", "~", "file:"))
    return named and "\n" not in text and len(text) < _LONGEST_PATH


def _quoted(words: Sequence[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
