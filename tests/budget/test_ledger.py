"""Test the ledger through the runtime: thresholds, hosts' transcripts, and budgets of single sessions."""

import json
import threading
import time
from contextlib import closing

import pytest

from hookline import OnBudgetExceeded, hosts
from hookline.budget.ledger import BUDGET_NOTE, LAST_CALL_NOTE, USAGE_NOTE, Ledger
from hookline.core.events import PostModelCall, Subagent
from hookline.core.hook import Hook
from hookline.core.payload import decode
from hookline.runtime.runtime import Runtime
from hookline.testing import any_event, post_tool_use, pre_tool_use, stop, user_prompt_submit

CLAUDE = hosts.load("claude-code")


@pytest.fixture
def runtime(user):
    runtime = Runtime.load(str(user.project), user.environment(), host=CLAUDE)
    yield runtime
    runtime.close()


@pytest.fixture
def transcript(tmp_path):
    return tmp_path / "session.jsonl"


def message(number, used, output=5):
    usage = {"input_tokens": 10, "cache_read_input_tokens": used - 10 - output, "output_tokens": output}
    said = {"id": f"m{number}", "model": "claude-sonnet-4-5", "usage": usage}
    return json.dumps({"type": "assistant", "message": said}) + "\n"


def answered(runtime, event, name="PostToolUse", host=CLAUDE):
    return json.dumps(json.loads(runtime.answer(host, name, event).stdout or "{}"), ensure_ascii=False)


def uses(runtime, transcript, number, percent):
    """Return the agent's reply after a call that uses *percent* of its limit of 180,000 tokens."""
    with transcript.open("a") as file:
        file.write(message(number, percent * 1800))
    return answered(runtime, post_tool_use(transcript=str(transcript)))


def test_each_threshold_is_announced_once_until_usage_has_fallen_well_below(runtime, transcript):
    said = [
        uses(runtime, transcript, number, percent)
        for number, percent in enumerate((69, 70, 75, 80, 95, 71, 80, 70, 81, 60, 70, 59, 99))
    ]
    heard = ["▲▲" if "▲▲ CONTEXT" in one else "▲" if "▲ CONTEXT" in one else "" for one in said]

    assert heard == ["", "▲", "", "▲▲", "", "", "", "", "▲▲", "", "▲", "", "▲▲"]


def test_what_is_crossed_is_an_event_with_how_much(runtime, transcript):
    seen = []
    watching = Hook(name="w", on=(OnBudgetExceeded,), judge=lambda event, state: seen.append(event))
    runtime.register(watching)
    uses(runtime, transcript, 1, 90)

    assert [(one.threshold, one.percent) for one in seen] == [("tokens", 90.0)]


@pytest.mark.slow
def test_time_and_tokens_may_run_out_at_once(user, transcript):
    runtime = Runtime.load(str(user.project), user.environment(HOOKLINE_BUDGET_END="1"), host=CLAUDE)
    uses(runtime, transcript, 1, 90)
    runtime.close()
    events = [one for one in user.log() if one["event"] == "OnBudgetExceeded"]

    assert len(events) == 2


def test_a_large_load_is_stopped_by_what_the_transcript_says_now(runtime, transcript):
    event = pre_tool_use(kind="fetch", tool="WebFetch", input={}, transcript=str(transcript))
    transcript.write_text(message(1, 143_999))
    first = answered(runtime, event, "PreToolUse")
    with transcript.open("a") as file:
        file.write(message(2, 144_000))

    assert "budget-guard" not in first
    assert "budget-guard:fetch" in answered(runtime, event, "PreToolUse")


def test_a_helper_is_neither_told_nor_stopped(runtime, transcript):
    transcript.write_text(message(1, 170_000))
    helper = {"transcript": str(transcript), "subagent": Subagent(id="a")}

    assert "CONTEXT" not in answered(runtime, post_tool_use(**helper))
    assert "budget-guard" not in answered(runtime, pre_tool_use(kind="fetch", **helper), "PreToolUse")


