"""dangerous-command against labelled lines: our own rows, and all where the shared folder is present."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from hookline import State
from hookline.hooks.dangerous_command import dangerous_command
from hookline.state import Facts
from hookline.testing import pre_tool_use

HERE = Path(__file__).parent
OURS = HERE / "dangerous_commands.jsonl"
SHARED = (
    Path(os.environ.get("HOOKLINE_SHARED", HERE.parents[2] / "shared" / "corpora"))
    / "dangerous_commands.dev.jsonl"
)
STATE = State(now=0.0, facts=Facts({"root": lambda: "/home/test/project", "home": lambda: "/home/test"}))
KNOWN_MISSES: frozenset[str] = frozenset()
"""Ids of rows that are judged wrongly, each with the reason beside it; none is known."""


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def stopped(row):
    response = dangerous_command.judge(pre_tool_use(row["cmd"], cwd="/home/test/project"), STATE)
    return response is not None and response.verdict in ("block", "ask")


def test_the_nine_operations_are_stopped_in_every_disguise():
    missed = [
        row["cmd"]
        for row in rows(OURS)
        if row["tier"] == "seed" and not stopped(row) and row["id"] not in KNOWN_MISSES
    ]

    assert missed == []


def test_harmless_lines_pass():
    flagged = [
        row["cmd"]
        for row in rows(OURS)
        if row["tier"] == "benign" and stopped(row) and row["id"] not in KNOWN_MISSES
    ]

    assert flagged == []


def test_known_misses_are_still_missed():
    """A row that has come right leaves the list."""
    wrong = {
        row["id"]
        for row in rows(OURS)
        if stopped(row) != (row["expect"] == "block") and row["id"] in KNOWN_MISSES
    }

    assert wrong == KNOWN_MISSES


@pytest.mark.skipif(not SHARED.exists(), reason="the shared corpora are not on this machine")
def test_shares_over_all_rows():
    counts = Counter((row["tier"], row["expect"], stopped(row)) for row in rows(SHARED))
    recall = share(counts, "seed", "block")
    false_alarms = share(counts, "benign", "allow")
    beyond = share(counts, "beyond-seed", "block")
    print(f"\nstopped: seed {recall:.2%}, beyond-seed {beyond:.2%}; benign {false_alarms:.2%}")

    assert recall >= 0.99
    assert false_alarms <= 0.002


def share(counts, tier, expect):
    """Of the rows of *tier*, how many were stopped."""
    return counts[tier, expect, True] / (counts[tier, expect, True] + counts[tier, expect, False])
