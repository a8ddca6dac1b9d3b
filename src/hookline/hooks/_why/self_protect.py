"""Why self-protect stops a call or lets it pass: everything in it that touches what guards the agent."""

from collections.abc import Iterator

from hookline.events import PreToolUse
from hookline.exceptions import Allow
from hookline.hooks._self import weighed
from hookline.state import State
from hookline.why import Branch, branch


def tree(event: PreToolUse, state: State, *, allow: Allow) -> Iterator[Branch]:
    judged = dict.fromkeys(weighed(event, state, allow))
    for one, spared in judged:
        text = f"{one.rule}: {one.what}"
        if spared is not None:
            yield branch(text, said="excepted", rule=one.rule, because=spared)
        else:
            yield branch(text, said=one.action, rule=one.rule)
    if not judged:
        yield branch("nothing of what guards the agent is touched")
