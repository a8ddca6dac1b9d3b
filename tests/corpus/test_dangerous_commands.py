"""Test dangerous-command with labelled lines: the project's rows, and the shared corpora if present."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks._dangerous_command.verdict import rules
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
"""Ids of project rows with a known wrong verdict, each with the reason; currently none."""
DISPUTED = frozenset(
    {
        "dc02246",  # kubectl delete all --all: labelled harmless, but the specification requires a stop
        "dc02247",  # kubectl delete namespace prod: same reason
        "dc02563",  # reads /etc/shadow through two variables; through one it is labelled dangerous
    }
)
CONTRADICTED = {
    "dc04920": "code that deletes a literal path is judged like `rm` of that path",
    "dc04921": "the same",
    "dc04958": "poetry lists the dependencies of a project, so that they come back",
}
"""Rows of the shared corpora whose label contradicts a decision, with the decision."""
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
    """Each row must trigger its own rule; a rule without such a row is not tested."""
    broken = [(row, answer(row)) for row in rows(OURS) if row["tier"] == "rules"]
    wrong = [
        (row["cmd"], said.rule, said.verdict)
        for row, said in broken
        if (said.rule, said.verdict) != (row["category"], row["verdict"])
    ]

    assert wrong == []
    without_row = {"git-push-lease", "too-long"}  # a setting; a row of that length
    assert set(rules()) - {row["category"] for row, _ in broken} == without_row


def test_known_misses_are_still_missed():
    """Rows whose verdict is now correct must be removed from the list."""
    wrong = {
        row["id"]
        for row in rows(OURS)
        if stopped(row) != (row["expect"] == "block") and row["id"] in KNOWN_MISSES
    }

    assert wrong == KNOWN_MISSES


def group(row):
    """Return the name of the group whose threshold applies to *row*."""
    kind = row["category"].rpartition(":")[2]
    if row["tier"] == "beyond-seed":
        return "vendor packs" if kind in VENDORS else "system packs"
    return f"benign {kind}" if row["tier"] == "benign" else row["tier"]


@pytest.mark.skipif(not SHARED.exists(), reason="shared corpora not found; set HOOKLINE_SHARED")
def test_shares_over_all_rows():
    judged = [(row, stopped(row)) for row in rows(SHARED)]
    total = Counter(group(row) for row, _ in judged)
    held = Counter(group(row) for row, stop in judged if stop)
    alarms = {row["id"] for row, stop in judged if stop and row["tier"] == "benign"}
    print("\n" + "\n".join(f"{name}: {held[name]}/{total[name]} stopped" for name in sorted(total)))

    assert held["seed"] == total["seed"]
    packs = [stop for row, stop in judged if row["tier"] == "beyond-seed" and row["id"] not in CONTRADICTED]
    assert sum(packs) >= 0.98 * len(packs)
    assert alarms == DISPUTED
    assert not [row["id"] for row, stop in judged if stop and row["id"] in CONTRADICTED]
