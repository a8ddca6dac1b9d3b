"""Test that a new session of a real client receives the memories and the handoff of the previous one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.clients.installed_files import wired

from .client import Client, load
from .driver import Played, Scenario, afterwards, play
from .script import Reply, Tokens, call, say
from .users import trail

pytestmark = pytest.mark.clients

BRANCH = "412-round-amounts"
SMALL = {".config/hookline/models.json": {"claude-": {"window": 20_000, "reserve": 0}}}
FULL = Tokens(input=16_500, output=1)
TASK = "Please round the amounts in invoices to whole cents."
LAST = """I wrote the rounding.
Blockers: the ledger schema is frozen until Friday.
Next step: add a migration for old invoices."""
KNOWN = (
    f"Issue #412 on {BRANCH}; the ledger schema is frozen until Friday. Next: a migration for old invoices."
)


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="do it")


def rotating(client: Client, hookline: str) -> Client:
    return replace(
        client, command=lambda program: [hookline, "rotate", "--run", "--", *client.command(program)]
    )


def received(played: Played, turn: int) -> str:
    """Return the messages that the model received at *turn*, without the host's instructions."""
    return json.dumps(played.turns[turn].body["messages"], ensure_ascii=False)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory, hookline: str) -> list[Played]:
    client, place = load("claude-code"), tmp_path_factory.mktemp("rotation")
    if not client.path.exists():
        pytest.skip("claude-code is not installed in .clients; run: make clients")
    settings = wired("claude-code", hookline)[".claude/settings.json"]

    def session(client: Client, prompt: str, *replies: Reply) -> Played:
        one = Scenario(prompt=prompt, settings=settings, home=SMALL, replies=replies, first=on_branch)
        return play(client, one, place)

    return [
        session(client, "how shall amounts be kept?", say("We decided to store amounts as integer cents.")),
        session(client, "what is an amount here?", say("It is kept as cents.")),
        session(
            rotating(client, hookline),
            TASK,
            replace(bash("echo rounded > amounts.txt"), tokens=FULL),
            replace(say(LAST), tokens=FULL),
            replace(bash("cat amounts.txt"), text="I will look around first."),
            say(KNOWN),
        ),
    ]


def on_branch(place: Played) -> None:
    (Path(place.repo) / ".git" / "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n")


def test_the_second_knows_what_the_first_decided(sessions: list[Played]) -> None:
    assert "We decided to store amounts as integer cents" in received(sessions[1], 0)


def test_the_third_is_asked_to_end_when_its_context_is_nearly_full(sessions: list[Played]) -> None:
    assert "This run continues in a new session" in received(sessions[2], 1)


def test_the_fresh_one_knows_task_branch_blocker_and_next_step(sessions: list[Played]) -> None:
    fresh = received(sessions[2], 2)

    assert TASK in fresh
    assert BRANCH in fresh
    assert "#412" in fresh or "**Issue:** 412" in fresh
    assert "the ledger schema is frozen until Friday" in fresh
    assert "add a migration for old invoices" in fresh
    assert "amounts.txt" in fresh
    assert "Continue the work of the previous session" in fresh
    assert "I wrote the rounding" in fresh  # from the handoff, not as part of a conversation
    assert '"role": "assistant"' not in fresh


def test_a_first_answer_that_leaves_it_out_is_told_once(sessions: list[Played], hookline: str) -> None:
    told = [n for n in range(len(sessions[2].turns)) if "Your first answer left" in received(sessions[2], n)]
    log = afterwards(sessions[2], hookline, "rotate", "--show", "--json")

    assert told == [3]
    assert json.loads(log)["details"]["branch"] == BRANCH


def test_the_run_ends_well(sessions: list[Played]) -> None:
    assert sessions[2].exit == 0
    assert "session 2 starts with handoff" in sessions[2].stderr
    assert "the first answer of session 2 covers 0 %" in sessions[2].stderr


