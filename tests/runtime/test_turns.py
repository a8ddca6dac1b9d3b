"""Test gates, strikes, the cap and token targets with random events against a model of the rules."""

import shutil
import tempfile
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hookline import Response, State, block, hook
from hookline.core.events import (
    Event,
    PostModelCall,
    PreModelCall,
    Stop,
    Subagent,
    SubagentStop,
    TurnEnd,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.frozen import freeze
from hookline.hooks import load as built_in
from hookline.runtime.runtime import Runtime
from hookline.stores import memory, sqlite
from hookline.testing import any_event, post_tool_use, pre_tool_use

CAP, MOST = 7, 3
HELPERS = {name: Subagent(id=name, type="t") for name in ("h", "h1", ":")}
AGENTS = st.sampled_from(["", *HELPERS])
WILL = st.booleans()
TIMES = st.sampled_from([1, 1, 1, 2, 3, 9])


class Turns(RuleBasedStateMachine):
    """The real runtime beside a model of its rules."""

    def __init__(self):
        super().__init__()
        self.place = tempfile.mkdtemp(prefix="turns-")
        self.runtime = Runtime(store=self.opened())
        self.blocking = set()
        for name, event, priority in (
            ("lint", TurnEnd, 10),
            ("tests", TurnEnd, 20),
            ("model", PreModelCall, 10),
            ("prompts", UserPromptSubmit, 10),
            ("goal", Stop, 10),
            ("helper", SubagentStop, 10),
        ):
            self.runtime.register(self.guard(name, event, priority))
        self.runtime.register(built_in("token-budget"))
        self.strikes, self.continuations = Counter(), Counter()
        self.target, self.spent, self.known = 0, 0, False
        self.tracked = (0, 0, 0)

    def opened(self):
        return memory.open_store()

    def guard(self, name, event, priority):
        def judge(event: Event, state: State) -> Response | None:
            return block(name) if name in self.blocking else None

        judge.__annotations__ = {"event": event}
        return hook(name=name, priority=priority)(judge)

    def fire(self, kind, who="", blocking=(), **values):
        self.blocking = set(blocking)
        return self.runtime.fire_now(any_event(kind, host="", subagent=HELPERS.get(who), **values))

    def new_turn(self, who):
        self.continuations.pop(who, None)
        for key in [key for key in self.strikes if key[0] == who]:
            del self.strikes[key]

    def struck(self, who, gates, blocking):
        """Return the gate whose block holds, or an empty string."""
        for gate in gates:
            if gate in blocking:
                self.strikes[who, gate] += 1
                return gate if self.strikes[who, gate] < MOST else ""
            self.strikes.pop((who, gate), None)
        return ""

    def goes_on(self, who, *, wanted):
        """Return whether a *wanted* continuation is within the cap."""
        if not wanted:
            return False
        self.continuations[who] += 1
        return self.continuations[who] <= CAP

    def below_target(self):
        """Return whether the model of token targets continues the turn."""
        if not self.target or not self.known:
            return False
        count, last_gain, last_total = self.tracked
        gain = self.spent - last_total
        if (count >= 3 and gain < 500 and last_gain < 500) or self.spent >= 0.9 * self.target:
            return False
        self.tracked = (count + 1, gain, self.spent)
        return True

    @rule(words=st.sampled_from(["go", "+2k", "go +10k", "use 1m tokens"]), blocked=WILL)
    def prompt(self, words, blocked):
        outcome = self.fire(UserPromptSubmit, blocking=["prompts"] if blocked else (), prompt=words)
        if not blocked:
            self.new_turn("")
            self.target = {"go": 0, "+2k": 2_000, "go +10k": 10_000, "use 1m tokens": 1_000_000}[words]
            self.spent, self.tracked = 0, (0, 0, 0)

        assert (outcome.blocked is not None) == blocked

    @rule(who=st.sampled_from([*HELPERS]))
    def helper_begins(self, who):
        self.fire(TurnStart, who)
        self.new_turn(who)

    @rule(tokens=st.sampled_from([0, 1, 499, 500, 1_000, 8_999]))
    def model_answers(self, tokens):
        self.fire(PostModelCall, usage=freeze({"input_tokens": 1, "output_tokens": tokens}))
        self.spent, self.known = self.spent + tokens, True

    @rule()
    def tool_works(self):
        self.runtime.fire_now(pre_tool_use(host=""))
        self.runtime.fire_now(post_tool_use(host=""))

    @rule(who=AGENTS, blocks=WILL)
    def model_is_called(self, who, blocks):
        held = self.struck(who, ["model"], ["model"] if blocks else [])
        outcome = self.fire(PreModelCall, who, ["model"] if blocks else ())

        assert (outcome.blocked is not None, outcome.capped) == (bool(held), blocks and not held)

    @rule(blocking=st.sets(st.sampled_from(["lint", "tests", "goal"])), times=TIMES)
    def turn_ends_so_often(self, blocking, times):
        for _ in range(times):
            self.turn_ends(blocking)

    def turn_ends(self, blocking):
        gate = self.struck("", ["lint", "tests"], blocking)
        wanted = self.goes_on("", wanted=bool(gate))
        outcome = self.fire(TurnEnd, "", blocking)

        assert outcome.blocked == (gate if wanted else None)
        assert outcome.capped == (bool(blocking & {"lint", "tests"}) and not wanted)
        if not wanted:
            self.stops(blocking)

    def stops(self, blocking):
        asks = "goal" in blocking or self.below_target()
        over = any(self.strikes["", gate] >= MOST for gate in ("lint", "tests"))
        wanted = self.goes_on("", wanted=asks and not over)
        outcome = self.fire(Stop, "", blocking)
        if not asks:
            self.continuations.pop("", None)

        assert (outcome.blocked is not None, outcome.capped) == (wanted, asks and not wanted)
        assert outcome.continuations == (0 if over else min(self.continuations[""], CAP))
        assert not outcome.capped or "capped" in outcome.warnings[-1]

    @rule(who=st.sampled_from([*HELPERS]), blocks=WILL, times=TIMES)
    def helper_ends_so_often(self, who, blocks, times):
        for _ in range(times):
            self.helper_ends(who, blocks)

    def helper_ends(self, who, blocks):
        wanted = self.goes_on(who, wanted=blocks)
        outcome = self.fire(SubagentStop, who, ["helper"] if blocks else ())
        if not blocks:
            self.new_turn(who)

        assert (outcome.blocked is not None, outcome.capped) == (wanted, blocks and not wanted)

    @invariant()
    def nothing_went_wrong_with_the_store(self):
        assert self.runtime.problems == []

    def teardown(self):
        self.runtime.close()
        shutil.rmtree(self.place)


class TurnsInSqlite(Turns):
    def opened(self):
        return sqlite.open_store(f"{self.place}/store.db")


@pytest.mark.slow
@pytest.mark.parametrize("machine", [Turns, TurnsInSqlite])
def test_any_sequence_of_events_follows_the_rules(machine):
    case = machine.TestCase
    case.settings = settings(stateful_step_count=30, deadline=None)
    case("runTest").runTest()
