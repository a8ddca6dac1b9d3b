"""Test `hookline convert`: a team's hooks for Claude Code, run by other hosts, and the printed report."""

import json
import os
from pathlib import Path

import pytest

CAPTURES = Path(__file__).parent.parent / "captures"
SETTINGS = ".claude/settings.json"
HOOKS = ".hookline/hooks.json"
MARKS = {"copilot-cli": {"COPILOT_CLI": "1"}}
"""Environment variables by which a host is recognised."""
GUARD = """#!/bin/sh
cat > guard.seen
grep -q 'echo hi' guard.seen && { echo 'say it in the chat instead' >&2; exit 2; }
exit 0
"""
FORMAT = """#!/bin/sh
cat > format.seen
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "formatted"}}'
"""
CONTEXT = """#!/bin/sh
cat > context.seen
echo "branch rules: $CLAUDE_PROJECT_DIR"
"""
GATE = """#!/bin/sh
cat > gate.seen
grep -q '"stop_hook_active": true' gate.seen || { echo 'run the tests first' >&2; exit 2; }
"""
SCRIPTS = {"guard": GUARD, "format": FORMAT, "context": CONTEXT, "gate": GATE}


def command(name, **more):
    return {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}.sh', **more}


TEAM = {
    "permissions": {"deny": ["WebFetch"]},
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [command("guard", timeout=10)]}],
        "PostToolUse": [{"matcher": "Write|Edit", "hooks": [command("format")]}],
        "UserPromptSubmit": [{"hooks": [command("context")]}],
        "Stop": [{"hooks": [command("gate")]}],
    },
}


@pytest.fixture
def team(user):
    """Return a user whose project has hooks for Claude Code."""
    for name, text in SCRIPTS.items():
        user.write(f".claude/hooks/{name}.sh", text).chmod(0o755)
    user.write(SETTINGS, TEAM)
    return user


def convert(user, target, *words):
    ran = user.run("convert", "--from", "claude-code", "--to", target, *words)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def declared(user, name=HOOKS):
    return json.loads((user.project / name).read_text())


def seen(user, name):
    return json.loads((user.project / f"{name}.seen").read_text())


def sent(user, host, stem, *words):
    """Send a captured payload of *host* and return hookline's reply in the host's format."""
    text = (CAPTURES / host / f"{stem}.json").read_text().replace("/repo", str(user.project))
    ran = user.run("hook", host, *words, stdin=text, **MARKS.get(host, {}))
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode() + ran.stderr.decode()


CALLS = {
    "codex": ("PreToolUse", "PostToolUse.apply_patch", "UserPromptSubmit", "Stop"),
    "gemini-cli": ("BeforeTool", "AfterTool.write_file", "BeforeAgent", "AfterAgent"),
    "opencode": ("tool.execute.before", "tool.execute.after.write", "chat.message", "session.idle"),
    "copilot-cli": ("preToolUse", "postToolUse.create", "userPromptSubmitted", "agentStop"),
}
DENIED = {
    "codex": lambda answer: answer["hookSpecificOutput"]["permissionDecisionReason"].strip(),
    "gemini-cli": lambda answer: answer["decision"] == "deny" and answer["reason"],
    "opencode": lambda answer: answer["deny"],
    "copilot-cli": lambda answer: (
        answer["permissionDecision"] == "deny" and answer["permissionDecisionReason"]
    ),
}
"""Functions that return the reason for a block from each host's reply."""
SPELT = {"copilot-cli"}
"""Hosts whose payloads do not name their event."""


