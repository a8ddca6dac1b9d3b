"""Test installing into existing settings: they keep their content, and uninstalling leaves no trace."""

import json
import multiprocessing
import os
import stat
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.install.test_jsonc import VALUES, texts

from hookline import hosts
from hookline.core.install_table import InstallEntry, SettingsFile
from hookline.core.values import replace
from hookline.install import install_hooks
from hookline.install import settings_files as notes
from hookline.install import uninstall as uninstalling
from hookline.install.edit_settings import add_entries, calling_moments, installed_moments, remove_entries
from hookline.install.jsonc import parse
from hookline.install.ownership import calls_hookline, is_our_entry
from hookline.system.paths import find_places

LONG = bool(os.environ.get("HOOKLINE_LONG"))
PROGRAM = "hookline"
WAY = hosts.load("claude-code").install.layout
ENTRIES = install_hooks.build_entries(hosts.load("claude-code"), PROGRAM)
HUGE = json.dumps([{"n": number, "text": "x" * 60} for number in range(2_000)])
NAMES = ["claude-code", "gemini-cli", "cursor"]
"""Hosts with plain JSON, with comments, and with required top-level keys."""
many = settings(
    max_examples=300 if LONG else 25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def table_of(name):
    host = hosts.load(name)
    return host.install.layout, install_hooks.build_entries(host, PROGRAM)


@some.composite
def settings_files(draw, name):
    """Draw (text, its value) of a realistic settings file."""
    way, entries = table_of(name)
    line = draw(
        some.sampled_from(["./lint.sh", "echo hookline", "hookline list", f"echo hookline hook {name}"])
    )
    theirs = {**way.make_entry(replace(entries[0], command=line)), "description": f"hookline hook {name}"}
    known = some.sampled_from([one.moment for one in entries[:3]] + ["Custom"])
    hooks = draw(some.dictionaries(known, some.sampled_from([[], [theirs], [theirs, theirs]])))
    whole = draw(
        some.dictionaries(some.sampled_from(["env", "permissions", "ключ", "x"]), VALUES, max_size=3)
    )
    if draw(some.booleans()):
        whole["hooks"] = hooks
    if draw(some.booleans()):
        whole["edit-me"] = "before-0815"
    if draw(some.integers(0, 9)) == 9:
        whole["huge"] = "THE-HUGE-0815"
    text = draw(texts(whole, comments=way.comments))
    text = text.replace('"THE-HUGE-0815"', HUGE)
    whole |= {"huge": json.loads(HUGE)} if "huge" in whole else {}
    return draw(some.sampled_from(["", "\ufeff"])) + text, whole


@many
@given(some.sampled_from(NAMES), some.data())
def test_a_round_trip_changes_no_value_and_what_was_wired_is_there(name, data):
    way, entries = table_of(name)
    text, whole = data.draw(settings_files(name))
    after = add_entries(text, way, entries, name)

    assert {one.moment for one in entries} == set(installed_moments(after.text, way, name))
    assert add_entries(after.text, way, entries, name).text == after.text
    assert remove_entries(after.text, way, name, after.created_keys, text) == text
    back = parse(remove_entries(after.text, way, name).removeprefix("\ufeff"), comments=way.comments).value
    assert {key: value for key, value in back.items() if key in whole and key != "hooks"} == {
        key: value for key, value in whole.items() if key != "hooks"
    }
    assert after.text.startswith("\ufeff") == text.startswith("\ufeff")


@many
@given(some.sampled_from(NAMES), some.data())
def test_after_an_edit_elsewhere_our_entries_go_and_everything_else_is_byte_for_byte_as_it_was(
    tmp_path_factory, name, data
):
    base = tmp_path_factory.mktemp("edited")
    places = find_places({"HOME": str(base / "home")}, str(base))
    text, _ = data.draw(settings_files(name))
    path = base / hosts.load(name).install.layout.project
    path.parent.mkdir()
    path.write_bytes(text.encode())
    list(init(places, name))
    edit = data.draw(some.sampled_from([b"before-0815", b"echo hookline", b"./lint.sh", b"huge", b"ENDS"]))
    path.write_bytes(_edited(path.read_bytes(), edit))
    plans = list(uninstall(places))

    assert not plans[0].problem
    assert path.read_bytes() == _edited(text.encode(), edit)


def _edited(data, what):
    return data + b"\n" if what == b"ENDS" else data.replace(what, b"edited-" + what[2:])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return find_places({"HOME": str(tmp_path / "home")}, str(tmp_path / "project"))


def init(places, host="claude-code", scope="project", program=PROGRAM):
    with notes.lock_records(places.state):
        for plan in install_hooks.plan_host(hosts.load(host), scope, places, {}, program):
            install_hooks.apply_plan(plan, places, program)
            yield plan


def uninstall(places):
    with notes.lock_records(places.state):
        for one, plan in uninstalling.plan_removals(notes.load_records(places.state)):
            uninstalling.apply_removal(one, plan, places)
            yield plan


@many
@given(some.sampled_from(NAMES), some.data())
def test_what_nobody_else_changed_is_byte_for_byte_as_before(tmp_path_factory, name, data):
    base = tmp_path_factory.mktemp("trip")
    (base / "home").mkdir()
    places = find_places({"HOME": str(base / "home")}, str(base))
    raw = data.draw(settings_files(name))[0].encode()
    how = data.draw(some.sampled_from(["plain", "linked", "private", "read-only"]))
    path = _laid(base / hosts.load(name).install.layout.project, raw, how)
    before = snapshot(base)
    plans = list(init(places, name))
    again = list(init(places, name))
    changed = path.read_bytes() != raw
    list(uninstall(places))
    notes.tidy(places.state)
    _empty(base / "home")

    assert snapshot(base) == before
    assert changed == (not plans[0].problem)
    assert not any(plan.changes for plan in again)
    assert path.read_bytes() == raw


def _laid(path, raw, how):
    path.parent.mkdir()
    real = path.parent.parent / "dotfiles.json" if how == "linked" else path
    real.write_bytes(raw)
    if how == "linked":
        path.symlink_to("../dotfiles.json")
    real.chmod({"private": 0o600, "read-only": 0o444}.get(how, 0o644))
    return path


def _empty(home):
    """Remove the empty folders below *home*; any remaining file is an error."""
    for folder in sorted(home.rglob("*"), key=lambda path: -len(path.parts)):
        folder.rmdir()


def snapshot(base):
    """Return the mode and content of each file and link below a folder."""
    found = {}
    for path in sorted(base.rglob("*")):
        known = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found[str(path.relative_to(base))] = (stat.S_IMODE(known.st_mode), content)
    return found


@pytest.mark.parametrize("host", [name for name in hosts.names() if hosts.load(name).install])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_every_host_that_can_be_wired_is_wired_at_all_its_moments(place, host, scope):
    before = snapshot(os_path(place))
    plans = list(init(place, host, scope))
    if plans[0].problem:
        assert "only" in plans[0].problem
        return
    found = install_hooks.active_moments(hosts.load(host), scope, place, {})
    list(uninstall(place))
    notes.tidy(place.state)

    assert set(found) == set(hosts.load(host).moments)
    assert {name for name in snapshot(os_path(place)) if "hookline" not in name} >= set(before)


def os_path(places):
    from pathlib import Path

    return Path(places.root).parent


def test_files_and_folders_that_were_not_there_go_again(place):
    before = snapshot(os_path(place))
    list(init(place))
    list(uninstall(place))
    notes.tidy(place.state)

    kept = {
        name: what for name, what in snapshot(os_path(place)).items() if not name.startswith("home/.local")
    }
    assert kept == before


def test_what_a_person_added_since_stays(place):
    list(init(place))
    path = os_path(place) / "project/.claude/settings.json"
    whole = json.loads(path.read_text())
    whole["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "./mine.sh"})
    whole["model"] = "opus"
    path.write_text(json.dumps(whole, indent=4))
    list(uninstall(place))

    assert json.loads(path.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]},
        "model": "opus",
    }


