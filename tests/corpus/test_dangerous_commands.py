"""dangerous-command against labelled lines: our own rows, and all where the shared folder is present."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks._dangerous_command.packs import rules
from hookline.hooks.dangerous_command import dangerous_command
from hookline.testing import pre_tool_use

HERE = Path(__file__).parent
OURS = HERE / "dangerous_commands.jsonl"
SHARED = (
    Path(os.environ.get("HOOKLINE_SHARED", HERE.parents[2] / "shared" / "corpora"))
    / "dangerous_commands.dev.jsonl"
)
STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/test/project", "home": lambda: "/home/test"}))
KNOWN_MISSES: frozenset[str] = frozenset()
"""Ids of our rows that are judged wrongly, each with the reason beside it; none is known."""
DISPUTED = frozenset(
    {
        "dc02246",  # kubectl delete all --all: labelled harmless, and named by the specification as a stop
        "dc02247",  # kubectl delete namespace prod: likewise
        "dc02563",  # reads /etc/shadow through two variables; through one it is labelled dangerous
    }
)
VENDORS = {"cloud", "saas-cli", "http-delete", "repo-host", "package-publish", "exfil"}


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def answer(row):
    return dangerous_command.judge(pre_tool_use(row["cmd"], cwd="/home/test/project"), STATE)


def stopped(row):
    response = answer(row)
    return response is not None and response.verdict in ("block", "ask")


@pytest.mark.parametrize("tier", ["seed", "beyond-seed"])
def test_dangerous_lines_are_stopped_in_every_disguise(tier):
    missed = [
        row["cmd"]
        for row in rows(OURS)
        if row["tier"] == tier and not stopped(row) and row["id"] not in KNOWN_MISSES
    ]

    assert missed == []


def test_harmless_lines_pass():
    flagged = [
        row["cmd"]
        for row in rows(OURS)
        if row["tier"] == "benign" and stopped(row) and row["id"] not in KNOWN_MISSES
    ]

    assert flagged == []


def test_every_rule_has_a_row_and_each_row_its_rule():
    """A rule that no line breaks is no rule; one that another rule forestalls is not tested."""
    broken = [(row, answer(row)) for row in rows(OURS) if row["tier"] == "rules"]
    wrong = [
        (row["cmd"], said.rule, said.verdict)
        for row, said in broken
        if (said.rule, said.verdict) != (row["category"], row["verdict"])
    ]

    assert wrong == []
    assert set(rules()) - {row["category"] for row, _ in broken} == {"git-push-lease"}


def test_known_misses_are_still_missed():
    """A row that has come right leaves the list."""
    wrong = {
        row["id"]
        for row in rows(OURS)
        if stopped(row) != (row["expect"] == "block") and row["id"] in KNOWN_MISSES
    }

    assert wrong == KNOWN_MISSES


def group(row):
    """The bar that a row counts for."""
    kind = row["category"].rpartition(":")[2]
    if row["tier"] == "beyond-seed":
        return "vendor packs" if kind in VENDORS else "system packs"
    return f"benign {kind}" if row["tier"] == "benign" else row["tier"]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared corpora are not on this machine")
def test_shares_over_all_rows():
    judged = [(row, stopped(row)) for row in rows(SHARED)]
    total = Counter(group(row) for row, _ in judged)
    held = Counter(group(row) for row, stop in judged if stop)
    alarms = {row["id"] for row, stop in judged if stop and row["tier"] == "benign"}
    print("\n" + "\n".join(f"{name}: {held[name]}/{total[name]} stopped" for name in sorted(total)))

    assert held["seed"] == total["seed"]
    assert held["system packs"] >= 0.97 * total["system packs"]
    assert held["vendor packs"] >= 0.85 * total["vendor packs"]
    assert alarms == DISPUTED