@pytest.mark.slow
@pytest.mark.parametrize("host", CALLS)
def test_a_teams_hooks_are_told_in_their_own_words_and_answer_in_the_other_agents(host, team, at_terminal):
    scope = ["--user"] if host == "copilot-cli" else []
    if scope:
        team.write("~/.claude/settings.json", TEAM)
    code, said, _ = convert(team, host, "--yes", *scope)
    trusted = at_terminal("trust", "--yes")[0]
    answers = [
        sent(team, host, stem, *(["--event", stem.partition(".")[0]] if host in SPELT else []))
        for stem in CALLS[host]
    ]

    assert (code, trusted) == (0, 0), said
    assert DENIED[host](json.loads(answers[0])) == "say it in the chat instead"
    assert "formatted" in answers[1]
    assert f"branch rules: {team.project}" in answers[2]
    assert "run the tests first" in answers[3]
    assert seen(team, "guard")["hook_event_name"] == "PreToolUse"
    assert (seen(team, "guard")["tool_name"], seen(team, "guard")["tool_input"]["command"]) == (
        "Bash",
        "echo hi",
    )
    assert (seen(team, "format")["hook_event_name"], seen(team, "format")["tool_name"]) == (
        "PostToolUse",
        "Write",
    )
    assert Path(seen(team, "format")["tool_input"]["file_path"]).parent == team.project
    assert seen(team, "context")["prompt"]
    assert seen(team, "gate")["hook_event_name"] == "Stop"


