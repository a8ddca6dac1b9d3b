"""Block requests to ship a change that is too large to review.

From `warn_from` changed lines the agent is warned. Over `block_over` lines the request is blocked, unless the
user writes `ship anyway: REASON`. Questions and negated requests do not count.
"""

from hookline.core.events import UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response
from hookline.core.state import State
from hookline.hooks._simplify_gate import tree, verdict


@hook(priority=40, nature="policy", why=tree)
def simplify_gate(
    event: UserPromptSubmit, state: State, *, warn_from: int = 400, block_over: int = 800
) -> Response | None:
    return verdict(event.prompt, state, warn_from, block_over)
