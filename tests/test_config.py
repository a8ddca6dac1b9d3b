"""What configuration files may say, and what is said when they say it wrongly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import kinds
from hookline.config import File, read_hooks, read_mcp, read_toml
from hookline.events import EVENTS, PreToolUse
from hookline.lines import json_lines, nearest, toml_lines

KINDS = {name: kinds.load(name) for name in kinds.names()}


def toml(text):
    return read_toml(File(name="hookline.toml", text=text, source="user", root="/u"))


def hooks(value):
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    return read_hooks(File(name="hooks.json", text=text, source="project", root="/repo"), KINDS)


def entries(*given, event="PreToolUse"):
    return hooks({"version": 1, "hooks": {event: list(given)}})


def test_an_entry_becomes_a_declaration():
    layer = entries({"command": "python hooks/pre_tool.py", "priority": 20, "match": "shell", "timeout": 2})
    (declaration,) = layer.declarations

    assert layer.problems == ()
    assert (declaration.kind, declaration.on, declaration.priority) == ("command", (PreToolUse,), 20)
    assert (declaration.match, declaration.timeout, declaration.source) == ("shell", 2, "project")
    assert declaration.spec == {"command": "python hooks/pre_tool.py"}
    assert declaration.root == "/repo"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"command": ["a", "b"]}, "command"),
        ({"url": "http://127.0.0.1:1/x"}, "http"),
        ({"tool": "memory.load"}, "mcp"),
        ({"python": "package.module:name"}, "python"),
    ],
)
def test_the_key_tells_the_kind(entry, kind):
    assert [declaration.kind for declaration in entries(entry).declarations] == [kind]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x", "prioritty": 1}, ["'prioritty'", "priority", "timeout"]),
        ({"command": "x", "priority": "high"}, ["'priority'", "a whole number", "text"]),
        ({"command": "x", "priority": True}, ["'priority'", "a whole number", "true or false"]),
        ({"command": "x", "timeout": 0}, ["'timeout'", "more than 0"]),
        ({"command": "x", "timeout": 601}, ["'timeout'", "at most 600"]),
        ({"command": "x", "on_failure": "explode"}, ["'explode'", "warn, block"]),
        ({"command": "x", "name": "My Hook"}, ["'My Hook'", "small letters"]),
        ({"command": "x", "match": "("}, ["'('", "no pattern"]),
        ({"command": "x", "url": "http://x"}, ["exactly one of", "command", "python", "tool", "url"]),
        ({"match": "x"}, ["exactly one of"]),
        ("x", ["table of keys", "text"]),
    ],
)
def test_a_wrong_entry_is_named_and_the_others_hold(entry, words):
    layer = entries(entry, {"command": "good"})
    (problem, *_) = layer.problems

    assert [declaration.spec["command"] for declaration in layer.declarations] == ["good"]
    assert problem.line > 1
    for word in words:
        assert word in str(problem)


def test_an_unknown_event_lists_the_events_and_its_line():
    layer = hooks('{"version": 1,\n "hooks": {\n  "PreToolUze": [],\n  "Stop": [{"command": "x"}]}}')

    assert len(layer.declarations) == 1
    assert str(layer.problems[0]).startswith(
        "hooks.json:3: the list of events has no 'PreToolUze'; there are: "
    )
    assert all(event in str(layer.problems[0]) for event in EVENTS)


@pytest.mark.parametrize(
    "text", ["{", "[1,", "nul", '{"a": }', '{"version": 2, "hooks": {}}', "[]", '"x"', "[" * 99_999]
)
def test_a_broken_file_is_a_problem_not_an_exception(text):
    layer = hooks(text)

    assert layer.declarations == ()
    assert len(layer.problems) == 1
    assert str(layer.problems[0]).startswith("hooks.json:")


def test_servers_are_read_with_where_they_belong():
    text = json.dumps(
        {"mcpServers": {"memory": {"command": "m"}}, "hooks": {"SessionStart": [{"tool": "memory.x"}]}}
    )
    layer = read_mcp(File(name="mcp.json", text=text, source="project", root="/repo"), KINDS)

    assert layer.servers == {"memory": {"command": "m", "cwd": "/repo"}}
    assert layer.declarations[0].spec == {"tool": "memory.x"}


def test_hooks_json_has_no_servers():
    assert "'mcpServers'" in str(hooks({"mcpServers": {}}).problems[0])


def test_settings_are_read_with_their_lines():
    layer = toml(
        'context_cap = 500\n\n[hooks.budget-countdown]\nwrap_up = 600\n[hooks."x"]\nenabled = false\n'
    )

    assert layer.settings["budget-countdown"]["wrap_up"].origin == "hookline.toml:4"
    assert layer.settings["x"]["enabled"].value is False
    assert layer.options["context_cap"].value == 500
    assert layer.problems == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1", ["hookline.toml:1:", "'a'", "profile"]),
        ("\nprofile = 'loud'", ["hookline.toml:2:", "'loud'", "default, none"]),
        ("profile = 1", ["'profile'", "text", "a whole number"]),
        ("context_cap = 0", ["'context_cap'", "more than 0"]),
        ("context_cap = true", ["'context_cap'", "a whole number"]),
        ("import = [1]", ["'import'", "package.module:name"]),
        ("hooks = 1", ["'hooks'", "table of keys"]),
        ("[hooks]\nx = 1", ["hookline.toml:2:", "'x'", "table of keys"]),
        ("x = ", ["cannot be read", "nothing in it holds"]),
    ],
)
def test_wrong_settings_are_named_with_file_and_line(text, words):
    (problem,) = toml(text).problems

    for word in words:
        assert word in str(problem)


@given(st.text())
def test_any_text_is_read_or_complained_about(text):
    for layer in (toml(text), hooks(text)):
        assert layer.problems or not layer.declarations


keys = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=3)
values = st.recursive(
    st.one_of(st.integers(), st.text(max_size=4), st.none(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(keys, values, max_size=4), st.sampled_from([None, 1]))
def test_every_key_of_a_json_file_has_its_line(value, indent):
    text = json.dumps(value, indent=indent)
    lines = json_lines(text)

    def check(value, path):
        if isinstance(value, dict):
            for key, item in value.items():
                assert f'"{key}":' in text.splitlines()[lines[(*path, key)] - 1]
                check(item, (*path, key))
        elif isinstance(value, list):
            for number, item in enumerate(value):
                check(item, (*path, str(number)))

    check(value, ())


def test_the_nearest_line_is_that_of_what_is_around():
    lines = toml_lines("[a]\n\n[a.b]\nc = 1\n")

    assert nearest(lines, ("a", "b", "c")) == 4
    assert nearest(lines, ("a", "b", "x")) == 3
    assert nearest(lines, ("z",)) == 1
