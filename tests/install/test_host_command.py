"""Test the command lines that init writes, run by a shell with and without the client."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.events import SessionStart, UserPromptSubmit
from hookline.core.install_table import SettingsFile
from hookline.install import install_hooks, uninstall
from hookline.install import settings_files as notes
from hookline.install.compare import parse_program
from hookline.install.host_command import MISSING_MESSAGE, build_call, strip_guard
from hookline.install.inspect import find_installations
from hookline.install.ownership import PROGRAM, calls_hookline, matches_template
from hookline.system.paths import find_places

CLIENT = "hookline-client"
WIRABLE = [name for name in hosts.names() if hosts.load(name).install]
SCOPES = [
    (name, scope)
    for name in WIRABLE
    for scope in ("user", "project")
    if getattr(hosts.load(name).install.layout, scope)
]
ODD = '/opt/it\'s "here"/hookline-client'
STUB = '#!/bin/sh\necho "$# $*"\nexit 2\n'


def places_in(folder):
    home, root = folder / "home", folder / "project"
    for one in (home, root):
        one.mkdir(exist_ok=True)
    return find_places({"HOME": str(home)}, str(root))


def written(name, scope, places, called=CLIENT):
    """Return the files that init writes for the host *name*, as {path: text}."""
    return dict(install_hooks.build_snippets(hosts.load(name), scope, places, {}, called))


def lines(name, scope, places, called=CLIENT):
    """Return the command line of each event of the host, read back from the files that init writes."""
    host, texts = hosts.load(name), written(name, scope, places, called)
    if name == "cline":
        return {os.path.basename(path): text.splitlines()[-1] for path, text in texts.items()}
    if name == "opencode":
        return dict(spawned(host, *texts.values()))
    way = host.install.layout
    document = next(json.loads(text) for text in texts.values() if f"hook {name}" in text and "{" in text)
    for key in way.table_path if isinstance(way, SettingsFile) else ("hooks",):
        document = document[key]
    listed = {one["trigger"]: [one] for one in document} if isinstance(document, list) else document
    found = {moment: told for moment, entries in listed.items() for told in [command(entries)] if told}
    assert {*found} <= {*host.moments}
    return found


def command(entries):
    """Return the only command in an event's list of entries."""
    if not isinstance(entries, list):
        return None
    (entry,) = entries
    (entry,) = entry.get("hooks", [entry])
    entry = entry.get("action", entry)
    return entry["bash"] if "bash" in entry else entry["command"]


def spawned(host, text):
    """Yield (event, shell command line) pairs of OpenCode's plugin."""
    called = json.loads(re.search(r"^const COMMAND = (.*)$", text, re.MULTILINE)[1])
    guards = json.loads(re.search(r"^const GUARDS = (\{.*?\n?\})$", text, re.MULTILINE | re.DOTALL)[1])
    for moment in host.moments:
        yield moment, f"{guards.get(moment, '')}exec {called}"


def run(line, folder):
    return subprocess.run(
        ["/bin/sh", "-c", line], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )


def stub(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STUB)
    path.chmod(0o755)
    return path


def starts(host):
    """Return the host's events at which a missing client is reported."""
    for kind in (SessionStart, UserPromptSubmit):
        found = {name for name, row in host.moments.items() if row.event is kind}
        if found:
            return found
    return set()


@pytest.mark.parametrize(("name", "scope"), SCOPES)
def test_arguments_and_exit_code_arrive_unchanged(tmp_path, name, scope):
    stub(tmp_path / "bin" / CLIENT)
    found = lines(name, scope, places_in(tmp_path))

    assert found
    for moment, line in found.items():
        done = run(line, tmp_path / "bin")
        words = ["hook", name, *(["--event", moment] if "--event" in line else [])]
        assert done.stdout.splitlines()[0] == f"{len(words)} {' '.join(words)}"
        assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.parametrize("name", [name for name, scope in SCOPES if scope == "project"])
def test_without_the_client_only_the_start_of_a_session_says_so(tmp_path, name):
    host = hosts.load(name)
    for moment, line in lines(name, "project", places_in(tmp_path)).items():
        done = run(line, tmp_path)
        silent = host.encode_empty_reply(moment)
        assert done.returncode == 0
        if moment in starts(host):
            assert (done.stdout + done.stderr).count(MISSING_MESSAGE) == 1
            assert len((done.stdout + done.stderr).replace(silent or "\0", "").split("\n")) <= 3
        else:
            assert (done.stdout.strip(), done.stderr) == (silent, "")


