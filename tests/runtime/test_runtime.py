"""Test hooks in code, gates and caps, deferred responses, and concurrent processes."""

import asyncio
import json
import os
import subprocess
import sys
import time

import pytest

from hookline import (
    Count,
    PreModelCall,
    PreToolUse,
    State,
    Stop,
    TurnEnd,
    UserPromptSubmit,
    block,
    effect,
    hook,
    inject,
    modify,
    remember,
)
from hookline.core.events import Event, OnBudgetExceeded, PostToolUse, PreCompact, SessionEnd
from hookline.core.store import Query
from hookline.hosts import load as host
from hookline.runtime.runtime import Runtime
from hookline.testing import any_event, post_tool_use, pre_tool_use, session_start, stop, user_prompt_submit

CLAUDE = host("claude-code")


@pytest.fixture
def runtime():
    runtime = Runtime()
    yield runtime
    runtime.close()


def always(response, *on, name="always", **values):
    def judge(event, state):
        return response

    judge.__annotations__ = {"event": on[0] if len(on) == 1 else Event}
    judge.__name__ = name
    return hook(**values)(judge)


def asked(runtime, native, event):
    return json.loads(runtime.answer(CLAUDE, native, event).stdout or "{}")


def test_a_hook_in_code_answers(runtime):
    @runtime.register
    @hook(priority=20)
    def no_prod(event: PreToolUse, state: State):
        return block("use staging") if "prod" in (event.command or "") else None

    assert runtime.fire_now(pre_tool_use("deploy prod")).blocked == "use staging"
    assert asyncio.run(runtime.fire(pre_tool_use("deploy stage"))).blocked is None


def test_an_async_hook_is_awaited(runtime):
    @runtime.register
    @hook()
    async def waits(event: PreToolUse, state: State):
        await asyncio.sleep(0)
        return inject("waited")

    assert asyncio.run(runtime.fire(pre_tool_use())).context == ("waited",)


