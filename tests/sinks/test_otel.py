"""Test the requests to an OpenTelemetry receiver, from calls of the command and from the sink itself."""

import json

import pytest

from hookline.core.sink import SinkFailed
from hookline.sinks.otel import open_sink
from hookline.testing.sinks import a_report

pytestmark = pytest.mark.slow


def configure(user, collector, protocol, **more):
    lines = {"endpoint": collector.endpoint, "protocol": protocol, "timeout": 5.0, **more}
    told = "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items())
    user.write("~/.config/hookline/hookline.toml", f"[sinks.otel]\n{told}\n")


def lived(user, *, blocked="git push --force"):
    """Run a short session: a prompt, a call that succeeds, one that fails, and a blocked one."""
    session = {"session_id": "s-1"}
    ok = {**session, "tool_use_id": "call-1", "tool_input": {"command": "ls"}}
    bad = {**session, "tool_use_id": "call-2", "tool_input": {"command": "false"}}
    steps = [
        user.payload("SessionStart", **session),
        user.payload("UserPromptSubmit", **session, prompt="say the words that nobody else reads"),
        user.payload("PreToolUse", **ok),
        user.payload("PostToolUse", **ok, tool_response={"stdout": "a file", "stderr": ""}),
        user.payload("PreToolUse", **bad),
        user.payload("PostToolUseFailure.Bash", **bad, error="FileNotFoundError: gone"),
        user.payload("PreToolUse", **{**bad, "tool_use_id": "call-3", "tool_input": {"command": blocked}}),
        user.payload("Stop", **session),
        user.payload("SessionEnd", **session),
    ]
    return [user.hook(step) for step in steps]


@pytest.fixture(scope="module")
def life(watched, protocol):
    """Return the receiver after a complete session."""
    user, collector = watched
    configure(user, collector, protocol)
    lived(user)
    return collector.wait(lambda one: {"session claude-code"} <= {span.name for span in one.spans})


def tree(collector):
    """Return the path of span names from the root to each span."""
    spans = {span.span_id: span for span in collector.spans}

    def path(span):
        above = spans.get(span.parent_span_id)
        if not above:
            assert not span.parent_span_id, f"missing parent span of {span.name}"
        return (*(path(above) if above else ()), span.name)

    return [path(span) for span in spans.values()]


def test_all_of_a_session_is_one_trace_with_one_root(life):
    roots = [span.name for span in life.spans if not span.parent_span_id]

    assert len({span.trace_id for span in life.spans}) == 1
    assert roots == ["session claude-code"]


def test_hooks_are_below_events_below_calls_below_turns_below_the_session(life):
    paths = tree(life)
    turn = ("session claude-code", "invoke_agent claude-code")
    call = (*turn, "execute_tool Bash")

    assert (*call, "PreToolUse", "hook dangerous-command") in paths
    assert (*call, "PostToolUse", "hook audit") in paths
    assert (*call, "OnError", "hook audit") in paths
    assert (*turn, "Stop", "hook audit") in paths
    assert ("session claude-code", "SessionStart", "hook audit") in paths
    assert [path for path in paths if path == turn] == [turn]
    assert len([path for path in paths if path == call]) == 3


def test_spans_speak_the_conventions(life):
    told = {span.name: life.attributes(span) for span in life.spans}
    calls = {
        one["gen_ai.tool.call.id"]: one
        for one in (life.attributes(span) for span in life.spans if span.name == "execute_tool Bash")
    }

    assert told["invoke_agent claude-code"]["gen_ai.operation.name"] == "invoke_agent"
    assert told["session claude-code"]["gen_ai.conversation.id"] == "s-1"
    assert told["session claude-code"]["hookline.session.blocks"] == 1
    assert {name: one.get("error.type") for name, one in calls.items()} == {
        "call-1": None,
        "call-2": "failed",
        "call-3": "blocked",
    }
    assert {(one["gen_ai.operation.name"], one["gen_ai.tool.name"]) for one in calls.values()} == {
        ("execute_tool", "Bash")
    }
    assert {one["gen_ai.agent.name"] for one in told.values()} == {"claude-code"}


def test_events_carry_their_figures(life):
    events = [(span.name, life.attributes(span)) for span in life.spans]
    stopped = next(
        one for name, one in events if name == "PreToolUse" and one["hookline.decision"] == "block"
    )
    error = next(one for name, one in events if name == "OnError")

    assert stopped["hookline.rule"].startswith("dangerous-command:")
    assert stopped["hookline.tool.kind"] == "shell"
    assert stopped["hookline.policy.checks"] > 0
    assert error["hookline.error.class"] == "FileNotFoundError"
    assert error["hookline.error.recurrences"] == 0


def points(collector, name):
    found = [metric for metric in collector.metrics if metric.name == name]
    return [point for metric in found for point in (*metric.sum.data_points, *metric.histogram.data_points)]


