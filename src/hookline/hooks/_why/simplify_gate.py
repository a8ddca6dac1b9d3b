"""Why simplify-gate holds a prompt or lets it pass: what it took for a request, and how much changed."""

from collections.abc import Iterator
from itertools import islice

from hookline.events import UserPromptSubmit
from hookline.hooks._ship.gate import overruled, verdict
from hookline.hooks._ship.request import GENERAL, Heard, heard
from hookline.hooks._ship.words import VERBS
from hookline.hooks._why.words import count
from hookline.state import State
from hookline.why import Branch, branch

_MOST = 10
"""Verbs that are shown."""


def tree(event: UserPromptSubmit, state: State, *, warn_from: int, block_over: int) -> Iterator[Branch]:
    anyway, verbs = overruled(event.prompt), [one for one in heard(event.prompt) if _tells(one)]
    yield from (_verb(one) for one in islice(verbs, _MOST))
    if anyway is not None:
        yield branch("the person writes: ship anyway", because=anyway)
    elif all(one.no for one in verbs):
        yield branch("nothing in it asks to ship" if verbs else "nothing in it is about shipping")
        return
    yield _counted(event, state, warn_from, block_over)


def _tells(one: Heard) -> bool:
    return not one.no or one.verb in VERBS or one.no not in GENERAL


def _verb(one: Heard) -> Branch:
    said = " ".join(one.clause.words)
    return branch(f"{one.verb!r} in {said!r}: {one.no or 'a request to ship'}")


def _counted(event: UserPromptSubmit, state: State, warn_from: int, block_over: int) -> Branch:
    """The gate's own answer, and what it counted."""
    said = verdict(event.prompt, state, warn_from, block_over)
    lines = state.facts.get("changed_lines")
    if lines is None:
        unknown = "the changed lines could not be counted" if state.branch else "this is no repository"
        return branch(unknown, said="warn" if said is not None else "")
    changed = f"{count(lines, 'line')} {'has' if lines == 1 else 'have'} changed"
    text = f"{changed}; from {warn_from:,} it warns, over {block_over:,} it blocks"
    if said is None:
        return branch(text)
    if said.verdict == "block":
        return branch(text, said="block", rule=said.rule)
    return branch(text, said="warn", rule=said.rule, because=said.reason)
