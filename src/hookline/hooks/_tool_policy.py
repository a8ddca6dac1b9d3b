"""Rules of tool-policy: parse them, and match them against a call."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, Judgement, branch
from hookline.core.state import State

ACTIONS = ("allow", "ask", "deny")
CONDITIONS = ("branch", "host", "kind", "mode", "repository", "tool")


def find_mismatch(rule: Mapping[str, Any], facts: Mapping[str, tuple[str, ...]]) -> str:
    """Return the first condition of *rule* that the call does not meet; empty if it meets all."""
    for key in CONDITIONS:
        patterns = _to_patterns(rule[key]) if key in rule else ["*"]
        if not any(fnmatchcase(value, pattern) for value in facts[key] for pattern in patterns):
            actual = " or ".join(filter(None, facts[key])) or "unknown"
            return f"{key} is {actual}, expected {' or '.join(patterns)}"
    return ""


def _to_patterns(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else [value]


def find_rule_error(rule: Mapping[str, Any]) -> str:
    """Return an error message about a rule; empty if it is valid."""
    unknown = sorted(set(rule) - {"action", "reason", *CONDITIONS})
    if unknown:
        return f"has an unknown key {unknown[0]!r}; allowed: action, reason, {', '.join(CONDITIONS)}"
    if rule.get("action") not in ACTIONS:
        return f"has an invalid action {rule.get('action')!r}: expected one of {', '.join(ACTIONS)}"
    texts = [(key, pattern) for key in rule for pattern in _to_patterns(rule[key])]
    invalid = next((key for key, pattern in texts if not isinstance(pattern, str)), None)
    return f"has an invalid {invalid} {rule[invalid]!r}: expected text or a list of texts" if invalid else ""


def evaluate_rules(
    event: PreToolUse, state: State, rules: tuple[Mapping[str, Any], ...]
) -> list[tuple[Mapping[str, Any], str, str]]:
    """Return each rule with its error and its mismatch with the call."""
    facts = _find_facts(event, state)
    return [
        (rule, error := find_rule_error(rule), "" if error else find_mismatch(rule, facts)) for rule in rules
    ]


def _find_facts(event: PreToolUse, state: State) -> Mapping[str, tuple[str, ...]]:
    """Return the values that rules match; a repository has its path, its folder's name and its name."""
    root = state.root
    return {
        "branch": (event.branch or state.branch,),
        "host": (event.host,),
        "kind": (event.kind,),
        "mode": (event.mode,),
        "repository": (root, root.rpartition("/")[2], event.repository),
        "tool": (event.tool,),
    }


_ANSWERS: Mapping[str, Judgement] = {"allow": "allow", "ask": "ask", "deny": "block"}


def tree(event: PreToolUse, state: State, *, rules: tuple[Mapping[str, Any], ...]) -> Iterator[Branch]:
    decided = 0
    for number, (rule, error, mismatch) in enumerate(evaluate_rules(event, state, rules), 1):
        name = f"rule {number}"
        if error:
            yield branch(f"{name} {error}", judgement="warn", because="ignored")
        elif decided:
            yield branch(f"{name}: not checked, because rule {decided} decided")
        elif mismatch:
            yield branch(f"{name}: {mismatch}")
        else:
            decided, answer = number, _ANSWERS[rule["action"]]
            yield branch(
                f"{name} matches", judgement=answer, rule=f"rule-{number}", because=rule.get("reason", "")
            )
    if not rules:
        yield branch("no rules are configured")
