"""Test that a guard's explanation tree agrees with its verdict on every row, with and without exceptions."""

import json
from pathlib import Path

import pytest

from hookline import State
from hookline.core.explanation import find_strongest, walk_branches
from hookline.core.frozen import freeze
from hookline.core.hook import configure
from hookline.core.state import Facts
from hookline.hooks import load
from hookline.hosts.claude_code import HOST
from hookline.testing import post_tool_use, pre_tool_use, user_prompt_submit

HERE = Path(__file__).parent
ROOT = "/home/test/project"
LARGE = 10_000


def rows(name):
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text().splitlines()]


def call(row):
    tool = HOST.tools[row["tool"]]
    given = {"command": row["command"]} if "command" in row else row.get("input")
    given = given or {tool.input_keys.get("path", "path"): row["path"]}
    return pre_tool_use(
        tool=row["tool"], kind=tool.kind, input=freeze(given), input_keys=tool.input_keys, cwd=ROOT
    )


def text(row):
    secrets = {f"{{{{S{number}}}}}": "".join(parts) for number, parts in enumerate(row.get("secrets", ()))}
    whole = row["text"]
    for mark, secret in secrets.items():
        whole = whole.replace(mark, secret)
    return post_tool_use(output=freeze({"stdout": whole}))


def line(row):
    return pre_tool_use(row["cmd"], cwd=ROOT)


def state(row):
    facts = {"root": ROOT, "home": "/home/test", "ckignore": row.get("ckignore", ""), "changed_lines": LARGE}
    return State(now=0.0, facts=Facts({name: lambda value=value: value for name, value in facts.items()}))


EVENTS = {
    "dangerous_commands": line,
    "privacy_paths": call,
    "scout_paths": call,
    "secrets": text,
    "ship_prompts": lambda row: user_prompt_submit(row["prompt"]),
}
EVERYTHING = [{"reason": "all of it", "match": "*[a-m]*"}]
CASES = [
    ("self-protect", "dangerous_commands", {}),
    ("dangerous-command", "dangerous_commands", {}),
    (
        "dangerous-command",
        "dangerous_commands",
        {"allow": EVERYTHING, "packs": {"disk": "off", "cloud": "block"}},
    ),
    ("privacy-block", "privacy_paths", {}),
    ("privacy-block", "privacy_paths", {"shell": "ask", "allow": EVERYTHING}),
    ("privacy-block", "dangerous_commands", {}),
    ("scout-block", "scout_paths", {}),
    ("scout-block", "scout_paths", {"allow": EVERYTHING, "patterns": ["*.ts"]}),
    ("scout-block", "privacy_paths", {}),
    ("redact-secrets", "secrets", {}),
    ("redact-secrets", "secrets", {"allow": EVERYTHING}),
    ("compress-output", "secrets", {"size": 40}),
    ("simplify-gate", "ship_prompts", {}),
    ("simplify-gate", "ship_prompts", {"warn_from": 1, "block_over": LARGE}),
    ("tool-policy", "privacy_paths", {"rules": [{"action": "deny", "kind": "read"}, {"action": "ask"}]}),
]


def said(response):
    if response is None:
        return "pass"
    if response.verdict != "pass":
        return response.verdict
    return "modify" if response.changes else "warn" if response.context or response.warnings else "pass"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "corpus", "settings"), CASES)
def test_a_tree_comes_to_what_its_guard_says(name, corpus, settings):
    guard = configure(load(name), settings)
    wrong, spared = [], 0
    for row in rows(corpus):
        event, known = EVENTS[corpus](row), state(row)
        response, tree = guard(event, known), tuple(guard.why(event, known, **guard.settings))
        excepted = any(one.judgement == "excepted" for one in walk_branches(tree))
        spared += excepted
        if find_strongest(tree) != said(response) or not tree:
            wrong.append((row, said(response), tree))
        elif response is not None and response.note:
            assert excepted
        elif excepted:
            # An earlier step decided, so the judge did not reach the exception.
            assert response.verdict != "pass" or response.context

    assert wrong == []
    assert bool(spared) == ("allow" in settings)


@pytest.mark.parametrize("name", ["dangerous-command", "privacy-block", "scout-block", "redact-secrets"])
def test_the_rule_of_the_verdict_is_in_the_tree(name):
    corpus = {"dangerous-command": "dangerous_commands", "redact-secrets": "secrets"}
    corpus = corpus.get(name, f"{name.partition('-')[0]}_paths")
    guard = load(name)
    for row in rows(corpus):
        event, known = EVENTS[corpus](row), state(row)
        response = guard(event, known)
        if response is not None and response.rule:
            tree = guard.why(event, known, **guard.settings)
            assert response.rule in {one.rule for one in walk_branches(tree)}
