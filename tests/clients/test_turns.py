"""Real clients at the ends of their turns: token targets, checks that fail, and what their models read."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from .driver import Played
from .script import Reply, Tokens, say
from .users import trail

pytestmark = pytest.mark.clients

SETTINGS = ".config/hookline/hookline.toml"
HOSTS = ("claude-code", "codex")
COUNTING = (
    "echo x >> ~/runs; n=$(wc -l < ~/runs); [ $n -gt {times} ] && exit 0; "
    'echo "@@INJECT: MEND-$n"; echo "check $n failed" >&2; exit 2'
)


def writes(*totals: int) -> tuple[Reply, ...]:
    """Answers without a tool call, by which the turn has come to these *totals* of output."""
    spent = zip(totals, (0, *totals), strict=False)
    return tuple(
        replace(say(f"answer {number}"), tokens=Tokens(output=total - before))
        for number, (total, before) in enumerate(spent)
    )


def check(times: int) -> dict[str, Any]:
    """A check that fails so often."""
    command = json.dumps(COUNTING.format(times=times))
    return {SETTINGS: f"[hooks.turn-gate]\ncommands = [{command}]\n"}


def sent(played: Played, words: str) -> list[int]:
    """The turns at which the model was sent *words* that it had not been sent before."""
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


def test_the_user_of_claude_code_reads_why_it_ended(run: Callable[..., Played]) -> None:
    played = run("claude-code", writes(*range(5, 50, 5)), home=check(99))

    assert [notice for notice in played.notices if "capped" in notice and "MEND-3" in notice]
