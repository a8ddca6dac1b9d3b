"""Exceptions to a hook's rules from the settings: by rule id alone, or by pattern with a reason.

In a hook's settings: `allow = ["git-push-force", {rule = "rm-cwd", match = "/scratch/*", reason = "..."}]`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hookline.core.registry import describe_unknown
from hookline.core.response import Response
from hookline.core.values import replace

Allow = tuple[str | Mapping[str, str], ...]
"""The type of a setting with exceptions."""
KEYS = ("match", "reason", "rule")
UNEXPLAINED = "by its id in the settings, without a written reason"


def find_exception(allow: Allow, hook: str, rule: str, subject: str) -> str | None:
    """Return the reason why *subject* is excepted from *rule* of *hook*; None if it is not."""
    for entry in allow:
        if isinstance(entry, str):
            if entry in (rule, f"{hook}:{rule}"):
                return UNEXPLAINED
        elif _entry_matches(entry, hook, rule, subject):
            return entry["reason"]
    return None


def _entry_matches(entry: Mapping[str, str], hook: str, rule: str, subject: str) -> bool:
    same_rule = entry.get("rule", rule) in (rule, f"{hook}:{rule}")
    return same_rule and fnmatchcase(subject, entry.get("match", "*"))


def note_exceptions(response: Response | None, exceptions: Iterable[tuple[str, str]]) -> Response | None:
    """Return *response* with a note for the trail about every (rule, reason) in *exceptions*."""
    notes = "; ".join(dict.fromkeys(f"{rule} excepted: {reason}" for rule, reason in exceptions))
    return replace(response or Response(), note=notes) if notes else response


def check_exceptions(allow: Any, hook: str, rules: Collection[str]) -> str:
    """Return what is wrong with exceptions to the *rules* of *hook*, or an empty string.

    If the hook declares no rules, any name is accepted.
    """
    for entry in allow:
        name = entry if isinstance(entry, str) else entry.get("rule", "")
        owner, colon, rule = name.rpartition(":")
        if colon and owner != hook:
            return f"{name!r} is not a rule of {hook}; write RULE or {hook}:RULE"
        if name and rules and rule not in rules:
            return describe_unknown("rule", name, sorted(rules))
        if not isinstance(entry, str) and (set(entry) - set(KEYS) or not entry.get("reason")):
            return f"an exception has the keys {', '.join(KEYS)}, and requires a reason; not {dict(entry)!r}"
    return ""
