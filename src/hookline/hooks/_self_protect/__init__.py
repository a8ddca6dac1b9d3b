"""Rules of self-protect: find the parts of a tool call that would change the guards themselves."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.patch import parse_patch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hooks._self_protect.commands import PERSON_COMMAND, PROFILES, SWITCH, judge_content
from hookline.hooks._self_protect.finding import RULES, Action, Finding, quote
from hookline.hooks._self_protect.guarded_paths import FOLDER, Guard, make_guard
from hookline.hooks._self_protect.line import judge_line, judge_powershell
from hookline.hooks._self_protect.secret import is_secret
from hookline.lazy import re
from hookline.shell import MAX_LINE
from hookline.shell.options import word_set

__all__ = ["RULES", "Finding", "find_findings", "find_tree", "weigh_findings"]

NAME = "self-protect"
_SHELLS = word_set("shell powershell cmd")
_READERS = word_set("read glob grep list search fetch question agent")
"""Kinds of tools that change no file. The calls of a helper agent are judged when it makes them."""
_PATH_KEYS = re.compile(r"path|file|dir|folder|target|dest|source|uri", re.IGNORECASE)
_COMMAND_KEYS = word_set("command cmd script code args argv commands shell input")
_TEXT_KEYS = word_set("bash command_line text keys python line run exec")
"""Fields that may hold a command or only a text."""
_READS = re.compile(
    r"(?:^|[_\W])(?:read|get|list|search|find|view|stat|show|describe|query|fetch|tree|info)(?:[_\W]|$)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"write|replace|edit|create|delete|remove|set|put|update|move|rename|append|save|copy", re.IGNORECASE
)
_WINDOWS_CHANGES = re.compile(
    r"set-content|add-content|out-file|remove-item|move-item|copy-item|new-item|rename-item|clear-content|set-item"
    r"|writealltext|tee-object|\b(?:del|erase|rd|rmdir|ren|move|copy|xcopy|robocopy|ri|rm|mv|cp|sc|ac|ni)\b|>",
    re.IGNORECASE,
)
_WINDOWS_KILLS = re.compile(r"\b(?:stop-process|taskkill|spps|kill|stop-service|sc stop)\b[^;|\n]*hookline")
_SHELL_FILES = re.compile(r"/\.git/hooks/|/\.(?:husky|githooks)/")
_PREFIX = re.compile(r"(?:file://(?:localhost)?|APPROVED:)+")
_MAX_PATH = 4096
_MAX_DEPTH = 5


def find_findings(event: PreToolUse, state: State) -> Iterator[Finding]:
    """Yield a finding for every part of the call that breaks a rule."""
    guard, command = make_guard(event.cwd, state), event.command
    if event.kind in _READERS:
        yield from _judge_reader(event, guard)
    elif command and event.kind in _SHELLS and len(command) > MAX_LINE:
        yield Finding(rule="too-long", what=f"{len(command):,} characters", action="ask")
    elif command and event.kind in _SHELLS:
        yield from (judge_line if event.kind == "shell" else _judge_windows)(command, guard)
        yield from judge_powershell(command, guard) if event.kind == "powershell" else ()
    elif event.kind in ("write", "edit"):
        yield from _judge_file_tool(event, guard)
    else:
        yield from _judge_other_tool(event, guard)


def weigh_findings(event: PreToolUse, state: State, allow: Allow) -> list[tuple[Finding, str | None]]:
    """Return each finding with the reason of the exception that covers it, or None."""
    subject = event.command or event.path or ""
    return [(one, find_exception(allow, NAME, one.rule, subject)) for one in find_findings(event, state)]


def find_tree(event: PreToolUse, state: State, *, allow: Allow) -> Iterator[Branch]:
    """Yield the explanation of the verdict."""
    findings = dict.fromkeys(weigh_findings(event, state, allow))
    for finding, exception in findings:
        text = f"{finding.rule}: {finding.what}"
        if exception is not None:
            yield branch(text, judgement="excepted", rule=finding.rule, because=exception)
        else:
            yield branch(text, judgement=finding.action, rule=finding.rule)
    if not findings:
        yield branch("no protected file, setting or command is affected")


def _judge_reader(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    path = event.path or ""
    if event.kind in ("read", "grep") and any(map(is_secret, _places(path, guard))):
        yield Finding(rule="secret", what=quote(path))


def _judge_file_tool(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    """Judge a file tool: block changes of guarded files, or ask where a person may agree."""
    texts = list(_find_texts(event.input))
    for path in dict.fromkeys(_find_paths(event)):
        rule = _find_rule(path, guard)
        if rule is not None:
            partly = rule == "write-wiring" and event.kind == "edit" and not _mentions_hooks(event)
            action: Action = "ask" if rule == "write-project" or partly else "block"
            yield Finding(rule=rule, what=quote(path), action=action)
            continue
        yield from judge_content(path, texts)
        if _SHELL_FILES.search(path) or posixpath.basename(path) in PROFILES:
            for found in judge_line(event.content or "", guard):
                yield replace(found, what=f"{found.what} in {quote(path)}", span=None)


def _mentions_hooks(event: PreToolUse) -> bool:
    """Return whether the text of an edit mentions hooks or their switches."""
    inputs = {key: text for key, text in event.input.items() if text != event.path}
    words = "\n".join(_find_texts(inputs)).lower()
    return any(word in words for word in ("hook", "ar_disable", "autoresearch"))


def _judge_windows(command: str, guard: Guard) -> Iterator[Finding]:
    """Judge PowerShell and cmd lines by their words: a guarded path together with a command that writes."""
    text = command.lower().replace("`", "").replace("^", "").replace("\\", "/")
    if PERSON_COMMAND.search(text) or _WINDOWS_KILLS.search(text):
        yield Finding(rule="command", what="a hookline command for people only")
    if SWITCH.search(text.upper()):
        yield Finding(rule="switch", what="a hookline switch")
    if _WINDOWS_CHANGES.search(text):
        names = {*map(posixpath.basename, guard.paths), FOLDER, "hookline.toml", "trust.json"}
        touched = next((name for name in sorted(names) if f"/{name}" in text or f" {name}" in text), None)
        if touched is not None:
            yield Finding(rule="write-user", what=quote(touched))


def _judge_other_tool(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    """Judge a tool of unknown kind, taking its texts for paths and for commands."""
    reads = _READS.search(event.tool) is not None and not _CHANGES.search(event.tool)
    for key, text in _find_leaves(event.input):
        sure = key.lower() in _COMMAND_KEYS
        if sure or key.lower() in _TEXT_KEYS:
            for found in judge_line(text, guard):
                yield replace(found, span=None, action=found.action if sure else "ask")
        if not sure and not reads and _may_be_path(key, text):
            rule = _find_rule(text, guard)
            if rule is not None:
                yield Finding(
                    rule=rule, what=quote(text), action="ask" if rule == "write-project" else "block"
                )
    yield from _judge_lists(event, guard)


def _judge_lists(event: PreToolUse, guard: Guard) -> Iterator[Finding]:
    """Judge lists of texts, which may be the words of a command, or several commands."""
    for value in event.input.values():
        if isinstance(value, tuple | list) and value and all(isinstance(one, str) for one in value):
            yield from (replace(found, span=None) for found in judge_line(_quote_words(value), guard))
            for text in (text for text in value if " " in text):
                yield from (replace(found, span=None, action="ask") for found in judge_line(text, guard))


def _find_paths(event: PreToolUse) -> Iterator[str]:
    """Yield the path that the host reports, the fields named like a path, and the files of a patch."""
    yield from [event.path] if event.path else []
    for key, text in _find_leaves(event.input):
        if _PATH_KEYS.search(key) and "\n" not in text and len(text) < _MAX_PATH:
            yield text
        yield from (part.path for part in parse_patch(text))


def _find_leaves(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif depth < _MAX_DEPTH and isinstance(value, Mapping):
        for name, item in value.items():
            yield from _find_leaves(item, str(name), depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, Sequence) and not isinstance(value, bytes):
        for item in value:
            yield from _find_leaves(item, key, depth + 1)


def _find_texts(value: Any) -> Iterator[str]:
    return (text for _, text in _find_leaves(value))


def _find_rule(path: str, guard: Guard) -> str | None:
    return next(filter(None, map(guard.rule, _places(path, guard))), None)


def _places(path: str, guard: Guard) -> Iterator[str]:
    return guard.places(_PREFIX.sub("", path, count=1).replace("\\", "/"), guard.cwd)


def _may_be_path(key: str, text: str) -> bool:
    """Return whether *text* may be a path; one with spaces needs a field or a prefix that says so."""
    named = " " not in text or _PATH_KEYS.search(key) is not None or text.startswith(("/", "~", "file:"))
    return named and "\n" not in text and len(text) < _MAX_PATH


def _quote_words(words: Sequence[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
