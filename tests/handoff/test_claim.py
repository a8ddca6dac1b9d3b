"""Test claims: one session takes a handoff, and a killed session releases it."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.conftest import HOOKLINE
from tests.rotation_programs import TASK
from tests.runtime.test_rotation import PROGRAM, World, _alive, _until

from hookline.core.events import PreCompact, SessionStart
from hookline.core.records import Handoff
from hookline.core.store import StoreFailed
from hookline.core.values import replace
from hookline.handoff import claim, handoffs
from hookline.handoff.content import Content, to_details
from hookline.runtime import rotation
from hookline.runtime.runtime import Runtime
from hookline.stores.memory import MemoryStore
from hookline.system.paths import user_id
from hookline.system.process import identity

ROTATED = "You continue a session that was rotated"
LEFT = Handoff(
    id="h",
    at=1_000.0,
    session="old",
    project="/nowhere",
    text="TEXT",
    details={**to_details(Content(task="t", branch="", next=("n",))), "why": "rotation"},
)


@pytest.fixture
def world(user, tmp_path):
    place = tmp_path / "agents"
    place.mkdir()
    return World(user, place)


@pytest.fixture
def store():
    made = MemoryStore()
    made.add_handoff(LEFT)
    return made


def gone():
    """Return the identity of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as one:
        return identity.describe_process(one.pid)


def starts(store, session, now=1_010.0, **env):
    event = SessionStart(session=session, host="claude-code", cwd="/", source="startup")
    asked = handoffs.HandoffContext(event=event, store=store, root="/nowhere", now=now, env=env)
    return handoffs.find_delivery(asked) is not None


def sent(store, session, now=1_010.0):
    return starts(store, session, now, HOOKLINE_HANDOFF="h")


def test_of_sessions_that_start_at_once_one_takes_it(store, tmp_path):
    with ThreadPoolExecutor(16) as pool:
        taken = [
            *pool.map(
                lambda number: claim.claim(store, LEFT, f"s{number}", 1_010.0, str(tmp_path)), range(40)
            )
        ]

    assert sum(taken) == 1


def test_a_taker_of_whose_process_nothing_is_known_has_it_as_long_as_it_is_not_silent(store):
    assert sent(store, "first")
    assert not sent(store, "second", now=1_010.0 + claim.SILENT_SECONDS)
    assert sent(store, "second", now=1_011.0 + claim.SILENT_SECONDS)


def test_however_many_were_left_since_it_is_found(store):
    for number in range(300):
        store.add_handoff(replace(LEFT, id=f"h{number}", session=f"s{number}", at=1_001.0))

    assert sent(store, "next")


def test_a_clock_that_is_set_back_hides_no_handoff(store):
    store.set_notes("old", {identity.NOTE: gone()})

    assert starts(store, "next", now=900.0)


def test_what_a_runner_waits_for_nobody_else_takes(store):
    store.set_notes("old", {claim.LEG_NOTE: "r:1"})
    store.set_notes(
        f"{claim.LEG_PREFIX}r:1", {claim.AGENT_KEY: gone(), claim.RUNNER_KEY: identity.describe_process()}
    )
    taken = starts(store, "passer-by")
    store.set_notes(f"{claim.LEG_PREFIX}r:1", {claim.RUNNER_KEY: None})

    assert (taken, starts(store, "passer-by")) == (False, True)


