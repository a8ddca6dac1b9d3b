"""What hooks say at the beginning of a session, as a part of the system prompt."""

from hookline.chain import cut
from hookline.outcome import Outcome

HEADER = "[Session context]"
EACH = 4_096
"""Characters that one hook may add to a system prompt."""


def session_context(began: Outcome) -> str:
    """The part, empty where no hook said anything; what of one hook is too long is cut aloud."""
    if not began.context:
        return ""
    told = [step.told for step in began.trail if step.told]
    # A hook may have replaced what those before it said: the first text that stands is the first that counts.
    first = next((place for place, texts in enumerate(told) if texts[0].startswith(began.context[0])), 0)
    texts = [text for one in told[first:] for text in cut(one, EACH)]
    return "\n".join((HEADER, *dict.fromkeys(texts)))
