"""Hold a request to ship when more has changed than a person can review, until it is simplified.

Only a request counts: questions, reports, plans of others and what the person says not to do are no requests.
"""

from hookline.events import UserPromptSubmit
from hookline.hook import hook
from hookline.hooks._ship.gate import verdict
from hookline.hooks._why.simplify_gate import tree
from hookline.response import Response
from hookline.state import State


@hook(priority=40, nature="policy", why=tree)
def simplify_gate(
    event: UserPromptSubmit, state: State, *, warn_from: int = 400, block_over: int = 800
) -> Response | None:
    return verdict(event.prompt, state, warn_from, block_over)
