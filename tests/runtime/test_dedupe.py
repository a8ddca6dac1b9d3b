"""Test duplicate events from several entries: one answer has the verdict, in any order and after crashes."""

import json
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.conftest import CAPTURES, HOOKLINE

from hookline import hosts
from hookline.core.events import PreToolUse, Stop, Subagent
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace
from hookline.runtime import dedupe
from hookline.runtime.call_claims import Claim, Claims
from hookline.runtime.runtime import Runtime
from hookline.stores.sqlite import open_store
from hookline.system.process import identity

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force origin main"


def start(user, payload, *words, host="claude-code", **env):
    """Start a hook process, send its input, and return it without waiting."""
    child = subprocess.Popen(
        [str(HOOKLINE), "hook", host, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=user.project,
        env=user.environment(**env),
    )
    child.stdin.write(json.dumps(payload).encode())
    child.stdin.close()
    return child


def answers(children):
    told = [child.stdout.read().decode() for child in children]
    assert [child.wait(60) for child in children] == [0] * len(children)
    for child in children:
        child.stdout.close()
        child.stderr.close()
    return told


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 5])
def test_several_entries_of_one_host_say_the_same_and_it_is_recorded_once(user, number):
    told = answers([start(user, user.shell(FORCE)) for _ in range(number)])
    log = [record for record in user.log() if record["event"] == "PreToolUse"]

    assert sum("deny" in text for text in told) == number  # the host may read all of the answers, or only one
    assert sorted(record["action"] for record in log) == ["block"] + ["pass"] * (number - 1)
    assert sum("received twice" in json.dumps(record["trail"]) for record in log) == number - 1


@pytest.mark.slow
def test_nobody_can_have_the_answer_in_anothers_place_and_throw_it_away(user):
    """Check that every process reports a block: a repository's entry may discard its own output."""
    for _ in range(3):
        thrown = [start(user, user.shell(FORCE)) for _ in range(4)]
        told = answers([*thrown, start(user, user.shell(FORCE))])

        assert "deny" in told[-1]


