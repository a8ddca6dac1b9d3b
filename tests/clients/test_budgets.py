"""Test budgets with real clients: the countdown that models read, and the token counts."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from .client import load
from .driver import Played, afterwards
from .script import Reply, Tokens, call, say
from .users import user_hooks

pytestmark = pytest.mark.clients

SETTINGS = ".config/hookline/hookline.toml"
TIERS = "[hooks.budget-countdown]\nwrap_up = 30\nstop = 15\n"
SECONDS = 50
LEFT = (36, 27, 13, -1)
"""Seconds left when each waiting command ends; each is in a different tier."""

Shell = Callable[[str], Reply]


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="do it")


def executed(command: str) -> Reply:
    return call("exec_command", cmd=command, yield_time_ms=30_000)


def generated(command: str) -> Reply:
    return call("run_shell_command", command=command, description="do it")


def waiting(until: float) -> str:
    return f"python3 -c 'import time; time.sleep(max(0, {until} - time.time()))'"


SHELLS: dict[str, Shell] = {"claude-code": bash, "codex": executed, "gemini-cli": generated}
OTHERS = ("qwen-code", "opencode")
"""Further hosts with known token counts; only the token test uses them."""


def spoken(played: Played) -> list[str]:
    """Return the countdown messages that the model received, in order."""
    body = json.dumps(played.turns[-1].body, ensure_ascii=False)
    return re.findall(r"(?:▲+ )?BUDGET[^\"\\<\n]*", body)


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_model_reads_every_tier_when_it_is_due(host: str, run: Callable[..., Played]) -> None:
    end, shell = time.time() + SECONDS, SHELLS[host]
    played = run(
        host,
        (shell("echo at once"), *(shell(waiting(end - left)) for left in LEFT), say("done")),
        home={SETTINGS: TIERS},
        env={"AUTORESEARCH_BUDGET_END": str(end)},
        timeout=SECONDS + 60,
    )
    said = spoken(played)

    assert said[:2] == ["BUDGET: 0m remaining"] * 2
    assert re.fullmatch(r"▲ BUDGET: 0m[12]\ds remaining — wrap up and commit soon", said[2]), said
    assert re.fullmatch(r"▲▲▲ BUDGET: 0m1?\ds — STOP EDITING, COMMIT NOW, EXIT ▲▲▲", said[3]), said
    assert said[4:] == ["▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"]


def scripted(shell: Shell) -> tuple[Reply, ...]:
    """Return replies with tokens of every kind, parallel calls, text next to a call, and a failing call."""
    both = (*shell("echo one").calls, *shell("echo two").calls)
    return (
        replace(shell("echo first"), tokens=Tokens(input=12_345, output=678)),
        Reply(text="Both.", calls=both, tokens=Tokens(input=13_500, output=91, cached=12_288)),
        replace(shell("exit 3"), tokens=Tokens(input=14_001, output=1, cached=13_312)),
        replace(say("done"), tokens=Tokens(input=15_002, output=2345, cached=13_999)),
    )


def counted(replies: tuple[Reply, ...]) -> dict[str, int]:
    """Return the token counts that the scripted model reported."""
    tokens = [one.tokens for one in replies]
    return {
        "used": tokens[-1].input + tokens[-1].output,
        "input": sum(one.input - one.cached for one in tokens),
        "cache_read": sum(one.cached for one in tokens),
        "cache_write": 0,
        "output": sum(one.output for one in tokens),
        "turn_output": sum(one.output for one in tokens),
        "turn": 1,
    }


def shown(played: Played, hookline: str) -> dict[str, int]:
    told = json.loads(afterwards(played, hookline, "budget", "show", "--json"))
    return {name: told[name] for name in counted(scripted(bash))}


@pytest.mark.parametrize("host", [*SHELLS, *OTHERS])
def test_tokens_agree_with_the_models_own_count(host: str, run: Callable[..., Played], hookline: str) -> None:
    replies = scripted(load(host).shell if host in OTHERS else SHELLS[host])
    played = run(host, replies)

    assert len(played.turns) == len(replies)
    assert shown(played, hookline) == counted(replies)


@pytest.mark.parametrize("host", SHELLS)
def test_a_context_that_is_nearly_full_takes_no_large_load(host: str, run: Callable[..., Played]) -> None:
    """The user's model table reduces the context windows that hookline knows."""
    small = {"window": 20_000, "reserve": 0}
    table = {"claude-": small, "gemini-2.5-flash": small, "gpt-5.5": {"reserve": 238_400}}
    full = Tokens(input=16_000, output=1)
    replies = (
        replace(SHELLS[host]("seq 100000 107000 > long.txt; wc -l long.txt"), tokens=full),
        replace(SHELLS[host]("cat long.txt"), tokens=full),
        replace(say("done"), tokens=full),
    )
    played = run(host, replies, home={".config/hookline/models.json": table})
    bodies = [json.dumps(turn.body, ensure_ascii=False) for turn in played.turns]

    assert "▲▲ CONTEXT: 80 % of 20,000 tokens in use" in bodies[1]
    assert "budget-guard:large-read" in bodies[2]
    assert "\\n299" not in bodies[2]


@pytest.mark.parametrize("host", SHELLS)
def test_when_a_turn_ends_all_of_it_is_counted(host: str, run: Callable[..., Played]) -> None:
    """The count must be complete even if the host is still writing its transcript."""
    replies = scripted(SHELLS[host])
    hooks = user_hooks(Stop=[{"command": "cat >> ~/stops.jsonl"}])
    played = run(host, replies, home=hooks)
    told = [json.loads(line) for line in (played.home / "stops.jsonl").read_text().splitlines()]

    assert [one["budget"]["usedTokens"] for one in told] == [counted(replies)["used"]]
