"""Exceptions that a person wrote to a rule: by its id alone, or for what matches a pattern, with a reason.

In a hook's settings: `allow = ["git-push-force", {rule = "rm-cwd", match = "/scratch/*", reason = "..."}]`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hookline.core.response import Response
from hookline.core.values import replace

Allow = tuple[str | Mapping[str, str], ...]
"""The type of a setting that takes exceptions."""
KEYS = ("match", "reason", "rule")
UNEXPLAINED = "by its id in the settings, without a written reason"


def excepted(allow: Allow, hook: str, rule: str, subject: str) -> str | None:
    """Why *rule* of *hook* does not hold for *subject*; None where it does."""
    for entry in allow:
        if isinstance(entry, str):
            if entry in (rule, f"{hook}:{rule}"):
                return UNEXPLAINED
        elif _fits(entry, hook, rule, subject):
            return entry["reason"]
    return None


def _fits(entry: Mapping[str, str], hook: str, rule: str, subject: str) -> bool:
    named = entry.get("rule", rule) in (rule, f"{hook}:{rule}")
    return named and fnmatchcase(subject, entry.get("match", "*"))


def noted(response: Response | None, spared: Iterable[tuple[str, str]]) -> Response | None:
    """The *response* with a note for the trail of every (rule, reason) that was excepted."""
    notes = "; ".join(dict.fromkeys(f"{rule} excepted: {reason}" for rule, reason in spared))
    return replace(response or Response(), note=notes) if notes else response


def wrong(allow: Any, hook: str, rules: Collection[str]) -> str:
    """What is wrong with exceptions to the *rules* of *hook*; empty where nothing is.

    Where the hook says no rules, any name may be one.
    """
    for entry in allow:
        name = entry if isinstance(entry, str) else entry.get("rule", "")
        whose, colon, rule = name.rpartition(":")
        if colon and whose != hook:
            return f"{name!r} is no rule of {hook}; write its rules alone, or as {hook}:RULE"
        if name and rules and rule not in rules:
            return f"no rule is called {name!r}; there are: {', '.join(sorted(rules))}"
        if not isinstance(entry, str) and (set(entry) - set(KEYS) or not entry.get("reason")):
            return f"an exception says {', '.join(KEYS)}, and always its reason; not {dict(entry)!r}"
    return ""