@pytest.mark.slow
@pytest.mark.parametrize("loose", [{"AR_DISABLE_DANGEROUS_COMMAND": "1"}, {"XDG_CONFIG_HOME": "@"}])
def test_who_was_started_with_other_settings_does_not_answer_for_the_others(user, loose):
    user.write("~/elsewhere/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    env = {name: value.replace("@", str(user.home / "elsewhere")) for name, value in loose.items()}
    for _ in range(3):
        first, second = start(user, user.shell(FORCE), **env), start(user, user.shell(FORCE))
        told = answers([first, second])

        assert told[0] == ""
        assert "deny" in told[1]


@pytest.mark.slow
def test_another_call_of_the_same_name_is_another_call(user):
    """Check distinct calls with the same id, as some models give every call the same one."""
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": "sleep 0.5", "priority": 0}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    told = answers([start(user, user.shell("ls")), start(user, user.shell(FORCE))])

    assert (told[0], "deny" in told[1]) == ("", True)


def opencode(user, command):
    call = {"tool": "bash", "args": {"command": command}, "call": "call_0"}
    return {"hook": "tool.execute.before", "session": "s", "directory": str(user.project), **call}


@pytest.mark.slow
def test_another_call_of_the_same_name_is_another_call_where_hooks_run_one_by_one(user):
    told = [
        answers([start(user, opencode(user, line), host="opencode")])[0]
        for line in ("ls", FORCE, "ls", FORCE)
    ]

    assert ["deny" in text for text in told] == [False, True, False, True]


@pytest.mark.slow
def test_a_secret_is_taken_out_by_all_of_them_and_the_clock_is_told_by_one(user):
    secret = "ghp_k4Z9vQ2mX7bN1cR8tY5wL3pJ6hG0fD2sA9eU"
    shown = {"stdout": f"token {secret}", "stderr": "", "interrupted": False, "isImage": False}
    payload = user.payload("PostToolUse", tool_input={"command": "cat t"}, tool_response=shown)
    end = str(int(time.time()) + 1800)
    told = answers([start(user, payload, AUTORESEARCH_BUDGET_END=end) for _ in range(3)])

    assert all("updatedToolOutput" in text and secret not in text for text in told)
    assert sum("BUDGET" in text for text in told) == 1


def both(user, payload, **env):
    """Return the answers of two concurrent entries, the first with another environment."""
    return answers([start(user, payload, **env), start(user, payload)])


BLOCKING = 'test -n "$OKAY" || { echo "lint failed: fix it" >&2; exit 2; }'


@pytest.mark.slow
@pytest.mark.parametrize("env", [{"OKAY": "1"}, {"PATH": "/nowhere"}])
def test_who_was_started_with_another_environment_does_not_answer_for_the_others(user, env):
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": BLOCKING, "name": "mine"}]}}
    user.write("~/.config/hookline/hooks.json", hooks)

    assert "lint failed" in both(user, user.shell("make deploy"), **env)[1]


def test_a_hook_that_failed_with_the_first_is_tried_again_with_the_second(user):
    once = "mkdir here || { echo 'lint failed: fix it' >&2; exit 2; }; kill -9 $$"
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": once, "name": "mine"}]}}
    user.write("~/.config/hookline/hooks.json", hooks)

    assert any("lint failed" in text for text in both(user, user.shell("make deploy")))


@pytest.mark.parametrize(
    "changes",
    [
        {"tool_response": {"stdout": "clean", "stderr": "", "interrupted": False, "isImage": False}},
        {"permission_mode": "plan"},
        {"cwd": "/"},
    ],
)
def test_what_differs_in_its_content_is_another_event(user, changes):
    payload = user.payload("PostToolUse")
    one, other = (decode(hosts.load("claude-code"), sent)[1] for sent in (payload, {**payload, **changes}))

    assert dedupe.identify_event(one) != dedupe.identify_event(other)


@pytest.mark.slow
def test_feedback_after_a_tool_and_what_a_guard_tells_the_agent_is_said_by_all(user):
    hooks = {"version": 1, "hooks": {"PostToolUse": [{"command": BLOCKING, "name": "mine"}]}}
    user.write("~/.config/hookline/hooks.json", hooks)

    assert all("lint failed" in text for text in both(user, user.payload("PostToolUse")))
    assert all("secret" in text for text in both(user, user.shell("cat .env")))


def test_what_is_counted_and_remembered_is_so_once(user):
    answers([start(user, user.payload("UserPromptSubmit")) for _ in range(3)])
    store = open_store(str(user.home / ".local/state/hookline/hookline.db"))
    counted = store.counters(user.payload("UserPromptSubmit")["session_id"])
    store.close()

    assert counted["events:UserPromptSubmit"] == 1
    assert counted["events:TurnStart"] == 1


def test_the_log_shows_that_it_came_twice(user):
    answers([start(user, user.shell("ls")) for _ in range(2)])

    assert "received twice, because several entries call hookline" in user.run("log").stdout.decode()


def test_no_note_is_kept_where_no_trail_is(user):
    user.write("~/.config/hookline/hookline.toml", "[hooks.audit]\nenabled = false\n")
    answers([start(user, user.shell("ls")) for _ in range(2)])

    assert user.log() == []


@pytest.mark.slow
def test_the_same_call_asked_again_after_the_answer_is_judged_again(user):
    """Check a retry with the same call id, as some models give every call the same one."""
    told = [user.hook(user.shell(FORCE))[1] for _ in range(3)]

    assert all("deny" in json.dumps(one) for one in told)


@pytest.mark.slow
def test_a_turn_that_ends_again_after_the_answer_is_another_end(user):
    for _ in range(3):
        user.hook(user.payload("Stop"))

    assert [record["event"] for record in user.log()].count("Stop") == 3


def test_who_is_asked_for_other_hooks_is_asked_something_else(user):
    told = answers([start(user, user.shell(FORCE)), start(user, user.shell(FORCE), "--only", "audit")])

    assert "deny" in told[0]
    assert not any("received twice" in json.dumps(record["trail"]) for record in user.log())


def test_the_second_answers_when_the_first_is_killed_before_it_did(user):
    slow = f"echo x >> {user.home}/begun; test -e {user.home}/quick || sleep 4"
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": slow, "priority": 0}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    first = start(user, user.shell(FORCE))
    while not (user.home / "begun").exists():
        assert first.poll() is None
        time.sleep(0.02)
    second = start(user, user.shell(FORCE))
    time.sleep(0.7)
    waited = second.poll() is None
    user.write("~/quick", "")
    first.kill()
    first.wait()
    told = answers([second])
    first.stdout.close()
    first.stderr.close()

    assert waited
    assert "deny" in told[0]
    assert (user.home / "begun").read_text() == "x\nx\n"


CAPTURED = sorted(path for path in CAPTURES.glob("*/*.json") if path.parent.name in hosts.names())


def event_of(path):
    host, payload = hosts.load(path.parent.name), json.loads(path.read_text())
    name = "" if isinstance(payload.get(host.event_key), str) else path.stem.split(".")[0]
    try:
        found = decode(host, payload, name)
    except ValueError:
        return host, None
    return host, found and found[1]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    made = Runtime()
    made.claims = Claims(str(tmp_path_factory.mktemp("state") / "claims.json"))
    yield made
    made.close()


@pytest.mark.parametrize("name", sorted({path.parent.name for path in CAPTURED}))
def test_every_captured_event_is_answered_once_or_cannot_be_identified(runtime, name):
    for path in (path for path in CAPTURED if path.parent.name == name):
        host, event = event_of(path)
        if event is None:
            continue
        event = replace(event, session=f"{path}")
        first = dedupe.claim_call(runtime, host, event)
        assert isinstance(first, dedupe.ClaimedCall), path
        if not dedupe.identify_event(event):  # an event without an identity is answered twice
            assert isinstance(dedupe.claim_call(runtime, host, event), dedupe.ClaimedCall), path
            continue
        runtime.last_outcome = Outcome(event=event)
        first.save_answer(identity.now())
        later = dedupe.claim_call(runtime, host, event, begun=lambda: identity.now() + 60)
        assert isinstance(later, dedupe.ClaimedCall), path


def test_calls_without_a_name_are_told_from_each_other_by_what_they_do():
    one = PreToolUse(session="s", tool="bash", kind="shell", input={"command": "ls"})
    other = replace(one, input={"command": "ls -l"})

    assert dedupe.identify_event(one) == dedupe.identify_event(
        replace(one, tool="Bash", at=5.0, transcript="/t")
    )
    assert dedupe.identify_event(one) != dedupe.identify_event(other)
    assert dedupe.identify_event(one) != dedupe.identify_event(replace(one, session="t"))
    assert dedupe.identify_event(one) != dedupe.identify_event(
        replace(one, subagent=Subagent(id="a", type="t"))
    )


@pytest.mark.parametrize(
    ("host", "said", "later", "answers"),
    [
        ("opencode", "{}", 0.4, False),
        ("opencode", "{}", 0.6, True),
        ("opencode", "", 0.1, True),
        ("opencode", '{"blocked": "no"}', 0.1, True),  # a blocked call that arrives again is a new call
        ("claude-code", "{}", 0.1, True),  # runs all hooks at once, so a later call is new
    ],
)
def test_a_call_just_after_the_answer_is_the_same_if_the_host_asks_so(host, said, later, answers):
    runtime = Runtime()
    event = PreToolUse(session="s", host=host, tool="bash", call="call-1")
    name, answered = (
        dedupe.identify_event(event, (dedupe.hash_policy(runtime, hosts.load(host)),)),
        identity.now(),
    )
    runtime.claims.claim(name, by="1:1:1", at=answered)
    runtime.claims.save_answer(name, by="1:1:1", at=answered, answer=said)
    held = dedupe.claim_call(runtime, hosts.load(host), event, begun=lambda: answered + later)
    runtime.close()

    assert isinstance(held, dedupe.ClaimedCall) is answers


def test_a_claim_whose_owner_hangs_is_taken_over_in_time():
    runtime = Runtime()
    event = Stop(session="s", host="claude-code")
    stuck = dedupe.claim_call(runtime, hosts.load("claude-code"), event)
    begun = time.monotonic()
    held = dedupe.claim_call(runtime, hosts.load("claude-code"), event, within=0.5)
    took = time.monotonic() - begun
    runtime.close()

    assert isinstance(stuck, dedupe.ClaimedCall)
    assert isinstance(held, dedupe.ClaimedCall)
    assert 0.25 < took < 0.5


@settings(
    max_examples=300 if LONG else 25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    some.lists(
        some.tuples(some.integers(0, 12), some.integers(0, 12), some.booleans()), min_size=2, max_size=6
    )
)
def test_in_any_order_exactly_one_answer_carries_the_verdict(runtime, schedule):
    """Run calls with (arrival, duration, whether it fails) as in *schedule*."""
    host, session = hosts.load("claude-code"), os.urandom(8).hex()
    event = PreToolUse(session=session, host=host.name, tool="Bash", call="call-1")
    gate, verdicts = threading.Barrier(len(schedule)), []

    def asked(one):
        comes, takes, fails = one
        gate.wait()
        time.sleep(comes / 1000)
        held = dedupe.claim_call(runtime, host, event)
        if isinstance(held, Claim):
            return
        time.sleep(takes / 1000)
        if fails:
            held.abandon()
            return
        verdicts.append(one)
        runtime.last_outcome = Outcome(event=event)
        held.save_answer(identity.now())

    with ThreadPoolExecutor(len(schedule)) as pool:
        list(pool.map(asked, schedule))

    assert len(verdicts) == (1 if any(not fails for _, _, fails in schedule) else 0)