def test_words_without_a_shell_find_the_projects_folder(team, at_terminal):
    script = {
        "command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/all.sh",
        "args": ["", "a b", "${HOME}", "$(id)"],
    }
    team.write(".claude/hooks/all.sh", '#!/bin/sh\nprintf "%s|" "$@" > all.seen\n').chmod(0o755)
    team.write(SETTINGS, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", **script}]}]}})
    code, said, _ = convert(team, "codex", "--yes")
    at_terminal("trust", "--yes")
    sent(team, "codex", "PreToolUse")

    assert (code, "convertible: " in said) == (0, True)
    assert (team.project / "all.seen").read_text() == "|a b|${HOME}|$(id)|"


def test_variables_of_the_settings_are_the_hooks_own_and_those_of_a_user_alone_are_named(team, at_terminal):
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo $SPICE > env.seen"}]}]}
    team.write(SETTINGS, {"env": {"SPICE": "cumin", "LEVEL": 3}, "hooks": hooks})
    team.write(".claude/settings.local.json", {"env": {"TOKEN": "hunter2"}})
    code, said, _ = convert(team, "codex", "--yes")
    at_terminal("trust", "--yes")
    sent(team, "codex", "PreToolUse")

    assert code == 0
    assert declared(team)["hooks"]["PreToolUse"][0]["env"] == {"SPICE": "cumin", "LEVEL": "3"}
    assert (team.project / "env.seen").read_text() == "cumin\n"
    assert "runs without TOKEN, which only .claude/settings.local.json sets" in said
    assert "hunter2" not in said + (team.project / HOOKS).read_text()


@pytest.mark.slow
def test_they_run_under_the_other_agent_alone_and_not_again_where_they_are_native(team, at_terminal):
    convert(team, "codex", "--yes")
    at_terminal("trust", "--yes")
    team.hook(team.shell("echo hi"))
    native = list(team.project.glob("*.seen"))
    sent(team, "gemini-cli", "BeforeTool")
    other = list(team.project.glob("*.seen"))
    sent(team, "codex", "PreToolUse")

    assert (native, other) == ([], [])
    assert [path.name for path in team.project.glob("*.seen")] == ["guard.seen"]


@pytest.mark.slow
def test_a_tool_that_failed_is_none_that_was_used(team, at_terminal):
    failed = {"hooks": {"PostToolUseFailure": [{"matcher": "Bash", "hooks": [command("gate")]}]}}
    used = {"PostToolUse": [{"matcher": "Bash", "hooks": [command("format")]}]}
    team.write(SETTINGS, {"hooks": {**failed["hooks"], **used}})
    convert(team, "gemini-cli", "--yes")
    at_terminal("trust", "--yes")
    sent(team, "gemini-cli", "AfterTool.failed")
    after_failure = {path.name for path in team.project.glob("*.seen")}
    sent(team, "gemini-cli", "AfterTool")

    assert after_failure == {"gate.seen"}
    assert seen(team, "gate")["hook_event_name"] == "PostToolUseFailure"
    assert {path.name for path in team.project.glob("*.seen")} == {"gate.seen", "format.seen"}


def test_what_is_written_is_shown_first_and_waits_for_trust(team):
    code, said, _ = convert(team, "codex", "--dry-run")
    there = (team.project / HOOKS).exists()
    wrote, told, _ = convert(team, "codex", "--yes")

    assert (code, there, wrote) == (0, False, 0)
    assert '+        "name": "project.guard",' in said
    assert "would write .hookline/hooks.json" in said
    assert "  still needed: `hookline trust`, because project hooks run only if trusted\n" in told
    assert "  still needed: `hookline init --host codex`\n" in told
    assert declared(team)["hooks"]["PreToolUse"] == [
        {
            "name": "project.guard",
            "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
            "payload": "claude",
            "match": "shell",
            "timeout": 10,
            "hosts": ["codex"],
        }
    ]


def test_nobody_is_written_for_without_being_asked(team, at_terminal):
    code, _, error = convert(team, "codex")
    refused = at_terminal("convert", "--from", "claude-code", "--to", "codex", answer="n\n")[0]
    there = (team.project / HOOKS).exists()
    agreed = at_terminal("convert", "--from", "claude-code", "--to", "codex", answer="y\n")[0]

    assert (code, refused, there, agreed) == (1, 1, False, 0)
    assert "confirmation requires an interactive terminal" in error
    assert (team.project / HOOKS).exists()


def test_twice_changes_nothing_and_another_agent_joins(team):
    convert(team, "codex", "--yes")
    once = (team.project / HOOKS).read_bytes()
    code, said, _ = convert(team, "codex", "--yes")
    twice = (team.project / HOOKS).read_bytes()
    convert(team, "gemini-cli", "--yes")

    assert (code, twice) == (0, once)
    assert "is up to date" in said
    assert [one["hosts"] for one in declared(team)["hooks"]["Stop"]] == [["codex", "gemini-cli"]]


def test_the_rest_of_hooks_json_stays_as_it_was(team):
    theirs = '{"version":1,\n\t"hooks": {"Stop": [ {"command": "mine",  "name": "project.gate"} ]}}\n'
    path = team.write(HOOKS, theirs)
    path.chmod(0o640)
    convert(team, "codex", "--yes")
    text = path.read_text()

    assert text.startswith(
        '{"version":1,\n\t"hooks": {"Stop": [ {"command": "mine",  "name": "project.gate"}, '
    )
    assert [one["name"] for one in declared(team)["hooks"]["Stop"]] == ["project.gate", "project.gate-2"]
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", [SETTINGS, HOOKS])
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_written(name, team):
    team.write(name, '{"hooks": {]}')
    code, said, error = convert(team, "codex", "--yes")

    assert code == 1
    assert f"{name}: line 1, column 12: " in said + error
    assert not (team.project / HOOKS).exists() or (team.project / HOOKS).read_text() == '{"hooks": {]}'


def test_what_does_not_carry_over_is_said_with_the_reason(team):
    handlers = [
        {"type": "http", "url": "https://hooks.example.invalid"},
        {"type": "prompt", "prompt": "is this fine?"},
        {"type": "agent", "prompt": "look"},
        {"type": "mcp_tool", "server": "s", "tool": "t"},
        {"type": "command", "command": "a.ps1", "shell": "powershell"},
        {"type": "command", "command": "b.sh", "async": True, "once": True, "if": "Bash(git *)"},
        {"type": "command", "command": "c.sh --to $CLAUDE_ENV_FILE"},
        {"type": "command", "command": "hookline hook claude-code"},
    ]
    team.write(
        SETTINGS, {"hooks": {"PreToolUse": [{"hooks": handlers}], "Setup": [{"hooks": [command("gate")]}]}}
    )
    code, said, _ = convert(team, "codex", "--dry-run", "--json")
    hooks = json.loads(said)["hooks"]

    assert code == 1
    assert [one["how"] for one in hooks] == ["not"] * 5 + ["partly"] * 2 + ["not"]
    assert [one["why"] for one in hooks] == [
        *(
            [f"has the type {kind!r}; only commands can be converted"]
            for kind in ("http", "prompt", "agent", "mcp_tool")
        ),
        ["requires the shell 'powershell'; hookline runs commands in /bin/sh"],
        [
            "runs for every call that its matcher matches: `if` is not supported",
            "runs every time: `once` is not supported",
            "runs synchronously: `async` is not supported",
        ],
        ["uses $CLAUDE_ENV_FILE, which is not set there"],
        ["listens for 'Setup', which hookline does not support"],
    ]
    assert not (team.project / HOOKS).exists()


@pytest.mark.parametrize("value", ["bad", {"hooks": []}, 7, None])
def test_a_moment_that_holds_no_list_is_said(team, value):
    team.write(SETTINGS, {"hooks": {"PostToolUse": value, "Stop": [], "enabled": True}})
    code, said, _ = convert(team, "codex", "--dry-run", "--json")
    (one,) = json.loads(said)["hooks"]

    assert (code, one["how"], one["moment"]) == (1, "not", "PostToolUse")
    assert one["why"] == ["not a list of entries, so its hooks cannot be read"]


@pytest.mark.parametrize("target", ["copilot-cli", "cursor", "vscode"])
def test_an_agent_that_runs_them_by_itself_does_not_get_them_twice(target, team):
    code, said, _ = convert(team, target, "--yes")

    assert code == 0
    assert f"{target} already runs the hooks of {SETTINGS}; a converted hook would run twice" in said
    assert not (team.project / HOOKS).exists()


def test_hooks_of_this_user_alone_are_told_from_the_projects(team):
    team.write(SETTINGS, {})
    team.write(".claude/settings.local.json", {"hooks": {"Stop": [{"hooks": [command("gate")]}]}})
    _, said, _ = convert(team, "codex", "--dry-run")

    assert ".claude/settings.local.json is private, but the converted hook belongs to the project" in said


def test_a_users_own_hooks_are_the_users_own_there(team):
    team.write("~/.claude/settings.json", {"hooks": {"Stop": [{"hooks": [command("gate")]}]}})
    code, said, _ = convert(team, "codex", "--user", "--yes")
    made = json.loads((team.home / ".config/hookline/hooks.json").read_text())

    assert code == 0
    assert "trust" not in said
    assert "`hookline init --host codex --user`" in said
    assert [one["name"] for one in made["hooks"]["Stop"]] == ["user.gate"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--from", "codex", "--to", "gemini-cli"],
            "the payload format of codex cannot be converted; if yours use another format",
        ),
        (["--from", "opencode", "--to", "codex"], "cannot be read; supported hosts: "),
        (["--from", "cursor", "--to", "codex"], "hooks of cursor use a payload format of their own"),
        (["--from", "codex", "--to", "codex"], "name the same host, 'codex'"),
        (["--from", "claude-code", "--to", "envelope"], "hooks cannot be installed for 'envelope'"),
        (["--from", "claude-code", "--to", "nobody"], "no host named 'nobody'"),
        (["--from", "codex", "--to", "gemini-cli", "--payload", "morse"], "no payload format named 'morse'"),
    ],
)
def test_what_is_not_possible_is_said_before_anything_is_read(words, said, team):
    ran = team.run("convert", *words)

    assert ran.returncode == 2
    assert said in ran.stderr.decode()


