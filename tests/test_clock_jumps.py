"""Test a system clock that is set forward or back between two calls and within a session."""

import json
import time

import pytest

from hookline import hosts
from hookline.cli._doctor.store import check_spool
from hookline.core.events import Stop
from hookline.core.outcome import Outcome
from hookline.core.records import Memory
from hookline.core.sink import ConfiguredSink
from hookline.core.store import Record
from hookline.memory.consolidate import consolidate_project
from hookline.policy import grants
from hookline.runtime import dedupe, open_store, telemetry
from hookline.runtime.call_claims import Claims
from hookline.runtime.call_hook import Grants
from hookline.runtime.runtime import Runtime
from hookline.system import outbox, spool
from hookline.system.paths import find_places
from hookline.system.process import identity

HOUR, DAY = 3_600.0, 86_400.0
YEAR = 365 * DAY
JUMPS = (-YEAR, -HOUR, HOUR, YEAR)
RULE = "dangerous-command:git-push-force"
FORCE = "git push --force"


@pytest.fixture
def set_clock(monkeypatch):
    """Return a function that sets the system clock forward by some seconds, or back."""
    real, real_ns, shift = time.time, time.time_ns, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + shift[0])
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() + int(shift[0] * 1e9))
    return lambda seconds: shift.__setitem__(0, seconds)


@pytest.fixture
def wait(monkeypatch):
    """Return a function that lets seconds pass on the clock that cannot be set."""
    real = identity.now
    return lambda seconds: monkeypatch.setattr(identity, "now", lambda: real() + seconds)


def is_stopped(user, command=FORCE):
    return "deny" in json.dumps(user.hook(user.shell(command) | {"session_id": "s"})[1])


@pytest.fixture
def grant(user, signer):
    """Return a function that adds a grant for ten minutes and returns a function that finds approvals."""
    file = str(user.home / ".local/state/hookline/passes.json")

    def add(kind, subject):
        now = time.time()
        made = grants.new_grant(str(user.project), kind, subject, now=now, seconds=600)
        grants.add_grant(file, signer.sign(made), now)
        return Grants(file=file, root=str(user.project), now=time.time, check=signer.check).find_approvals

    return add


@pytest.mark.parametrize(("kind", "what"), [("rule", RULE), ("off", "off")])
@pytest.mark.parametrize("jump", [-YEAR, -HOUR])
def test_a_grant_lasts_no_longer_because_the_clock_was_set_back(
    user, grant, set_clock, wait, kind, what, jump
):
    grant(kind, what)
    set_clock(jump)
    wait(601)

    assert is_stopped(user)


def test_a_grant_lasts_its_time_if_the_clock_was_set_back(user, grant, set_clock, wait):
    grant("rule", RULE)
    set_clock(-HOUR)
    wait(590)

    assert not is_stopped(user)


def test_a_grant_ends_with_the_boot_of_the_machine(user, grant, monkeypatch):
    grant("rule", RULE)
    monkeypatch.setattr(identity, "boot_id", lambda: "another boot")

    assert is_stopped(user)


def test_an_approved_path_lasts_no_longer_because_the_clock_was_set_back(grant, set_clock, wait):
    find_approvals = grant("path", ".env")
    assert len(find_approvals()) == 1

    set_clock(-HOUR)
    wait(601)
    assert find_approvals() == ()


@pytest.mark.parametrize("jump", JUMPS)
def test_a_call_is_claimed_once_across_a_jump(set_clock, jump):
    runtime, host, event = Runtime(), hosts.load("claude-code"), Stop(session="s", host="claude-code")
    first = dedupe.claim_call(runtime, host, event)
    runtime.claims.save_answer(first.name, by=first.by, at=identity.now(), answer="{}")
    set_clock(jump)
    existing = dedupe.claim_call(runtime, host, event, begun=lambda: 0.0)
    runtime.close()

    assert existing.by == first.by
    assert existing.answer == "{}"


def test_a_claim_from_the_future_is_dropped():
    claims = Claims()
    claims.claim("call", by="an earlier boot", at=1_000.0)

    assert claims.claim("call", by="another", at=10.0) is None


@pytest.mark.parametrize("jump", JUMPS)
def test_the_trail_survives_a_jump(user, set_clock, jump):
    user.hook(user.shell("ls") | {"session_id": "s"})
    set_clock(jump)
    user.hook(user.shell("ls") | {"session_id": "t"})
    set_clock(0.0)
    user.hook(user.shell("ls") | {"session_id": "u"})

    assert list(dict.fromkeys(one["session"] for one in user.log())) == ["s", "t", "u"]


def prune_days(store, runtime, first, days):
    """Prune as calls do that come hourly for *days*; return the number of records afterwards."""
    for hour in range(24 * days):
        open_store.prune_daily(runtime.setup, store, at=first + hour * HOUR)
    return store.totals()["records"]


