"""Carry out every recipe of CONTRIBUTING in a copy of the project."""

import json
import os
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
from hookline.core.host import Host, Reply, Said, moment, tool
from hookline.core.install_table import Entry, Listed, Wiring


def entry(one: Entry) -> str:
    return one.command


def encode(said: Said) -> Reply:
    words = {"stop": said.outcome.blocked, "say": said.outcome.context, "note": said.outcome.warnings}
    told = {key: value for key, value in words.items() if value}
    return Reply(stdout=json.dumps(told) if told else "")


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
    names_event="moment",
    common={"session": "id", "cwd": "dir"},
    program="toy",
    wiring=Wiring(way=Listed(user="~/.toy.json", project=".toy.json", entry=entry)),
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

NEAR = True


class Tally:
    def __init__(self, file: str) -> None:
        self.file = file

    def export(self, reports: Sequence[Report]) -> None:
        with open(self.file, "a") as file:
            file.write("".join(f"{one.event}\\n" for one in reports))

    def close(self) -> None:
        pass


def open_sink(place: str, *, name: str = "tally", content: bool = False) -> Sink:
    os.makedirs(place, exist_ok=True)
    return Tally(os.path.join(place, name))
'''
KIND = '''
"""Kind fixed: an answer that the configuration itself contains."""

from hookline.core.kind import Carry, Declaration, Kind, Machine
from hookline.core.response import block


def bind(declaration: Declaration, machine: Machine) -> Carry:
    return lambda event, state, limit: block(declaration.spec["answer"])


KIND = Kind(name="fixed", key="answer", fields={"answer": (str,)}, bind=bind, about="Give a fixed answer.")
'''
EVENT = '''
@dataclass(frozen=True, kw_only=True, slots=True)
class CoffeeBreak(Event):
    """The host takes a break."""

    may = frozenset({BLOCK})
    limit = 10.0
    cups: int = 0


EVENTS: Mapping'''
COMMAND = '''
"""Print a greeting."""

from argparse import ArgumentParser, Namespace

from hookline.cli._command import Command


def run(args: Namespace) -> int:
    print(f"hello {args.whom}")
    return 0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("whom", metavar="NAME")


COMMAND = Command(about="Print a greeting.", examples="hookline greet Ada", run=run, arguments=arguments)
'''
PAYLOAD = {"moment": "before", "id": "s", "dir": "/", "what": "sh", "how": {"line": "deploy on friday"}}
HARMLESS = {**PAYLOAD, "how": {"line": "ls"}}
BREAK = {"moment": "break", "id": "s", "dir": "/", "cups": 2}


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A copy of the project to which each recipe added its file."""
    place = tmp_path_factory.mktemp("grown")
    for part in (
        "src",
        "docs",
        "tests/stores",
        "tests/sinks",
        "tests/conftest.py",
        "tests/forked_commands.py",
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
    package = place / "src" / "hookline"
    (package / "hooks" / "no_fridays.py").write_text(HOOK)
    (package / "hosts" / "toy_agent.py").write_text(HOST)
    (package / "stores" / "elsewhere.py").write_text(STORE)
    (package / "sinks" / "tally.py").write_text(SINK)
    (package / "kinds" / "fixed.py").write_text(KIND)
    (package / "cli" / "greet.py").write_text(COMMAND)
    events = package / "core" / "events.py"
    events.write_text(events.read_text().replace("EVENTS: Mapping", EVENT.strip(), 1))
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


def test_they_are_listed(grown):
    listed = run(grown, "-m", "hookline", "list")

    assert "no-fridays" in listed
    assert "toy-agent" in listed
    assert "day = 'friday'" in listed
    assert "A sink that was invented for a test." in listed


def test_they_work_together(grown):
    reply = run(
        grown, "-m", "hookline", "hook", "toy-agent", "--only", "no-fridays", stdin=json.dumps(PAYLOAD)
    )

    assert json.loads(reply) == {"stop": "not on a friday [no-fridays:day]"}


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
        "elsewhere or toy-agent or tally",  # the others have their turn without them
    )

    assert "elsewhere" in ran
    assert "toy-agent:before" in ran
    assert "test_settings[tally] PASSED" in ran
    assert "tally-takes_from_many_at_once] PASSED" in ran
    assert "FAILED" not in ran


def test_a_host_is_wired_by_its_one_file(grown):
    said = run(grown, "-m", "hookline", "init", "--host", "toy-agent", "--yes")
    entries = json.loads((grown / ".toy.json").read_text())["hooks"]

    assert "toy-agent is wired now" in said
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

    assert "no store is called 'nowhere'; there are: elsewhere, memory, postgres, sqlite" in reply


def test_a_kind_runs_the_hooks_that_are_configured_with_its_key(grown):
    settings = grown / ".config" / "hookline" / "hooks.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"version": 1, "hooks": {"PreToolUse": [{"answer": "never"}]}}))
    reply = run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(HARMLESS))
    settings.unlink()

    assert "never" in json.loads(reply)["stop"]


def test_an_event_reaches_the_hooks_that_listen_for_it(grown):
    settings = grown / ".config" / "hookline" / "hooks.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"version": 1, "hooks": {"CoffeeBreak": [{"answer": "work on"}]}}))
    reply = run(grown, "-m", "hookline", "hook", "toy-agent", stdin=json.dumps(BREAK))
    settings.unlink()
    run(grown, "docs/schemas.py")

    assert "work on" in json.loads(reply)["stop"]
    assert any("CoffeeBreak" in file.read_text() for file in (grown / "schema").glob("*.json"))


def test_a_command_is_listed_and_runs(grown):
    assert run(grown, "-m", "hookline", "greet", "Ada") == "hello Ada\n"
    assert "Print a greeting." in run(grown, "-m", "hookline", "--help")
