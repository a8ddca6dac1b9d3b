"""What redact-secrets says and changes besides the texts themselves."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hookline.events import PostToolUse, PreModelCall
from hookline.exceptions import Allow, excepted
from hookline.redact import Keep, Rules, clean_json
from hookline.redact.rules import RuleFile, load
from hookline.response import Response, remember, warn
from hookline.state import State

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