def test_a_large_load_is_stopped_while_the_store_is_down(user, transcript):
    user.write("~/.local/state", "a file where the folder of the store should be")
    transcript.write_text(message(1, 170_000))
    event = pre_tool_use(kind="fetch", tool="WebFetch", input={}, transcript=str(transcript))
    with closing(Runtime.load(str(user.project), user.environment(), host=CLAUDE)) as runtime:
        assert "budget-guard:fetch" in answered(runtime, event, "PreToolUse")


def ledger(runtime, event):
    return Ledger(event, runtime.store, runtime.setup.places, runtime.setup.env, now=runtime.now())


def test_calls_at_the_same_time_count_every_line_once(runtime, transcript):
    event = post_tool_use(transcript=str(transcript))
    transcript.write_text("")

    def writing():
        for number in range(200):
            with transcript.open("a") as file:
                file.write(message(number, 1000, output=1))

    def looking():
        while writer.is_alive():
            assert (ledger(runtime, event).usage.output or 0) <= 200

    writer = threading.Thread(target=writing)
    lookers = [threading.Thread(target=looking) for _ in range(3)]
    for one in (writer, *lookers):
        one.start()
    for one in (writer, *lookers):
        one.join()

    assert ledger(runtime, event).usage.output == 200


def test_a_slow_call_that_writes_late_loses_nothing(runtime, transcript):
    event = post_tool_use(transcript=str(transcript))
    transcript.write_text(message(1, 1000))
    ledger(runtime, event).usage  # noqa: B018 -- the access reads the transcript
    late = dict(runtime.store.notes(event.session))
    with transcript.open("a") as file:
        file.write(message(2, 1000))
    ledger(runtime, event).usage  # noqa: B018 -- the access reads the transcript
    runtime.store.set_notes(event.session, {USAGE_NOTE: late[USAGE_NOTE]})

    assert ledger(runtime, event).usage.output == 10


def test_the_last_answer_of_a_turn_counts_though_it_is_written_down_late(runtime, transcript):
    transcript.write_text(message(1, 1000))
    event = stop(transcript=str(transcript))
    before = ledger(runtime, event).usage.output

    def late():
        time.sleep(0.05)
        with transcript.open("a") as file:
            file.write(message(2, 2000))

    writing = threading.Thread(target=late)
    writing.start()
    after = ledger(runtime, event).usage
    writing.join()

    assert (after.used, after.output) == (2000, 2 * before)


def test_sessions_are_apart(runtime, transcript):
    transcript.write_text(message(1, 1000))
    told = ledger(runtime, post_tool_use(transcript=str(transcript), session="a")).usage
    other = ledger(runtime, post_tool_use(session="b")).usage

    assert (told.output, other.output) == (5, None)


def test_a_recording_too_long_for_one_look_tells_its_context_at_once_and_the_rest_bit_by_bit(
    runtime, transcript
):
    filling = json.dumps({"type": "attachment", "text": "x" * 1_000_000}) + "\n"
    transcript.write_text(message(1, 1000) + filling * 9 + message(2, 2000))
    event = post_tool_use(transcript=str(transcript))
    first, second = ledger(runtime, event).usage, ledger(runtime, event).usage

    assert (first.used, first.output) == (2000, 5)
    assert (second.used, second.output) == (2000, 10)


def test_the_turn_of_a_recording_too_long_for_one_look_is_the_one_at_its_end(runtime, transcript):
    filling = json.dumps({"type": "attachment", "text": "x" * 1_000_000}) + "\n"
    turns = [json.dumps({"type": "user", "promptId": one, "message": {}}) + "\n" for one in "abc"]
    old = turns[0] + message(1, 1000) + filling * 9 + turns[1] + message(2, 1000)
    transcript.write_text(old + turns[2] + message(3, 2000) + message(4, 3000))
    event = post_tool_use(transcript=str(transcript))
    first, second = ledger(runtime, event).usage, ledger(runtime, event).usage

    assert (first.output, first.turn_output) == (5, 10)
    assert (second.output, second.turn_output) == (20, 10)


