"""Test simplify-gate with labelled prompts: the project's rows, and the shared corpora if present."""

import json
import os
from pathlib import Path

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.simplify_gate import simplify_gate
from hookline.testing import user_prompt_submit

HERE = Path(__file__).parent
SHARED = (
    Path(os.environ.get("HOOKLINE_SHARED", HERE.parents[2] / "shared" / "corpora")) / "ship_prompts.dev.jsonl"
)
SETS = [HERE / "ship_prompts.jsonl", *([SHARED] if SHARED.exists() else [])]
STATE = State(now=0.0, facts=Facts({"changed_lines": lambda: 10_000}))


def gated(row):
    response = simplify_gate.judge(user_prompt_submit(row["prompt"]), STATE)
    return response is not None and response.verdict == "block"


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.name)
def test_requests_are_held_and_hardly_anything_else_is(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    requests = [gated(row) for row in rows if row["expect"] == "gate"]
    others = [gated(row) for row in rows if row["expect"] != "gate"]

    assert len(rows) >= 40
    assert sum(requests) >= 0.97 * len(requests)
    assert sum(others) <= 0.01 * len(others)