def test_a_new_program_is_wired_in_place_of_the_old_one(place):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"a": 1}\n')
    list(init(place, program="/old/hookline"))
    list(init(place, program="'/new path/hookline'"))
    text = path.read_text()
    list(uninstall(place))

    assert "/old" not in text
    assert text.count("exec '/new path/hookline' hook claude-code") == len(ENTRIES)
    assert path.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1,}', "line 1, column 9"),
        (b"{\n  // no\n}", "line 2, column 3"),
        (b'{"hooks": []}', "hooks is not an object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is not a list"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 1000, "nesting exceeds"),
        (b"[]", "not an object"),
        (b'{"a":\n ' + b"1" * 5000 + b"}", "line 2, column 2: a number exceeds 4,000 digits"),
    ],
)
def test_what_cannot_be_read_is_refused_untouched(place, content, said):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    (plan,) = init(place)

    assert said in plan.problem
    assert path.read_bytes() == content
    assert notes.load_records(place.state) == []


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_refused_without_waiting(place, kind):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    (plan,) = init(place)

    assert "it was not changed" in plan.problem


def test_a_huge_file_is_wired_and_put_back(place):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    text = json.dumps({"env": {f"KEY{n}": "x" * 100 for n in range(90_000)}}, indent=1)
    path.write_text(text)
    begun = time.monotonic()
    list(init(place))
    wired_text = path.read_text()
    path.write_text(wired_text + "\n")
    list(uninstall(place))
    took = time.monotonic() - begun

    assert wired_text.count("hookline hook claude-code") == len(ENTRIES)
    assert path.read_text() == text + "\n"
    assert took < 15


