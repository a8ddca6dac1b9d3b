"""Test `hookline budget`: setting a session's time budget at a terminal, and showing its use."""

import json
import re
import time
from uuid import uuid4

import pytest

from hookline import stores
from hookline.core.store import Record


@pytest.fixture
def session(user):
    """Return the newest of several sessions: others are older, ended, or of another project."""
    elsewhere = user.home / "other"
    elsewhere.mkdir()
    heard(user, "older-1", "ended-1", "newer-1")
    heard(user, "ended-1", event="SessionEnd")
    heard(user, "elsewhere-1", cwd=elsewhere)
    return "newer-1"


def heard(user, *sessions, event="PreToolUse", cwd=None):
    place = user.home / ".local/state/hookline/hookline.db"
    place.parent.mkdir(parents=True, exist_ok=True)
    store = stores.load("sqlite")(str(place))
    where = str(cwd or user.project)
    for one in sessions:
        row = Record(id=uuid4().hex, at=time.time(), session=one, host="claude-code", event=event, cwd=where)
        store.record([row])
    store.close()


def countdown(user, session):
    reply = user.hook(user.payload("PostToolUse", session_id=session))[1]
    return reply.get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.mark.slow
def test_the_newest_session_of_the_project_gets_it_and_is_named(user, at_terminal, session):
    code, seen = at_terminal("budget", "set", "20m")

    assert code == 0
    assert re.search(
        r"newer-1 \(claude-code in .*\), last active \d+s ago: time budget ends at (\S+ )?\d\d:\d\d:\d\d;",
        seen,
    )
    assert countdown(user, session) == "BUDGET: 19m remaining"
    assert countdown(user, "older-1") == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["older-1", "old", "elsewhere-1"])
def test_any_other_is_named_by_how_it_begins(user, at_terminal, session, name):
    code, _ = at_terminal("budget", "set", "290s", "--session", name)
    full = next(one for one in ("older-1", "elsewhere-1") if one.startswith(name))

    assert code == 0
    assert countdown(user, full).startswith("▲ BUDGET: 4m")
    assert countdown(user, session) == ""


def test_it_is_taken_away_again(user, at_terminal, session):
    at_terminal("budget", "set", "20m")
    code, seen = at_terminal("budget", "set", "none")

    assert code == 0
    assert "time budget removed" in seen
    assert countdown(user, session) == ""


def test_a_newer_one_counts_and_may_be_longer(user, at_terminal, session):
    at_terminal("budget", "set", "20m")
    at_terminal("budget", "set", "40m")

    assert countdown(user, session) == "BUDGET: 39m remaining"


@pytest.mark.parametrize("span", ["0s", "8d", "20", "1.5h", "soon"])
def test_what_is_no_time_is_refused(at_terminal, span):
    code, seen = at_terminal("budget", "set", span)

    assert code == 2
    assert "invalid duration" in seen


def test_an_end_on_another_day_is_told_with_its_day(user, at_terminal, session):
    seen = at_terminal("budget", "set", "7d")[1]
    told = re.search(r"ends at (\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d;", seen)

    assert told
    assert f"ends at {told[1]} " in user.run("budget", "show").stdout.decode()


def test_an_agent_cannot_give_itself_time(user, at_terminal, session):
    assert user.run("budget", "set", "20m").returncode == 1
    assert at_terminal("budget", "set", "20m", CLAUDECODE="1")[0] == 1
    assert at_terminal("budget", "set", "20m", HOOKLINE_DEPTH="mine")[0] == 1
    assert countdown(user, session) == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["hookline budget set 9h", "sh -c 'hookline budget set none'"])
def test_nor_can_it_ask_a_shell_to(user, command):
    reply = user.hook(user.shell(command))[1]

    assert "self-protect" in json.dumps(reply)


def test_without_a_session_it_says_what_to_do(user, at_terminal):
    code, seen = at_terminal("budget", "set", "20m")

    assert code == 2
    assert "no session in " in seen


def test_several_that_begin_so_are_named(user, at_terminal, session):
    heard(user, "newer-2")
    code, seen = at_terminal("budget", "show", "--session", "newer")

    assert code == 2
    assert "newer-1" in seen
    assert "newer-2" in seen


@pytest.mark.slow
def test_shows_what_a_session_may_spend_and_has_spent(user, session, at_terminal, tmp_path):
    usage = {"input_tokens": 1000, "cache_read_input_tokens": 52_000, "output_tokens": 1000}
    said = {"id": "m1", "model": "claude-sonnet-4-5", "usage": usage}
    line = {"type": "assistant", "message": said}
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(json.dumps(line) + "\n")
    user.hook(user.payload("PostToolUse", session_id=session, transcript_path=str(transcript)))
    at_terminal("budget", "set", "20m", "--session", session)
    shown = user.run("budget", "show", "--session", session).stdout.decode()
    told = json.loads(user.run("budget", "show", "--session", session, "--json").stdout)

    assert "54,000 of 180,000 tokens in use (30.0 %), claude-sonnet-4-5" in shown
    assert "1,000 new, 52,000 from the cache" in shown
    assert "19m5" in shown
    assert "$0.0336" in shown
    assert (told["used"], told["output"], told["percent"]) == (54_000, 1000, 30.0)


def test_shows_the_end_that_stood_in_the_environment(user, session):
    user.hook(user.payload("PostToolUse", session_id=session), AUTORESEARCH_BUDGET_END="1")

    assert "expired, ends at" in user.run("budget", "show", "--session", session).stdout.decode()


def test_what_has_ended_can_be_looked_at_but_given_no_time(user, at_terminal, session):
    assert "ended-1" in user.run("budget", "show", "--session", "ended").stdout.decode()
    assert at_terminal("budget", "set", "20m", "--session", "ended")[0] == 2


def test_says_what_it_does_not_know(user, session):
    shown = user.run("budget", "show", "--session", "older").stdout.decode()

    assert "no time budget" in shown
    assert "unknown: not reported by the host" in shown
