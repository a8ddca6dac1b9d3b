"""Exceptions that a person wrote to a rule: by its id alone, or for what matches a pattern, with a reason.

In a hook's settings: `allow = ["git-push-force", {rule = "rm-cwd", match = "/scratch/*", reason = "..."}]`.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

Allow = tuple[str | Mapping[str, str], ...]
"""The type of a setting that takes exceptions."""
KEYS = ("match", "reason", "rule")


def excepted(allow: Allow, hook: str, rule: str, subject: str) -> str | None:
    """Why *rule* of *hook* does not hold for *subject*; None where it does."""
    for entry in allow:
        if isinstance(entry, str):
            if entry in (rule, f"{hook}:{rule}"):
                return "excepted in the settings"
        elif _fits(entry, hook, rule, subject):
            return entry["reason"]
    return None


def _fits(entry: Mapping[str, str], hook: str, rule: str, subject: str) -> bool:
    named = entry.get("rule", rule) in (rule, f"{hook}:{rule}")
    return named and fnmatchcase(subject, entry.get("match", "*"))


def wrong(allow: Any, rules: Mapping[str, Any]) -> str:
    """What is wrong with the exceptions, in a sentence; empty where nothing is."""
    for entry in allow:
        name = entry if isinstance(entry, str) else entry.get("rule", "")
        if name and name.rpartition(":")[2] not in rules:
            return f"no rule is called {name!r}; there are: {', '.join(sorted(rules))}"
        if not isinstance(entry, str) and (set(entry) - set(KEYS) or not entry.get("reason")):
            return f"an exception says {', '.join(KEYS)}, and always its reason; not {dict(entry)!r}"
    return ""
