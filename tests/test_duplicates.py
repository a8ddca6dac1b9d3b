"""The same event by several entries: one answer carries the verdict, whoever comes first, whatever dies."""

import json
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.conftest import CAPTURES, HOOKLINE

from hookline import claims, hosts
from hookline.events import PreToolUse, Stop
from hookline.host import decode
from hookline.runtime import Runtime
from hookline.stores.sqlite import open_store
from hookline.system import lives

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force origin main"


def start(user, payload, *words, host="claude-code", **env):
    """A process of its own that has everything it was asked; it is not waited for."""
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


@pytest.mark.parametrize("number", [2, 5])
def test_two_entries_of_one_host_give_one_answer_and_one_record(user, number):
    told = answers([start(user, user.shell(FORCE)) for _ in range(number)])
    log = [record for record in user.log() if record["event"] == "PreToolUse"]

    assert sum("deny" in text for text in told) == 1
    assert sum(text == "" for text in told) == number - 1
    assert sorted(record["action"] for record in log) == ["block"] + ["pass"] * (number - 1)
    assert sum("arrived twice" in json.dumps(record["trail"]) for record in log) == number - 1


def test_what_is_counted_and_remembered_is_so_once(user):
    answers([start(user, user.payload("UserPromptSubmit")) for _ in range(3)])
    store = open_store(str(user.home / ".local/state/hookline/hookline.db"))
    counted = store.counters(user.payload("UserPromptSubmit")["session_id"])
    store.close()

    assert counted["events:UserPromptSubmit"] == 1
    assert counted["events:TurnStart"] == 1


def test_the_log_shows_that_it_came_twice(user):
    answers([start(user, user.shell("ls")) for _ in range(2)])

    assert "arrived twice, because several entries call hookline for it" in user.run("log").stdout.decode()


def test_no_note_is_kept_where_no_trail_is(user):
    user.write("~/.config/hookline/hookline.toml", "[hooks.audit]\nenabled = false\n")
    answers([start(user, user.shell("ls")) for _ in range(2)])

    assert user.log() == []


def test_the_same_call_asked_again_after_the_answer_is_judged_again(user):
    """Some models give every call the same name: a retry must not slip through as a repetition."""
    told = [user.hook(user.shell(FORCE))[1] for _ in range(3)]

    assert all("deny" in json.dumps(one) for one in told)


def test_a_turn_that_ends_again_after_the_answer_is_another_end(user):
    for _ in range(3):
        user.hook(user.payload("Stop"))

    assert [record["event"] for record in user.log()].count("Stop") == 3


def test_who_is_asked_for_other_hooks_is_asked_something_else(user):
    told = answers([start(user, user.shell(FORCE)), start(user, user.shell(FORCE), "--only", "audit")])

    assert "deny" in told[0]
    assert not any("arrived twice" in json.dumps(record["trail"]) for record in user.log())


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
    name = "" if isinstance(payload.get(host.names_event), str) else path.stem.split(".")[0]
    try:
        found = decode(host, payload, name)
    except ValueError:
        return host, None
    return host, found and found[1]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    made = Runtime(store=open_store(str(tmp_path_factory.mktemp("store") / "db")))
    yield made
    made.close()


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: f"{path.parent.name}:{path.stem}")
def test_every_captured_event_is_answered_once_or_cannot_be_told_from_another(runtime, path):
    host, event = event_of(path)
    if event is None:
        return
    event = replace(event, session=f"{path}")
    first = claims.held(runtime, host, event)
    assert first is not None
    if not claims.identity(event):
        assert claims.held(runtime, host, event) is not None  # so both are answered
        return
    first.answered(lives.now())

    assert claims.held(runtime, host, event) is None
    assert claims.held(runtime, host, event, begun=lambda: lives.now() + 60) is not None


def test_calls_without_a_name_are_never_taken_for_one(runtime):
    """Gemini, Copilot, Reasonix, Droid, Windsurf and Kiro name no call: two that are alike may be two."""
    nameless = {"gemini-cli", "copilot-cli", "reasonix", "factory-droid", "windsurf", "kiro"}
    told = {path.parent.name: event_of(path)[1] for path in CAPTURED}
    events = [event_of(path)[1] for path in CAPTURED if path.parent.name in nameless]

    assert nameless <= set(told)
    assert not any(claims.identity(event) for event in events if isinstance(event, PreToolUse))


@pytest.mark.parametrize(
    ("host", "passed", "later", "answers"),
    [
        ("opencode", True, 1.9, False),
        ("opencode", True, 2.1, True),
        ("opencode", False, 0.1, True),  # a call that was stopped and comes again is a new attempt
        ("cline", True, 1.9, False),
        ("claude-code", True, 0.1, True),  # which runs all of them at once, so a later one is another
    ],
)
def test_hosts_that_ask_one_after_another_are_answered_once_by_the_calls_name(
    tmp_path, host, passed, later, answers
):
    runtime = Runtime(store=open_store(str(tmp_path / "db")))
    event = PreToolUse(session="s", host=host, tool="bash", call="call-1")
    runtime.store.claim("s", claims.identity(event), by="1:1:1", at=time.time())
    answered = time.time()
    runtime.store.answered("s", claims.identity(event), by="1:1:1", at=answered, passed=passed)
    held = claims.held(runtime, hosts.load(host), event, begun=lambda: answered + later)
    runtime.close()

    assert (held is not None) is answers


def test_a_claim_whose_owner_hangs_is_taken_over_in_time(tmp_path):
    runtime = Runtime(store=open_store(str(tmp_path / "db")))
    event = Stop(session="s", host="claude-code")
    stuck = claims.held(runtime, hosts.load("claude-code"), event)
    begun = time.monotonic()
    held = claims.held(runtime, hosts.load("claude-code"), event, within=0.5)
    took = time.monotonic() - begun
    runtime.close()

    assert stuck is not None
    assert held is not None
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
    """(when it comes, how long it takes, whether it fails) of each that is asked the same."""
    host, session = hosts.load("claude-code"), os.urandom(8).hex()
    event = PreToolUse(session=session, host=host.name, tool="Bash", call="call-1")
    gate, verdicts = threading.Barrier(len(schedule)), []

    def asked(one):
        comes, takes, fails = one
        gate.wait()
        time.sleep(comes / 1000)
        held = claims.held(runtime, host, event)
        if held is None:
            return
        time.sleep(takes / 1000)
        if fails:
            held.abandon()
            return
        verdicts.append(one)
        held.answered(lives.now())

    with ThreadPoolExecutor(len(schedule)) as pool:
        list(pool.map(asked, schedule))

    assert len(verdicts) == (1 if any(not fails for _, _, fails in schedule) else 0)
