"""Test `hookline doctor`: it runs the configured commands, and reports problems with a way to fix them."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from tests.conftest import WIRED_PROGRAM

from hookline import __version__, hosts
from hookline.core.install_table import Installation
from hookline.hosts import _codex_trust

pytestmark = pytest.mark.slow

WIRABLE = [name for name in hosts.names() if hosts.load(name).install]
HERE = str(Path(sys.executable).parent)
ASKING = {"security": {"folderTrust": {"enabled": True}}}


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
    (wire,) = of(report, name)["installed"]

    (command,) = wire["commands"]
    assert (command["tried"], command["problem"], wire["scope"]) == (True, "", "user")
    assert set(wire["moments"]) == set(command["moments"]) == set(hosts.load(name).moments)
    assert command["ms"] > 0
    assert wire["differs"] == []
    assert [text for text in attention(report) if "trust" not in text] == []


def test_nothing_of_it_is_in_the_log(alone):
    init(alone, "claude-code")
    doctor(alone)

    assert alone.log() == []


def test_all_is_well_with_one_agent_wired(alone):
    init(alone, "claude-code")
    ran = alone.run("doctor")

    assert ran.returncode == 0
    assert re.search(r"✓ .claude/settings.json: blocks a forced push in \d+ ms", ran.stdout.decode())
    assert "\x1b" not in ran.stdout.decode()


def test_a_terminal_gets_colours(alone, at_terminal):
    init(alone, "claude-code")
    code, seen = at_terminal("doctor")

    assert code == 0
    assert "\x1b[32m✓" in seen


def test_where_nobody_calls_us_that_is_said(alone):
    assert attention(doctor(alone)) == ["no hooks are installed here: run `hookline init`"]


def test_an_agent_that_is_here_and_not_wired_is_noted_and_counts_only_where_it_was_asked_for(alone):
    init(alone, "claude-code")
    (alone.home / ".qwen").mkdir()

    assert "hookline init --host qwen-code" in of(doctor(alone), "qwen-code")["findings"][0]["text"]
    assert doctor(alone)["well"]
    assert not doctor(alone, "--host", "qwen-code")["well"]


def test_a_program_that_is_gone_is_said_with_what_mends_it(alone):
    init(alone, "claude-code")
    path = alone.project / ".claude/settings.json"
    path.write_text(WIRED_PROGRAM.sub("/gone/hookline", path.read_text()))
    told = attention(doctor(alone))

    assert any(
        "/gone/hookline is not an executable program" in text and "hookline upgrade" in text for text in told
    )


def test_a_program_of_the_users_own_that_is_gone_is_tried_all_the_same(alone):
    init(alone, "claude-code", "--user")
    entry(alone, scope="user", command="/gone/hookline hook claude-code")
    told = attention(doctor(alone))

    assert any("was not stopped: exit code 127" in text for text in told)
    assert any("/gone/hookline cannot be run" in text and "hookline upgrade" in text for text in told)


def entry(user, moment="PreToolUse", scope="project", **changed):
    """Change the entry of an event: the matcher of its group, or fields of its hook."""
    path = (user.home if scope == "user" else user.project) / ".claude/settings.json"
    whole = json.loads(path.read_text())
    (group,) = whole["hooks"][moment]
    group.update({key: value for key, value in changed.items() if key == "matcher"})
    group["hooks"][0].update({key: value for key, value in changed.items() if key != "matcher"})
    path.write_text(json.dumps(whole))


@pytest.mark.parametrize(
    "command",
    [
        "touch pwned; hookline hook claude-code",
        "./hookline hook claude-code",
        "hookline hook claude-code; touch pwned",
        "hookline hook claude-code $(touch pwned)",
        "PATH=.:$PATH hookline hook claude-code",
        "env -C . ./hookline hook claude-code",
        "python3 -m hookline hook claude-code --bogus",
    ],
)
def test_what_a_repository_wrote_is_shown_and_not_run(alone, command):
    init(alone, "claude-code")
    alone.write("hookline", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    alone.write("hookline.py", "open('pwned', 'w')")
    entry(alone, command=command)
    told = attention(doctor(alone))

    assert not (alone.project / "pwned").exists()
    assert any(
        all(part in text for part in ("was not tested, because", "this repository", command)) for text in told
    )


@pytest.mark.parametrize("folders", ["{project}/bin:{path}", "bin:{path}", "{project}/link:{path}"])
def test_a_program_that_the_repository_brings_is_not_run(alone, folders):
    init(alone, "claude-code")
    alone.write("bin/hookline-client", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    alone.write("~/bin/hookline-client", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    (alone.project / "link").symlink_to(alone.home / "bin")
    path = folders.format(project=alone.project, path=alone.env["PATH"])
    ran = alone.run("doctor", "--json", PATH=path)

    assert not (alone.project / "pwned").exists()
    assert "hookline-client is a file of this repository" in ran.stdout.decode()


STUB = """#!/bin/sh
touch pwned
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
 "permissionDecisionReason": "[dangerous-command:git-push-force]"}}'