def test_two_do_not_go_on_from_it_at_once(store, tmp_path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        store.set_notes(
            LEFT.session, {f"{claim.CLAIMED_BY_PREFIX}h:runner": identity.describe_process(other.pid)}
        )
        with pytest.raises(LookupError, match=f"process {other.pid} already continues from this handoff"):
            rotation.reserve_handoff(store, LEFT, str(tmp_path))

    rotation.reserve_handoff(store, LEFT, str(tmp_path))


@pytest.mark.slow
def test_after_a_runner_was_killed_the_next_session_that_starts_goes_on(world):
    world.run("gentle", "starting:2")
    _, reply, _ = world.user.hook(world.user.payload("SessionStart", session_id="s", source="startup"))

    assert ROTATED in json.dumps(reply)
    assert TASK in json.dumps(reply)


@pytest.mark.slow
def test_a_fresh_session_that_is_killed_before_it_answers_leaves_it_to_the_next(world):
    """Kill the session and its runner, as the kernel does when memory is exhausted."""
    world.run("gentle", "starting:2")
    script = (
        f"import os, sys; sys.path.insert(0, {str(PROGRAM.parent.parent)!r}); from pathlib import Path;"
        f"from tests.rotation_programs import Agent; one = Agent(Path({str(world.place)!r}));"
        "one.hook('SessionStart', source='startup'); print(os.getpid(), flush=True);"
        "os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)"
    )
    world.user.starts_processes = True
    killed = world.user.run("rotate", "--run", "--continue", "--", sys.executable, "-c", script)
    _until(lambda: not _alive(int(killed.stdout)))
    again = world.go_on()

    assert (killed.returncode, again.returncode) == (-signal.SIGKILL, 0), again.stderr
    assert len(world.complete) == 2
    assert world.go_on().returncode == 2


@pytest.mark.slow
def test_a_session_that_was_gone_on_from_is_over(world):
    """Check that the session is over although its runner reported the compaction after its end."""
    world.run()

    assert b"no active sessions" in world.user.run("status").stdout
    assert b"nothing to rotate" in world.user.run("rotate").stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_agent_does_not_outlive_a_runner_that_is_told_to_end(world, number):
    agent = [sys.executable, str(PROGRAM), "agent", str(world.place), "stubborn"]
    argv = [HOOKLINE, "rotate", "--run", "--", *agent]
    env, cwd = world.user.environment(), world.user.project
    with (
        (world.place / "said").open("wb") as said,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=said, cwd=cwd, env=env) as runner,
    ):
        runner.stdin.write(TASK.encode())
        runner.stdin.close()
        _until(lambda: "was asked to end" in world.said)
        (pid,) = (int(file.read_text()) for file in world.place.glob("*.pid"))
        runner.send_signal(number)
        code = runner.wait(60)

    assert (code, _alive(pid)) == (128 + number, False)
    assert "`hookline rotate --show` shows the handoff" in world.said
    assert TASK.encode() in world.user.run("rotate", "--show").stdout


def test_behind_nohup_a_run_goes_on_without_its_terminal(world):
    script = "import os, signal, time; os.kill(os.getppid(), signal.SIGHUP); time.sleep(1); print('whole')"
    argv = ["nohup", HOOKLINE, "rotate", "--run", "--", sys.executable, "-c", script]
    env, cwd = world.user.environment(), world.user.project
    ran = subprocess.run(argv, input=b"x", capture_output=True, env=env, cwd=cwd, timeout=60, check=False)

    assert (ran.returncode, ran.stdout) == (0, b"whole\n")


@pytest.mark.slow
def test_nobody_goes_on_for_a_session_that_still_runs(world):
    world.run("stubborn", "persisted:1")
    (pid,) = (int(file.read_text()) for file in world.place.glob("*.pid"))
    early = world.go_on()
    os.kill(pid, signal.SIGINT)
    _until(lambda: not _alive(pid))

    assert (early.returncode, b"is still running; end it" in early.stderr) == (2, True)
    assert world.go_on().returncode == 0


@pytest.mark.slow
def test_a_run_goes_on_on_the_branch_alone_on_which_it_was_left(world):
    world.run("gentle", "starting:2")
    head = world.user.project / ".git" / "HEAD"
    there = head.read_text()
    head.write_text("ref: refs/heads/other\n")
    elsewhere = world.go_on()
    head.write_text(there)
    here = world.go_on()

    assert elsewhere.returncode == 2
    assert b"0 m ago on branch 'fix-412', but 'other' is checked out" in elsewhere.stderr
    assert (here.returncode, len(world.complete)) == (0, 1), here.stderr
    assert f"(0 m ago): {TASK}".encode() in here.stderr


