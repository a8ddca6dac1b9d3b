"""Test sinks around real calls: they neither change nor delay answers, and lost reports are counted."""

import json
import time

import pytest

from hookline.core.events import Notification
from hookline.core.report import from_json, to_json
from hookline.core.sink import ConfiguredSink
from hookline.runtime import telemetry
from hookline.system import outbox
from hookline.testing.sinks import a_report

AWAY = "http://127.0.0.1:9"
TOML = "~/.config/hookline/hookline.toml"
STATE = ".local/state/hookline/telemetry"
STEMS = ("SessionStart", "PreToolUse", "Stop")


def replies(user, session="one"):
    """Return the exit code and output of the hook for several events of a session."""
    payloads = [user.payload(stem) for stem in STEMS] + [user.shell("git push --force")]
    payloads = [{**payload, "session_id": session} for payload in payloads]
    ran = [user.run("hook", "claude-code", stdin=json.dumps(payload)) for payload in payloads]
    here = str(user.project).encode()
    return [(one.returncode, one.stdout.replace(here, b"PROJECT"), one.stderr) for one in ran]


def lines(user):
    return [
        json.loads(line)
        for line in (user.home / STATE / "jsonl" / "telemetry.jsonl").read_text().splitlines()
    ]


@pytest.fixture(scope="module")
def before(watched):
    """Return the replies without a sink."""
    return replies(watched[0])


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", ["well", "refuses", "garbage", "hangs"])
def test_no_answer_differs_or_waits_whatever_the_receiver_does(user, before, collector, protocol, behaviour):
    collector.behaviour = behaviour
    # Longer than the timeout of the call, so that a call that waits for the sink fails.
    user.write(
        TOML, f'[sinks.otel]\nendpoint = "{collector.endpoint}"\nprotocol = "{protocol}"\ntimeout = 300.0\n'
    )

    assert replies(user) == before
    collector.wait(lambda one: one.requests)


@pytest.mark.slow
def test_no_answer_differs_or_waits_when_nobody_is_there(user, before, protocol):
    user.write(TOML, f'[sinks.otel]\nendpoint = "{AWAY}"\nprotocol = "{protocol}"\ntimeout = 1.0\n')

    assert replies(user) == before
    shown = until(user, "sinks.otel", lambda one: one["failed"])
    assert "rejected traces" in shown["failed"]
    assert shown["waiting"] >= len(STEMS)


def until(user, name, enough, seconds=30):
    give_up = time.monotonic() + seconds
    while True:
        listed = json.loads(user.run("list", "sinks", "--json").stdout)["sinks"]
        one = next(sink for sink in listed if name.endswith(sink["name"]))
        if enough(one):
            return one
        assert time.monotonic() < give_up, one


def test_what_waited_while_nobody_was_there_is_sent_later(user, collector, protocol):
    folder = user.home / STATE / "otel"
    outbox.put(str(folder), [to_json(a_report(session=f"s{number}")) for number in range(7)])
    choice = ConfiguredSink(name="otel", settings={"endpoint": AWAY, "protocol": protocol, "timeout": 1.0})
    telemetry.send(choice, str(folder), linger=0)
    failed = outbox.read_state(str(folder))
    telemetry.send(
        ConfiguredSink(name="otel", settings={"endpoint": collector.endpoint, "protocol": protocol}),
        str(folder),
        linger=0,
    )

    assert failed.failed
    assert failed.again > failed.at
    assert outbox.read_state(str(folder)).failed == ""
    assert (outbox.count_waiting(str(folder)), outbox.count_dropped(str(folder))) == (0, 0)
    assert len({span.trace_id for span in collector.spans}) == 7


