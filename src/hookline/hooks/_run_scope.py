"""The paths that a tool call of an engine's agent would change, and those it may not change."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.state import State
from hookline.core.variables import IDEAS, JOURNAL
from hookline.shell import MAX_LINE, UNKNOWN, read
from hookline.shell.options import word_set

RULES = ("outside", "scope")
_TEMPORARY = ("/tmp", "/var/tmp", "/dev", "/proc/self/fd")
_CHANGES = word_set("create write append truncate edit mode move delete link")
_IN_PLACE = word_set("edit")
"""Actions of a command that change a file of the worktree; it may create and delete temporary ones."""
_FILE_TOOLS = ("write", "edit")


class Finding(NamedTuple):
    """A change that is not allowed."""

    rule: str
    path: str
    mutable: str


def find_findings(event: PreToolUse, state: State) -> Iterator[Finding]:
    """Yield the changes of the call that are outside of the run's scope; none outside of a run."""
    scope = state.facts.get("run_scope")
    if scope is None or not state.root:
        return
    for path, in_scope_only in _find_changes(event, state):
        rule = _find_rule(path, state, scope, in_scope_only=in_scope_only)
        if rule:
            yield Finding(rule, path, ", ".join(scope["mutable"]))


def find_tree(event: PreToolUse, state: State) -> Iterator[Branch]:
    """Yield the explanation of the verdict."""
    findings = list(find_findings(event, state))
    for finding in findings:
        yield branch(f"{finding.rule}: {finding.path}", judgement="block", rule=finding.rule)
    if not findings:
        yield branch("no change outside of the scope of a run")


def _find_changes(event: PreToolUse, state: State) -> Iterator[tuple[str, bool]]:
    """Yield each absolute path that the call changes, and whether it must be in the scope."""
    if event.kind in _FILE_TOOLS:
        paths = [event.path, *(part.path for part in event.patch)]
        yield from ((posixpath.join(event.cwd, path), True) for path in dict.fromkeys(paths) if path)
    elif event.kind == "shell" and event.command and len(event.command) <= MAX_LINE:
        yield from _find_effects(event.command, event.cwd, state)


def _find_effects(command: str, cwd: str, state: State) -> Iterator[tuple[str, bool]]:
    facts = {"facts": state.facts["shell_facts"]} if state.facts.get("shell_facts") else {}
    for effect in read(command, cwd=cwd, home=state.home, **facts).effects:
        text, folder = effect.path.text, effect.cwd
        known = UNKNOWN not in text and not effect.path.dynamic and (folder or text.startswith("/"))
        if effect.action in _CHANGES and effect.certain and known:
            yield posixpath.join(folder or "/", text), effect.action in _IN_PLACE


def _find_rule(path: str, state: State, scope: Any, *, in_scope_only: bool) -> str:
    resolve = state.facts.get("realpath", posixpath.normpath)
    real, root = resolve(posixpath.normpath(path)), resolve(state.root)
    if _is_inside(real, root):
        name = posixpath.relpath(real, root)
        return "scope" if in_scope_only and not _matches(name, scope) else ""
    journal, ideas = state.env.get(JOURNAL, ""), state.env.get(IDEAS, "")
    checkout = resolve(posixpath.dirname(posixpath.dirname(posixpath.dirname(journal))))
    if real == resolve(ideas):
        return ""
    temporary = any(_is_inside(real, folder) for folder in _TEMPORARY)
    return "" if temporary and not _is_inside(real, checkout) else "outside"


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _matches(name: str, scope: Any) -> bool:
    mutable, immutable = (_compile(tuple(scope[key])) for key in ("mutable", "immutable"))
    return mutable.match_file(name) and not immutable.match_file(name)


@lru_cache(maxsize=16)
def _compile(patterns: Sequence[str]) -> Any:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 -- only in a run

    return GitIgnoreSpec.from_lines(patterns)
