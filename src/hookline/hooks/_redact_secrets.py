"""Search an event for secrets, load the user's rule file, wrap shell commands, and explain the result."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hookline.core.events import PostToolUse, PreModelCall, PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.response import Response, remember, warn
from hookline.core.rule_exceptions import Allow, excepted
from hookline.core.state import State
from hookline.redact import Keep, Rules, clean_json
from hookline.redact.rules import RuleFile, load

_MOST = 5
"""Secrets that one sentence names."""
_TOLD = "redact-secrets.told"
_BACKGROUND = re.compile(r"(?<![&>|<\\])&(?![&>\d])")
_END = '; (exit "${PIPESTATUS[0]-${pipestatus[1]}}")'
"""The command's own exit status: of bash, and of zsh, which counts from one."""


Places = Sequence[tuple[str, str, int]]
"""Of each secret its kind, the field that it lies in, and the line."""


class Searched(NamedTuple):
    """What a moment says without its secrets, where they were, and what a person wants to keep."""

    value: Any
    found: Places
    in_error: Places
    """In the text of what went wrong: the host itself tells it to the agent, so nothing can change it."""
    kept: Mapping[str, str]
    """Kinds that were excepted, each with the written reason."""


def searched(event: PostToolUse | PreModelCall, rules: Rules, allow: Allow) -> Searched:
    kept: dict[str, str] = {}

    def keeps(kind: str, value: str) -> bool:
        reason = excepted(allow, "redact-secrets", kind, value)
        if reason is not None:
            kept[kind] = reason
        return reason is not None

    keep: Keep | None = keeps if allow else None
    value, found = clean_json(getattr(event, event.changes), rules=rules, keep=keep)
    _, in_error = clean_json(getattr(event, "error", ""), rules=rules, keep=keep)
    return Searched(value, found, in_error, kept)


def told(found: Places) -> str:
    """The kind and the line of each secret, and in which field it was."""
    places = [f"{kind} ({f'{path}, ' if path else ''}line {line})" for kind, path, line in found]
    more = f" and {len(places) - _MOST} more" if len(places) > _MOST else ""
    return ", ".join(places[:_MOST]) + more


def file_of_rules(name: str, state: State) -> tuple[Rules, Response | None]:
    """The rules of the file called *name*, and what is wrong with it: said once a session."""
    if not name:
        return (), None
    text, wrong = state.facts["rule_file"](name)
    rules = RuleFile(problems=(wrong,)) if wrong else _loaded(text)
    sentences = [f"redact-secrets: {name!r} {problem}" for problem in rules.problems]
    if not sentences or list(state.memory.get(_TOLD, ())) == sentences:
        return (rules,), None
    return (rules,), warn(*sentences).plus(remember(**{_TOLD: sentences}))


@lru_cache(maxsize=4)
def _loaded(text: str) -> RuleFile:
    return load(text)


def wrapped(command: str, ourselves: str) -> str | None:
    """*command* with its output through the redactor, keeping its exit status; None where that cannot be.

    What runs on in the background would keep the pipe open, and the host waiting.
    """
    behind = f"\n}} 2>&1 | {ourselves} redact{_END}"
    if command.endswith((behind, "\\")) or _BACKGROUND.search(command):
        return None
    return f"{{ {command}{behind}"


def tree(
    event: PostToolUse | PreModelCall | PreToolUse, state: State, *, allow: Allow, rules: str, wrap: bool
) -> Iterator[Branch]:
    if isinstance(event, PreToolUse):
        yield _before(event, state, wrap=wrap)
        return
    more, complaint = file_of_rules(rules, state)
    yield from (branch(text, said="warn") for text in (complaint.warnings if complaint else ()))
    found = searched(event, more, allow)
    yield from (branch(_place(*one), said="modify", rule=one[0]) for one in found.found)
    for one in found.in_error:
        yield branch(f"{_place(*one)} of the error text, which no hook can change", said="warn", rule=one[0])
    yield from _kept(found, searched(event, more, ())) if found.kept else ()
    if not (found.found or found.in_error or found.kept):
        yield branch("there is no secret in it")


def _kept(found: Searched, every: Searched) -> Iterator[Branch]:
    """What was left by an exception, among *every* secret that is there."""
    left = Counter((*every.found, *every.in_error)) - Counter((*found.found, *found.in_error))
    for one in left.elements():
        yield branch(_place(*one), said="excepted", rule=one[0], because=found.kept.get(one[0], ""))
    for kind, reason in found.kept.items():
        if kind not in {one[0] for one in left}:
            text = f"{kind}, in a text that is another kind of secret too"
            yield branch(text, said="excepted", rule=kind, because=reason)


def _place(kind: str, path: str, line: int) -> str:
    return f"{kind} in {f'{path}, ' if path else ''}line {line}"


def _before(event: PreToolUse, state: State, *, wrap: bool) -> Branch:
    if not wrap:
        return branch("what it prints is looked at afterwards (`wrap` is off)")
    if event.kind != "shell" or not event.command:
        return branch(f"{event.tool} is no shell whose output could be wrapped")
    if wrapped(event.command, "hookline") is None:
        return branch("its output cannot be wrapped: it runs on in the background, or is wrapped already")
    return branch("its output goes through the redactor (`wrap` is on)", said="modify", rule="wrap")
