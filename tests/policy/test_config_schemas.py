"""Test the JSON Schemas of the configuration files: current, and of the same opinion as the parser."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hookline import hooks, kinds, sinks, stores
from hookline.policy.model import File
from hookline.policy.parse_files import OPTIONS, read_hooks, read_toml

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))

import config_schemas  # noqa: E402 -- found by that path

SCHEMAS = config_schemas.build_schemas()
TOML, HOOKS = (Draft202012Validator(SCHEMAS[name]) for name in ("hookline.toml", "hooks"))
KINDS = {name: kinds.load(name) for name in kinds.names()}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_files_are_current(name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    written = json.loads((ROOT / "schema" / f"{name}.json").read_text())

    assert written == SCHEMAS[name], "run: python docs/schemas.py"


def toml_problems(text):
    file = File(name="hookline.toml", text=text, source="user", root="/")
    return read_toml(file, stores.names(), sinks.names()).problems


@pytest.mark.parametrize("key", OPTIONS)
@pytest.mark.parametrize(
    "value", ["0", "1", "1.5", "true", '"none"', '"sqlite"', '["a:b"]', "10000000000", "{}"]
)
def test_an_option_is_valid_in_the_schema_if_the_parser_accepts_it(key, value):
    text = f"{key} = {value}\n"

    assert TOML.is_valid(tomllib.loads(text)) == (not toml_problems(text))


@pytest.mark.parametrize("name", hooks.names())
def test_the_defaults_of_each_hook_are_valid(name):
    hook = hooks.load(name)
    settings = json.loads(json.dumps(dict(hook.settings), default=plain))

    assert list(TOML.iter_errors({"hooks": {hook.name: settings}})) == []
    assert not TOML.is_valid({"hooks": {hook.name: {"no_such_setting": 1}}})


def plain(value):
    return dict(value) if hasattr(value, "keys") else list(value)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "true"},
        {"command": "true", "priority": 20, "timeout": 2.5, "on_failure": "block", "hosts": ["codex"]},
        {"url": "http://127.0.0.1:1/"},
        {"command": "true", "url": "http://127.0.0.1:1/"},
        {"command": "true", "priority": 2000},
        {"command": "true", "timeout": 0},
        {"command": "true", "on_failure": "ignore"},
        {"command": "true", "colour": "red"},
        {"priority": 1},
    ],
)
def test_an_entry_is_valid_in_the_schema_if_the_parser_accepts_it(entry):
    data = {"$schema": "hooks.json", "version": 1, "hooks": {"PreToolUse": [entry]}}
    file = File(name="hooks.json", text=json.dumps(data), source="user", root="/")

    assert HOOKS.is_valid(data) == (not read_hooks(file, KINDS).problems)


def test_an_unknown_event_is_invalid():
    assert not HOOKS.is_valid({"version": 1, "hooks": {"PreTool": []}})