def counted(collector, name, **wanted):
    kept = {f"hookline.{key.replace('__', '.')}": value for key, value in wanted.items()}
    return sum(
        point.as_int
        for point in points(collector, name)
        if kept.items() <= collector.attributes(point).items()
    )


def test_metrics_add_up(life):
    life.wait(lambda one: counted(one, "hookline.events", event="SessionEnd"))

    assert counted(life, "hookline.events", event="PreToolUse") == 3
    assert counted(life, "hookline.events", event="PreToolUse", decision="block") == 1
    assert counted(life, "hookline.events", event="OnError") == 1
    assert counted(life, "hookline.hook.outcomes", hook__name="dangerous-command", hook__outcome="block") == 1
    assert sum(point.count for point in points(life, "hookline.hook.duration")) > 30
    assert sum(point.count for point in points(life, "hookline.tool.duration")) == 2
    assert sum(point.count for point in points(life, "hookline.session.duration")) == 1
    assert {
        metric.sum.aggregation_temporality for metric in life.metrics if metric.name == "hookline.events"
    } == {1}


def test_nothing_that_anybody_wrote_is_sent(life):
    whole = "\n".join(str(request) for _, request in life.requests)

    assert "that nobody else reads" not in whole
    assert "git push" not in whole
    assert "a file" not in whole
    assert "gone" not in whole


def test_what_was_written_is_sent_to_those_who_want_it(user, collector, protocol):
    configure(user, collector, protocol, content=True)
    lived(user)
    collector.wait(lambda one: "session claude-code" in {span.name for span in one.spans})
    told = [collector.attributes(span) for span in collector.spans]

    assert "say the words that nobody else reads" in {one.get("gen_ai.input.messages") for one in told}
    assert [one for one in told if "git push --force" in one.get("gen_ai.tool.call.arguments", "")]
    assert [one for one in told if "a file" in one.get("gen_ai.tool.call.result", "")]


def test_a_turn_that_was_interrupted_says_so(user, collector, protocol):
    configure(user, collector, protocol)
    for number in (1, 2):
        user.hook(user.payload("UserPromptSubmit", session_id="s", prompt=f"go {number}"))
    collector.wait(lambda one: [span for span in one.spans if span.name.startswith("invoke_agent")])
    turn = next(span for span in collector.spans if span.name.startswith("invoke_agent"))

    assert collector.attributes(turn)["hookline.interrupted"] is True
    assert collector.attributes(turn)["hookline.turn"] == 1


def test_a_call_that_nobody_ended_has_its_place(user, collector, protocol):
    configure(user, collector, protocol)
    user.hook(user.payload("UserPromptSubmit", session_id="s", prompt="go"))
    user.hook(user.payload("PreToolUse", session_id="s"))
    user.hook(user.payload("UserPromptSubmit", session_id="s", prompt="no, stop"))
    user.hook(user.payload("SessionEnd", session_id="s"))
    collector.wait(lambda one: "session claude-code" in {span.name for span in one.spans})
    (call,) = [path for path in tree(collector) if path[-1] == "execute_tool Bash"]

    assert call == ("session claude-code", "invoke_agent claude-code", "execute_tool Bash")


def test_headers_go_along(collector, protocol):
    sink = open_sink("", endpoint=collector.endpoint, protocol=protocol, headers={"X-Team": "seven"})
    sink.export([a_report()])
    sink.close()

    assert {{k.lower(): v for k, v in headers.items()}["x-team"] for headers, _ in collector.requests} == {
        "seven"
    }


@pytest.mark.parametrize("behaviour", ["refuses", "garbage", "hangs"])
def test_a_receiver_that_does_not_take_it_is_said(collector, protocol, behaviour):
    collector.behaviour = behaviour
    sink = open_sink("", endpoint=collector.endpoint, protocol=protocol, timeout=1.0)
    try:
        with pytest.raises(SinkFailed, match=r"rejected traces: .+"):
            sink.export([a_report()])
    finally:
        collector.release.set()
        sink.close()


def test_a_receiver_that_is_away_is_said(protocol):
    sink = open_sink("", endpoint="http://127.0.0.1:9", protocol=protocol, timeout=1.0)
    try:
        with pytest.raises(SinkFailed, match=r"rejected traces: .+"):
            sink.export([a_report()])
    finally:
        sink.close()


def test_tokens_are_a_metric_of_the_conventions(collector, protocol):
    sink = open_sink("", endpoint=collector.endpoint, protocol=protocol)
    sink.export(
        [a_report(event="PostModelCall", model="m", figures={"tokens.input": 11, "tokens.output": 3})]
    )
    sink.close()
    told = {
        collector.attributes(point)["gen_ai.token.type"]: point.sum
        for point in points(collector, "gen_ai.client.token.usage")
    }

    assert told == {"input": 11, "output": 3}