@pytest.mark.parametrize("name", [name for name, scope in SCOPES if scope == "project"])
def test_every_host_with_project_files_reports_a_missing_client(name, tmp_path):
    found = lines(name, "project", places_in(tmp_path))

    assert {moment for moment, line in found.items() if MISSING_MESSAGE in line} == starts(
        hosts.load(name)
    ) & {*found}
    assert starts(hosts.load(name)) & {*found}


@pytest.mark.parametrize(("name", "scope"), SCOPES)
def test_a_users_file_has_no_guard(tmp_path, name, scope):
    found = lines(name, scope, places_in(tmp_path)).values()

    assert all(("command -v" in line) is (scope == "project") for line in found)


@pytest.mark.parametrize(("name", "scope"), SCOPES)
def test_a_path_with_a_space_and_quotes_is_run_and_recognised(tmp_path, name, scope):
    path = stub(tmp_path / ODD[1:])
    called = shlex.quote(str(path))
    for line in lines(name, scope, places_in(tmp_path), called).values():
        done = run(line, tmp_path)
        assert done.stdout.startswith(("2 hook", "4 hook"))
        assert done.returncode == 2
        assert calls_hookline(line, name)
        assert parse_program(line.removeprefix("exec "), name) == called
    path.unlink()
    for line in lines(name, "project", places_in(tmp_path), called).values() if scope == "project" else ():
        assert run(line, tmp_path).returncode == 0


@pytest.mark.parametrize("called", [CLIENT, shlex.quote(ODD), "/usr/bin/python3 -m hookline"])
@pytest.mark.parametrize("name", WIRABLE)
def test_a_guarded_and_a_plain_entry_are_the_same_call(name, called):
    host = hosts.load(name)
    pairs = zip(
        install_hooks.build_entries(host, called),
        install_hooks.build_entries(host, called, shared=True),
        strict=True,
    )
    for plain, guarded in pairs:
        assert strip_guard(guarded.line) == strip_guard(plain.line) == build_call(called, name)
        assert parse_program(guarded.line, name) == parse_program(plain.line, name) == called


@pytest.mark.parametrize(
    "line",
    [
        "command -v hookline-client >/dev/null 2>&1 || exit 1; exec hookline-client hook codex",
        "command -v hookline-client >/dev/null 2>&1 || exit 0; exec other hook codex",
        "command -v hookline-client >/dev/null 2>&1 || { rm -r x; exit 0; }; exec hookline-client hook codex",
        "command -v x >/dev/null 2>&1 || { printf '%s\\n' $(rm -r x); exit 0; }; exec x hook codex",
    ],
)
def test_another_guard_is_not_ours(line):
    assert strip_guard(line) == line


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scope"), SCOPES)
@pytest.mark.parametrize("called", [CLIENT, shlex.quote(ODD)])
def test_it_is_wired_once_reported_as_written_and_taken_out(tmp_path, name, scope, called):
    places, host = places_in(tmp_path), hosts.load(name)
    with notes.lock_records(places.state):
        for plan in install_hooks.plan_host(host, scope, places, {}, called):
            install_hooks.apply_plan(plan, places, called)
    again = list(install_hooks.plan_host(host, scope, places, {}, called))
    (wire,) = find_installations(host, places, {})
    paths = [one.path for one in install_hooks.find_targets(host, scope, places, {})]
    for path in paths:  # an edited file is cleaned entry by entry instead of restored
        os.truncate(path, os.path.getsize(path) - 1)
    with notes.lock_records(places.state):
        uninstall.apply_removals(list(uninstall.plan_removals(notes.load_records(places.state))), places)

    assert not any(plan.changes or plan.problem for plan in again)
    assert wire.differences == ()
    assert [one.ours for one in wire.calls] == [True] * len(wire.calls)
    assert {parse_program(one.line, name) for one in wire.calls} == {called}
    assert [path for path in paths if os.path.exists(path)] == []


@pytest.mark.parametrize("name", ["cline", "opencode", "kiro", "copilot-cli"])
@pytest.mark.parametrize("called", [CLIENT, f"'/my path/{CLIENT}'", "/usr/bin/python3 -m hookline"])
def test_a_shared_file_of_our_own_is_recognised_with_any_program(tmp_path, name, called):
    places = places_in(tmp_path)
    texts, patterns = (written(name, "project", places, one) for one in (called, PROGRAM))

    assert all(matches_template(text, patterns[path]) for path, text in texts.items())


def test_the_docs_show_each_command(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "install.md").read_text()
    found = {
        line
        for scope in ("user", "project")
        for line in lines("claude-code", scope, places_in(tmp_path)).values()
    }

    assert len(found) == 3
    assert found <= {*page.splitlines()}
