"""Test strikes and the shared cap: their scope, their reset, and gates without a working store."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline import Response, State, TurnEnd, block, hook
from hookline.core.derive import derive, find_abilities
from hookline.core.events import (
    BLOCK,
    OnError,
    PreModelCall,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    Subagent,
    SubagentStop,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.host import Reply
from hookline.core.store import Query, StoreFailed
from hookline.hosts import load, names
from hookline.runtime.runtime import Runtime
from hookline.stores import memory
from hookline.testing import any_event, pre_tool_use, stop, user_prompt_submit

CLAUDE = load("claude-code")
HELPER = Subagent(id="a1", type="explorer")
LONGER = Subagent(id="a12", type="explorer")


@pytest.fixture
def runtime():
    runtime = Runtime()
    yield runtime
    runtime.close()


def gate(name, answers, *on):
    """Return a hook that gives the *answers* in turn and then passes."""

    def judge(event, state):
        return answers.pop(0) if answers else None

    judge.__annotations__ = {"event": on[0] if on else TurnEnd}
    return hook(name=name)(judge)


def ends(runtime, times, kind=TurnEnd, **values):
    return [runtime.fire_now(any_event(kind, **values)).blocked for _ in range(times)]


def test_every_gate_has_strikes_of_its_own(runtime):
    runtime.register(gate("lint", [block("lint")] * 2))
    runtime.register(gate("tests", [block("tests")] * 3))

    assert ends(runtime, 5) == ["lint", "lint", "tests", "tests", None]


def test_a_gate_that_passes_before_another_one_blocks_starts_anew(runtime):
    lint = [block("lint"), block("lint"), None, block("lint"), block("lint"), block("lint")]
    runtime.register(gate("lint", lint))
    runtime.register(gate("tests", [block("tests")]))

    assert ends(runtime, 6) == ["lint", "lint", "tests", "lint", "lint", None]


def test_strikes_of_helpers_are_apart(runtime):
    runtime.register(gate("gate", [block("no")] * 9, PreModelCall))
    for who in (None, HELPER, LONGER):
        assert ends(runtime, 2, PreModelCall, subagent=who) == ["no", "no"]

    assert [ends(runtime, 1, PreModelCall, subagent=who) for who in (None, HELPER, LONGER)] == [[None]] * 3


@pytest.mark.parametrize("passing", [None, HELPER])
def test_a_pass_of_one_agent_resets_nobody_elses_strikes(runtime, passing):
    told = {"blocks": True}

    @runtime.register
    @hook()
    def sometimes(event: PreModelCall, state: State) -> Response | None:
        return block("no") if told["blocks"] else None

    ends(runtime, 2, PreModelCall, subagent=LONGER)
    told["blocks"] = False
    ends(runtime, 1, PreModelCall, subagent=passing)
    told["blocks"] = True

    assert ends(runtime, 1, PreModelCall, subagent=LONGER) == [None]


@pytest.mark.parametrize(
    ("event", "resets"),
    [
        (user_prompt_submit(), True),
        (any_event(TurnStart), True),
        (any_event(TurnStart, subagent=HELPER), False),
        (user_prompt_submit("blocked"), False),
    ],
    ids=["prompt", "turn", "turn-of-a-helper", "blocked-prompt"],
)
def test_a_new_turn_resets_the_strikes_of_whose_turn_it_is(runtime, event, resets):
    @runtime.register
    @hook()
    def strict(event: TurnEnd | UserPromptSubmit, state: State) -> Response | None:
        return None if getattr(event, "prompt", "blocked") != "blocked" else block("no")

    ends(runtime, 2)
    runtime.fire_now(event)

    assert ends(runtime, 1) == (["no"] if resets else [None])


def test_strikes_at_once_are_counted_once_each(runtime):
    runtime.register(gate("gate", [block("no")] * 40))
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: runtime.fire_now(any_event(TurnEnd)), range(40)))

    assert sum(one.blocked is not None for one in outcomes) == 2
    assert sum(one.capped for one in outcomes) == 38


def test_the_last_directives_are_shown_to_the_user_with_the_capped_end(runtime):
    said = block("the checks fail").plus(Response(context=("run `make test`",)))
    runtime.register(gate("gate", [said] * 3))
    replies = [json.loads(runtime.answer(CLAUDE, "Stop", stop()).stdout) for _ in range(3)]

    assert [reply.get("decision") for reply in replies] == ["block", "block", None]
    assert "capped: gate blocked TurnEnd 3 times in a row" in replies[2]["systemMessage"]
    assert "the checks fail\nrun `make test`" in replies[2]["systemMessage"]


def test_a_continuation_and_the_cap_are_visible_in_the_trail(runtime):
    runtime.register(gate("again", [block("go on")] * 9, Stop))
    outcomes = [runtime.fire_now(stop()) for _ in range(8)]

    assert [one.trail[-1].note for one in outcomes[:2]] == ["continuation 1 of 7", "continuation 2 of 7"]
    assert [one.continuations for one in outcomes] == [1, 2, 3, 4, 5, 6, 7, 7]
    assert (outcomes[-1].capped, outcomes[-1].trail[-1].action) == (True, "capped")


def test_gates_and_stop_hooks_share_the_cap_and_a_capped_gate_lets_the_turn_end(runtime):
    gates = {f"gate-{n}": [block(f"gate {n}")] * 2 for n in range(3)}
    for name, answers in gates.items():
        runtime.register(gate(name, answers))
    runtime.register(gate("stop", [block("stop")] * 9, Stop))
    replies = [json.loads(runtime.answer(CLAUDE, "Stop", stop()).stdout) for _ in range(8)]

    assert [reply.get("reason") for reply in replies] == [
        *("gate 0", "gate 0", "gate 1", "gate 1", "gate 2", "gate 2"),
        "stop",
        None,
    ]


def test_the_third_strike_ends_the_turn_whatever_else_would_make_it_go_on(runtime):
    runtime.register(gate("tests", [block("the tests fail")] * 4))
    runtime.register(gate("goal", [block("the goal is not reached")] * 4, Stop))
    replies = [json.loads(runtime.answer(CLAUDE, "Stop", stop()).stdout) for _ in range(4)]

    assert [reply.get("decision") for reply in replies] == ["block", "block", None, None]
    assert "last reason: the goal is not reached" in replies[2]["systemMessage"]
    assert [step.action for step in runtime.last_outcome.trail if step.hook == "hookline"] == [
        "capped",
        "capped",
    ]


def test_a_gate_that_passes_after_its_strikes_leaves_the_turn_to_the_hooks_of_stop(runtime):
    runtime.register(gate("tests", [block("the tests fail")] * 2))
    runtime.register(gate("goal", [block("the goal is not reached")], Stop))
    replies = [json.loads(runtime.answer(CLAUDE, "Stop", stop()).stdout) for _ in range(3)]

    assert [reply["decision"] for reply in replies] == ["block"] * 3


def test_a_turn_that_the_cap_ends_at_its_gate_is_told_to_the_hooks_of_stop(runtime):
    heard = []

    @runtime.register
    @hook(nature="observer")
    def listener(event: Stop, state: State) -> None:
        heard.append(event)

    for n in range(5):
        runtime.register(gate(f"gate-{n}", [block("no")] * 2))
    for _ in range(8):
        runtime.answer(CLAUDE, "Stop", stop())

    assert len(heard) == 1


def test_where_no_block_can_hold_a_turn_it_is_over_and_counts_nothing(runtime):
    heard = []

    @runtime.register
    @hook(nature="observer")
    def listener(event: Stop, state: State) -> None:
        heard.append(event)

    runtime.register(gate("gate", [block("run the tests")]))
    cline = load("cline")
    runtime.answer(cline, "TaskComplete", stop(host="cline"))

    assert len(heard) == 1
    assert [step for step in runtime.last_outcome.trail if step.action == "continued"] == []
    assert "run the tests" in runtime.last_outcome.held_context


def test_helpers_have_a_cap_of_their_own(runtime):
    runtime.register(gate("again", [block("go on")] * 30, SubagentStop))
    seen = [ends(runtime, 8, SubagentStop, subagent=who) for who in (HELPER, LONGER)]

    assert seen == [["go on"] * 7 + [None]] * 2


class Broken:
    """A store that can be made to fail."""

    def __init__(self):
        self.store, self.works = memory.open_store(), True

    def __getattr__(self, name):
        if not self.works and name != "close":
            raise StoreFailed("gone")
        return getattr(self.store, name)


@pytest.mark.parametrize("kind", [TurnEnd, Stop])
@pytest.mark.parametrize(("again", "held"), [(False, True), (True, False)])
def test_without_a_store_a_block_holds_once_where_the_host_tells(kind, again, held):
    store = Broken()
    runtime = Runtime(store=store)
    runtime.register(gate("gate", [block("no")] * 20, kind))
    store.works = False
    replies = [json.loads(runtime.answer(CLAUDE, "Stop", stop(again=again)).stdout) for _ in range(3)]

    assert ["decision" in reply for reply in replies] == [held] * 3
    assert ["capped" in reply.get("systemMessage", "") for reply in replies] == [not held] * 3


@pytest.mark.parametrize("kind", [TurnEnd, Stop, SubagentStop, PreModelCall])
def test_without_a_store_nothing_goes_on_where_nobody_tells(kind):
    store = Broken()
    runtime = Runtime(store=store)
    runtime.register(gate("gate", [block("no")] * 20, kind))
    store.works = False
    outcome = runtime.fire_now(any_event(kind))

    assert (outcome.blocked, outcome.capped) == (None, True)


@pytest.mark.slow
def test_a_store_that_cannot_be_opened_makes_nothing_go_on_for_ever(user):
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"Stop": [{"command": "exit 2"}]}})
    user.write("~/.local/state", "a file where the folder of the store should be")
    replies = [user.hook(user.payload(stem))[1] for stem in ("Stop", "Stop.again", "Stop.again")]

    assert [reply.get("decision") for reply in replies] == ["block", None, None]
    assert all("capped" in reply["systemMessage"] for reply in replies[1:])


HOSTS = [host for host in map(load, names()) if any(row.event is Stop for row in host.moments.values())]


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_stop_is_the_end_of_a_turn_first(host):
    event = stop(host=host.name, again=True, last_text="done")
    native = {row.event for row in host.moments.values()}

    assert [type(one) for one in derive(host, event)] == ([Stop] if TurnEnd in native else [TurnEnd, Stop])
    assert all((one.again, one.last_text) == (True, "done") for one in derive(host, event))
    assert (BLOCK in find_abilities(host, TurnEnd)) == (BLOCK in find_abilities(host, Stop))


def test_a_capped_end_is_in_the_trail(runtime):
    from hookline.hooks import load as built_in

    runtime.register(built_in("audit"))
    runtime.register(gate("gate", [block("no")] * 3))
    for _ in range(3):
        runtime.answer(CLAUDE, "Stop", stop())
    rows = [row for _, row in runtime.store.records(Query(session="s-1"))]

    assert [(row.event, row.action) for row in rows[-2:]] == [("TurnEnd", "pass"), ("Stop", "pass")]
    assert [step["said"] for step in rows[-2].trail if step["hook"] == "hookline"] == ["capped"]
    assert any("capped" in text for text in rows[-1].warnings)


def broken(kind, name="broken"):
    def judge(event, state):
        raise ZeroDivisionError("broken hook")

    judge.__annotations__ = {"event": kind}
    return hook(name=name)(judge)


def seen(runtime, kind):
    events = []

    def judge(event, state):
        events.append(event)

    judge.__annotations__ = {"event": kind}
    runtime.register(hook(name=f"seer-{kind.__name__.lower()}")(judge))
    return events


@pytest.mark.parametrize("by_host", [True, False])
def test_a_failed_hook_fires_on_error_once(runtime, by_host):
    errors = seen(runtime, OnError)
    runtime.register(broken(PreToolUse))
    event = pre_tool_use("ls", session="s", host="claude-code")
    if by_host:
        runtime.answer(CLAUDE, "PreToolUse", event)
    else:
        runtime.fire_now(event)

    assert [(error.kind, error.error) for error in errors] == [
        ("hook", "hook 'broken' failed: ZeroDivisionError: broken hook")
    ]


def test_each_failed_hook_has_its_own_error_and_a_failed_hook_of_on_error_has_none(runtime):
    errors = seen(runtime, OnError)
    runtime.register(broken(PreToolUse))
    runtime.register(broken(PreToolUse, "other"))
    runtime.register(broken(OnError, "worse"))
    outcome = runtime.fire_now(pre_tool_use("ls"))

    assert [error.error[:14] for error in errors] == ["hook 'broken' ", "hook 'other' f"]
    assert {warning.split()[1] for warning in outcome.warnings} == {"'broken'", "'other'", "'worse'"}


def test_a_session_ends_once_however_often_the_host_says_so(runtime):
    ends_seen = seen(runtime, SessionEnd)
    event = any_event(SessionEnd, session="s", host="claude-code")
    replies = [runtime.answer(CLAUDE, "SessionEnd", event) for _ in range(3)]
    runtime.fire_now(event)

    assert len(ends_seen) == 1
    assert replies[1:] == [Reply(), Reply()]
    prompt = user_prompt_submit("go on", session="s", host="claude-code")
    for resumed in (any_event(SessionStart, session="s", host="claude-code"), prompt):
        runtime.answer(CLAUDE, resumed.name, resumed)
        runtime.answer(CLAUDE, "SessionEnd", event)
    assert len(ends_seen) == 3


def test_a_retry_of_the_end_after_a_crash_is_judged(runtime):
    ends_seen = seen(runtime, SessionEnd)
    event = any_event(SessionEnd, session="s", host="claude-code")
    for call in ("c1", "c1", "c2"):
        runtime.call_id = call
        runtime.answer(CLAUDE, "SessionEnd", event)

    assert len(ends_seen) == 2


def test_reasonix_does_not_claim_that_the_agent_read_why_a_gate_failed(runtime):
    runtime.register(gate("lint", [block("lint failed")]))
    event = stop(session="s", host="reasonix")
    reply = runtime.answer(load("reasonix"), "Stop", event)

    assert reply.stderr == (
        "hookline: reasonix cannot block here; the agent has not received the reason: lint failed\n"
    )