def test_hooks_of_another_host_that_understand_claudes_words_carry_over_when_a_person_says_so(team):
    entry = {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}
    team.write(".gemini/settings.json", "// ours\n" + json.dumps({"hooks": {"BeforeTool": [entry]}}))
    ran = team.run("convert", "--from", "gemini-cli", "--to", "codex", "--payload", "claude", "--yes")

    assert ran.returncode == 0, ran.stderr
    assert declared(team)["hooks"]["PreToolUse"] == [
        {
            "name": "project.x",
            "command": 'export GEMINI_PROJECT_DIR="$HOOKLINE_PROJECT_DIR"; x',
            "payload": "claude",
            "match": "shell",
            "timeout": 5,
            "hosts": ["codex"],
        }
    ]


def test_a_matcher_of_gemini_matches_parts_of_names(team):
    entry = {"matcher": "write_file|shell", "hooks": [{"type": "command", "command": "x 2>/dev/null"}]}
    team.write(".gemini/settings.json", {"hooks": {"BeforeTool": [entry]}})
    ran = team.run("convert", "--from", "gemini-cli", "--to", "claude-code", "--payload", "claude", "--yes")
    (hook,) = declared(team)["hooks"]["PreToolUse"]

    assert ran.returncode == 0, ran.stderr
    assert (hook["match"], hook["name"]) == ("shell|write", "project.x")