def test_records_expire_gradually_after_the_clock_was_set_forward():
    runtime, now = Runtime(), 2_000_000_000.0
    store = runtime.store
    store.record(
        [Record(id=f"{n}", at=now - n * DAY, session="s", host="h", event="Stop") for n in range(89, -1, -1)]
    )
    kept = [prune_days(store, runtime, now, 1), prune_days(store, runtime, now + YEAR, 3)]
    back = prune_days(store, runtime, now + 3 * DAY, 1)
    kept.append(prune_days(store, runtime, now + YEAR, 15))
    runtime.close()

    assert kept[0] == 90
    assert kept[1] == back == 90 - 3 * 7
    assert kept[2] == 0


def test_records_expire_on_time_with_a_steady_clock():
    runtime, now = Runtime(), 2_000_000_000.0
    store = runtime.store
    store.record(
        [Record(id=f"{n}", at=now - n * DAY, session="s", host="h", event="Stop") for n in range(89, -1, -1)]
    )
    prune_days(store, runtime, now, 1)

    assert prune_days(store, runtime, now + DAY, 10) == 80
    runtime.close()


def test_memories_do_not_fade_at_once_if_the_clock_was_set_forward(tmp_path):
    runtime, now = Runtime(), 2_000_000_000.0
    places = find_places({"HOME": str(tmp_path)}, str(tmp_path))
    runtime.store.remember(
        Memory(id="m", at=now, text="we chose sqlite", confidence=0.5, half_life=30, project=places.root)
    )
    for at in (now, now + DAY, now + YEAR, now + YEAR + HOUR):
        consolidate_project(runtime.store, places, at)
    left = runtime.store.recall("", project=places.root)
    runtime.close()

    assert [memory.id for memory in left] == ["m"]


@pytest.mark.parametrize(("jump", "starts"), [(0.0, False), (29.0, False), (31.0, True), (-YEAR, True)])
def test_telemetry_is_sent_again_after_the_clock_was_set_back(tmp_path, set_clock, jump, starts):
    runtime, started, now = Runtime(), [], time.time()
    sink, places = (
        ConfiguredSink(name="otel", settings={"content": False}),
        find_places({"HOME": str(tmp_path)}, "/"),
    )
    failed = outbox.OutboxState(failed="refused", at=now, again=now + 30)
    outbox.write_state(telemetry.sink_folder(places, sink), failed)
    set_clock(jump)
    outcome = Outcome(event=Stop(session="s"))
    telemetry.report_outcomes([sink], [outcome], runtime.store, places, lambda *_: started.append(1))
    runtime.close()

    assert bool(started) is starts


@pytest.mark.parametrize(("jump", "ids"), [(0.0, []), (HOUR, ["spool.waits"]), (-HOUR, ["spool.waits"])])
def test_doctor_reports_a_waiting_record_after_a_jump(tmp_path, set_clock, jump, ids):
    spool.append(str(tmp_path), Record(id="r", at=time.time(), session="s", host="h", event="Stop"))
    set_clock(jump)

    assert [finding.id for finding in check_spool(str(tmp_path))] == ids


@pytest.mark.parametrize("jump", JUMPS)
def test_records_in_the_spool_are_stored_once_after_a_jump(tmp_path, set_clock, jump):
    runtime = Runtime()
    for name, shift in (("first", 0.0), ("second", jump)):
        set_clock(shift)
        own = spool.Spool(str(tmp_path))
        own.append(Record(id=name, at=time.time(), session="s", host="h", event="Stop", counts={"n": 1}))
    spool.drain(str(tmp_path), runtime.store)
    spool.drain(str(tmp_path), runtime.store)
    counters = runtime.store.counters("s")
    runtime.close()

    assert counters["n"] == 2


EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop")


@pytest.mark.slow
@pytest.mark.parametrize("jump", JUMPS)
def test_a_session_continues_across_jumps(user, set_clock, jump):
    answers = []
    for number, name in enumerate(EVENTS * 2):
        set_clock(jump * (number % 2))
        code, reply, stderr = user.hook(user.payload(name, session_id="s"))
        answers.append((code, reply.get("systemMessage", ""), stderr))

    assert answers == [(0, "", "")] * len(answers)


@pytest.mark.parametrize(
    ("jump", "tier"), [(HOUR, "EXPIRED"), (0.0, "30m remaining"), (-HOUR, "90m remaining")]
)
def test_a_budget_ends_at_a_time_of_the_system_clock(user, set_clock, jump, tier):
    ends = str(time.time() + 1_830)
    set_clock(jump)

    assert tier in json.dumps(user.hook(user.payload("PostToolUse"), AUTORESEARCH_BUDGET_END=ends)[1])