@pytest.fixture(scope="module")
def compacted(tmp_path_factory: pytest.TempPathFactory, hookline: str) -> list[Played]:
    """Play a session that its user compacts and then continues."""
    client, place = load("claude-code"), tmp_path_factory.mktemp("compaction")
    if not client.path.exists():
        pytest.skip("claude-code is not installed in .clients; run: make clients")
    settings = wired("claude-code", hookline)[".claude/settings.json"]
    again = replace(client, command=lambda program: [*client.command(program), "--continue"])

    def session(client: Client, prompt: str, *replies: Reply) -> Played:
        return play(
            client, Scenario(prompt=prompt, settings=settings, replies=replies, first=on_branch), place
        )

    return [
        session(client, TASK, say(LAST)),
        session(again, "/compact"),
        session(again, "go on", say("done")),
    ]


def test_who_makes_the_summary_is_told_what_must_be_in_it(compacted: list[Played]) -> None:
    asked = [json.dumps(one.body, ensure_ascii=False) for one in compacted[1].requests]

    assert any("- next step: add a migration for old invoices" in one for one in asked)


def test_how_much_of_it_the_summary_has_is_said(compacted: list[Played], hookline: str) -> None:
    """The scripted summary is `ok`, which contains none of the facts."""
    (one,) = [one for one in trail(compacted[2], hookline) if one["event"] == "PostCompact"]

    missing = "issue, branch, blocker, next step"
    assert f"facts kept in the summary: 0 of 4 (0 %); missing: {missing}" in one["warnings"]


def test_after_the_compaction_the_model_reads_the_handoff(compacted: list[Played]) -> None:
    assert "**Next step:** add a migration for old invoices." in received(compacted[2], 0)
    assert TASK in received(compacted[2], 0)


def test_codex_goes_on_in_a_fresh_session_too(tmp_path: Path, hookline: str) -> None:
    client = load("codex")
    if not client.path.exists():
        pytest.skip("codex is not installed in .clients; run: make clients")
    table = {".config/hookline/models.json": {"gpt-5.5": {"reserve": 238_400}}}
    one = Scenario(
        prompt=TASK,
        home={**wired("codex", hookline), **table},
        first=on_branch,
        replies=(
            replace(client.shell("echo rounded > amounts.txt"), tokens=FULL),
            replace(say(LAST), tokens=FULL),
            say(KNOWN),
        ),
        timeout=90,
    )
    played = play(rotating(client, hookline), one, tmp_path)
    fresh = json.dumps(played.turns[2].body, ensure_ascii=False)

    for part in (
        TASK,
        BRANCH,
        "the ledger schema is frozen until Friday",
        "add a migration for old invoices",
    ):
        assert part in fresh
    assert "the first answer of session 2 covers 100 %" in played.stderr


def test_an_agent_that_works_on_is_interrupted_and_gone_on_from(tmp_path: Path, hookline: str) -> None:
    client = load("claude-code")
    if not client.path.exists():
        pytest.skip("claude-code is not installed in .clients; run: make clients")
    hasty = [hookline, "rotate", "--run", "--grace", "0.5", "--"]
    one = Scenario(
        prompt=TASK,
        settings=wired("claude-code", hookline)[".claude/settings.json"],
        home=SMALL,
        first=on_branch,
        replies=(
            replace(bash("true"), text="Next step: add a migration for old invoices", tokens=FULL),
            replace(bash("sleep 40"), tokens=FULL),
            say(KNOWN),
        ),
        timeout=90,
    )
    interrupted = replace(client, command=lambda program: [*hasty, *client.command(program)])
    played = play(interrupted, one, tmp_path)
    fresh = json.dumps(played.turns[2].body["messages"], ensure_ascii=False)

    for part in (TASK, BRANCH, "add a migration for old invoices"):
        assert part in fresh
    assert (played.exit, played.left) == (0, ())
