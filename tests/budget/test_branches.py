"""Test that the tokens of a session are divided among its branches, and none is lost or counted twice."""

import random

import pytest
from tests.budget.test_ledger import CLAUDE, message, runtime, transcript  # noqa: F401 -- fixtures

from hookline.budget.branches import BRANCHES_NOTE, add_change, find_last_branch, split_by_branch
from hookline.budget.ledger import USAGE_NOTE
from hookline.core.usage import TokenCounts, tally_from_json
from hookline.testing import post_tool_use


@pytest.mark.parametrize("number", range(30))
def test_the_branches_together_spent_all_tokens(number):
    choose, changes, spent, expected = random.Random(number), None, {}, {}
    for _ in range(choose.randrange(20)):
        branch, model, tokens = choose.choice(["", "main", "fix"]), choose.choice("ab"), choose.randrange(9)
        if branch != find_last_branch(changes):
            changes = add_change(changes, branch, spent)
        spent = {**spent, model: TokenCounts(output=spent.get(model, TokenCounts()).output + tokens)}
        expected[branch, model] = expected.get((branch, model), 0) + tokens
    found = {}
    for branch, used in split_by_branch(changes, spent):
        for model, tokens in used.items():
            found[branch, model] = found.get((branch, model), 0) + tokens.output

    assert found == {key: tokens for key, tokens in expected.items() if tokens}


def test_a_session_that_changes_its_branch(runtime, transcript, user):  # noqa: F811 -- fixtures
    head = user.project / ".git" / "HEAD"
    head.parent.mkdir(exist_ok=True)
    for number, branch in enumerate(("main", "fix-login", "main")):
        head.write_text(f"ref: refs/heads/{branch}\n")
        runtime.answer(CLAUDE, "PostToolUse", post_tool_use(transcript=str(transcript)))
        with transcript.open("a") as file:
            file.write(message(number, 100, output=10 * (number + 1)))
        runtime.answer(CLAUDE, "PostToolUse", post_tool_use(transcript=str(transcript)))
    notes = runtime.store.notes(post_tool_use().session)
    split = split_by_branch(notes[BRANCHES_NOTE], tally_from_json(notes[USAGE_NOTE]["tally"]).spent)

    assert [(branch, sum(tokens.output for tokens in used.values())) for branch, used in split] == [
        ("main", 10),
        ("fix-login", 20),
        ("main", 30),
    ]