def test_of_several_that_were_left_the_one_of_the_branch_counts(store):
    other = replace(
        LEFT, id="other", session="another", at=2_000.0, details={"why": "rotation", "branch": "x"}
    )
    store.add_handoff(other)

    assert rotation.find_unclaimed(store, LEFT.project, 2_010.0, "x") == other
    assert rotation.find_unclaimed(store, LEFT.project, 2_010.0, "") == LEFT


def test_what_somebody_else_left_at_the_same_path_is_theirs_to_go_on_from(store, tmp_path):
    """Check two users with a shared store and equal paths, as in containers."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder in (mine, theirs):
        folder.mkdir()
    left = replace(LEFT, id="mine", at=2_000.0, details={**LEFT.details, "whose": user_id(str(mine))})
    shared = MemoryStore()
    shared.add_handoff(left)
    event = SessionStart(session="next", host="claude-code", cwd="/", source="startup")

    def given(state):
        asked = handoffs.HandoffContext(
            event=event, store=shared, root="/nowhere", now=2_010.0, env={}, state=state
        )
        found = handoffs.find_delivery(asked)
        return found and found.handoff

    assert (given(str(theirs)), rotation.find_unclaimed(shared, "/nowhere", 2_010.0, state=str(theirs))) == (
        None,
        None,
    )
    assert rotation.find_unclaimed(shared, "/nowhere", 2_010.0, state=str(mine)) == left
    assert given(str(mine)) == left


def test_what_left_nothing_to_do_is_gone_on_from_by_nobody(store):
    store.set_notes("old", {identity.NOTE: gone()})
    claim.close_handoff(store, LEFT)

    assert not starts(store, "next")
    assert rotation.find_unclaimed(store, LEFT.project, 1_010.0) is None


@pytest.mark.parametrize(("steps", "offered"), [(("write the parser",), True), ((), False)])
def test_work_that_is_left_is_offered_also_without_todos(steps, offered):
    left = replace(LEFT, details={**to_details(Content(task="t", next=steps)), "why": "end"})
    store = MemoryStore()
    store.add_handoff(left)
    store.set_notes("old", {identity.NOTE: gone()})

    assert starts(store, "next", now=left.at + handoffs.SILENT_SECONDS + 1) is offered


class Flaky(MemoryStore):
    """A store whose first reads fail."""

    failing = 3

    def notes(self, session):
        self.failing -= 1
        if self.failing > 0:
            raise StoreFailed("database is locked")
        return super().notes(session)


def ran(tmp_path, runtime, reached=lambda point, leg: None):
    """Run an agent; return its exit code, the reason for the end, and whether it completed."""
    script = "import sys, time; time.sleep(2); open(sys.argv[1], 'w').write('whole')"
    command, how = (sys.executable, "-c", script, str(tmp_path / "done")), rotation.RotationOptions(grace=0.0)
    said = rotation.run(command, "x", runtime=runtime, env=os.environ, options=how, notify=reached)
    return said.code, said.why, (tmp_path / "done").exists()


def test_a_store_that_fails_for_a_moment_ends_no_agent(tmp_path):
    assert ran(tmp_path, Runtime(store=Flaky())) == (0, "no-hook-called", True)


def test_an_agent_whose_handoff_cannot_be_kept_is_not_ended(tmp_path):
    """Check that the agent continues in its own session when no handoff can be saved."""
    runtime = Runtime()

    def reached(point, leg):
        if point == "started":
            event = PreCompact(session="s", host="claude-code", cwd=str(tmp_path))
            claim.register_leg(runtime.store, leg.name, event)
            runtime.store.set_notes("s", {handoffs.ROTATE_NOTE: True})

    assert ran(tmp_path, runtime, reached) == (0, "no-handoff", True)
