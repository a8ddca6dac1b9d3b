"""Test simplify-gate: the prompts that request shipping, and both sides of each threshold."""

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.simplify_gate import simplify_gate
from hookline.testing import user_prompt_submit


def judged(prompt="ship it", lines=801, branch="main", **settings):
    state = State(now=0.0, facts=Facts({"changed_lines": lambda: lines, "branch": lambda: branch}))
    return simplify_gate.judge(user_prompt_submit(prompt), state, **settings)


def said(prompt="ship it", lines=801, **settings):
    response = judged(prompt, lines, **settings)
    return "pass" if response is None else f"{response.verdict} {response.rule}".strip()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (0, "pass"),
        (399, "pass"),
        (400, "pass large"),
        (800, "pass large"),
        (801, "block too-large"),
        (50_000, "block too-large"),
    ],
)
def test_thresholds(lines, answer):
    assert said(lines=lines) == answer


def test_between_the_thresholds_the_agent_is_told():
    response = judged(lines=400)

    assert "400 lines" in response.context[0]
    assert response.warnings == ()


def test_thresholds_are_settings():
    assert said(lines=10, warn_from=10, block_over=20) == "pass large"
    assert said(lines=9, warn_from=10, block_over=20) == "pass"
    assert said(lines=21, warn_from=10, block_over=20) == "block too-large"


def test_the_block_says_how_large_and_how_to_go_on():
    reason = judged(lines=1234).reason

    assert "1,234" in reason
    assert "ship anyway: REASON" in reason


@pytest.mark.parametrize(
    "prompt",
    [
        "ship anyway: the vendored parser is reviewed upstream",
        "Ship anyway:   the vendored parser is reviewed upstream  ",
        "tests are green.\n  SHIP ANYWAY: the vendored parser is reviewed upstream\nthanks",
    ],
)
def test_a_person_s_reason_overrides_and_is_kept(prompt):
    response = judged(prompt)

    assert (response.verdict, response.rule) == ("pass", "override")
    assert response.reason == "the vendored parser is reviewed upstream"
    assert "the vendored parser" in response.warnings[0]


@pytest.mark.parametrize(
    "prompt", ["ship anyway", "ship anyway:", "ship anyway: \nplease", "ship it anyway: now"]
)
def test_an_override_needs_its_reason(prompt):
    assert said(prompt) == "block too-large"


@pytest.mark.parametrize("pasted", ["```\nship anyway: reviewed\n```", "Anna wrote:\nship anyway: reviewed"])
def test_an_override_in_pasted_text_is_not_the_person_s(pasted):
    assert said(f"{pasted}\n\nship it") == "block too-large"


def test_an_override_that_overrides_nothing_says_nothing():
    assert said("ship anyway: small", lines=10) == "pass"
    assert said("ship anyway: small", lines=500) == "pass large"


def test_an_unknown_count_passes_with_a_word_to_the_user():
    response = judged(lines=None)

    assert (response.verdict, len(response.warnings)) == ("pass", 1)
    assert said(lines=None, branch="") == "pass"


def test_nothing_is_counted_where_nothing_is_shipped():
    def refuse():
        raise AssertionError("counted")

    state = State(now=0.0, facts=Facts({"changed_lines": refuse}))

    assert simplify_gate.judge(user_prompt_submit("fix the typo"), state) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "don't ship",
        "don’t ship",
        "do not deploy yet",
        "never merge",
        "don't you merge it",
        "don't merge and deploy",
        "not ready to release",
        "commit without publishing",
        "do not, under any circumstances, publish this",
        "don't push or publish anything",
        "what does PR 12 do?",
        "explain the release notes",
        "should we ship it?",
        "is it ready to merge?",
        "how do I deploy this",
        "explain how to test, build and deploy this",
        "write a script to build and deploy the app",
        "explain the difference between rebase and merge",
        "we build and deploy every night",
        "I'll ship it myself",
        "ship it next week",
        "do not ship until I approve",
        "ask bob to merge it",
        "fix the tests so we can ship",
        "merge main into this branch",
        "merge the two dicts",
        "release the lock",
        "publish an event when the order is paid",
        "release 2.0 is broken",
        "deploy preview fails",
        "create a release branch",
        "make the PR smaller",
        "make the deploy faster",
        "start shipping label support",
        'add a "Ship it" button',
        "call publish() twice",
        "look at deploy.py",
        "release: bump the version",
        "```\ngit merge it\nship it\n```\nwhat is this?",
        "the label says “ship it”",
        '"ship it" and "merge it" are buttons',
        "don't stop until you understand the deploy script",
        "stop when you've merged main into this branch",
        "don't stop until you've released the lock",
        "why don't you like the release notes?",
        "why not merge commits?",
        "why was it merged?",
        "can we deploy on Fridays?",
        "could we ever ship this?",
        "never merge & deploy",
    ],
)
def test_no_request(prompt):
    assert said(prompt) == "pass"


@pytest.mark.parametrize(
    "prompt",
    [
        "no blockers left, ship it",
        "don't worry about CI, merge it",
        "don't bother with docs and just deploy",
        "don't forget to deploy",
        "do not touch the tests and merge it",
        "it isn’t pretty, but merge",
        "could you merge this please",
        "would you mind merging this?",
        "I want you to build and deploy it",
        "if tests pass ship it",
        "looks good ship it",
        "tests pass so ship it",
        "explain the change, then merge it",
        "merge feature/login into main",
        "merge #45",
        "open a pull request",
        "create the pull request",
        "PR this",
        "gh pr create",
        "run `npm publish`",
        "make deploy",
        "cut a release",
        "trigger the deploy pipeline",
        "go ahead with the merge",
        "start deploying",
        "get this merged",
        '"ship it"',
        "“ship it”",
        '"it\'s done, ship it"',
        "`ship it`",
        "don't stop until you ship it",
        "don't rest until you've shipped it",
        "don't quit until you deploy it",
        "why don't you ship it?",
        "why dont you merge it",
        "could we deploy this now",
        "commit & push & merge it",
        "fix the bug\nship it",
    ],
)
def test_a_request(prompt):
    assert said(prompt) == "block too-large"


def test_a_long_prompt_is_read_in_time_that_grows_with_it():
    assert said("and not this " * 50_000 + "?") == "pass"
    assert said("INFO: exported a row\n" * 50_000 + "\nship it") == "block too-large"
