"""Test loop-breaker: first a message, then a blocked call, then a blocked run, and how each is lifted."""

import json
import os
from functools import reduce
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import State, hosts
from hookline.core.degrade import build_reply
from hookline.core.events import PreCompact, PreToolUse, UserPromptSubmit
from hookline.core.outcome import Outcome
from hookline.core.response import End
from hookline.core.usage import Usage
from hookline.hooks._loop_calls import MAX_CALLS, CallRecord, append_call, parse_calls
from hookline.hooks.loop_breaker import loop_breaker
from hookline.redact import redact
from hookline.system.workspace_fingerprint import fingerprint, hash_file
from hookline.testing import any_event, post_tool_use, pre_tool_use, user_prompt_submit


class Session:
    def __init__(self, **settings):
        self.now, self.memory, self.place, self.used, self.settings = 1e9, {}, "a", None, settings

    def __call__(self, event):
        facts = {"workspace": self.place, "usage": Usage(used=self.used)}
        said = loop_breaker.judge(
            event, State(now=self.now, memory=self.memory, facts=facts), **self.settings
        )
        self.memory = json.loads(json.dumps({**self.memory, **(said.memory if said else {})}, default=dict))
        self.now += 1
        return said

    def fails(self, command="npm test", **values):
        return self(post_tool_use(command, success=False, error="Error: 1 failing", output=None, **values))

    def loops(self):
        return [self.fails() for _ in range(3)][-1]


def test_the_third_identical_failure_is_told_to_the_agent():
    session = Session()
    said = [session.fails() for _ in range(3)]

    assert [one.rule for one in said] == ["", "", "repeated-failure"]
    assert said[2].context[0].startswith("▲ LOOP: `npm test` failed with the same error at least three times")
    assert said[2].verdict == "pass"


@pytest.mark.parametrize(
    ("commands", "step", "rule"),
    [
        (("hyperfine ./a", "hyperfine ./b"), 1, ""),
        (("python bench.py --impl old", "python bench.py --impl new"), 1, ""),
        (("time ./a", "time ./b"), 1, ""),
        (("hyperfine ./a", "hyperfine ./b"), 0, "alternating"),
        (("npm test", "npm run lint"), 1, "alternating"),
    ],
)
def test_alternating_measurements_are_work_while_their_numbers_differ(commands, step, rule):
    session = Session()
    said = [
        session(post_tool_use(command, output=f"Time: {101 + step * turn} ms"))
        for turn in range(3)
        for command in commands
    ]

    assert said[-1].rule == rule


def test_the_same_call_is_then_stopped_before_it_runs_and_no_other():
    session = Session()
    session.loops()

    assert session(pre_tool_use("npm  test")).verdict == "block"
    assert session(pre_tool_use("npm run lint")) is None


def test_it_runs_again_once_something_changed():
    session = Session()
    session.loops()
    session.place = "b"

    assert session(pre_tool_use("npm test")) is None
    assert session.fails().rule == ""


def test_it_runs_again_after_a_while():
    session = Session()
    session.loops()
    session.now += 7201

    assert session(pre_tool_use("npm test")) is None


LOOKS = [
    "java -version",
    "gradle -v",
    "redis-cli llen q",
    "psql -c 'select 1'",
    "python -c 'print(1)'",
    "cat a.py",
    "sqlite3 app.db 'select 1'",
    "gcloud run services describe api",
    "docker exec r redis-cli info",
]


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_between_two_failures_is_not_a_change(look):
    session = Session()
    said = [session(post_tool_use(look, output="same")) and session.fails() for _ in range(3)]

    assert said[-1].rule == "repeated-failure"


@pytest.mark.parametrize(
    "step", ["psql -c 'delete from t'", "redis-cli flushall", "python -c 'app.seed()'", "npm ci"]
)
def test_a_change_between_two_failures_is(step):
    session = Session()
    said = [session(post_tool_use(step, output="done")) and session.fails() for _ in range(3)]

    assert said[-1].rule == ""


HEALTH = [
    "pg_isready",
    "docker exec pg pg_isready",
    "docker compose exec db mysqladmin ping",
    "redis-cli ping",
    "curl -fsS localhost:3000/healthz",
    "systemctl is-active web",
    "nc -z db 5432",
]


@pytest.mark.parametrize("question", HEALTH)
def test_a_service_is_awaited(question):
    session = Session()
    said = []
    for _ in range(8):
        session.now += 1
        said.append(session.fails(question))

    assert [one.rule for one in said] == [""] * 8


@pytest.mark.parametrize(
    ("error", "pause", "stopped"), [("no", 0, True), ("no", 15, False), ("busy", 0, False)]
)
def test_a_question_is_stopped_until_its_answer_may_differ(error, pause, stopped):
    session = Session()
    for text in ("no", "no", "no", error):
        session(post_tool_use("kubectl get pods", success=False, error=f"Error: {text} answer", output=None))
    session.now += pause

    assert (session(pre_tool_use("kubectl get pods")) is not None) == stopped


@pytest.mark.parametrize("prefix", ["{n}.28{n} npm ", "#9 4.11{n} ", "12:00:0{n} ", "[{n}.5{n}] "])
def test_seconds_before_an_error_are_not_a_count(prefix):
    session = Session()
    texts = [prefix.format(n=n) + "error: linker cc not found" for n in range(3)]
    said = [
        session(post_tool_use("docker build .", success=False, error=text, output=None)) for text in texts
    ]

    assert said[-1].rule == "repeated-failure"