def test_a_name_is_taken_once(runtime):
    runtime.register(always(None, PreToolUse))
    with pytest.raises(ValueError, match="duplicate hook name 'always'"):
        runtime.register(always(None, PreToolUse))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda: time.sleep(5), "timed out after 0.2 s"),
        (lambda: sys.exit(3), "SystemExit"),
        (lambda: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_hook_in_code_that_misbehaves_is_passed_aloud(runtime, body, said):
    @runtime.register
    @hook(timeout=0.2)
    def bad(event: PreToolUse, state: State):
        body()

    outcome = runtime.fire_now(pre_tool_use())

    assert outcome.blocked is None
    assert said in outcome.warnings[0]


def test_memory_is_there_at_the_next_event(runtime):
    @runtime.register
    @hook()
    def counts(event: PreToolUse, state: State):
        return remember(seen=state.memory.get("seen", 0) + 1)

    for _ in range(3):
        runtime.fire_now(pre_tool_use())
    runtime.fire_now(pre_tool_use(session="other"))

    assert runtime.store.notes("s-1") == {"seen": 3}


def test_three_strikes_end_a_gate_and_a_pass_or_a_new_turn_resets(runtime):
    answers = []

    @runtime.register
    @hook()
    def gate(event: TurnEnd, state: State):
        return answers.pop(0) if answers else block("run the tests")

    def blocked(count):
        return [runtime.fire_now(any_event(TurnEnd)).blocked is not None for _ in range(count)]

    assert blocked(5) == [True, True, False, False, False]
    runtime.fire_now(user_prompt_submit())
    assert blocked(4) == [True, True, False, False]
    answers.append(None)
    assert blocked(4) == [False, True, True, False]


def test_tool_work_does_not_reset_strikes(runtime):
    runtime.register(always(block("no"), TurnEnd))
    seen = []
    for _ in range(3):
        seen.append(runtime.fire_now(any_event(TurnEnd)).blocked)
        runtime.fire_now(pre_tool_use())
        runtime.fire_now(post_tool_use())

    assert seen == ["no", "no", None]


def test_a_capped_end_says_so_and_still_shows_the_directives(runtime):
    runtime.register(always(block("run the tests"), TurnEnd))
    for _ in range(2):
        asked(runtime, "Stop", stop())
    reply = asked(runtime, "Stop", stop())

    assert "decision" not in reply
    assert "capped" in reply["systemMessage"]
    assert "run the tests" in reply["systemMessage"]


def test_strikes_of_model_calls_and_turns_are_apart(runtime):
    runtime.register(always(block("no"), Event, name="both"))

    assert runtime.fire_now(any_event(TurnEnd)).blocked == "no"
    assert runtime.fire_now(any_event(TurnEnd)).blocked == "no"
    assert runtime.fire_now(any_event(PreModelCall)).blocked == "no"
    assert runtime.fire_now(any_event(TurnEnd)).blocked is None


def test_everything_that_continues_a_turn_shares_one_cap(runtime):
    runtime.register(always(block("go on"), Stop))
    outcomes = [asked(runtime, "Stop", stop()) for _ in range(8)]

    assert [("decision" in reply) for reply in outcomes] == [True] * 7 + [False]
    assert "capped" in outcomes[-1]["systemMessage"]
    asked(runtime, "UserPromptSubmit", user_prompt_submit())
    assert "decision" in asked(runtime, "Stop", stop())


def test_a_blocked_prompt_starts_no_turn(runtime):
    runtime.register(always(block("not now"), UserPromptSubmit))
    runtime.register(always(inject("turn"), Event, name="turn-context", priority=1))
    reply = asked(runtime, "UserPromptSubmit", user_prompt_submit())

    assert reply["reason"] == "not now"
    assert reply["hookSpecificOutput"]["additionalContext"] == "turn"


def test_context_that_a_moment_cannot_take_is_given_at_the_next_that_can(runtime):
    runtime.register(always(inject("remember the milk"), Stop))
    assert asked(runtime, "Stop", stop()) == {}
    reply = asked(runtime, "UserPromptSubmit", user_prompt_submit())

    assert reply["hookSpecificOutput"]["additionalContext"] == "remember the milk"
    assert asked(runtime, "UserPromptSubmit", user_prompt_submit()) == {}


def test_kept_context_is_not_given_to_a_helper_agent(runtime):
    from hookline import Subagent, SubagentStart

    runtime.register(always(inject("for the main agent"), Stop))
    asked(runtime, "Stop", stop())
    helper = any_event(SubagentStart, subagent=Subagent(id="a", type="explorer"))

    assert asked(runtime, "SubagentStart", helper) == {}
    assert "for the main agent" in json.dumps(asked(runtime, "PreToolUse", pre_tool_use()))


def test_context_after_the_end_is_said_to_the_user(runtime):
    runtime.register(always(inject("too late"), SessionEnd))

    assert "too late" in asked(runtime, "SessionEnd", any_event(SessionEnd))["systemMessage"]


def test_guidance_for_a_compaction_is_plain_text(runtime):
    runtime.register(always(inject("keep the numbers"), PreCompact))

    assert runtime.answer(CLAUDE, "PreCompact", any_event(PreCompact)).stdout == "keep the numbers"


def test_changed_output_keeps_the_tools_own_shape(runtime):
    runtime.register(always(modify(output="[redacted]"), PostToolUse))
    event = post_tool_use(output={"stdout": "secret", "stderr": "also secret", "interrupted": False})
    reply = asked(runtime, "PostToolUse", event)

    assert reply["hookSpecificOutput"]["updatedToolOutput"] == {
        "stdout": "[redacted]",
        "stderr": "",
        "interrupted": False,
    }


def test_a_rewritten_command_is_judged_before_it_is_sent():
    runtime = Runtime.load("/", {"HOME": "/nonexistent"}, host=CLAUDE)
    runtime.register(
        always(modify(input={"command": "git push --force"}), PreToolUse, name="smuggler", priority=99)
    )
    reply = asked(runtime, "PreToolUse", pre_tool_use("git push", session=os.urandom(4).hex()))
    runtime.close()

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "updatedInput" not in reply["hookSpecificOutput"]


def test_a_hook_reached_from_its_own_process_tree_is_skipped_aloud(user):
    user.write(
        "~/.config/hookline/hooks.json",
        {"hooks": {"PreToolUse": [{"command": "echo '@@INJECT: x'", "name": "mine"}]}},
    )
    _, reply, _ = user.hook(user.payload("PreToolUse"), HOOKLINE_DEPTH="other:mine")
    _, other, _ = user.hook(user.payload("PreToolUse"), HOOKLINE_DEPTH="other")

    assert "'mine' was called from its own process tree" in reply["systemMessage"]
    assert other["hookSpecificOutput"]["additionalContext"] == "x"


def test_a_real_recursion_ends(user):
    """Run hookline from a hook: the hook's own entry is skipped, and the guards still judge."""
    from pathlib import Path

    nested = f"{Path(sys.executable).parent / 'hookline'} hook claude-code < payload.json > nested.json"
    user.write("payload.json", user.shell("git push --force"))
    user.write(
        "~/.config/hookline/hooks.json",
        {"hooks": {"PreToolUse": [{"command": nested, "name": "asks-again"}]}},
    )
    user.write(".hookline/hookline.toml", "")
    user.hook(user.payload("PreToolUse"))
    inner = json.loads((user.project / "nested.json").read_text())

    assert inner["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "'asks-again' was called from its own process tree" in inner["systemMessage"]


STORM = """
import sys
from hookline import Count, PreToolUse, State, effect, hook
from hookline.runtime.runtime import Runtime

runtime = Runtime.load(sys.argv[1])

@runtime.register
@hook(priority=1)
def counts(event: PreToolUse, state: State):
    return effect(Count(name="storm"))

judged = 0
for n in range(int(sys.argv[2])):
    force = {"command": "git push -f"}
    event = PreToolUse(session="storm", cwd=sys.argv[1], tool="Bash", kind="shell", input=force)
    judged += runtime.fire_now(event).blocked is not None
    runtime.run_deferred_work()
runtime.close()
print(judged)
"""


@pytest.mark.slow
def test_a_storm_of_processes_loses_no_event_and_no_count(user):
    processes, events = (32, 1000) if os.environ.get("HOOKLINE_LONG") else (8, 60)
    command = [sys.executable, "-c", STORM, str(user.project), str(events)]
    running = [
        subprocess.Popen(command, env=user.environment(), stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    judged = [int(process.communicate()[0]) for process in running]
    runtime = Runtime.load(str(user.project), user.environment())
    runtime.run_deferred_work()
    records = list(runtime.store.records(Query(session="storm")))
    counters = runtime.store.counters("storm")
    runtime.close()

    assert judged == [events] * processes
    assert len(records) == len({record.id for _, record in records}) == processes * events
    assert counters["storm"] == counters["events"] == counters["actions:block"] == processes * events


def test_effects_are_counted_exactly(runtime):
    runtime.register(always(effect(Count(name="x", by=2)), PreToolUse))
    audit = Runtime.load("/", {"HOME": "/nonexistent"}).hooks[0]
    runtime.register(audit)
    for _ in range(3):
        runtime.fire_now(pre_tool_use())

    assert runtime.store.counters("s-1")["x"] == 6


@pytest.mark.slow
def test_complaints_are_said_at_the_start_and_then_once_a_session(user):
    user.write("~/.config/hookline/hookline.toml", "nonsense = 1\n")
    start, pre = user.payload("SessionStart", session_id="s"), user.payload("PreToolUse", session_id="s")

    assert "'nonsense'" in user.hook(start)[1]["systemMessage"]
    assert "'nonsense'" in user.hook(pre)[1]["systemMessage"]
    assert user.hook(pre)[1] == {}
    assert "'nonsense'" in user.hook(start)[1]["systemMessage"]
    assert "'nonsense'" in user.hook({**pre, "session_id": "t"})[1]["systemMessage"]


def test_a_broken_file_disables_nothing_else(user):
    user.write("~/.config/hookline/hookline.toml", "[[[")
    user.write("~/.config/hookline/mcp.json", "{")
    user.write(
        "~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "echo '@@INJECT: mine'"}]}}
    )
    _, reply, _ = user.hook(user.shell("git push --force-with-lease"))

    assert "mine" in reply["hookSpecificOutput"]["additionalContext"]
    assert "hookline.toml" in reply["systemMessage"]
    assert "mcp.json" in reply["systemMessage"]


def test_session_start_is_told_to_who_listens(runtime):
    runtime.register(always(inject("welcome"), Event, name="greeter"))

    assert "welcome" in json.dumps(asked(runtime, "SessionStart", session_start()))


def test_a_spent_budget_never_makes_the_agent_go_on(user):
    runtime = Runtime.load(str(user.project), user.environment(AUTORESEARCH_BUDGET_END="1"), host=CLAUDE)
    runtime.register(always(block("budget spent, end now"), OnBudgetExceeded, name="ender"))
    reply = asked(runtime, "Stop", stop())
    runtime.close()

    assert "decision" not in reply
    assert "budget spent, end now" in reply["systemMessage"]


@pytest.mark.slow
def test_every_end_of_a_budget_is_announced(user):
    for end in ("1", "1", "2", "2"):
        user.hook(user.payload("PostToolUse", session_id="s"), AUTORESEARCH_BUDGET_END=end)

    assert [record["event"] for record in user.log()].count("OnBudgetExceeded") == 2


def test_what_the_agent_reads_stays_within_the_cap(runtime):
    runtime.register(always(block("x" * 100_000).plus(inject("y" * 100_000)), PreToolUse))
    reply = asked(runtime, "PreToolUse", pre_tool_use())["hookSpecificOutput"]

    assert len(reply["permissionDecisionReason"]) + len(reply.get("additionalContext", "")) <= 9_500
    assert "truncated" in reply["permissionDecisionReason"]


def test_a_block_that_becomes_feedback_stays_within_the_cap(user):
    runtime = Runtime.load(str(user.project), user.environment(AUTORESEARCH_BUDGET_END="1"), host=CLAUDE)
    runtime.register(always(block("x" * 100_000), OnBudgetExceeded))
    reply = runtime.answer(CLAUDE, "SessionStart", session_start()).stdout
    runtime.close()

    assert "truncated" in reply
    assert len(reply) < 13_000


def test_what_is_kept_for_later_is_redacted(runtime):
    secret = "ghp_" + "x7Kp2QmZr9TvB4nLw8Yc1HdF6sJg3Ae5Uo0R"
    runtime.register(always(inject(f"token {secret}").plus(remember(token=secret)), Stop))
    asked(runtime, "Stop", stop())

    assert secret not in json.dumps(
        [dict(runtime.store.notes("s-1")), runtime.store.take_held_context("s-1")]
    )


def test_counters_count_without_the_audit(runtime):
    runtime.register(always(effect(Count(name="n")), PreToolUse))
    for _ in range(3):
        runtime.fire_now(pre_tool_use())

    assert runtime.store.counters("s-1") == {"n": 3}


def test_the_trail_holds_what_was_told_and_what_was_only_printed(user):
    talks, tells = (
        {"command": "echo plainwords", "name": "talks"},
        {"command": "echo '@@INJECT: do this'", "name": "tells"},
    )
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [talks, tells]}})
    user.hook(user.payload("PreToolUse"))
    steps = {step["hook"]: step for step in user.log()[-1]["trail"]}

    assert steps["talks"]["note"] == "plainwords"
    assert steps["tells"]["told"] == ["do this"]


def test_a_guard_on_the_native_payload_is_not_smuggled_past(user):
    guard = "if grep -q evil-cmd; then echo no >&2; exit 2; fi"
    smuggle = json.dumps({"action": "modify", "modifiedInput": {"command": "evil-cmd"}})
    entries = [
        {"command": guard, "name": "guard", "priority": 10, "payload": "native"},
        {"command": f"echo '{smuggle}'", "name": "smuggler", "priority": 20},
    ]
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": entries}})
    _, reply, _ = user.hook(user.payload("PreToolUse"))

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_kept_context_does_not_become_compaction_guidance(runtime):
    runtime.register(always(inject("for the agent"), Stop))
    asked(runtime, "Stop", stop())

    assert runtime.answer(CLAUDE, "PreCompact", any_event(PreCompact)).stdout == ""
    assert "for the agent" in json.dumps(asked(runtime, "PreToolUse", pre_tool_use()))


def test_guidance_that_looks_like_json_is_still_text(runtime):
    runtime.register(always(inject('{"keep": 1}'), PreCompact))

    assert runtime.answer(CLAUDE, "PreCompact", any_event(PreCompact)).stdout == 'Guidance: {"keep": 1}'


def test_a_program_is_told_that_its_store_failed(runtime):
    from hookline.core.store import StoreFailed

    def fails(*args, **kwargs):
        raise StoreFailed("the disk is full")

    runtime.register(always(remember(x=1), PreToolUse))
    runtime.store.set_notes = fails

    assert "the disk is full" in runtime.fire_now(pre_tool_use()).warnings[0]


@pytest.mark.slow
def test_a_locked_store_does_not_cost_the_guards_their_time(user):
    import sqlite3

    user.write("~/.config/hookline/hookline.toml", "answer_within = 1\n")
    user.hook(user.payload("PreToolUse"))
    held = sqlite3.connect(user.home / ".local/state/hookline/hookline.db", isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    _, reply, _ = user.hook(user.shell("git push --force") | {"session_id": "new"})
    took = time.monotonic() - began
    held.execute("ROLLBACK")
    held.close()

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert took < 15


def test_a_host_may_tell_the_end_of_the_budget(runtime):
    seen = []

    @runtime.register
    @hook()
    def looks(event: PostToolUse, state: State):
        seen.append(state.budget.ends_at)

    runtime.fire_now(post_tool_use(ends_at=1234.5))

    assert seen == [1234.5]


def test_what_we_are_ourselves_is_guarded_unless_it_is_the_projects_work(tmp_path):
    import hookline
    from hookline.runtime import facts
    from hookline.system.paths import find_places

    package = os.path.dirname(hookline.__file__)
    elsewhere = find_places({"HOME": str(tmp_path)}, str(tmp_path))
    checkout = find_places({"HOME": str(tmp_path)}, os.path.dirname(package))

    assert package in facts.find_guarded_paths(elsewhere)
    assert package not in facts.find_guarded_paths(checkout)


def test_the_worktrees_of_runs_are_not_guarded(tmp_path):
    """An experiment of the engine works there, with the guards of the user."""
    from hookline.runtime import facts
    from hookline.system.paths import find_places

    places = find_places({"HOME": str(tmp_path)}, str(tmp_path))
    worktree = os.path.join(places.scratch, "worktrees", "run", "n.txt")

    assert not any(worktree.startswith(path) for path in facts.find_guarded_paths(places))