def test_where_a_long_recording_adds_up_by_itself_its_turn_is_not_all_of_it(runtime, tmp_path):
    def line(kind, **payload):
        return json.dumps({"type": kind, "payload": payload}) + "\n"

    def spent(output):
        return line("token_usage_record", thread_token_usage={"output_tokens": output})

    filling = line("response_item", text="x" * 1_000_000)
    rollout = tmp_path / "rollout.jsonl"
    old = line("turn_context", turn_id="a") + filling * 9 + spent(7_000) + spent(9_000)
    rollout.write_text(old + line("turn_context", turn_id="b") + spent(9_100) + spent(9_150))
    event = post_tool_use(host="codex", transcript=str(rollout))

    assert ledger(runtime, event).usage.turn_output == 150


@pytest.mark.parametrize("kept", [7, "x", [], {"mark": 3, "tally": []}, {"mark": {}, "tally": {"spent": 1}}])
def test_a_note_that_is_not_ours_is_counted_anew(runtime, transcript, kept):
    transcript.write_text(message(1, 1000))
    event = post_tool_use(transcript=str(transcript))
    runtime.store.set_notes(event.session, {USAGE_NOTE: kept})

    assert ledger(runtime, event).usage.used == 1000


@pytest.mark.parametrize("noted", [7, "x", [1], {"used": "many"}])
def test_a_note_of_the_last_call_that_is_not_ours_tells_nothing(noted):
    runtime = Runtime()
    event = any_event(PostModelCall, host="", model="gpt-5", usage={"input_tokens": 1, "output_tokens": 2})
    runtime.fire_now(event)
    runtime.store.set_notes(event.session, {LAST_CALL_NOTE: noted})

    assert (ledger(runtime, event).usage.used, ledger(runtime, event).usage.output) == (None, 2)


def test_nothing_is_read_for_those_who_have_switched_it_off(user, transcript):
    off = user.environment(AR_DISABLE_BUDGET_GUARD="1", AR_DISABLE_HANDOFF="1")
    runtime = Runtime.load(str(user.project), off, host=CLAUDE)
    uses(runtime, transcript, 1, 99)
    notes = runtime.store.notes("s-1")
    runtime.close()

    assert USAGE_NOTE not in notes


def test_a_call_of_a_plain_command_reads_no_recording(runtime, transcript):
    transcript.write_text(message(1, 170_000))
    answered(runtime, pre_tool_use("ls -la", transcript=str(transcript)), "PreToolUse")

    assert USAGE_NOTE not in runtime.store.notes("s-1")


def called(runtime, **usage):
    event = any_event(PostModelCall, host="opencode", model="claude-sonnet-4-5", usage=usage)
    return runtime.answer(hosts.load("opencode"), "message.updated", event)


def test_a_host_without_a_recording_tells_by_its_events(runtime):
    opencode = hosts.load("opencode")
    answered(runtime, user_prompt_submit(host="opencode"), "chat.message", opencode)
    called(runtime, input=10, output=5, cache={"read": 100, "write": 7})
    called(runtime, input=20, output=6, cache={"read": 200, "write": 0})
    found = ledger(runtime, stop(host="opencode")).usage

    assert (found.input, found.output, found.cache_read, found.cache_write) == (30, 11, 300, 7)
    assert (found.used, found.turn_output, found.effective_limit) == (226, 11, 180_000)

    answered(runtime, user_prompt_submit(host="opencode"), "chat.message", opencode)
    called(runtime, input=1, output=1)
    found = ledger(runtime, stop(host="opencode")).usage
    assert (found.turn, found.turn_output) == (2, 1)


def test_a_program_of_its_own_tells_by_its_events():
    with_model = any_event(
        PostModelCall, host="", model="gpt-5", usage={"input_tokens": 10, "output_tokens": 5}
    )
    runtime = Runtime()
    runtime.fire_now(with_model)

    assert ledger(runtime, stop(host="")).usage.output == 5
    runtime.close()


def test_the_users_own_table_counts_before_ours(user, runtime, transcript):
    user.write("~/.config/hookline/models.json", {"claude-sonnet-4-5": {"window": 1000, "output": 2}})
    transcript.write_text(message(1, 500))
    found = ledger(runtime, post_tool_use(transcript=str(transcript))).usage

    assert (found.effective_limit, found.percent) == (1000, 50.0)


