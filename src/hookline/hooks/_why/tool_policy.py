"""Why tool-policy says what it says about a call: each rule of the user's, and what it is not for."""

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.events import PreToolUse
from hookline.hooks._policy import weighed
from hookline.state import State
from hookline.why import Branch, Said, branch

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
