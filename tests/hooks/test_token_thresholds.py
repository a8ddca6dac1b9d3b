"""Test token thresholds with random sequences against a small model of the rules."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hookline import OnBudgetExceeded
from hookline.budget.ledger import BUDGET_NOTE, Ledger
from hookline.core.events import PostModelCall
from hookline.core.hook import Hook
from hookline.runtime.runtime import Runtime
from hookline.testing import any_event, post_tool_use, user_prompt_submit

LIMIT = 272_000
"""Tokens in the context window of the model."""
THRESHOLDS = (70, 80)
LISTENER = Hook(name="listener", on=(OnBudgetExceeded,), judge=lambda event, state: None)


class Spending(RuleBasedStateMachine):
    """A session that reports its calls and may have a time budget; only the store persists between events."""

    def __init__(self):
        super().__init__()
        self.runtime = Runtime()
        self.now = 1000.0
        self.used, self.output, self.turn = None, 0, 0
        self.spoke, self.over = set(), set()
        self.ends = None

    def ledger(self, event):
        where = self.runtime.setup.places
        return Ledger(event, self.runtime.store, where, {}, now=self.now)

    @rule(percent=st.integers(0, 110) | st.sampled_from((60, 61, 70, 71, 80)), output=st.integers(1, 50))
    def the_model_answers(self, percent, output):
        used = LIMIT * percent // 100 - min(output, LIMIT * percent // 100)
        said = {"input_tokens": used, "output_tokens": output}
        self.runtime.fire_now(any_event(PostModelCall, host="", model="gpt-5", usage=said))
        self.used, self.output, self.turn = used + output, self.output + output, self.turn + output

    @rule()
    def a_person_writes(self):
        self.runtime.fire_now(user_prompt_submit(host=""))
        self.turn = 0

    @rule(seconds=st.integers(-5, 50))
    def a_person_gives_time(self, seconds):
        self.ends = self.now + seconds
        self.runtime.store.set_notes("s-1", {BUDGET_NOTE: self.ends})

    @rule()
    def a_person_takes_it_away(self):
        self.ends = None
        self.runtime.store.set_notes("s-1", {BUDGET_NOTE: None})

    @rule(seconds=st.integers(0, 30))
    def time_goes_by(self, seconds):
        self.now += seconds

    @rule()
    def a_tool_has_run(self):
        said = self.ledger(post_tool_use(host="")).find_exceeded([LISTENER])

        assert said.get("tokens") == self.announced()
        assert ("time" in said) is self.time_announced()

    def announced(self):
        if self.used is None or self.used > LIMIT:  # a model that exceeds its window has another, unknown one
            return None
        percent = self.used / LIMIT * 100
        self.spoke -= {one for one in self.spoke if percent <= one - 10}
        fresh = {one for one in THRESHOLDS if percent >= one} - self.spoke
        self.spoke |= fresh
        return percent if fresh else None

    def time_announced(self):
        if self.ends is None or self.now < self.ends or self.ends in self.over:
            return False
        self.over.add(self.ends)
        return True

    @invariant()
    def sums_hold(self):
        usage = self.ledger(post_tool_use(host="")).usage

        assert (usage.used, usage.output or 0, usage.turn_output or 0) == (self.used, self.output, self.turn)

    def teardown(self):
        self.runtime.close()


TestSpending = Spending.TestCase