@pytest.mark.slow
def test_what_finds_no_room_is_dropped_counted_and_shown(user):
    user.write(TOML, f'[sinks.otel]\nendpoint = "{AWAY}"\n')
    folder = user.home / STATE / "otel"
    outbox.put(str(folder), [b"{}"] * (outbox.MAX_BYTES // 3))
    outbox.write_state(str(folder), outbox.OutboxState(failed="away", at=1.0, again=time.time() + 3600))
    ran = [user.run("hook", "claude-code", stdin=json.dumps(user.payload("Notification"))) for _ in range(3)]

    assert [one.returncode for one in ran] == [0, 0, 0]
    # The first event of a session also reports its start, so three calls are four events.
    assert outbox.count_dropped(str(folder)) == 4
    assert [b"sink 'otel' failed" in one.stderr for one in ran] == [True, False, False]
    for command in (["list", "sinks"], ["config", "show"], ["doctor"]):
        assert "4 dropped, the last export failed: away" in user.run(*command).stdout.decode()


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_said_once_and_nothing_else_suffers(user):
    before = [one[:2] for one in replies(user)]
    user.write(TOML, '[sinks.jsonl]\nfile = "/proc/hookline/telemetry.jsonl"\n')
    after = replies(user, session="another")
    shown = user.run("list", "sinks").stdout.decode()

    assert [one[:2] for one in after] == before
    assert len([stderr for *_, stderr in after if b"sink 'jsonl' failed" in stderr]) == 1
    assert "dropped, the last export failed" in shown
    assert len(user.log()) >= 2 * len(before)


@pytest.mark.slow
def test_lines_of_a_life(user):
    user.write(TOML, "[sinks.jsonl]\n")
    replies(user)
    told = lines(user)
    stopped = next(one for one in told if one["action"] == "block")

    assert [one["event"] for one in told if one["event"] in STEMS][:2] == ["SessionStart", "PreToolUse"]
    assert stopped["rules"]
    assert stopped["figures"]["decision"] == "block"
    assert {"hook": "dangerous-command", "said": "block"}.items() <= next(
        one for one in stopped["hooks"] if one["said"] == "block"
    ).items()
    assert not [one for one in told if "content" in one]


def test_what_a_hook_of_ones_own_measures_is_told(user):
    user.write(TOML, "[sinks.jsonl]\n")
    user.write(
        "~/.config/hookline/hooks/loops.py",
        "from hookline import PostToolUse, Response, hook\n"
        "from hookline.core.response import Measure\n"
        "@hook(priority=90)\n"
        "def loops(event: PostToolUse, state):\n"
        "    return Response(effects=(Measure(name='loop.score', value=0.25),))\n",
    )
    user.hook(user.payload("PostToolUse"))

    assert [one["figures"]["loop.score"] for one in lines(user) if one["event"] == "PostToolUse"] == [0.25]


@pytest.mark.slow
def test_content_is_told_only_to_the_sink_that_wants_it(user, collector, protocol):
    user.write(
        TOML,
        f'[sinks.otel]\nendpoint = "{collector.endpoint}"\nprotocol = "{protocol}"\n'
        "[sinks.jsonl]\ncontent = true\n",
    )
    user.hook(user.payload("UserPromptSubmit", prompt="the very words"))
    collector.wait(lambda one: one.spans)

    assert [one for one in lines(user) if one.get("content", {}).get("prompt") == "the very words"]
    assert "the very words" not in str(collector.requests)


def test_one_that_is_off_is_told_nothing(user):
    user.write(TOML, "[sinks.jsonl]\nenabled = false\n")
    user.hook(user.payload("PreToolUse"))

    assert not (user.home / STATE).exists()
    assert "jsonl  off" in user.run("list", "sinks").stdout.decode()


def test_a_repository_adds_and_redirects_no_sink_by_itself(user):
    user.write(TOML, "[sinks.jsonl]\n")
    user.write(".hookline/hookline.toml", '[sinks.jsonl]\nfile = "/tmp/x"\ncontent = true\n[sinks.otel]\n')
    user.hook(user.payload("UserPromptSubmit", prompt="the very words"))
    shown = user.run("config", "show").stdout.decode()

    assert "not trusted: .hookline/hookline.toml:2: [sinks.jsonl] file = '/tmp/x'" in shown
    assert "not trusted: .hookline/hookline.toml:3: [sinks.jsonl] content = True" in shown
    assert "not trusted: .hookline/hookline.toml: [sinks.otel]" in shown
    assert "sinks.otel" not in shown.partition("value")[2]
    assert not [one for one in lines(user) if "content" in one]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[sinks.jsnol]\n", "no sink named 'jsnol'; did you mean 'jsonl'?"),
        ("[sinks.jsonl]\nsize = true\n", "setting 'size' of sink 'jsonl' must be a whole number, not true"),
        (
            "[sinks.jsonl]\nlouder = 1\n",
            "sink 'jsonl' has no setting 'louder'; available: content, enabled, file, keep, size",
        ),
        ('[sinks.otel]\nprotocol = "smoke"\n', 'must be one of "http", "grpc", not \'smoke\''),
        ("sinks = 3\n", "'sinks' must be a table of keys, not a whole number"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(user, text, problem):
    user.write(TOML, text)
    shown = user.run("config", "show").stdout.decode()

    assert problem in shown
    assert "hookline.toml:" in shown


def test_headers_are_shown_by_name_only(user):
    user.write(TOML, '[sinks.otel]\nheaders = { authorization = "open sesame" }\n')
    shown = user.run("config", "show").stdout + user.run("config", "show", "--json").stdout

    assert b"authorization" in shown
    assert b"sesame" not in shown


@pytest.mark.slow
def test_what_doctor_tries_out_is_told_to_nobody(user):
    user.write(TOML, f'[sinks.jsonl]\nfile = "{user.home}/told.jsonl"\n')
    user.run("init", "--host", "claude-code", "--yes")
    user.run("doctor")

    assert not (user.home / "told.jsonl").exists()


def test_a_program_that_never_ends_tells_all_the_same(user):
    from hookline.runtime.runtime import SINK_BATCH, Runtime

    user.write(TOML, "[sinks.jsonl]\n")
    runtime = Runtime.load(str(user.project), user.environment())
    try:
        for _ in range(SINK_BATCH - 1):
            runtime.fire_now(Notification(session="s"))
        before = (user.home / STATE).exists()
        runtime.fire_now(Notification(session="s"))

        assert (before, len(lines(user))) == (False, SINK_BATCH)
    finally:
        runtime.close()


def test_a_store_that_cannot_be_used_keeps_nothing_from_the_sinks(user):
    user.write(TOML, f'[sinks.jsonl]\nfile = "{user.home}/told.jsonl"\n')
    user.write("~/.local/state/hookline", "no folder")
    user.hook(user.payload("PreToolUse"))

    assert [json.loads(line)["event"] for line in (user.home / "told.jsonl").read_text().splitlines()]


def test_lines_that_are_no_reports_are_dropped_and_the_rest_is_sent(tmp_path):
    good = a_report()
    outbox.put(str(tmp_path), [b"{torn", to_json(good), b"[]"])
    telemetry.send(ConfiguredSink(name="jsonl", settings={"file": "out.jsonl"}), str(tmp_path), linger=0)

    assert from_json((tmp_path / "out.jsonl").read_bytes()) == good
    assert (outbox.count_waiting(str(tmp_path)), outbox.count_dropped(str(tmp_path))) == (0, 2)


def test_a_report_comes_back_from_json_as_it_was():
    one = a_report(content={"prompt": "p"}, rules=("a:b",), agent="helper")

    assert from_json(to_json(one)) == one
