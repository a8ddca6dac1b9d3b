"""Rules of tool-policy: parse them, and match them against a call."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, Said, branch
from hookline.core.state import State

ACTIONS = ("allow", "ask", "deny")
FITS = ("branch", "host", "kind", "mode", "repository", "tool")


def misfit(rule: Mapping[str, Any], facts: Mapping[str, tuple[str, ...]]) -> str:
    """What of the call *rule* is not for, in words; empty where it fits."""
    for key in FITS:
        wanted = _patterns(rule[key]) if key in rule else ["*"]
        if not any(fnmatchcase(value, pattern) for value in facts[key] for pattern in wanted):
            is_so = " or ".join(filter(None, facts[key])) or "not known"
            return f"{key} is {is_so}, wanted {' or '.join(wanted)}"
    return ""


def _patterns(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given) if isinstance(given, list | tuple) else [given]


def wrong_with(rule: Mapping[str, Any]) -> str:
    """What is wrong with a rule, in words; empty where nothing is."""
    strange = sorted(set(rule) - {"action", "reason", *FITS})
    if strange:
        return f"has {strange[0]!r}; a rule has an action, a reason, and: {', '.join(FITS)}"
    if rule.get("action") not in ACTIONS:
        return f"has the action {rule.get('action')!r}; there are: {', '.join(ACTIONS)}"
    texts = [(key, pattern) for key in rule for pattern in _patterns(rule[key])]
    odd = next((key for key, pattern in texts if not isinstance(pattern, str)), None)
    return f"has {rule[odd]!r} as {odd}; write a text, or a list of texts" if odd else ""


def weighed(
    event: PreToolUse, state: State, rules: tuple[Mapping[str, Any], ...]
) -> list[tuple[Mapping[str, Any], str, str]]:
    """Each rule with what is wrong with it, and with what of the call it is not for."""
    facts = _facts(event, state)
    return [(rule, bad := wrong_with(rule), "" if bad else misfit(rule, facts)) for rule in rules]


def _facts(event: PreToolUse, state: State) -> Mapping[str, tuple[str, ...]]:
    """What a rule's patterns are held against; a repository answers to its path, folder and name."""
    root = state.root
    return {
        "branch": (event.branch or state.branch,),
        "host": (event.host,),
        "kind": (event.kind,),
        "mode": (event.mode,),
        "repository": (root, root.rpartition("/")[2], event.repository),
        "tool": (event.tool,),
    }


_SAYS: Mapping[str, Said] = {"allow": "allow", "ask": "ask", "deny": "block"}


def tree(event: PreToolUse, state: State, *, rules: tuple[Mapping[str, Any], ...]) -> Iterator[Branch]:
    decided = 0
    for number, (rule, bad, not_for) in enumerate(weighed(event, state, rules), 1):
        name = f"rule {number}"
        if bad:
            yield branch(f"{name} {bad}", said="warn", because="it is left out")
        elif decided:
            yield branch(f"{name}: rule {decided} decided before")
        elif not_for:
            yield branch(f"{name}: {not_for}")
        else:
            decided, says = number, _SAYS[rule["action"]]
            yield branch(f"{name} fits", said=says, rule=f"rule-{number}", because=rule.get("reason", ""))
    if not rules:
        yield branch("the user has no rules for tools")