def test_at_last_every_call_is_stopped_and_the_user_is_told():
    session = Session()
    session.loops()
    said = [session(pre_tool_use("npm test")) for _ in range(3)]

    assert [one.rule for one in said] == ["repeated-failure", "repeated-failure", "ended"]
    assert "repeats itself without progress" in said[2].warnings[0]
    assert session(pre_tool_use("ls")).rule == "ended"
    session.now += 601
    assert session(pre_tool_use("ls")) is None


def test_a_persons_prompt_lifts_every_stop():
    session = Session()
    session.loops()
    for _ in range(3):
        session(pre_tool_use("npm test"))
    session(user_prompt_submit("try it once more"))

    assert session(pre_tool_use("ls")) is None
    assert session(pre_tool_use("npm test")) is None


def test_another_turn_is_another_run():
    session = Session()
    session.loops()
    for _ in range(3):
        session(pre_tool_use("npm test", turn="1"))

    assert session(pre_tool_use("ls", turn="1")).rule == "ended"
    assert session(pre_tool_use("ls", turn="2")) is None


@pytest.mark.parametrize(("used", "told"), [(950, True), (901, True), (900, False), (100, False)])
def test_three_compactions_that_free_nothing_ask_for_a_fresh_session(used, told):
    session = Session()
    for _ in range(3):
        session.used = 1000
        session(any_event(PreCompact))
        session.used = used
        said = session(post_tool_use("ls"))

    assert (said.rule == "no-relief") is told
    assert bool(said.warnings) is told


def test_one_compaction_that_helped_counts_anew():
    session, rules = Session(), []
    for number, used in enumerate((950, 950, 100, 950, 950)):
        session.used = 1000
        session(any_event(PreCompact))
        session.used = used
        rules.append(session(post_tool_use(f"ls folder{number}")).rule)

    assert not any(rules)


def test_exceptions_and_thresholds_are_settings():
    assert Session(allow=("repeated-failure",)).loops().context == ()
    assert Session(times=2).fails() is not None
    session = Session(times=2)
    session.fails()
    assert session.fails().rule == "repeated-failure"


def test_nothing_but_hashes_is_kept():
    session = Session()
    for _ in range(3):
        session.fails("curl -u me:planted-secret-0001 https://x.example")

    assert "planted" not in json.dumps(session.memory)


def test_without_a_loop_nothing_is_said_or_kept_before_a_call():
    assert Session()(pre_tool_use("ls")) is None
    assert Session()(any_event(UserPromptSubmit)) is None


def test_the_fingerprint_tells_every_change_that_is_not_made_by_running(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("1")
    first = fingerprint(str(tmp_path))
    for made in ("__pycache__", "node_modules", ".pytest_cache"):
        (tmp_path / made).mkdir()
        (tmp_path / made / "x").write_text("x")
    (tmp_path / "run.log").write_text("x")
    assert fingerprint(str(tmp_path)) == first

    (tmp_path / "src" / "b.py").write_text("")
    second = fingerprint(str(tmp_path))
    (tmp_path / "src" / "a.py").write_text("22")
    assert len({first, second, fingerprint(str(tmp_path))}) == 3
    assert fingerprint(str(tmp_path / "nowhere"))


def test_the_content_of_a_file_is_known_by_a_hash(tmp_path):
    (tmp_path / "a").write_text("x")

    assert hash_file(str(tmp_path / "a")) == hash_file(str(tmp_path / "a")) != ""
    assert hash_file(str(tmp_path / "b")) == ""


def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    hashes = []
    thread = Thread(target=lambda: hashes.append(hash_file(str(tmp_path / "pipe"))), daemon=True)
    thread.start()
    thread.join(5)

    assert hashes == [""]


@given(st.lists(st.binary(min_size=16, max_size=16), min_size=1, max_size=MAX_CALLS), st.booleans())
def test_what_is_noted_is_read_again_and_looks_like_no_secret(parts, failed):
    calls = [
        CallRecord(
            float(10**9 + number),
            one[:4].hex(),
            one[4:8].hex(),
            one[8:12].hex(),
            one[12:].hex(),
            "f" if failed else "wc",
        )
        for number, one in enumerate(parts)
    ]

    assert parse_calls(redact(reduce(append_call, calls, ""))) == calls


def test_no_more_is_noted_than_is_looked_back_at():
    calls = [CallRecord(float(number), "a", "a", "b", "", "") for number in range(MAX_CALLS + 5)]
    noted = reduce(append_call, calls, "")

    assert parse_calls(noted) == calls[-MAX_CALLS:]
    assert parse_calls(f"{noted} what,another,version,wrote") == calls[-MAX_CALLS:]


@pytest.mark.parametrize("name", hosts.names())
def test_a_host_ends_the_run_or_it_is_said_that_it_cannot(name):
    host = hosts.load(name)
    event = pre_tool_use("ls", host=name)
    outcome = Outcome(event=event, blocked="enough", effects=(End(reason="in circles"),))
    moment = next((one for one, row in host.moments.items() if row.event is PreToolUse), "")
    reply, said = build_reply(host, moment, event, outcome)
    notes = [step.note for step in said.trail if "cannot end the run" in step.note]

    assert ("in circles" in reply.stdout) == (PreToolUse in host.run_ending_events) == (not notes)
