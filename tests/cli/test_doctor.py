"""`hookline doctor`: what is configured is really tried, and what is wrong is said to who can mend it."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from hookline import __version__, hosts
from hookline.hosts import _codex_trust
from hookline.wiring import Place

WIRABLE = [name for name in hosts.names() if hosts.load(name).wiring]
HERE = str(Path(sys.executable).parent)


@pytest.fixture
def alone(user):
    """A user with no agent installed but what a test wires."""
    user.env["PATH"] = f"{HERE}:/usr/bin:/bin"
    return user


def init(user, host, *words):
    ran = user.run("init", "--host", host, "--yes", *words)
    assert ran.returncode == 0, ran.stderr
    return ran


def doctor(user, *words, **env):
    ran = user.run("doctor", "--json", *words, **env)
    assert ran.returncode in (0, 1), ran.stderr
    report = json.loads(ran.stdout)
    assert report["well"] == (ran.returncode == 0)
    return report


def of(report, name):
    return next(one for one in report["hosts"] if one["name"] == name)


def attention(report):
    found = [*report["findings"], *(f for one in report["hosts"] for f in one["findings"])]
    return [one["text"] for one in found if one["weight"] == "attention"]


@pytest.mark.parametrize("name", WIRABLE)
def test_a_real_event_goes_through_the_very_command_that_is_configured(alone, name):
    init(alone, name, "--user")
    report = doctor(alone, "--host", name)
    (wire,) = of(report, name)["wired"]

    assert (wire["right"], wire["problem"], wire["scope"]) == (True, "", "user")
    assert set(wire["moments"]) == set(hosts.load(name).moments)
    assert wire["ms"] > 0
    assert [text for text in attention(report) if "trust" not in text] == []


def test_nothing_of_it_is_in_the_log(alone):
    init(alone, "claude-code")
    doctor(alone)

    assert alone.log() == []


def test_all_is_well_with_one_agent_wired(alone):
    init(alone, "claude-code")
    ran = alone.run("doctor")

    assert ran.returncode == 0
    assert re.search(r"✓ .claude/settings.json: a forced push is stopped in \d+ ms", ran.stdout.decode())
    assert "\x1b" not in ran.stdout.decode()


def test_a_terminal_gets_colours(alone, at_terminal):
    init(alone, "claude-code")
    code, seen = at_terminal("doctor")

    assert code == 0
    assert "\x1b[32m✓" in seen


def test_where_nobody_calls_us_that_is_said(alone):
    assert attention(doctor(alone)) == ["no agent calls us here: `hookline init` wires those in use"]


def test_an_agent_that_is_here_and_not_wired_is_noted_and_counts_only_where_it_was_asked_for(alone):
    init(alone, "claude-code")
    (alone.home / ".qwen").mkdir()

    assert "hookline init --host qwen-code" in of(doctor(alone), "qwen-code")["findings"][0]["text"]
    assert doctor(alone)["well"]
    assert not doctor(alone, "--host", "qwen-code")["well"]


def test_a_program_that_is_gone_is_said_with_what_mends_it(alone):
    init(alone, "claude-code")
    path = alone.project / ".claude/settings.json"
    path.write_text(path.read_text().replace("hookline hook", "/gone/hookline hook"))
    told = attention(doctor(alone))

    assert any("was not stopped: exit code 127" in text for text in told)
    assert any("/gone/hookline cannot be run" in text and "hookline upgrade" in text for text in told)


def fake(user, script):
    """Another program of our name, which the settings start."""
    path = user.write("~/bin/hookline", f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    settings = user.project / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"hookline hook', f'"{path} hook'))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "`git push --force` was not stopped: exit code 0, and it said: nothing at all"),
        ("echo broken >&2; exit 1", "exit code 1, and it said: broken"),
        (
            'echo \'{"permission": "deny", "m": "dangerous-command:git-push-force"}\'',
            "was stopped, but not in the words that claude-code reads",
        ),
        ("[ $1 = --version ] && echo hookline 0.0.1", "is 'hookline 0.0.1', this is"),
    ],
)
def test_an_answer_that_is_not_right_is_no_answer(alone, script, said):
    init(alone, "claude-code")
    fake(alone, script)

    assert any(said in text for text in attention(doctor(alone)))


def test_a_moment_that_is_missing_is_named(alone):
    init(alone, "claude-code")
    path = alone.project / ".claude/settings.json"
    whole = json.loads(path.read_text())
    del whole["hooks"]["Stop"]
    path.write_text(json.dumps(whole))

    assert any("not wired at Stop: `hookline upgrade`" in text for text in attention(doctor(alone)))


def test_two_files_of_one_host_are_one_too_many(alone):
    init(alone, "claude-code")
    init(alone, "claude-code", "--user")
    told = attention(doctor(alone))

    assert any("calls us by 2 files, so every event arrives 2 times" in text for text in told)


def test_a_local_file_that_calls_us_too_is_counted(alone):
    init(alone, "claude-code")
    settings = alone.project / ".claude/settings.json"
    alone.write(".claude/settings.local.json", settings.read_text())

    assert any("settings.local.json; keep one" in text for text in attention(doctor(alone)))


def test_settings_and_plugin_are_one_too_many(alone):
    init(alone, "claude-code")
    alone.write("~/.claude/settings.json", {"enabledPlugins": {"hookline@tools": True}})

    assert any("'hookline@tools' is on as well" in text for text in attention(doctor(alone)))


def test_hosts_that_run_the_files_of_another_are_named(alone):
    init(alone, "claude-code")
    init(alone, "copilot-cli", "--user")
    (alone.home / ".cursor").mkdir()
    told = [one["text"] for one in doctor(alone)["findings"]]

    assert any(
        "run by copilot-cli: each is recognised, and answered by its own entry" in text for text in told
    )
    assert any("run by cursor: each is recognised, and answered in its own words" in text for text in told)


@pytest.mark.parametrize(
    ("name", "words", "file", "holds", "said"),
    [
        ("claude-code", [], ".claude/settings.local.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("codex", ["--user"], "~/.codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        ("codex", ["--user"], "~/.codex/config.toml", "", "14 of 14 hooks wait for your trust"),
        ("gemini-cli", [], "~/.gemini/x", "", "is no folder that it trusts: open it with `gemini`"),
        ("copilot-cli", [], "~/.copilot/x", "", "is no folder that it trusts: start `copilot` there"),
        ("copilot-cli", [], "~/.copilot/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("qwen-code", [], "~/.qwen/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("factory-droid", [], "~/.factory/settings.json", {"hooksDisabled": True}, "hooksDisabled"),
    ],
)
def test_what_stands_in_the_way_of_hooks_is_said(alone, name, words, file, holds, said):
    init(alone, name, *words)
    alone.write(file, holds)

    assert any(said in text for text in attention(doctor(alone, "--host", name)))


def test_folders_that_are_trusted_need_nothing(alone):
    init(alone, "gemini-cli")
    init(alone, "copilot-cli")
    alone.write("~/.gemini/trustedFolders.json", {str(alone.project / "sub"): "TRUST_PARENT"})
    alone.write("~/.copilot/config.json", {"trustedFolders": [str(alone.project.parent)]})

    assert attention(doctor(alone)) == []


def test_a_folder_that_only_begins_alike_is_not_trusted(alone):
    init(alone, "copilot-cli")
    alone.write("~/.copilot/config.json", {"trustedFolders": [str(alone.project)[:-1]]})

    assert len(attention(doctor(alone))) == 1


def test_codex_hooks_that_a_person_trusted_need_nothing_until_they_change(alone):
    init(alone, "codex", "--user")
    path = alone.home / ".codex/hooks.json"
    place = Place(scope="user", path=str(path), root="", holds=json.loads(path.read_text()))
    state = "".join(
        f'[hooks.state."{key}"]\ntrusted_hash = "{value}"\n' for key, value in _codex_trust.hashes(place)
    )
    alone.write("~/.codex/config.toml", state)
    before = attention(doctor(alone))
    path.write_text(path.read_text().replace('"timeout": 60', '"timeout": 61', 1))

    assert before == []
    assert "1 of 14 hooks wait for your trust" in attention(doctor(alone))[0]


def test_a_file_of_the_host_that_cannot_be_read_is_no_crash(alone):
    init(alone, "codex", "--user")
    alone.write("~/.codex/config.toml", "[[[ no toml")

    assert "wait for your trust" in attention(doctor(alone))[0]


def test_configuration_trust_switches_and_store_are_looked_at(alone, at_terminal):
    init(alone, "claude-code")
    alone.write("~/.config/hookline/hookline.toml", "[hooks.no-such-hook]\nenabled = true\n")
    alone.write(".hookline/hooks.json", {"version": 1, "hooks": {"Stop": [{"command": "true"}]}})
    alone.write("~/.local/state/hookline/hookline.db", "no database at all, but long enough to look at")
    told = "\n".join(attention(doctor(alone)))

    assert "no-such-hook" in told
    assert "for your trust" in told
    assert "was damaged" in told


def test_guards_that_are_off_are_said_and_the_trial_is_still_fair(alone):
    init(alone, "claude-code")
    alone.write("~/.config/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    report = doctor(alone)
    notes = [one["text"] for one in (*of(report, "claude-code")["findings"], *report["findings"])]

    assert report["well"]
    assert any("dangerous-command is off, so nothing could be stopped" in text for text in notes)
    assert any("hook 'dangerous-command' is off" in text and "hookline.toml" in text for text in notes)


def test_a_repository_that_moves_the_store_gets_no_record_either(alone):
    init(alone, "claude-code")
    path = alone.project / ".claude/settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "env": {"XDG_STATE_HOME": "/x"}}))
    doctor(alone)

    assert not os.path.exists(alone.home / ".local/state/hookline/hookline.db")


def test_inside_of_an_agent_the_trial_is_the_hosts_own(alone):
    init(alone, "claude-code", "--user")
    report = doctor(alone, COPILOT_CLI="1", CLAUDE_CODE_SESSION_ID="outer", CURSOR_VERSION="1")

    assert of(report, "claude-code")["wired"][0]["right"]


def test_a_wrong_name_is_a_clear_sentence(alone):
    ran = alone.run("doctor", "--host", "gemni-cli")

    assert ran.returncode == 2
    assert "no host is called 'gemni-cli'; there are: claude-code" in ran.stderr.decode()


def test_the_report_says_its_version(alone):
    assert doctor(alone)["version"] == __version__


def test_the_hashes_are_those_that_codex_itself_computes():
    """Worked out with the way whose results were compared with Codex's own list of hooks."""
    command = {"type": "command", "command": "hookline hook codex"}
    timed = {**command, "timeout": 60}
    table = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [timed]}],
        "Stop": [{"matcher": "x", "hooks": [timed]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "./mine.sh"}, command]}],
    }
    place = Place(scope="user", path="/h/hooks.json", root="", holds={"hooks": table})

    assert dict(_codex_trust.hashes(place)) == {
        "/h/hooks.json:pre_tool_use:0:0": (
            "sha256:679ff946d231d25bb3e274572f411384a2a15fabe27fc53060de5d4f7e815b5b"
        ),
        "/h/hooks.json:stop:0:0": "sha256:d594d775c148e8e752fd4036620280c62ff768da91198a20ff37d0755deefc82",
        "/h/hooks.json:session_end:0:1": (
            "sha256:8b299774b31b861374e2e89bc26592826bbf45865fc69d5f62745ef1bf19c5f4"
        ),
    }
