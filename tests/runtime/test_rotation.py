"""Test rotation with kills at each point: either the old session is usable, or the new one has everything."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.rotation_programs import PARTS, TASK

from hookline.core.records import Handoff
from hookline.core.store import Record
from hookline.handoff import claim, handoffs
from hookline.handoff.content import CHECKED_NOTE, Content, to_details
from hookline.runtime import rotation
from hookline.stores.memory import MemoryStore
from hookline.system.process import agent_process

PROGRAM = Path(__file__).parents[1] / "rotation_programs.py"
LONG = bool(os.environ.get("HOOKLINE_LONG"))
GENTLE = (
    "starting:1",
    "started:1",
    "asked:1",
    "ended:1",
    "persisted:1",
    "starting:2",
    "started:2",
    "ended:2",
    "verified:2",
)
FORCED = ("asked:1", "persisted:1", "ended:1", "starting:2")


class World:
    """A user and the files that scripted agents leave."""

    def __init__(self, user, place):
        self.user, self.place = user, place
        user.write("~/.config/hookline/models.json", {"claude-": {"window": 20_000, "reserve": 0}})
        (user.project / ".git" / "HEAD").write_text("ref: refs/heads/fix-412\n")

    def run(self, mode="gentle", dies=""):
        argv = [sys.executable, str(PROGRAM), "run", str(self.place), mode, dies]
        env, cwd = self.user.environment(), self.user.project
        # A file instead of a pipe: an agent that outlives its runner would keep a pipe open.
        with (self.place / "said").open("wb") as said:
            return subprocess.run(argv, cwd=cwd, env=env, stdout=said, stderr=said, timeout=90, check=False)

    @property
    def said(self):
        return (self.place / "said").read_text()

    def go_on(self):
        command = [sys.executable, str(PROGRAM), "agent", str(self.place), "gentle"]
        return self.user.run("rotate", "--run", "--continue", "--", *command)

    @property
    def received(self):
        """Return all context that each session received."""
        found = {}
        lines = self.place / "received.jsonl"
        for line in lines.read_text().splitlines() if lines.exists() else ():
            one = json.loads(line)
            found[one["session"]] = found.get(one["session"], "") + one["context"]
        return found

    @property
    def complete(self):
        """Return the sessions that received all parts of the handoff."""
        return [one for one, text in self.received.items() if all(part in text for part in PARTS)]

    @property
    def points(self):
        return (self.place / "points").read_text().split()

    def end(self, mode):
        """Wait until the agents that outlived their runner have ended; interrupt them in mode *stubborn*."""
        started = sum(one.startswith("started") for one in self.points)
        _until(lambda: len(list(self.place.glob("*.pid"))) == started)
        for pid in (int(file.read_text()) for file in self.place.glob("*.pid")):
            if mode == "stubborn" and _alive(pid):
                os.kill(pid, signal.SIGINT)
            _until(lambda pid=pid: not _alive(pid))


def _until(done):
    until = time.monotonic() + 30
    while not done() and time.monotonic() < until:
        time.sleep(0.05)


def _alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.fixture
def world(user, tmp_path):
    place = tmp_path / "agents"
    place.mkdir()
    return World(user, place)


@pytest.mark.slow
def test_a_gentle_run_comes_to_every_point(world):
    ran = world.run()

    assert ran.returncode == 0, world.said
    assert world.points == list(GENTLE)
    assert len(world.complete) == 1
    assert len(world.received) == 2


@pytest.mark.slow
def test_an_agent_that_does_not_end_is_ended_and_gone_on_from(world):
    ran = world.run("stubborn")

    assert ran.returncode == 0, world.said
    assert world.points[:5] == ["starting:1", "started:1", "asked:1", "persisted:1", "ended:1"]
    assert len(world.complete) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "dies"),
    [*(("gentle", one) for one in GENTLE), *(("stubborn", one) for one in FORCED)][:: 1 if LONG else 3],
)
def test_killed_anywhere_the_old_session_is_of_use_or_the_new_one_has_it_all(world, mode, dies):
    ran = world.run(mode, dies)
    assert ran.returncode == -signal.SIGKILL, world.said
    world.end(mode)

    if not world.complete:
        again = world.go_on() if world.received else world.run(mode)
        assert again.returncode == 0, (again.stderr, world.said)

    assert len(world.complete) == 1
    assert world.go_on().returncode == 2  # a handoff is taken once only


@pytest.mark.slow
def test_a_session_whose_start_nobody_told_of_gets_it_with_its_first_prompt(world):
    """Check a session whose SessionStart hook was killed before it answered."""
    world.run("gentle", "starting:2")
    given = json.loads(world.user.run("rotate", "--show", "--json").stdout)["id"]
    payload = world.user.payload("UserPromptSubmit", session_id="fresh", prompt="go on")
    _, reply, _ = world.user.hook(payload, HOOKLINE_HANDOFF=given, HOOKLINE_ROTATION="r:2")

    assert all(part in reply["hookSpecificOutput"]["additionalContext"] for part in PARTS)


@pytest.mark.slow
def test_helpers_of_a_session_do_not_take_what_is_its_own(world):
    world.run("gentle", "starting:2")
    given = json.loads(world.user.run("rotate", "--show", "--json").stdout)["id"]
    env = {"HOOKLINE_HANDOFF": given, "HOOKLINE_ROTATION": "r:2"}
    told = [
        world.user.hook(world.user.payload("SessionStart", session_id=one, source="startup"), **env)[1]
        for one in ("fresh", "helper", "fresh")
    ]

    assert [TASK in json.dumps(one) for one in told] == [True, False, True]


LEFT = Content(task="t", branch="b", next=("n",))


def kept(session="s", why="rotation", at=1.0):
    return Handoff(
        id=f"{session}-{why}", at=at, session=session, text="TEXT", details={**to_details(LEFT), "why": why}
    )


def test_a_host_that_cannot_be_given_it_at_its_start_reads_it_in_the_prompt():
    assert rotation.build_prompt(kept(), "claude-code") == rotation.PROMPT
    assert rotation.build_prompt(kept(), "windsurf").endswith("\n\nTEXT")
    assert rotation.build_prompt(kept(), "").endswith("\n\nTEXT")


def test_legs_follow_each_other():
    first = rotation.first_leg()
    second = rotation.next_leg(first, kept())

    assert (first.number, first.env[handoffs.HANDOFF_VARIABLE]) == (1, "")
    assert second.env == {handoffs.LEG_VARIABLE: f"{first.run}:2", handoffs.HANDOFF_VARIABLE: "s-rotation"}


def test_what_was_taken_up_and_answered_lies_there_no_more():
    store = MemoryStore()
    store.add_handoff(kept())
    store.set_notes("s", {f"{claim.CLAIMED_BY_PREFIX}s-rotation": "taker"})
    store.record([Record(id="r", at=5.0, session="taker", host="h", event="SessionStart")])
    there, silent = (
        rotation.find_unclaimed(store, "", now)
        for now in (5.0 + claim.SILENT_SECONDS, 5.1 + claim.SILENT_SECONDS)
    )
    store.set_notes("taker", {CHECKED_NOTE: {"share": 1.0}})

    assert (there, silent) == (None, kept())
    assert rotation.find_unclaimed(store, "", 6.0 + claim.SILENT_SECONDS) is None


def test_an_agent_gets_its_prompt_where_its_arguments_say_so(tmp_path):
    out = tmp_path / "out"
    script = "import sys; open(sys.argv[1], 'w').write(sys.argv[2] + '|' + sys.stdin.read())"
    for argv in (["{prompt}"], ["-"]):
        with agent_process.start(
            [sys.executable, "-c", script, str(out), *argv], "mend it", os.environ
        ) as one:
            assert one.wait(30) == 0
        assert out.read_text() in ("mend it|", "-|mend it")


def test_one_that_does_not_listen_is_killed(tmp_path):
    script = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]; time.sleep(60)"
    with agent_process.start([sys.executable, "-c", script], "", os.environ) as one:
        assert one.wait(1.0) is None
        assert one.end(grace=0.3) == -signal.SIGKILL


@pytest.mark.parametrize("deaf", [(), (15,)])
def test_an_agent_that_something_else_runs_ends_with_that(tmp_path, deaf):
    """Check that it does not continue to work beside the new session."""
    out = tmp_path / "pid"
    works = f"import signal, time; [signal.signal(n, signal.SIG_IGN) for n in {deaf}]; time.sleep(60)"
    runs = (
        "import os, signal, subprocess, sys, time; signal.signal(2, lambda *_: os._exit(130));"
        f"one = subprocess.Popen([sys.executable, '-c', {works!r}]);"
        "open(sys.argv[1], 'w').write(str(one.pid)); time.sleep(60)"
    )
    with agent_process.start([sys.executable, "-c", runs, str(out)], "", os.environ) as one:
        _until(lambda: out.exists() and out.read_text())
        code = one.end(grace=0.5)

    _until(lambda: not _alive(int(out.read_text())))
    assert (code, _alive(int(out.read_text()))) == (130, False)


@pytest.mark.slow
def test_a_command_that_resumes_the_same_session_is_not_gone_on_with(world):
    ran = world.run("resuming")

    assert ran.returncode == 0, world.said
    assert [one for one in world.points if one.startswith("starting")] == ["starting:1", "starting:2"]
    assert len(world.received) == 1
