"""Test every recipe of CONTRIBUTING.md in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOOK = '''
"""Keep the agent away from Fridays."""

from hookline.core.events import PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, block
from hookline.core.state import State


@hook(priority=33)
def no_fridays(event: PreToolUse, state: State, *, day: str = "friday") -> Response | None:
    return block(f"not on a {day}", rule="day") if day in (event.command or "") else None
'''
HOST = '''
"""A host that was invented for a test."""

import json

from hookline.core.events import BLOCK, INJECT, CoffeeBreak, PreToolUse
from hookline.core.host import Host, Reply, ReplyContext, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, SettingsFile


def make_entry(entry: InstallEntry) -> str:
    return entry.command


def encode(context: ReplyContext) -> Reply:
    outcome = context.outcome
    values = {"stop": outcome.blocked, "say": outcome.context, "note": outcome.warnings}
    reply = {key: value for key, value in values.items() if value}
    return Reply(stdout=json.dumps(reply) if reply else "")


HOST = Host(
    name="toy-agent",
    about="Invented.",
    documented="a test",
    moments={
        "before": moment(PreToolUse, BLOCK, INJECT, tool="what", input="how"),
        "break": moment(CoffeeBreak, BLOCK, cups="cups"),
    },
    tools={"sh": tool("shell", command="line")},
    encode=encode,
    event_key="moment",
    common_paths={"session": "id", "cwd": "dir"},
    program="toy",
    install=InstallMethod(
        layout=SettingsFile(user="~/.toy.json", project=".toy.json", make_entry=make_entry)
    ),
)
'''
STORE = '''
"""A store that was invented for a test."""

from hookline.core.store import Store


def open_store(place: str) -> Store:
    import importlib

    return importlib.import_module("hookline.stores.memory").open_store("")
'''
SINK = '''
"""A sink that was invented for a test."""

import os
from collections.abc import Sequence

from hookline.core.sink import Report, Sink

ALLOWS_DIRECT_WRITES = True


class Tally:
    def __init__(self, file: str) -> None:
        self.file = file

    def export(self, reports: Sequence[Report]) -> None:
        with open(self.file, "a") as file:
            file.write("".join(f"{report.event}\\n" for report in reports))

    def close(self) -> None:
        pass


def open_sink(place: str, *, name: str = "tally", content: bool = False) -> Sink:
    os.makedirs(place, exist_ok=True)
    return Tally(os.path.join(place, name))
'''
KIND = '''
"""Kind fixed: an answer that the configuration itself contains."""

from hookline.core.kind import BoundHook, Declaration, Kind, Machine
from hookline.core.response import block


def bind(declaration: Declaration, machine: Machine) -> BoundHook:
    return lambda event, state, timeout: block(declaration.spec["answer"])


KIND = Kind(name="fixed", key="answer", fields={"answer": (str,)}, bind=bind, about="Give a fixed answer.")
'''
EVENT = '''
class CoffeeBreak(Event, frozen=True, kw_only=True):
    """The host takes a break."""

    abilities = frozenset({BLOCK})
    timeout = 10.0
    cups: int = 0


EVENTS: Mapping'''
COMMAND = '''
"""Print a greeting."""

from argparse import Namespace


def run(args: Namespace) -> int:
    print(f"hello {args.whom}")
    return 0
'''
ARGUMENTS = '''
"""Arguments of `hookline greet`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("whom", metavar="NAME")


