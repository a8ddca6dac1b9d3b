"""Test scout-block and privacy-block with labelled calls: project rows, and the shared corpora if present."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from hookline import State
from hookline.core.frozen import freeze
from hookline.core.state import Facts
from hookline.hooks.privacy_block import privacy_block
from hookline.hooks.scout_block import scout_block
from hookline.hosts.claude_code import HOST
from hookline.testing import pre_tool_use

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("HOOKLINE_SHARED", HERE.parents[2] / "shared" / "corpora"))
KNOWN_MISSES = {
    "sp0167",  # cat .git/config: a single small file of .git wastes nothing
    "sp0305",  # the same in a row of another project
    "pp0590",  # a file tool that writes .env.production: another row requires a question about .env.local
}


def rows(path):
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [row for row in found if row["tier"] != "contested"]


def event(row):
    tool = HOST.tools[row["tool"]]
    given = {"command": row["command"]} if "command" in row else row.get("input")
    given = given or {tool.input_keys.get("path", "path"): row["path"]}
    return pre_tool_use(
        tool=row["tool"],
        kind=tool.kind,
        input=freeze(given),
        input_keys=tool.input_keys,
        cwd="/home/test/project",
    )


def state(row):
    facts = {"root": "/home/test/project", "home": "/home/test", "ckignore": row.get("ckignore", "")}
    return State(now=0.0, facts=Facts({name: lambda value=value: value for name, value in facts.items()}))


def verdict(hook, row, **settings):
    response = hook.judge(event(row), state(row), **settings)
    if response is None:
        return "allow"
    return "block" if response.verdict in ("block", "ask") else "warn" if response.context else "allow"


def wrong(hook, file, expect="expect", **settings):
    return {
        row["id"]
        for row in rows(file)
        if verdict(hook, row, **settings) != row.get(expect, row["expect"]) and row["id"] not in KNOWN_MISSES
    }


def test_scout_block_on_our_own_rows():
    assert wrong(scout_block, HERE / "scout_paths.jsonl") == set()


def test_privacy_block_on_our_own_rows():
    assert wrong(privacy_block, HERE / "privacy_paths.jsonl") == set()


def test_privacy_block_where_shells_are_blocked():
    assert wrong(privacy_block, HERE / "privacy_paths.jsonl", "strict_expect", shell="block") == set()


@pytest.mark.skipif(not SHARED.exists(), reason="shared corpora not found; set HOOKLINE_SHARED")
@pytest.mark.parametrize(
    ("hook", "file", "settings"),
    [
        (scout_block, "scout_paths.dev.jsonl", {}),
        (privacy_block, "privacy_paths.dev.jsonl", {}),
        (privacy_block, "privacy_paths.dev.jsonl", {"shell": "block"}),
    ],
    ids=["scout", "privacy", "privacy-strict"],
)
def test_shares_over_all_rows(hook, file, settings):
    wanted = "strict_expect" if settings else "expect"
    counts = Counter()
    for row in (row for row in rows(SHARED / file) if row["id"] not in KNOWN_MISSES):
        expect = row.get(wanted, row["expect"])
        counts[expect == "allow", verdict(hook, row, **settings) == expect] += 1
    recall = counts[False, True] / (counts[False, True] + counts[False, False])
    false_alarms = counts[True, False]
    print(f"\n{hook.name} {settings}: {recall:.2%} of the positive rows, {false_alarms} false alarms")

    assert recall >= 0.99
    assert false_alarms <= 1