def test_a_table_that_cannot_be_read_is_said_and_ours_holds(user, runtime, transcript):
    user.write("~/.config/hookline/models.json", '{"claude": {"windoow": 1}}')
    reply = uses(runtime, transcript, 1, 70)

    assert "70 % of 180,000" in reply
    assert "'windoow'" in reply


def test_a_session_has_a_budget_of_its_own(runtime):
    runtime.store.set_notes("s-1", {BUDGET_NOTE: runtime.now() + 200})

    assert "▲ BUDGET: 3m" in answered(runtime, post_tool_use())
    assert "BUDGET" not in answered(runtime, post_tool_use(session="other"))


@pytest.mark.parametrize(("own", "said"), [(200, "▲ BUDGET: 3m"), (9000, "▲ BUDGET: 4m")])
def test_the_nearer_end_holds(user, own, said):
    runtime = Runtime.load(str(user.project), user.environment(), host=CLAUDE)
    runtime.setup.env["HOOKLINE_BUDGET_END"] = str(runtime.now() + 280)
    runtime.store.set_notes("s-1", {BUDGET_NOTE: runtime.now() + own})
    reply = answered(runtime, post_tool_use())
    runtime.close()

    assert said in reply


ENVELOPE = hosts.load("envelope")


def tells(runtime, hook="PostToolUse", session="told", tool=None, **figures):
    """Return the reply to an envelope whose `budget` has these *figures*."""
    envelope = {"version": 1, "hook": hook, "sessionId": session, "budget": figures}
    if "Tool" in hook:
        envelope["tool"] = {"name": "read", "input": {"path": "a.txt"}, **(tool or {})}
    name, event = decode(ENVELOPE, envelope)
    return json.dumps(json.loads(runtime.answer(ENVELOPE, name, event).stdout), ensure_ascii=False)


@pytest.mark.parametrize(
    "figures",
    [
        {"usedTokens": 75, "maxTokens": 100},
        {"usedTokens": 75, "effectiveLimit": 100},
        {"usedTokens": 75, "effectiveLimit": 100, "maxTokens": 1000},
        {"percentUsed": 75},
        {"usedTokens": 75, "maxTokens": 1000, "percentUsed": 75.5},
    ],
)
def test_the_figures_of_an_envelope_cross_the_thresholds(runtime, figures):
    assert "▲ CONTEXT: 75 %" in tells(runtime, **figures)
    assert "CONTEXT" not in tells(runtime, **figures)
    assert "▲▲ CONTEXT: 81 %" in tells(runtime, percentUsed=81)


@pytest.mark.parametrize(
    "figures",
    [
        {"usedTokens": 69, "maxTokens": 100},
        {"usedTokens": 75},
        {"maxTokens": 10},
        {"percentUsed": -80},
        {"usedTokens": -80, "maxTokens": 100},
        {"usedTokens": 80, "maxTokens": 0},
    ],
)
def test_other_figures_cross_nothing(runtime, figures):
    assert "CONTEXT" not in tells(runtime, **figures)


def test_the_figures_stay_until_the_program_reports_others(runtime, user):
    user.write("a.txt", "a line of an ordinary length, as in source code\n" * 1000)
    tells(runtime, "SessionStart", maxTokens=100)
    tells(runtime, usedTokens=85)
    assert "budget-guard" in tells(
        runtime, "PreToolUse", tool={"input": {"path": str(user.project / "a.txt")}}
    )
    tells(runtime, usedTokens=20)
    assert "passThrough" in tells(
        runtime, "PreToolUse", tool={"input": {"path": str(user.project / "a.txt")}}
    )
    tells(runtime, percentUsed=90, estimatedCostUsd=1.25)
    tells(runtime, usedTokens=30)
    usage = runtime.state(stop(session="told", host="envelope")).usage

    assert (usage.used, usage.window, usage.effective_limit, usage.percent, usage.cost) == (
        30,
        100,
        100,
        30.0,
        1.25,
    )


def test_figures_of_a_subagent_are_not_the_sessions(runtime):
    envelope = {"hook": "PostToolUse", "sessionId": "told", "subagent": {"id": "a"}, "tool": {"name": "read"}}
    name, event = decode(ENVELOPE, {**envelope, "budget": {"percentUsed": 90}})
    runtime.answer(ENVELOPE, name, event)

    assert runtime.state(stop(session="told", host="envelope")).usage.percent is None