COMMAND = Command(about="Print a greeting.", examples="hookline greet Ada", arguments=arguments)
'''
HOOK_TEST = """
from hookline import State
from hookline.hooks.no_fridays import no_fridays
from hookline.testing import pre_tool_use


def test_it_blocks_on_its_day():
    assert no_fridays(pre_tool_use("deploy on friday"), State(now=1.0)).verdict == "block"
"""
RECIPES = {
    "hook": ("src/hookline/hooks/no_fridays.py", HOOK),
    "host": ("src/hookline/hosts/toy_agent.py", HOST),
    "kind": ("src/hookline/kinds/fixed.py", KIND),
    "store": ("src/hookline/stores/elsewhere.py", STORE),
    "sink": ("src/hookline/sinks/tally.py", SINK),
    "event": ("src/hookline/core/events.py", EVENT),
    "command": ("src/hookline/cli/greet.py", COMMAND),
}
"""The recipes of CONTRIBUTING.md: for each, the file it adds or changes, and the text."""
PAYLOAD = {"moment": "before", "id": "s", "dir": "/", "what": "sh", "how": {"line": "deploy on friday"}}
HARMLESS = {**PAYLOAD, "how": {"line": "ls"}}
BREAK = {"moment": "break", "id": "s", "dir": "/", "cups": 2}


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Return a copy of the project with the file of each recipe added."""
    place = tmp_path_factory.mktemp("grown")
    for part in (
        "src",
        "docs",
        "tests/stores",
        "tests/sinks",
        "tests/conftest.py",
        "tests/commands.py",
        "tests/worker_groups.py",
        "tests/hosts",
        "tests/captures",
        "README.md",
        "pyproject.toml",
        "schema",
    ):
        source, target = ROOT / part, place / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for path, text in (*RECIPES.values(), ("src/hookline/cli/_arguments/greet.py", ARGUMENTS)):
        file = place / path
        before = file.read_text() if file.exists() else ""
        file.write_text(before.replace("EVENTS: Mapping", text.strip(), 1) if before else text)
    (place / "tests" / "hooks").mkdir()
    (place / "tests" / "hooks" / "test_no_fridays.py").write_text(HOOK_TEST)
    (place / "tests" / "captures" / "toy-agent").mkdir()
    (place / "tests" / "captures" / "toy-agent" / "before.json").write_text(json.dumps(PAYLOAD))
    (place / "tests" / "captures" / "toy-agent" / "break.json").write_text(json.dumps(BREAK))
    (place / ".git").mkdir()
    return place


def run(grown, *words, stdin=""):
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(grown),
        "PYTHONPATH": str(grown / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ran = subprocess.run(
        [sys.executable, *words], input=stdin, capture_output=True, text=True, cwd=grown, env=env, check=False
    )
    return ran.stdout + ran.stderr


def test_every_recipe_of_the_contributing_page_is_followed_here():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    steps = dict(re.findall(r"\*\*Add an? (\w+)\*\*\n\n((?:\d\..*\n)+)", text))

    assert steps.keys() == RECIPES.keys()
    for name, (path, _) in RECIPES.items():
        folder, file = path.rsplit("/", 1)
        assert (
            f"`{folder}/<{name}>.py`" in steps[name]
            or f"`{folder}/<name>.py`" in steps[name]
            or (f"`{folder}/{file}`" in steps[name])
        )


def test_the_test_of_a_hook_runs(grown):
    assert "1 passed" in run(grown, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/hooks")


@pytest.mark.slow
def test_they_are_listed(grown):
    listed = run(grown, "-m", "hookline", "list", "--wide")

    assert "no-fridays" in listed
    assert "toy-agent" in listed
    assert "day = 'friday'" in listed
    assert "A sink that was invented for a test." in listed


def test_they_work_together(grown):
    reply = run(
        grown, "-m", "hookline", "hook", "toy-agent", "--only", "no-fridays", stdin=json.dumps(PAYLOAD)
    )

    assert json.loads(reply) == {"stop": "not on a friday [no-fridays:day]"}


@pytest.mark.slow
def test_they_join_the_conformance_suites(grown):
    ran = run(
        grown,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "tests/stores/test_conformance.py",
        "tests/hosts/test_conformance.py",
        "tests/sinks/test_conformance.py",
        "-v",
        "-k",
        "elsewhere or toy-agent or tally",  # the other members are tested without the recipes
    )

    assert "elsewhere" in ran
    assert "toy-agent:before" in ran
    assert "test_settings[tally] PASSED" in ran
    assert "tally-takes_from_many_at_once] PASSED" in ran
    assert "FAILED" not in ran


def test_a_host_is_wired_by_its_one_file(grown):
    said = run(grown, "-m", "hookline", "init", "--host", "toy-agent", "--yes")
    entries = json.loads((grown / ".toy.json").read_text())["hooks"]

    assert "toy-agent: hooks installed" in said
    assert entries.keys() == {"before", "break"}
    assert all(command.endswith(" hook toy-agent") for (command,) in entries.values())


@pytest.mark.long
def test_they_appear_in_the_docs(grown):
    run(grown, "docs/generate.py")
    pages = "\n".join(page.read_text() for page in (grown / "docs").rglob("*.md"))

    assert "no-fridays" in pages
    assert "toy-agent" in pages
    assert "Keep the agent away from Fridays." in pages
    assert "A sink that was invented for a test." in pages


def test_a_sink_is_told_by_its_one_file(grown):
    settings = grown / ".config" / "hookline" / "hookline.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[sinks.tally]\nname = "mine"\n')
    run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(PAYLOAD | {"id": "counted"}))
    told = grown / ".local" / "state" / "hookline" / "telemetry" / "tally" / "mine"

    assert told.read_text().split() == ["SessionStart", "PreToolUse"]


def test_a_wrong_store_name_lists_them(grown):
    (grown / ".config" / "hookline").mkdir(parents=True, exist_ok=True)
    (grown / ".config" / "hookline" / "hookline.toml").write_text('store = "nowhere"\n')
    reply = run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(PAYLOAD))

    assert "no store named 'nowhere'; did you mean 'elsewhere'?" in reply


@pytest.mark.slow
def test_a_kind_runs_the_hooks_that_are_configured_with_its_key(grown):
    settings = grown / ".config" / "hookline" / "hooks.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"version": 1, "hooks": {"PreToolUse": [{"answer": "never"}]}}))
    reply = run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(HARMLESS))
    settings.unlink()

    assert "never" in json.loads(reply)["stop"]


@pytest.mark.slow
def test_an_event_reaches_the_hooks_that_listen_for_it(grown):
    settings = grown / ".config" / "hookline" / "hooks.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"version": 1, "hooks": {"CoffeeBreak": [{"answer": "work on"}]}}))
    reply = run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(BREAK))
    settings.unlink()
    run(grown, "docs/schemas.py")

    assert "work on" in json.loads(reply)["stop"]
    assert any("CoffeeBreak" in file.read_text() for file in (grown / "schema").glob("*.json"))


@pytest.mark.slow
def test_a_command_is_listed_and_runs(grown):
    assert run(grown, "-m", "hookline", "greet", "Ada") == "hello Ada\n"
    assert "Print a greeting." in run(grown, "-m", "hookline", "--help")