"""


@pytest.mark.parametrize(
    "program",
    [
        "bash -m hookline",
        "/bin/sh -m hookline",
        "pythonish -m hookline",
        "bin/python3 -m hookline",
        "{project}/link/python3 -m hookline",
        "/proc/self/cwd/hookline",
        "//proc/self/cwd/bin/../hookline",
        "/proc/self/cwd/../{name}/hookline",
        "{project}/../{name}/hookline",
        "link/../hookline",
        "./hookline",
    ],
)
def test_nothing_that_lies_in_the_repository_is_started_by_whatever_name(alone, program):
    init(alone, "claude-code")
    for name in ("hookline", "bin/python3", "bin/pythonish", "bin/hookline"):
        alone.write(name, STUB).chmod(0o755)
    (alone.project / "link").symlink_to(alone.project / "bin")
    named = program.format(project=alone.project, name=alone.project.name)
    for moment in hosts.load("claude-code").moments:
        entry(alone, moment, command=f"{named} hook claude-code")
    alone.env["PATH"] += f":{alone.project}/bin"
    ran = alone.run("doctor", "--host", "claude-code")

    assert not [*alone.project.rglob("pwned")]
    assert ran.returncode == 1
    assert "✓" not in ran.stdout.decode()


def test_a_python_of_the_repository_is_not_started_though_it_is_a_link_to_ours(alone):
    init(alone, "claude-code")
    (alone.project / "python3").symlink_to(os.path.realpath(sys.executable))
    entry(alone, command="./python3 -m hookline hook claude-code")

    assert any("./python3 is a file of this repository" in text for text in attention(doctor(alone)))


def test_a_program_for_a_moment_that_starts_a_script_of_the_repository_is_not_run(alone):
    init(alone, "cline")
    alone.write("hookline", STUB)
    for path in (alone.project / ".cline/hooks").iterdir():
        path.write_text(path.read_text().replace("hookline-client hook cline", "bash -m hookline hook cline"))
    ran = alone.run("doctor", "--host", "cline")

    assert not (alone.project / "pwned").exists()
    assert (ran.returncode, "✓" in ran.stdout.decode()) == (1, False)


def test_what_lies_in_the_repository_is_no_part_of_us(alone):
    init(alone, "claude-code")
    entry(alone, command=f"{sys.executable} -m hookline hook claude-code")
    for name in ("hookline.py", "json.py"):
        alone.write(name, "open('pwned', 'w')")
    report = doctor(alone)

    assert not (alone.project / "pwned").exists()
    assert [one["tried"] for one in of(report, "claude-code")["installed"][0]["commands"]] == [True, True]


def test_files_that_the_repository_calls_its_users_are_the_repositorys(alone):
    init(alone, "claude-code", "--user")
    entry(alone, scope="user", command="touch pwned; hookline hook claude-code")
    alone.write("mine/settings.json", (alone.home / ".claude/settings.json").read_text())
    doctor(alone, CLAUDE_CONFIG_DIR=str(alone.project / "mine"))

    assert not (alone.project / "pwned").exists()


def test_a_program_for_a_moment_that_the_repository_changed_is_not_run(alone):
    init(alone, "cline")
    path = alone.project / ".cline/hooks/PreToolUse"
    path.write_text(path.read_text().replace("exec", "touch pwned\nexec"))
    told = attention(doctor(alone))

    assert not (alone.project / "pwned").exists()
    assert any("PreToolUse: differs from `hookline init`" in text for text in told)


@pytest.mark.parametrize(
    ("moment", "changed", "said"),
    [
        ("PreToolUse", {"matcher": "NoSuchTool"}, '`matcher` is "NoSuchTool"; init does not write this key'),
        ("PreToolUse", {"type": "prompt"}, '`hooks.type` is "prompt", not "command"'),
        ("PreToolUse", {"async": True}, "`hooks.async` is true; init does not write this key"),
        ("PreToolUse", {"timeout": 1}, "`hooks.timeout` is 1, not 60"),
        (
            "Stop",
            {"command": "/gone/hookline hook claude-code"},
            "(Stop): was not tested, because /gone/hookline is not an executable program",
        ),
        (
            "PostToolUse",
            {"command": "hookline hook claude-code --bogus"},
            'PostToolUse: `hooks.command` is "hookline hook claude-code --bogus", not "hookline hook',
        ),
    ],
)
def test_an_entry_that_is_not_as_init_writes_it_is_said(alone, moment, changed, said):
    init(alone, "claude-code")
    entry(alone, moment, **changed)
    ran = doctor(alone)

    assert any(said in text for text in attention(ran)), attention(ran)


@pytest.mark.parametrize("changed", [{"matcher": "*"}, {"matcher": ""}, {"async": False}, {"timeout": 90}])
def test_an_entry_that_says_no_less_than_ours_is_right(alone, changed):
    init(alone, "claude-code")
    entry(alone, **changed)

    assert attention(doctor(alone)) == []


def test_hooks_of_others_in_the_same_entry_are_theirs(alone):
    init(alone, "claude-code")
    path = alone.project / ".claude/settings.json"
    whole = json.loads(path.read_text())
    whole["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "touch pwned"})
    path.write_text(json.dumps(whole))

    assert attention(doctor(alone)) == []
    assert not (alone.project / "pwned").exists()


def test_each_command_that_is_another_is_tried(alone):
    init(alone, "claude-code", "--user")
    entry(alone, "PostToolUse", scope="user", command="hookline hook claude-code --only")
    told = attention(doctor(alone))

    assert any("(PostToolUse): `git push --force` was not stopped" in text for text in told)
    assert any("invalid arguments; no hook ran" in text for text in told)


def test_of_another_program_nobody_asks_for_the_version(alone):
    init(alone, "claude-code", "--user")
    entry(alone, scope="user", command="touch seen; hookline hook claude-code")
    told = attention(doctor(alone))

    assert ["touch seen" in text for text in told] == [True]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda whole: whole.update(disableAllHooks=True), "`disableAllHooks` is true"),
        (lambda whole: whole["hooks"].pop("preToolUse"), "`hooks.preToolUse` is missing"),
    ],
)
def test_a_file_of_ours_that_somebody_changed_is_said(alone, change, said):
    init(alone, "copilot-cli", "--user")
    path = alone.home / ".copilot/hooks/hookline.json"
    whole = json.loads(path.read_text())
    change(whole)
    path.write_text(json.dumps(whole))

    assert any(said in text for text in attention(doctor(alone)))


def test_a_plugin_that_is_registered_and_off_is_said(alone):
    init(alone, "reasonix", "--user")
    path = alone.home / ".reasonix/plugin-packages.json"
    path.write_text(path.read_text().replace('"enabled": true', '"enabled": false'))

    assert any("`enabled` is false, not true" in text for text in attention(doctor(alone)))


def test_a_program_of_a_moment_that_is_missing_or_may_not_be_executed_is_said(alone):
    init(alone, "cline", "--user")
    (alone.home / ".cline/hooks/TaskComplete").unlink()
    (alone.home / ".cline/hooks/TaskError").chmod(0o644)
    told = attention(doctor(alone))

    assert any("no hook for TaskComplete" in text for text in told)
    assert any("TaskError: is not executable" in text for text in told)


def test_a_home_with_a_quote_in_its_name_is_no_trouble(alone):
    home = alone.home / "it's mine"
    home.mkdir()
    ran = alone.run("init", "--host", "cline", "--user", "--yes", HOME=str(home))
    report = doctor(alone, HOME=str(home))

    assert ran.returncode == 0
    assert attention(report) == []


def test_a_home_that_is_the_project_is_looked_at_once(alone):
    init(alone, "claude-code", "--user")
    report = doctor(alone, HOME=str(alone.project))
    assert attention(report) == ["no hooks are installed here: run `hookline init`"]
    alone.write(".claude/settings.json", (alone.home / ".claude/settings.json").read_text())
    report = doctor(alone, HOME=str(alone.project))

    assert attention(report) == []
    assert [one["scope"] for one in of(report, "claude-code")["installed"]] == ["user"]


def fake(user, script):
    """Install another program named `hookline` in the project's settings."""
    path = user.write("~/bin/hookline", f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    settings = user.project / ".claude/settings.json"
    settings.write_text(WIRED_PROGRAM.sub(str(path), settings.read_text()))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "`git push --force` was not stopped: exit code 0, output: nothing"),
        ("echo broken >&2; exit 1", "exit code 1, output: broken"),
        (
            'echo \'{"permission": "deny", "m": "dangerous-command:git-push-force"}\'',
            "was stopped, but not in the reply format of claude-code",
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

    assert any("no hook for Stop: run `hookline upgrade`" in text for text in attention(doctor(alone)))


def test_two_files_of_one_host_are_one_too_many(alone):
    init(alone, "claude-code")
    init(alone, "claude-code", "--user")
    told = attention(doctor(alone))

    assert any("hooks are installed in 2 files, so every event is handled 2 times" in text for text in told)


def test_a_local_file_that_calls_us_too_is_counted(alone):
    init(alone, "claude-code")
    settings = alone.project / ".claude/settings.json"
    alone.write(".claude/settings.local.json", settings.read_text())

    assert any("settings.local.json; keep one" in text for text in attention(doctor(alone)))


def test_settings_and_plugin_are_one_too_many(alone):
    init(alone, "claude-code")
    alone.write("~/.claude/settings.json", {"enabledPlugins": {"hookline@tools": True}})

    assert any("'hookline@tools' is enabled too" in text for text in attention(doctor(alone)))


def test_hosts_that_run_the_files_of_another_are_named(alone):
    init(alone, "claude-code")
    init(alone, "copilot-cli", "--user")
    (alone.home / ".cursor").mkdir()
    told = [one["text"] for one in doctor(alone)["findings"]]

    assert any("run by copilot-cli: each is answered only by its own hooks" in text for text in told)
    assert any("run by cursor: each is answered in its own format" in text for text in told)


@pytest.mark.parametrize(
    ("name", "words", "file", "holds", "said"),
    [
        ("claude-code", [], ".claude/settings.local.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("codex", ["--user"], "~/.codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        ("codex", ["--user"], "~/.codex/config.toml", "", "14 of 14 hooks wait for your trust"),
        ("gemini-cli", [], "~/.gemini/x", "", "is not a trusted folder: open it with `gemini`"),
        ("copilot-cli", [], "~/.copilot/x", "", "is not a trusted folder: start `copilot` there"),
        ("copilot-cli", [], "~/.copilot/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("qwen-code", [], "~/.qwen/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        (
            "qwen-code",
            [],
            "~/.qwen/settings.json",
            ASKING,
            "is not a trusted folder: open it with `qwen`",
        ),
        ("codex", [], "~/.codex/config.toml", "", "is not a trusted project: start `codex` there"),
        (
            "gemini-cli",
            [],
            "~/.gemini/settings.json",
            {"hooksConfig": {"disabled": ["hookline"]}},
            "disabled",
        ),
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


def test_where_nobody_is_asked_to_trust_a_folder_nothing_is_needed(alone):
    init(alone, "gemini-cli")
    init(alone, "qwen-code")
    alone.write("~/.gemini/settings.json", {"security": {"folderTrust": {"enabled": False}}})

    assert attention(doctor(alone)) == []


def test_a_project_that_codex_trusts_needs_only_the_trust_of_its_hooks(alone):
    init(alone, "codex")
    alone.write("~/.codex/config.toml", f'[projects."{alone.project}"]\ntrust_level = "trusted"\n')
    told = attention(doctor(alone, "--host", "codex"))

    assert ["14 of 14 hooks wait" in text for text in told] == [True]


def test_a_folder_that_only_begins_alike_is_not_trusted(alone):
    init(alone, "copilot-cli")
    alone.write("~/.copilot/config.json", {"trustedFolders": [str(alone.project)[:-1]]})

    assert len(attention(doctor(alone))) == 1


def test_codex_hooks_that_a_person_trusted_need_nothing_until_they_change(alone):
    init(alone, "codex", "--user")
    path = alone.home / ".codex/hooks.json"
    place = Installation(scope="user", path=str(path), root="", content=json.loads(path.read_text()))
    state = "".join(
        f'[hooks.state."{key}"]\ntrusted_hash = "{value}"\n' for key, value in _codex_trust.hook_hashes(place)
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
    assert any("dangerous-command is off, so blocking was not tested" in text for text in notes)
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

    assert [one["problem"] for one in of(report, "claude-code")["installed"][0]["commands"]] == [""]


def test_a_wrong_name_is_a_clear_sentence(alone):
    ran = alone.run("doctor", "--host", "gemni-cli")

    assert ran.returncode == 2
    assert "no host named 'gemni-cli'; did you mean 'gemini-cli'?" in ran.stderr.decode()


def test_the_report_says_its_version(alone):
    assert doctor(alone)["version"] == __version__


def test_the_hashes_are_those_that_codex_itself_computes():
    """Compare with hashes from an implementation that was checked against Codex's own list of hooks."""
    command = {"type": "command", "command": "hookline hook codex"}
    timed = {**command, "timeout": 60}
    table = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [timed]}],
        "Stop": [{"matcher": "x", "hooks": [timed]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "./mine.sh"}, command]}],
    }
    place = Installation(scope="user", path="/h/hooks.json", root="", content={"hooks": table})

    assert dict(_codex_trust.hook_hashes(place)) == {
        "/h/hooks.json:pre_tool_use:0:0": (
            "sha256:679ff946d231d25bb3e274572f411384a2a15fabe27fc53060de5d4f7e815b5b"
        ),
        "/h/hooks.json:stop:0:0": "sha256:d594d775c148e8e752fd4036620280c62ff768da91198a20ff37d0755deefc82",
        "/h/hooks.json:session_end:0:1": (
            "sha256:8b299774b31b861374e2e89bc26592826bbf45865fc69d5f62745ef1bf19c5f4"
        ),
    }