def test_a_crossed_threshold_of_an_envelope_is_an_event(runtime):
    seen = []
    runtime.register(Hook(name="seer", on=(OnBudgetExceeded,), judge=lambda event, state: seen.append(event)))
    tells(runtime, usedTokens=82, maxTokens=100)

    assert [(event.threshold, event.percent) for event in seen] == [("tokens", 82.0)]


def test_a_programs_own_events_report_figures_too(runtime):
    runtime.fire_now(post_tool_use(session="own", used_tokens=50, max_tokens=100, cost_usd=0.5))
    usage = runtime.state(stop(session="own")).usage

    assert (usage.percent, usage.cost) == (50.0, 0.5)


READERS = {
    "claude-code": lambda number, text: {
        "type": "assistant",
        "message": {
            "id": f"m{number}",
            "model": "claude-sonnet-4-5",
            "usage": {"input_tokens": 10, "output_tokens": 100},
            "content": [{"type": "text", "text": text}],
        },
    },
    "qwen-code": lambda number, text: {
        "type": "assistant",
        "uuid": f"m{number}",
        "message": {"role": "model", "parts": [{"text": text}]},
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 100, "totalTokenCount": 110},
    },
    "gemini-cli": lambda number, text: {
        "type": "gemini",
        "id": f"m{number}",
        "content": text,
        "tokens": {"input": 10, "output": 100, "total": 110},
    },
}


def append(path, *lines):
    with path.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def output_at_stop(runtime, host, path, text):
    return runtime.state(stop(session="s", host=host, transcript=str(path), last_text=text)).usage.turn_output


@pytest.mark.parametrize("host", READERS)
@pytest.mark.parametrize("second", ["done", "the same"])
def test_a_turns_end_waits_for_the_answer_that_the_host_writes_late(runtime, transcript, host, second):
    line = READERS[host]
    append(transcript, line(1, "I call a tool."), line(2, "the same"))
    assert output_at_stop(runtime, host, transcript, "the same") == 200
    append(transcript, line(3, "I call another tool."))
    late = threading.Timer(0.3, append, (transcript, line(4, f"First.\n{second}")))
    late.start()

    assert output_at_stop(runtime, host, transcript, second) == 400
    late.join()


def test_codex_writes_the_tokens_after_the_answer(runtime, transcript):
    total = {"input_tokens": 10, "output_tokens": 100, "total_tokens": 110}
    content = [{"type": "output_text", "text": "done"}]
    said = {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": content}}
    info = {"total_token_usage": total, "last_token_usage": total}
    append(transcript, said)
    late = threading.Timer(
        0.3,
        append,
        (transcript, {"type": "event_msg", "payload": {"type": "token_count", "info": info}}),
    )
    late.start()

    assert output_at_stop(runtime, "codex", transcript, "done") == 100
    late.join()


def test_a_turns_end_waits_only_for_an_answer_and_not_for_ever(runtime, transcript, monkeypatch):
    monkeypatch.setattr("hookline.budget.ledger.LATE_SECONDS", 0.5)
    append(transcript, READERS["qwen-code"](1, "done"))
    began = time.monotonic()
    assert output_at_stop(runtime, "qwen-code", transcript, "") == 100
    assert time.monotonic() - began < 0.4
    assert output_at_stop(runtime, "qwen-code", transcript, "never written") == 100
    assert 0.5 < time.monotonic() - began < 5


@pytest.mark.parametrize("host", READERS)
def test_a_session_waits_once_for_answers_that_its_transcript_lacks(runtime, transcript, monkeypatch, host):
    waits: list[float] = []
    monkeypatch.setattr("hookline.budget.ledger.LATE_SECONDS", 0.1)
    monkeypatch.setattr("hookline.budget.ledger.time.sleep", waits.append)
    for number in range(4):
        waits.clear()
        append(transcript, READERS[host](number, "as it was written"))
        output_at_stop(runtime, host, transcript, "as it was reported")

        assert bool(waits) is (number == 0)