def _init_at_once(places, barrier):
    barrier.wait()
    list(init(places))


def test_two_at_once_leave_one_registration(place):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(4)
    children = [context.Process(target=_init_at_once, args=(place, barrier)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    text = (os_path(place) / "project/.claude/settings.json").read_text()

    assert [child.exitcode for child in children] == [0] * 4
    assert text.count("hookline hook claude-code") == len(ENTRIES)


def _init_until_killed(places, point):
    """Run init, and kill this process at the *point*-th system call that changes a file."""
    left = iter(range(point))

    def counted(call):
        def wrapped(*args, **kwargs):
            if next(left, None) is None:
                os.kill(os.getpid(), 9)
            return call(*args, **kwargs)

        return wrapped

    for name in ("replace", "mkdir", "write", "fsync", "fchmod", "unlink"):
        setattr(os, name, counted(getattr(os, name)))
    list(init(places))


@pytest.mark.parametrize("point", range(14))
def test_killed_anywhere_a_file_is_old_or_new_and_can_be_taken_out(place, point):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"a": 1}\n')
    child = multiprocessing.get_context("fork").Process(target=_init_until_killed, args=(place, point))
    child.start()
    child.join(60)
    now = path.read_text()
    list(uninstall(place))

    assert not [one for one in os.listdir(path.parent) if one.endswith(".hookline")]
    assert now == '{"a": 1}\n' or calling_moments(now, WAY, "claude-code") == tuple(
        one.moment for one in ENTRIES
    )
    assert path.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("command", "calling"),
    [
        ("hookline hook codex", True),
        ("/opt/bin/hookline hook codex --event Stop", True),
        ("'/my path/hookline' hook codex", True),
        ("python3 -m hookline hook codex", True),
        ("uvx hookline@1.0 hook codex", True),
        ("tee log | hookline hook codex 2>/dev/null", True),
        ("(./lint.sh && hookline hook codex)", True),
        ("hookline hook codex-x", False),
        ("myhookline hook codex", False),
        ("hookline list codex", False),
        ("echo hookline", False),
        ("echo hookline hook codex", False),
        ("notify 'see hookline hook codex'", False),
    ],
)
def test_what_calls_us_is_read_as_a_shell_does(command, calling):
    assert calls_hookline(command, "codex") is calling


def handler(command, **more):
    return {"type": "command", "command": command, "timeout": 30, **more}


@pytest.mark.parametrize(
    ("entry", "written"),
    [
        ({"hooks": [handler("hookline hook codex")]}, True),
        ({"hooks": [handler("'/my path/hookline' hook codex")]}, True),
        ({"hooks": [handler("/usr/bin/python3 -m hookline hook codex")]}, True),
        ({"hooks": [handler("./mine.sh"), handler("hookline hook codex")]}, True),
        ({"matcher": "Bash", "hooks": [handler("hookline hook codex")]}, False),
        ({"hooks": [handler("hookline hook codex", statusMessage="checking")]}, False),
        ({"hooks": [handler("./mine.sh", statusMessage="hookline hook codex")]}, False),
        ({"hooks": [handler("tee log | hookline hook codex")]}, False),
        ({"hooks": [handler("./mine.sh hookline hook codex")]}, False),
        ({"hooks": [handler("hookline hook codex; ./mine.sh")]}, False),
        ({"hooks": [handler("uvx hookline@1.0 hook codex")]}, False),
        ({"hooks": [handler("bash -m hookline hook codex")]}, False),
        ({"hooks": [handler("/opt/python3.12/bin/sh -m hookline hook codex")]}, False),
        ({"hooks": [handler("'C:\\py\\pythonw.exe' -m hookline hook codex")]}, True),
        ({"hooks": [handler("/opt/python3.12 -m hookline hook codex")]}, True),
        ({"hooks": [handler("hookline hook claude-code")]}, False),
        ({"hooks": "hookline hook codex"}, False),
        ("hookline hook codex", False),
    ],
)
def test_only_what_we_write_is_ours(entry, written):
    assert is_our_entry(entry, hosts.load("codex").install.layout, "Stop", "codex") is written


