"""Hold a request to ship when more has changed than a person can review, until it is simplified.

Only a request counts: questions, reports, plans of others and what the person says not to do are no requests.
"""

from hookline.core.events import UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response
from hookline.core.state import State
from hookline.hooks._simplify_gate.gate import tree, verdict


@hook(priority=40, nature="policy", why=tree)
def simplify_gate(
    event: UserPromptSubmit, state: State, *, warn_from: int = 400, block_over: int = 800
) -> Response | None:
    return verdict(event.prompt, state, warn_from, block_over)
