"""Test the ends of turns with real clients: token targets, failing checks, and the model's input."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .client import load
from .driver import Played, Scenario, play
from .installed_files import wired
from .script import Reply, Tokens, say
from .terminal import attended
from .users import trail

pytestmark = pytest.mark.clients

SETTINGS = ".config/hookline/hookline.toml"
HOSTS = ("claude-code", "codex")
COUNTING = (
    "echo x >> ~/runs; n=$(wc -l < ~/runs); [ $n -gt {times} ] && exit 0; "
    'echo "@@INJECT: MEND-$n"; echo "check $n failed" >&2; exit 2'
)


def writes(*totals: int) -> tuple[Reply, ...]:
    """Return answers without tool calls after which the turn's output has these *totals* of tokens."""
    spent = zip(totals, (0, *totals), strict=False)
    return tuple(
        replace(say(f"answer {number}"), tokens=Tokens(output=total - before))
        for number, (total, before) in enumerate(spent)
    )


def check(times: int) -> dict[str, Any]:
    """Return settings with a check that fails *times* times."""
    command = json.dumps(COUNTING.format(times=times))
    return {SETTINGS: f"[hooks.turn-gate]\ncommands = [{command}]\n"}


def sent(played: Played, words: str) -> list[int]:
    """Return the turns at which *words* were new to the model."""
    bodies = [json.dumps(turn.body, ensure_ascii=False).count(words) for turn in played.turns]
    return [
        turn for turn, (now, before) in enumerate(zip(bodies, [0, *bodies], strict=False)) if now > before
    ]


def last_stop(played: Played, hookline: str) -> dict[str, Any]:
    return [row for row in trail(played, hookline) if row["event"] == "Stop"][-1]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("totals", "asked", "why"),
    [
        ((6_000, 12_000, 18_000, 19_000), 3, {"count": 2, "pct": 90, "diminishing": False}),
        ((1_000, 1_400, 1_800, 2_200, 2_600), 4, {"count": 3, "pct": 11, "diminishing": True}),
        ((18_000, 19_000), 1, None),
    ],
    ids=["reached", "diminishing", "enough-at-once"],
)
def test_a_target_in_the_prompt_makes_the_turn_go_on_until_it_is_spent_or_little_comes_of_it(
    host: str,
    totals: tuple[int, ...],
    asked: int,
    why: dict[str, Any] | None,
    run: Callable[..., Played],
    hookline: str,
) -> None:
    played = run(host, writes(*totals), prompt="do it +20k")
    end = last_stop(played, hookline)
    notes = [step["note"] for step in end["trail"] if step.get("rule") == "token-budget:completion"]
    told = [json.loads(note.removeprefix("completion ")) for note in notes]
    spent = {"tokens": totals[asked - 1], "budget": 20_000}

    assert (len(played.turns), played.exit) == (asked, 0)
    assert sent(played, "% of the token target is spent") == list(range(1, asked))
    assert [one | {"duration_ms": 0} for one in told] == ([{**why, **spent, "duration_ms": 0}] if why else [])
    assert any("token target: ended at" in text for text in end["warnings"]) is bool(why)


COUNTED = ("claude-code", "codex", "gemini-cli", "qwen-code", "opencode-served")
"""Hosts whose tokens hookline counts, and whose turns it can continue; `opencode run` always ends."""


def assert_exact(played: Played) -> None:
    """Assert that a turn with a target of 20,000 tokens was continued at exactly 30 % and 60 %."""
    assert (len(played.turns), played.exit) == (4, 0)
    for turn, spent in ((2, "30 % of the token target is spent (6,005 of 20,000)"), (3, "60 %")):
        assert sent(played, spent) == [turn]
    assert sent(played, "% of the token target is spent") == [2, 3]


def spends(host: str) -> tuple[Reply, ...]:
    """Return a tool call, and answers that reach a target of 20,000 tokens with the third."""
    return (load(host.removesuffix("-served")).shell("echo hi"), *writes(6_000, 12_000, 18_000, 19_000))


@pytest.mark.parametrize("host", COUNTED)
def test_a_target_is_exact_on_every_host_that_is_counted(host: str, run: Callable[..., Played]) -> None:
    assert_exact(run(host, spends(host), prompt="do it +20k"))


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
def test_twenty_targets_in_a_row_are_exact_on_qwen_code(number: int, run: Callable[..., Played]) -> None:
    assert_exact(run("qwen-code", spends("qwen-code"), prompt="do it +20k"))


@pytest.mark.parametrize("host", HOSTS)
def test_a_target_that_the_cap_cuts_short_ends_capped(
    host: str, run: Callable[..., Played], hookline: str
) -> None:
    played = run(host, writes(*(1_000 * n for n in range(1, 12))), prompt="+900k do it")
    end = last_stop(played, hookline)

    assert (len(played.turns), played.exit) == (8, 0)
    assert any("capped" in text for text in end["warnings"])
    assert [step["said"] for step in end["trail"] if step["hook"] == "hookline"] == ["capped"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_check_that_fails_twice_and_then_passes_gives_exactly_two_corrections(
    host: str, run: Callable[..., Played]
) -> None:
    played = run(host, writes(*range(5, 50, 5)), home=check(2))

    assert (len(played.turns), played.exit) == (3, 0)
    assert (sent(played, "MEND-1"), sent(played, "MEND-2"), sent(played, "MEND-3")) == ([1], [2], [])


@pytest.mark.parametrize("host", HOSTS)
def test_a_check_that_always_fails_ends_capped_with_its_last_directives(
    host: str, run: Callable[..., Played], hookline: str
) -> None:
    played = run(host, writes(*range(5, 50, 5)), home=check(99))
    end = last_stop(played, hookline)

    assert (len(played.turns), played.exit) == (3, 0)
    assert (sent(played, "MEND-2"), sent(played, "MEND-3")) == ([2], [])
    assert any("capped: turn-gate.user-1 blocked TurnEnd 3 times" in text for text in end["warnings"])
    assert any("MEND-3" in text for text in end["warnings"])


@pytest.mark.parametrize("host", HOSTS)
def test_the_model_reads_the_output_of_a_failed_check_as_a_whole(
    host: str, run: Callable[..., Played]
) -> None:
    failing = json.dumps("test -e ~/once && exit 0; touch ~/once; echo 'One test failed.'; exit 1")
    settings = {SETTINGS: f"[hooks.turn-gate]\ncommands = [{failing}]\n"}
    played = run(host, writes(*range(5, 50, 5)), home=settings)

    words = "exited with status 1, and it is configured to block if it fails: One test failed."
    assert sent(played, words) == [1]
    assert sent(played, f"{words};") == []


def test_the_user_of_claude_code_reads_why_it_ended(run: Callable[..., Played]) -> None:
    played = run("claude-code", writes(*range(5, 50, 5)), home=check(99))

    assert [notice for notice in played.notices if "capped" in notice and "MEND-3" in notice]


def test_the_user_of_codex_exec_reads_why_it_ended(tmp_path: Path, hookline: str) -> None:
    """Codex shows no message of a hook here, so it is written to the terminal of Codex itself."""
    client, settings = load("codex"), wired("codex", hookline)[".codex/hooks.json"]
    words = client.command(str(client.path))[1:-1]
    on_terminal = attended(client)
    played = play(
        replace(client, command=lambda program: [*on_terminal.command(program), *words, "go"]),
        Scenario(settings=settings, replies=writes(*range(5, 50, 5)), home=check(99)),
        tmp_path,
    )

    assert "hookline: capped: turn-gate.user-1 blocked TurnEnd 3 times" in played.stdout
    assert "MEND-3" in played.stdout