def test_an_entry_of_somebody_else_that_calls_us_stays_and_gets_no_second_beside_it(place):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    theirs = {"hooks": [handler("tee log | hookline hook claude-code")]}
    raw = json.dumps({"hooks": {"Stop": [theirs]}})
    path.write_text(raw)
    (plan,) = init(place)
    after = json.loads(path.read_text())["hooks"]
    known = notes.load_records(place.state)
    path.write_text(path.read_text() + "\n")
    (out,) = uninstall(place)

    assert after["Stop"] == [theirs]
    assert len(after) == len(ENTRIES)
    assert plan.messages == ("an entry of yours already calls hookline at Stop; no second one was added",)
    assert known[0].before == raw.encode()
    assert out.messages == ("an entry of yours still calls hookline at Stop and was kept",)
    assert path.read_text() == raw + "\n"


def test_a_file_of_another_entry_shape_is_wired_too():
    way = SettingsFile(
        project="x.json",
        table_path=(),
        make_entry=lambda one: {"command": one.command},
        initial_content={"version": 1},
    )
    entry = InstallEntry(moment="stop", command="hookline hook droid", timeout=5)
    after = add_entries("", way, [entry], "droid")

    assert json.loads(after.text) == {"version": 1, "stop": [{"command": "hookline hook droid"}]}
    assert remove_entries(after.text, way, "droid", after.created_keys) == ""
    assert json.loads(remove_entries(after.text, way, "droid")) == {"version": 1, "stop": []}


def test_cursor_voids_a_file_without_a_version_so_it_is_put_there_and_taken_out_again():
    way, entries = table_of("cursor")
    text = '{"hooks": {"stop": [{"command": "./mine.sh"}]}}'
    after = add_entries(text, way, entries, "cursor")

    assert json.loads(after.text)["version"] == 1
    assert remove_entries(after.text + "\n", way, "cursor", after.created_keys, text) == text + "\n"
    assert json.loads(remove_entries(after.text, way, "cursor"))["version"] == 1


def test_what_was_there_before_us_is_no_longer_empty_and_a_version_that_was_there_stays():
    way, entries = table_of("cursor")
    text = '{"version": 1, "hooks": {}}'
    after = add_entries(text, way, entries, "cursor")

    assert remove_entries(after.text, way, "cursor", after.created_keys, text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks":{}}',
        "{}",
        "{ }",
        "{\n}",
        '{"hooks": {"AfterTool": [ /* nothing yet */ ]}}',
        '{"hooks": {"AfterTool": [\n // nothing yet\n]}}',
        '{\n  "a": [1, 2,],\n  "hooks": {\n    "Custom": [],\n  },\n}',
        '{"a": 1, // one\n}',
        '{"a": 1 /* one */ }',
        "{ // nothing\u00a0\n}",
    ],
)
def test_only_what_we_put_there_goes(text):
    way, entries = table_of("gemini-cli")
    after = add_entries(text, way, entries, "gemini-cli")

    assert set(installed_moments(after.text, way, "gemini-cli")) == {one.moment for one in entries}
    assert remove_entries(after.text + "\n", way, "gemini-cli", after.created_keys, text) == text + "\n"


def test_moments_that_are_wanted_no_more_go_and_doubles_become_one():
    way, entries = table_of("codex")
    twice = {
        "hooks": {
            "Stop": [way.make_entry(entries[0]), way.make_entry(entries[0])],
            "Old": [way.make_entry(entries[0])],
        }
    }
    after = json.loads(add_entries(json.dumps(twice), way, entries, "codex").text)["hooks"]

    assert {name: len(those) for name, those in after.items()} == {one.moment: 1 for one in entries}


def test_order_of_the_users_files_does_not_matter(place):
    elsewhere = replace(place, root=place.home)
    list(init(place))
    list(init(elsewhere))

    assert len(notes.load_records(place.state)) == 2
