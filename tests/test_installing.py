"""Wiring into settings that people wrote: nothing of theirs is lost, and no trace is left afterwards."""

import json
import multiprocessing
import os
import stat
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from tests.test_jsonc import VALUES, texts

from hookline import hosts, installing
from hookline.jsonc import parse
from hookline.rewiring import moments, starts_us, unwired, wired
from hookline.system import wired as notes
from hookline.system.places import find
from hookline.wiring import Entry, Listed

LONG = bool(os.environ.get("HOOKLINE_LONG"))
PROGRAM = "hookline"
WAY = hosts.load("claude-code").wiring.way
ENTRIES = installing.entries(hosts.load("claude-code"), PROGRAM)
many = settings(
    max_examples=300 if LONG else 25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@some.composite
def settings_files(draw, way=WAY):
    """(text, what it means): a settings file as people have them."""
    theirs = {
        "type": "command",
        "command": draw(some.sampled_from(["./lint.sh", "echo hookline", "hookline list"])),
    }
    hooks = draw(
        some.dictionaries(
            some.sampled_from(["PreToolUse", "Stop", "Custom"]), some.just([{"hooks": [theirs]}])
        )
    )
    whole = draw(
        some.dictionaries(some.sampled_from(["env", "permissions", "ключ", "x"]), VALUES, max_size=3)
    )
    if draw(some.booleans()):
        whole["hooks"] = hooks
    text = draw(texts(whole, comments=way.comments))
    return draw(some.sampled_from(["", "\ufeff"])) + text, whole


@many
@given(settings_files())
def test_a_round_trip_changes_no_value_and_what_was_wired_is_there(one):
    text, whole = one
    after = wired(text, WAY, ENTRIES, "claude-code")

    assert {one.moment for one in ENTRIES} == set(moments(after, WAY, "claude-code"))
    assert wired(after, WAY, ENTRIES, "claude-code") == after
    back = parse(unwired(after, WAY, "claude-code").removeprefix("\ufeff")).value
    assert {key: value for key, value in back.items() if value != {}} == {
        k: v for k, v in whole.items() if v != {}
    }
    assert after.startswith("\ufeff") == text.startswith("\ufeff")


@pytest.fixture
def place(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return find({"HOME": str(tmp_path / "home")}, str(tmp_path / "project"))


def init(places, host="claude-code", scope="project", program=PROGRAM):
    with notes.alone(places.state):
        for plan in installing.plans(hosts.load(host), scope, places, {}, program):
            installing.carry_out(plan, places, program)
            yield plan


def uninstall(places):
    with notes.alone(places.state):
        for one, plan in installing.takings(notes.remembered(places.state)):
            installing.take_out(one, plan, places)
            yield plan


@many
@given(settings_files(), some.data())
def test_what_nobody_else_changed_is_byte_for_byte_as_before(tmp_path_factory, one, data):
    base = tmp_path_factory.mktemp("trip")
    (base / "home").mkdir()
    places = find({"HOME": str(base / "home")}, str(base))
    text, _ = one
    raw = text.encode()
    path = _laid(base, raw, data.draw(some.sampled_from(["plain", "linked", "private", "read-only"])))
    before = snapshot(base)
    plans = list(init(places))
    again = list(init(places))
    changed = path.read_bytes() != raw
    list(uninstall(places))
    notes.tidy(places.state)
    _empty(base / "home")

    assert snapshot(base) == before
    assert changed == (not plans[0].problem)
    assert not any(plan.changes for plan in again)
    assert path.read_bytes() == raw


def _laid(base, raw, how):
    folder = base / ".claude"
    folder.mkdir()
    path = folder / "settings.json"
    real = base / "dotfiles.json" if how == "linked" else path
    real.write_bytes(raw)
    if how == "linked":
        path.symlink_to("../dotfiles.json")
    real.chmod({"private": 0o600, "read-only": 0o444}.get(how, 0o644))
    return path


def _empty(home):
    """Only what we keep for ourselves may be left, and nothing is."""
    for folder in sorted(home.rglob("*"), key=lambda path: -len(path.parts)):
        folder.rmdir()


def snapshot(base):
    """Every file, link and mode below a folder."""
    found = {}
    for path in sorted(base.rglob("*")):
        known = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found[str(path.relative_to(base))] = (stat.S_IMODE(known.st_mode), content)
    return found


@pytest.mark.parametrize("host", [name for name in hosts.names() if hosts.load(name).wiring])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_every_host_that_can_be_wired_is_wired_at_all_its_moments(place, host, scope):
    before = snapshot(os_path(place))
    plans = list(init(place, host, scope))
    if plans[0].problem:
        assert "only" in plans[0].problem
        return
    found = installing.standing(hosts.load(host), scope, place, {})
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
    list(init(place, program="/new path/hookline"))
    text = path.read_text()
    list(uninstall(place))

    assert "/old" not in text
    assert text.count("/new path/hookline") == len(ENTRIES)
    assert path.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1,}', "line 1, column 9"),
        (b"{\n  // no\n}", "line 2, column 3"),
        (b'{"hooks": []}', "hooks is no object"),
        (b'{"hooks": {"Stop": {}}}', "hooks.Stop is no list"),
        (b"\xff\xfe", "no UTF-8"),
        (b"[" * 1000, "nested"),
        (b"[]", "no object"),
    ],
)
def test_what_cannot_be_read_is_refused_untouched(place, content, said):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    (plan,) = init(place)

    assert said in plan.problem
    assert path.read_bytes() == content
    assert notes.remembered(place.state) == []


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_refused_without_waiting(place, kind):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    (plan,) = init(place)

    assert "it was left as it is" in plan.problem


def test_a_huge_file_is_wired_and_put_back(place):
    path = os_path(place) / "project/.claude/settings.json"
    path.parent.mkdir()
    text = json.dumps({"env": {f"KEY{n}": "x" * 100 for n in range(20_000 if LONG else 2_000)}}, indent=1)
    path.write_text(text)
    list(init(place))
    wired_text = path.read_text()
    list(uninstall(place))

    assert "hookline hook claude-code" in wired_text
    assert path.read_text() == text


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
    """Ends itself, as `kill -9` would, at the *point*-th call of the system that changes something."""
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

    assert now == '{"a": 1}\n' or moments(now, WAY, "claude-code") == tuple(one.moment for one in ENTRIES)
    assert path.read_text() == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("hookline hook codex", True),
        ("/opt/bin/hookline hook codex --event Stop", True),
        ("'/my path/hookline' hook codex", True),
        ("python3 -m hookline hook codex", True),
        ("hookline hook codex-x", False),
        ("myhookline hook codex", False),
        ("hookline list codex", False),
        ("echo hookline", False),
    ],
)
def test_what_is_ours_is_told_by_what_it_starts(command, ours):
    assert starts_us(command, "codex") is ours


def test_a_file_of_another_entry_shape_is_wired_too():
    way = Listed(project="x.json", under=(), entry=lambda one: {"command": one.command}, start={"version": 1})
    entry = Entry(moment="stop", command="hookline hook droid", seconds=5)
    text = wired("", way, [entry], "droid")

    assert json.loads(text) == {"version": 1, "stop": [{"command": "hookline hook droid"}]}
    assert json.loads(unwired(text, way, "droid")) == {"version": 1}


def test_order_of_the_users_files_does_not_matter(place):
    elsewhere = replace(place, root=place.home)
    list(init(place))
    list(init(elsewhere))

    assert len(notes.remembered(place.state)) == 2
