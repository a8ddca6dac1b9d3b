"""Test stop-notify: the recipients, time and text of a notification."""

import json
from contextlib import closing

import pytest

from hookline import State, Stop, block, hook
from hookline.core.events import SessionEnd, Subagent
from hookline.core.frozen import Frozen
from hookline.core.parse_journal import parse_journal
from hookline.core.response import Mirror, Notify, Post, effect, remember
from hookline.core.state import Facts
from hookline.hooks import load
from hookline.hooks.stop_notify import stop_notify
from hookline.hosts import load as host
from hookline.runtime.runtime import Runtime
from hookline.testing import any_event, stop

NOW = 1_000_000.0
URL = "http://127.0.0.1:9/hook"
GONE = Mirror(key="/repo:s-1")
JOURNAL = parse_journal(
    "/repo/a.tsv", "# metric_direction: lower\niteration\tcommit\tmetric\tstatus\n1\t1234\t0.5\tkeep\n"
)


def state(seconds=None, memory=None, env=None, *, blocked=False, **facts):
    known = {"root": "/repo", "branch": "main", "headless": False, "journal": None, **facts}
    suppliers = {name: (lambda value=value: value) for name, value in known.items()}
    begun = {} if seconds is None else {"session-init": {"cwd": "/repo", "at": NOW - seconds}}
    kept = Frozen({**begun, **(memory or {})})
    return State(now=NOW, memory=kept, env=Frozen(env or {}), facts=Facts(suppliers), blocked=blocked)


def ended():
    return any_event(SessionEnd)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0m 0s"), (59, "0m 59s"), (2832, "47m 12s"), (3599, "59m 59s"), (3600, "1h 0m"), (3720, "1h 2m")],
)
def test_the_end_is_told_with_how_long_it_took(seconds, said):
    notice = Notify(title="hookline", text=f"repo (main): the session ended after {said}")

    assert stop_notify(ended(), state(seconds)) == effect(GONE, notice)


def test_a_session_whose_beginning_nobody_saw_has_no_duration():
    answer = stop_notify(ended(), state(env={"HOOKLINE_NOTIFY_WEBHOOK": URL}))

    assert (answer.effects[1].text, answer.effects[2].content["duration"]) == (
        "repo (main): the session ended",
        "unknown",
    )


def test_a_webhook_is_told_the_same_in_parts():
    answer = stop_notify(ended(), state(60, env={"HOOKLINE_NOTIFY_WEBHOOK": f" {URL} "}, journal=JOURNAL))
    summary = "1 iteration, metric 0.5, best 0.5 (lower is better)"
    text = f"repo (main): the session ended after 1m 0s; {summary}"
    fields = {"project": "repo", "branch": "main", "duration": "1m 0s"}
    tsv_summary = "1 iteration, metric: 0.5"
    says = {"text": "autoresearch session completed", **fields, "tsv_summary": tsv_summary, "message": text}

    assert answer == effect(GONE, Notify(title="hookline", text=text), Post(to=URL, content=Frozen(says)))


def test_of_an_engines_session_only_the_run_is_told():
    env = {"HOOKLINE_NOTIFY_WEBHOOK": URL, "HOOKLINE_RUN": "sort-1:2:/j"}

    assert stop_notify(ended(), state(60, env=env)) == effect(GONE)


def test_the_terminal_can_be_left_in_peace():
    assert stop_notify.judge(ended(), state(60), terminal=False) == effect(GONE)


@pytest.mark.parametrize(
    ("headless", "blocked", "told"),
    [(True, False, True), (False, False, False), (True, True, False)],
    ids=["nobody sits there", "somebody does", "it goes on"],
)
def test_the_end_of_a_turn_is_told_where_nobody_sits_and_it_does_not_go_on(headless, blocked, told):
    answer = stop_notify(stop(), state(60, headless=headless, blocked=blocked))
    notice = Notify(title="hookline", text="repo (main): the session ended after 1m 0s")

    assert answer == (remember(**{"stop-notify.told": True}).plus(effect(notice)) if told else None)


def test_the_end_of_a_helper_is_told_to_nobody():
    assert stop_notify(stop(subagent=Subagent(id="a")), state(60, headless=True)) is None


def test_what_the_turn_has_told_the_session_does_not_repeat():
    assert stop_notify(ended(), state(60, {"stop-notify.told": True})) == effect(GONE)


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    place = tmp_path / "repo"
    (place / ".git").mkdir(parents=True)
    monkeypatch.chdir(place)
    runtime = Runtime()
    runtime.register(load("stop-notify"))
    yield runtime
    runtime.close()


def test_claude_code_passes_it_on_to_the_terminal(runtime):
    reply = runtime.answer(host("claude-code"), "SessionEnd", ended())

    assert json.loads(reply.stdout) == {
        "terminalSequence": "\x1b]777;notify;hookline;repo: the session ended\x07"
    }
    assert runtime.effects.take_notices() == ()


def test_for_another_host_it_is_written_to_the_terminal_itself(runtime):
    reply = runtime.answer(host("codex"), "SessionEnd", any_event(SessionEnd, host="codex", session="s2"))

    assert (reply.stdout, reply.stderr) == ("", "")
    assert runtime.effects.take_notices() == (Notify(title="hookline", text="repo: the session ended"),)


def test_a_trial_is_told_to_nobody(runtime):
    runtime.answer(
        host("codex"), "SessionEnd", any_event(SessionEnd, host="codex", session="hookline-doctor-1")
    )

    assert runtime.effects.take_notices() == ()


def test_a_turn_that_is_made_to_go_on_is_not_told(runtime):
    @hook(priority=85)
    def goes_on(event: Stop, state):
        return block("not yet")

    runtime.register(goes_on)
    runtime.setup = type(runtime.setup)(
        places=runtime.setup.places,
        env={"HOOKLINE_BUDGET_END": "99999999999"},
        config=runtime.setup.config,
        resources=runtime.setup.resources,
    )
    runtime.answer(host("codex"), "Stop", stop(host="codex"))

    assert runtime.effects.take_notices() == ()


SECRET = "ghp_k4Z9vQ2mX7bN1cR8tY5wL3pJ6hG0fD2sA9eU"


def test_no_secret_gets_out_with_it(tmp_path, monkeypatch):
    (tmp_path / SECRET).mkdir()
    monkeypatch.chdir(tmp_path / SECRET)
    with closing(Runtime()) as runtime:
        runtime.register(load("stop-notify"))
        reply = runtime.answer(host("claude-code"), "SessionEnd", ended())
        runtime.answer(host("codex"), "SessionEnd", any_event(SessionEnd, host="codex", session="s2"))
        shown = runtime.effects.take_notices()

    assert SECRET not in f"{reply.stdout}{shown}"
    assert ("terminalSequence" in reply.stdout, len(shown)) == (True, 1)
