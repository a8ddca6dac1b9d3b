"""Ask hooks why they said what they said, with the very event and state that they judged."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hookline.events import Event
from hookline.hook import Hook
from hookline.kind import HookFailed
from hookline.outcome import Step
from hookline.state import State
from hookline.values import replace
from hookline.why import Branch, branch

Tree = tuple[Branch, ...]
_UNANSWERED = ("failed", "timed-out")


class Question(NamedTuple):
    hook: Hook
    event: Event
    state: State


class Asked:
    """What each hook was asked, in order."""

    def __init__(self) -> None:
        self._asked: dict[str, list[Question]] = {}

    def watched(self, hook: Hook) -> Hook:
        """The same hook, whose questions are kept."""

        def judge(event: Event, state: State, *more: Any, **settings: Any) -> Any:
            len(state.memory)  # fetched now: what the answer adds to it was not known to the hook
            self._asked.setdefault(hook.name, []).append(Question(hook, event, state))
            return hook.judge(event, state, *more, **settings)

        return replace(hook, judge=judge) if hook.why is not None else hook

    def explained(self, trail: Iterable[Step]) -> list[tuple[Step, Tree]]:
        """Each step of the *trail*, and why it came about; empty where nobody can tell."""
        left = {name: iter(asked) for name, asked in self._asked.items()}
        return [(step, _tree(step, left.get(step.hook, iter(())))) for step in trail]


def _tree(step: Step, asked: Iterator[Question]) -> Tree:
    question = None if step.said == "skipped" else next(asked, None)
    if question is None or question.hook.why is None or step.said in _UNANSWERED:
        return ()
    try:
        return tuple(question.hook.why(question.event, question.state, **question.hook.settings))
    except (HookFailed, TimeoutError) as error:
        return (branch(f"why is not known: {error}"),)
