"""Test each exit code that the reference documents, of each command."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import user_at

from hookline.cli._bench.bars import Results, at_most
from hookline.cli._main import COMMANDS
from hookline.cli.bench import choose_exit_code

HOOKLINE = str(Path(sys.executable).parent / "hookline")
RECORDING = Path(__file__).parent / "recordings" / "claude-code.jsonl"
CLAUDE = ("--host", "claude-code")
SHELL = {"name": "shell", "input": {"command": "git push --force"}}
CALL = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": SHELL["input"]}
CASE = '{{"command": "git push --force", "expect": "{}"}}\n'
HOOKS = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
FILES = {
    "call.jsonl": json.dumps(CALL) + "\n",
    "right.jsonl": CASE.format("block"),
    "wrong.jsonl": CASE.format("allow"),
    "not-a-recording.jsonl": "nonsense\n",
    "test_good.py": "def test_good():\n    pass\n",
    "test_bad.py": "def test_bad():\n    assert not 1\n",
    ".claude/settings.json": json.dumps({"hooks": HOOKS}),
    "~/.claude/settings.json": json.dumps({"hooks": {"Nonsense": HOOKS["PreToolUse"]}}),
}
LINES = {
    ("approvals", 0): ("approvals",),
    ("approve", 0): ("approve", "--list"),
    ("budget", 0): ("budget", "show"),
    ("check", 0): ("check", "claude-code", "call.jsonl"),
    ("completion", 0): ("completion", "bash"),
    ("config", 0): ("config", "show"),
    ("convert", 1): ("convert", "--from", "claude-code", "--to", "codex", "--user", "--yes"),
    ("convert", 0): ("convert", "--from", "claude-code", "--to", "codex", "--yes"),
    ("doctor", 1): ("doctor",),
    ("errors", 0): ("errors", "list"),
    ("explain", 0): ("explain", "claude-code", "git push --force"),
    ("fire", 0): ("fire", "SessionStart"),
    ("fire", 2): ("fire", "PreToolUse", "--exit-code", "--json", json.dumps({"tool": SHELL})),
    ("guard", 0): ("guard", "test", "right.jsonl"),
    ("guard", 1): ("guard", "test", "wrong.jsonl"),
    ("hook", 0): ("hook", "claude-code"),
    ("hook", 1): ("hook", "reasonix"),
    ("hook", 2): ("hook", "reasonix"),
    ("init", 0): ("init", *CLAUDE, "--yes"),
    ("list", 0): ("list",),
    ("log", 0): ("log",),
    ("mcp", 0): ("mcp", "serve"),
    ("memory", 0): ("memory", "list"),
    ("new", 0): ("new", "hook", "greet"),
    ("on", 0): ("on",),
    ("redact", 0): ("redact", "call.jsonl"),
    ("replay", 0): ("replay", str(RECORDING)),
    ("replay", 1): ("replay", "not-a-recording.jsonl"),
    ("rotate", 0): ("rotate",),
    ("status", 0): ("status",),
    ("test", 0): ("test", "test_good.py"),
    ("test", 1): ("test", "test_bad.py"),
    ("uninstall", 0): ("uninstall", *CLAUDE, "--dry-run"),
    ("untrust", 0): ("untrust",),
    ("upgrade", 0): ("upgrade",),
}
"""Command lines in a project with `FILES`, by command and exit code."""


WITHOUT_SPACE = [
    name for name, code in LINES if code == 0 and COMMANDS.load(name).exits[1] == "failure" and name != "mcp"
]
"""Commands whose exit code 1 is tested with a full disk."""
AT_TERMINAL = {
    "allow": ("--once", "dangerous-command:git-push-force"),
    "off": ("10m",),
    "trust": ("--yes",),
}
"""Arguments of commands that require a terminal."""
TARGET = """
goal = "A smaller number."
[scope]
mutable = ["n"]
[metric]
command = "cat n"
direction = "lower"
[agent]
host = "command"
command = "{command}"
[limits]
experiments = {experiments}
failures = 1
[noise]
kind = "deterministic"
"""
AGENTS = {"less": "echo 1 > n", "idle": "true", "broken": "exit 3", "slow": "sleep 300"}
"""Commands that act as agents, by target."""
RUN_LINES = (
    (0, ("run", "less")),
    (0, ("runs",)),
    (0, ("show", "less")),
    (0, ("plot", "less")),
    (0, ("merge", "less")),
    (0, ("target", "list")),
    (0, ("run", "idle")),
    (1, ("merge", "idle")),
    (1, ("run", "broken")),
    (0, ("clean", "--yes")),
)
"""Exit codes and command lines in a repository with `AGENTS`, in this order."""
COMMANDS_OF_RUNS = ("attach", "clean", "plot", "runs", "show", "stop", "target")


@pytest.fixture
def project(user):
    for name, text in FILES.items():
        user.write(name, text)
    user.hook(user.payload("UserPromptSubmit", prompt="fix the parser"))
    return user


@pytest.mark.parametrize(("command", "code"), LINES)
def test_a_command_exits_with(project, command, code):
    stdin = "nonsense" if (command, code) == ("hook", 1) else json.dumps(CALL)
    ran = project.run(*LINES[command, code], stdin=stdin)

    assert ran.returncode == code, ran.stderr


@pytest.mark.parametrize("command", COMMANDS.names())
def test_an_unknown_option_is_an_invalid_argument(user, command):
    assert user.run(command, "--nonsense").returncode == (0 if command == "hook" else 2)


@pytest.mark.usefixtures("signer")
@pytest.mark.parametrize("command", AT_TERMINAL)
def test_a_command_of_a_person_succeeds_only_at_a_terminal(user, at_terminal, command):
    words = (command, *AT_TERMINAL[command])

    assert at_terminal(*words)[0] == 0
    assert user.run(*words).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        name
        for name, code in LINES
        if code == 0 and COMMANDS.load(name).exits[1] == "failure" and name != "mcp"
    ],
)
def test_a_command_that_cannot_print_fails(project, command):
    assert run_without_space(project, LINES[command, 0]) == 1


def run_without_space(user, words):
    """Return the exit code of a command whose stdout is a full disk."""
    with open("/dev/full", "w") as full:
        return subprocess.run(
            [HOOKLINE, *words],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=user.project,
            env=user.environment(),
            check=False,
            timeout=60,
        ).returncode


@pytest.fixture
def repository(tmp_path):
    user = user_at(tmp_path)
    (user.project / ".git" / "HEAD").unlink()
    (user.project / ".git").rmdir()
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]
    user.write("n", "9\n")
    for name, command in AGENTS.items():
        user.write(
            f".hookline/targets/{name}.toml",
            TARGET.format(command=command, experiments=2 if name == "broken" else 1),
        )
    for words in (["init", "-q"], ["add", "n"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *words], cwd=user.project, env=user.environment(), check=True)
    return user


@pytest.mark.slow
def test_commands_of_runs(repository):
    told = [(repository.run(*words), code, words) for code, words in RUN_LINES]

    assert [(words, ran.returncode, ran.stderr) for ran, code, words in told if ran.returncode != code] == []


@pytest.mark.parametrize("command", COMMANDS_OF_RUNS)
def test_commands_of_runs_fail_without_git(user, command):
    words = {"runs": ("runs",), "target": ("target", "list")}.get(command, (command, "slow"))

    assert user.run(*words, PATH="/nonexistent").returncode == 1


@pytest.mark.slow
def test_commands_of_a_running_run(repository):
    first = repository.run("run", "slow", "--detach")
    with subprocess.Popen(
        [HOOKLINE, "attach"],
        cwd=repository.project,
        env=repository.environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as watching:
        watching.stdout.readline()
        stopped = repository.run("stop", "slow")

    assert (first.returncode, stopped.returncode, watching.returncode) == (0, 0, 0)


def test_a_server_without_its_port(user):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        assert user.run("mcp", "serve", "--http", port).returncode == 1


def test_the_bench():
    met, missed = (at_most("a", "a", value, 1.0) for value in (0.5, 2.0))

    assert [
        choose_exit_code(Results(figures=(met,))),
        choose_exit_code(Results(figures=(missed,))),
        choose_exit_code(Results(figures=(missed,), busy="load")),
    ] == [0, 1, 3]


TESTED_ELSEWHERE = {
    ("daemon", 0): "tests/daemon/test_cli.py",
    ("daemon", 1): "tests/daemon/test_cli.py",
    ("demo", 0): "tests/cli/test_demo.py",
    ("demo", 1): "tests/cli/test_demo.py",
    ("doctor", 0): "tests/cli/test_doctor.py",
    ("run", 130): "tests/engine/test_crashes.py",
    ("ui", 1): "tests/cli/test_ui.py",
    ("ui", 130): "tests/cli/test_ui.py",
}


def test_every_documented_code_is_tested():
    documented = {(name, code) for name in COMMANDS.names() for code in COMMANDS.load(name).exits}
    tested = {
        *LINES,
        *((words[0], code) for code, words in RUN_LINES),
        *((name, 2) for name in COMMANDS.names()),
        *((name, code) for name in AT_TERMINAL for code in (0, 1)),
        *((name, 1) for name in (*WITHOUT_SPACE, *COMMANDS_OF_RUNS)),
        *(("attach", 0), ("stop", 0), ("bench", 0), ("bench", 1), ("bench", 3), ("mcp", 1)),
    }

    assert documented - tested == TESTED_ELSEWHERE.keys()