@pytest.mark.parametrize("folder", ["", "plugins/lint/"])
def test_hooks_of_a_plugin_run_in_its_folder(folder, team, at_terminal):
    (team.project / SETTINGS).unlink()
    check = {"type": "command", "command": '"${CLAUDE_PLUGIN_ROOT}/check.sh" 2> /dev/null'}
    team.write(f"{folder}hooks/hooks.json", {"hooks": {"PreToolUse": [{"hooks": [check]}]}})
    team.write(f"{folder}check.sh", "#!/bin/sh\necho blocked by the plugin >&2; exit 2").chmod(0o755)
    code, said, _ = convert(team, "codex", "--yes")
    at_terminal("trust", "--yes")

    assert (code, "CLAUDE_PLUGIN_ROOT" in said) == (0, True)
    assert [hook["name"] for hook in declared(team)["hooks"]["PreToolUse"]] == ["project.check"]
    assert "blocked by hook 'project.check'" in sent(team, "codex", "PreToolUse")


def test_a_long_program_is_shortened_in_the_report(team):
    entry = {"hooks": [{"type": "command", "command": "python3 -c '" + "print(1); " * 2000 + "'"}]}
    team.write(SETTINGS, {"hooks": {"Stop": [entry]}})
    _, said, _ = convert(team, "codex", "--dry-run")

    assert max(map(len, said.splitlines()[:2])) < 200


def test_nothing_to_convert_is_said(user):
    code, said, _ = convert(user, "codex", "--yes")

    assert (code, said) == (
        0,
        "claude-code has no hooks in this project's files\nno hooks to convert\n",
    )
    assert os.listdir(user.project) == [".git"]


ONLY = {"name": "mine", "command": "echo said", "hosts": ["codex"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "stem", "runs"), [("codex", "SessionStart", True), ("gemini-cli", "SessionStart", False)]
)
def test_a_hook_that_names_its_hosts_runs_under_them_alone(host, stem, runs, user):
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"SessionStart": [ONLY]}})

    assert ("said" in sent(user, host, stem)) is runs


def test_the_list_shows_under_which_hosts_a_hook_runs(user):
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"SessionStart": [ONLY]}})
    shown = user.run("list", "hooks").stdout.decode()
    facts = json.loads(user.run("list", "hooks", "--json").stdout)["hooks"]

    assert "SessionStart (only codex)" in shown
    assert {tuple(one["hosts"]) for one in facts} == {(), ("codex",)}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("hosts", ["codx"], "no host named 'codx'; did you mean 'codex'?"),
        ("hosts", [], "'hosts' must name at least one host"),
        ("hosts", [1], "item 1 of 'hosts'"),
        ("hosts", "codex", "'hosts' must be a list"),
        ("moment", "Stop", "has an unknown moment 'Stop'; its payload must be that of a host"),
    ],
)
def test_what_is_wrong_with_where_a_hook_runs_is_a_problem(key, value, said, user):
    entry = {**ONLY, key: value}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"SessionStart": [entry]}})
    shown = user.run("list", "hooks").stdout.decode()

    assert said in next(line for line in shown.splitlines() if line.startswith("problem: "))
    assert "mine" not in shown.partition("\n\n")[2]


def test_a_moment_that_the_words_do_not_have_is_a_problem(user):
    entry = {"command": "x", "payload": "claude", "moment": "Stopp"}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"Stop": [entry]}})

    assert (
        "has an unknown moment 'Stopp'; available: SessionStart, "
        in user.run("list", "hooks").stdout.decode()
    )
