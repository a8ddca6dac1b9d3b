"""Test parsing of configuration files: valid content, and messages on invalid content."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import kinds
from hookline.core.events import PreToolUse
from hookline.policy.line_numbers import MAX_DEPTH, json_lines, nearest, toml_lines
from hookline.policy.parse_files import File, read_hooks, read_mcp, read_toml

KINDS = {name: kinds.load(name) for name in kinds.names()}


def toml(text):
    return read_toml(File(name="hookline.toml", text=text, source="user", root="/u"), ["memory", "sqlite"])


def mcp(value):
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    return read_mcp(File(name="mcp.json", text=text, source="project", root="/repo"), KINDS)


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
        ({"command": "x", "prioritty": 1}, ["'prioritty'", "did you mean 'priority'?"]),
        ({"command": "x", "priority": "high"}, ["'priority'", "a whole number", "text"]),
        ({"command": "x", "priority": True}, ["'priority'", "a whole number", "true or false"]),
        ({"command": "x", "timeout": 0}, ["'timeout'", "more than 0"]),
        ({"command": "x", "timeout": 601}, ["'timeout'", "at most 600"]),
        ({"command": "x", "on_failure": "explode"}, ["'explode'", "warn, block"]),
        ({"command": "x", "name": "My Hook"}, ["'My Hook'", "lower-case letters"]),
        ({"command": "x", "match": "("}, ["'('", "a regular expression"]),
        ({"command": "x", "url": "http://x"}, ["exactly one of", "command", "python", "tool", "url"]),
        ({"match": "x"}, ["exactly one of"]),
        ({}, ["exactly one of"]),
        ({"command": "x", "timeout": float("nan")}, ["'timeout'", "nan", "at most 600"]),
        ({"command": "x", "timeout": float("inf")}, ["'timeout'", "inf", "at most 600"]),
        ({"command": "x", "timeout": "5"}, ["'timeout' must be a number, not text"]),
        ({"command": "x", "priority": 1001}, ["'priority'", "from -1000 to 1000, not 1001"]),
        ({"command": "x", "priority": -1001}, ["'priority'", "from -1000 to 1000, not -1001"]),
        ({"command": "x", "priority": 10**4000}, ["'priority'", "from -1000 to 1000, not 1000"]),
        ({"command": ["x", 1]}, ["item 2 of 'command' must be text, not a whole number"]),
        ({"command": "x", "env": {"A": 1}}, ["'A' must be text, not a whole number"]),
        ({"url": "http://x", "env": [None]}, ["item 1 of 'env' must be text, not null"]),
        ({"python": "nosuch:"}, ["'python'", "package.module:name", "'nosuch:'"]),
        ({"python": "a..b"}, ["'python'", "package.module:name"]),
        ({"python": ""}, ["'python'", "package.module:name"]),
        ({"python": "a/b.py"}, ["'python'", "package.module:name"]),
        ({"tool": "nosuch"}, ["'tool'", "memory.load", "'nosuch'"]),
        ({"tool": ".x"}, ["'tool'", "memory.load"]),
        ({"tool": "x."}, ["'tool'", "memory.load"]),
        ("x", ["item 1 of 'PreToolUse'", "table of keys", "text"]),
        (["command"], ["item 1 of 'PreToolUse'", "table of keys", "a list"]),
    ],
)
def test_a_wrong_entry_is_named_and_the_others_hold(entry, words):
    layer = entries(entry, {"command": "good"})
    (problem, *_) = layer.problems

    assert [declaration.spec["command"] for declaration in layer.declarations] == ["good"]
    assert problem.line > 1
    for word in words:
        assert word in str(problem)


def test_an_unknown_event_is_reported_with_its_line_and_the_closest_name():
    layer = hooks('{"version": 1,\n "hooks": {\n  "PreToolUze": [],\n  "Stop": [{"command": "x"}]}}')

    assert len(layer.declarations) == 1
    assert str(layer.problems[0]).startswith(
        "hooks.json:3: no event named 'PreToolUze'; did you mean 'PreToolUse'?"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[1,", "nul", '{"a": }', "[]", '"x"', "[" * 99_999, "1" * 9_999, "", " \n"),
        *('{"version": 2, "hooks": {"Stop": [1]}}', '{"version": true}', '{"version": "1"}'),
    ],
)
def test_a_broken_file_is_a_problem_not_an_exception(text):
    layer = hooks(text)

    assert layer.declarations == ()
    assert len(layer.problems) == 1
    assert str(layer.problems[0]).startswith("hooks.json:")


def test_an_empty_file_says_what_would_do():
    assert str(hooks("").problems[0]).startswith("hooks.json:1: invalid JSON: it is empty")
    assert hooks('{"version": 1}').problems == mcp('{"version": 1}').problems == ()
    assert len(mcp("").problems) == 1


@pytest.mark.parametrize("priority", [-1000, 1000])
def test_a_priority_may_be_as_large_as_it_says(priority):
    (declaration,) = entries({"command": "x", "priority": priority}).declarations

    assert declaration.priority == priority


@pytest.mark.parametrize("path", ["a", "a.b", "a.b:c", "a.b:no-deploys"])
def test_an_import_path_is_a_module_or_a_hook_of_it(path):
    layer = toml(f'import = ["{path}"]')

    assert (layer.problems, layer.options["import"].value) == ((), (path,))
    assert entries({"python": path}).problems == ()


def test_every_entry_is_reported_at_its_own_line():
    text = """{"hooks": {
      "Stop": [ {"command": "x"},
        3,
        "a",
        [
          1],
        {"command": "x",
         "timeout": 0},
        {"command": ["a",
           4]}, null]}}"""
    layer = hooks(text)

    assert [problem.line for problem in layer.problems] == [3, 4, 5, 8, 10, 10]
    assert [declaration.origin for declaration in layer.declarations] == ["hooks.json:2"]


def test_an_event_that_is_said_twice_loses_no_entry():
    layer = hooks(
        '{"hooks": {\n"Stop": [{"command": "a"}],\n"PreToolUse": [],\n"Stop": [\n{"command": "b"},\n1]},\n'
        '"hooks": {"Stop": [{"command": "c"}]}}'
    )

    assert [(one.spec["command"], one.name, one.origin) for one in layer.declarations] == [
        ("a", "project.stop.command-1", "hooks.json:2"),
        ("b", "project.stop.command-2", "hooks.json:5"),
        ("c", "project.stop.command-4", "hooks.json:7"),
    ]
    assert [str(problem) for problem in layer.problems] == [
        "hooks.json:7: duplicate key 'hooks'; it was first set in line 1",
        "hooks.json:4: duplicate key 'Stop'; it was first set in line 2",
        "hooks.json:6: item 2 of 'Stop' must be a table of keys, not a whole number",
    ]


def test_a_key_that_an_entry_says_twice_is_named_and_the_entry_holds():
    layer = hooks(
        '{"hooks": {"Stop": [{"command": "a", "priority": 1,\n"priority": 2,\n"priority": "x",\n'
        '"env": {"A": "1",\n"A": 2}}]}}'
    )
    (declaration,) = layer.declarations

    assert (declaration.priority, declaration.spec) == (1, {"command": "a", "env": {"A": "1"}})
    assert [(problem.line, problem.text.partition(";")[0]) for problem in layer.problems] == [
        (2, "duplicate key 'priority'"),
        (3, "duplicate key 'priority'"),
        (5, "duplicate key 'A'"),
    ]


def test_servers_are_read_with_where_they_belong():
    layer = mcp(
        {"mcpServers": {"memory": {"command": "m"}}, "hooks": {"SessionStart": [{"tool": "memory.x"}]}}
    )

    assert layer.servers == {"memory": {"command": "m", "cwd": "/repo"}}
    assert layer.declarations[0].spec == {"tool": "memory.x"}


@pytest.mark.parametrize(
    "server",
    [
        {"command": "m", "args": ("a",), "env": {"A": "b"}, "cwd": "x", "type": "stdio"},
        {"url": "https://x", "headers": {"a": "b"}, "type": "http"},
        {"url": "http://x", "type": "streamable-http"},
    ],
)
def test_a_server_may_say_all_that_its_way_takes(server):
    layer = mcp({"mcpServers": {"m": server}})

    assert (layer.problems, layer.servers["m"]) == ((), {"cwd": "/repo", **server})


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"command": "m", "argz": []}, ["mcp.json:5:", "'argz'", "did you mean 'args'?"]),
        ({"command": "m", "args": "x"}, ["mcp.json:5:", "'args' must be a list, not text"]),
        ({"command": "m", "args": ["x", 1]}, ["mcp.json:7:", "item 2 of 'args' must be text"]),
        ({"command": "m", "env": {"A": 1}}, ["mcp.json:6:", "'A' must be text, not a whole number"]),
        ({"command": ["m"]}, ["mcp.json:4:", "'command' must be text, not a list"]),
        ({"command": " "}, ["mcp.json:4:", "'command' must name a program"]),
        ({"command": "m", "headers": {}}, ["mcp.json:5:", "'headers'", "args, command, cwd, env, type"]),
        ({"command": "m", "type": "sse"}, ["mcp.json:5:", "'sse'", "must be one of stdio"]),
        ({"url": "http://x", "type": "stdio"}, ["mcp.json:5:", "'stdio'", "http, streamable-http"]),
        ({"url": "ftp://x"}, ["mcp.json:4:", "http:// or https://", "'ftp://x'"]),
        ({"url": "http://x", "args": []}, ["mcp.json:5:", "'args'", "headers, type, url"]),
        ({"url": "http://x", "command": "m"}, ["mcp.json:3:", "'command'", "'url'", "headers"]),
        ({}, ["mcp.json:3:", "'command' (with type, args, env, cwd)", "'url' (with type, headers)"]),
        ([], ["mcp.json:3:", "'m' must be a table of keys, not a list"]),
    ],
)
def test_a_wrong_server_is_named_and_the_others_hold(server, words):
    layer = mcp({"mcpServers": {"m": server, "good": {"command": "g"}}})
    (problem,) = layer.problems

    assert layer.servers == {"m": {}, "good": {"command": "g", "cwd": "/repo"}}
    for word in words:
        assert word in str(problem)


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
        ("\nprofile = 'loud'", ["hookline.toml:2:", "'loud'", "default, none, unattended"]),
        ("profile = 1", ["'profile'", "text", "a whole number"]),
        ("context_cap = 0", ["'context_cap'", "more than 0"]),
        ("context_cap = true", ["'context_cap'", "a whole number"]),
        ("import = [1]", ["item 1 of 'import'", "text, not a whole number"]),
        ('import = ["a.b",\n "nosuch:"]', ["hookline.toml:2:", "item 2 of 'import'", "package.module:name"]),
        ("answer_within = 0", ["'answer_within' must be more than 0 and at most 86,400, not 0"]),
        ("answer_within = 86401", ["'answer_within' must be more than 0", "not 86401"]),
        ("\nanswer_within = nan", ["hookline.toml:2:", "'answer_within'", "neither nan nor inf"]),
        ("answer_within = -inf", ["'answer_within'", "neither nan nor inf"]),
        ("answer_within = 1_000_000_000_000_000_000_000", ["'answer_within'", "at most 64 bits"]),
        (f"context_cap = 0x{'f' * 9999}", ["'context_cap'", "at most 64 bits"]),
        ("\n\nstore = 'postgress'", ["hookline.toml:3:", "'postgress'; available: memory, sqlite"]),
        ("[hooks.x]\na = 1\nb = {c = [1, inf]}", ["hookline.toml:3:", "'b'", "neither nan nor inf"]),
        ("[hooks.x]\nb = -9_223_372_036_854_775_809", ["hookline.toml:2:", "'b'", "at most 64 bits"]),
        ("hooks = 1", ["'hooks'", "table of keys"]),
        ("[hooks]\nx = 1", ["hookline.toml:2:", "'x'", "table of keys"]),
        ("\nx = ", ["hookline.toml:2:", "invalid TOML", "it is ignored until it is fixed"]),
        ("x = 1\n\ny = '", ["hookline.toml:3:", "invalid TOML"]),
        (f"x = {'[' * 9999}", ["hookline.toml:1:", "invalid TOML", "nested too deeply"]),
        (f"x = {'1' * 9999}", ["hookline.toml:1:", "invalid TOML"]),
    ],
)
def test_wrong_settings_are_named_with_file_and_line(text, words):
    (problem,) = toml(text).problems

    for word in words:
        assert word in str(problem)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('a = """\nwrap_up = 3\n[x]"""\n[g]\nwrap_up = 4', {("a",): 1, ("g", "wrap_up"): 5}),
        ("a = '''\nwrap_up = 3\n'''\nwrap_up = 4", {("wrap_up",): 4}),
        ('a = """x\\"""\nb = 1"""""\nb = 4', {("b",): 3}),
        ('a = "\\"" # " b = 1\nb = "#"\nc = 1', {("b",): 2, ("c",): 3}),
        ("a = [\n1, # [\n\n'x',\n[2,\n3]]\nb = 1", {("a", "1"): 4, ("a", "2", "1"): 6, ("b",): 7}),
        ("a = {b = {c = [\n1]},\t'd e'.f = 2}\ng = 1", {("a", "b", "c", "0"): 2, ("a", "d e", "f"): 2}),
        ("[[r]]\nx = 1\n[[r]]\nx = 2\n[r.s]\ny = 1", {("r", "1", "x"): 4, ("r", "1", "s", "y"): 6}),
        ("x = 07:32:00\nhooks.'a.b'.c = 1.5\n[hooks.e]\n", {("hooks", "a.b"): 2, ("hooks", "e"): 3}),
        ('"\\u0061" = 1\r\nb = 2', {("a",): 1, ("b",): 2}),
    ],
)  # fmt: skip
def test_lines_of_toml_are_those_of_its_keys_whatever_stands_in_texts(text, lines):
    found = toml_lines(text)

    assert {path: found.get(path) for path in lines} == lines
    assert all(_there(tomllib.loads(text), path) for path in found)


def _there(value, path):
    for step in path:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 30_000,
        'a = """' + 'x"' * 150_000 + '"""',
        "a." * 150_000,
        "[a." * 30_000,
        "{" + '"a": 1,' * 20_000 + '"a": 1}',
        "[" * 900 + "1," * 100_000,
    ],
    ids=range(6),  # the texts are too long for ids
)
def test_finding_lines_takes_time_and_space_by_the_length_of_the_text(text):
    for lines in (toml_lines, json_lines):
        assert all(len(path) <= 3 * MAX_DEPTH for path in lines(text))


@given(st.text(st.sampled_from("[]{}\"'=,.:#\n\\a1 ")))
def test_lines_of_any_text_can_be_looked_for(text):
    assert all(line >= 1 for lines in (toml_lines, json_lines) for line in lines(text).values())


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
def test_every_key_and_item_of_a_json_file_has_its_line(value, indent):
    text = json.dumps(value, indent=indent)
    lines = json_lines(text)

    def check(value, path):
        if len(path) >= MAX_DEPTH:
            return
        if isinstance(value, dict):
            for key, item in value.items():
                assert f'"{key}":' in text.splitlines()[lines[(*path, key)] - 1]
                check(item, (*path, key))
        elif isinstance(value, list):
            for number, item in enumerate(value):
                line = text.splitlines()[lines[(*path, str(number))] - 1]
                assert line.strip().startswith(json.dumps(item)[0]) or indent is None
                check(item, (*path, str(number)))

    check(value, ())


def test_the_nearest_line_is_that_of_what_is_around():
    lines = toml_lines("[a]\n\n[a.b]\nc = 1\n")

    assert nearest(lines, ("a", "b", "c")) == 4
    assert nearest(lines, ("a", "b", "x")) == 3
    assert nearest(lines, ("z",)) == 1
