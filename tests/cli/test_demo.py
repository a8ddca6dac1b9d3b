"""Test `hookline demo` with stand-ins for the agent's program; `tests/clients` runs the real one."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.commands import HOOKLINE

from hookline.cli._demo import _scene

STAND_IN = """\
import json, os, subprocess, sys, urllib.request

def ask(*messages):
    body = {"model": "m", "tools": [{"name": "Bash"}], "stream": STREAM, "messages": list(messages)}
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages?beta=true"
    text = urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())).read().decode()
    if not STREAM:
        return json.loads(text)["content"][0]
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    delta = next(event["delta"] for event in events if event["type"] == "content_block_delta")
    block = next(event["content_block"] for event in events if event["type"] == "content_block_start")
    return block | (
        {"input": json.loads(delta["partial_json"])} if "partial_json" in delta else {"text": delta["text"]}
    )

def decide(call):
    settings = json.load(open(os.path.expanduser("~/.claude/settings.json")))["hooks"]["PreToolUse"]
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": os.getcwd()}
    payload |= {"tool_name": call["name"], "tool_input": call["input"]}
    reply = subprocess.run(settings[0]["hooks"][0]["command"], shell=True, capture_output=True,
                           input=json.dumps(payload).encode()).stdout
    return json.loads(reply or b"{}").get("hookSpecificOutput", {}).get("permissionDecisionReason", "")

prompt = {"role": "user", "content": sys.stdin.read()}
call = ask(prompt)
result = HOOKS and decide(call) or subprocess.run(
    call["input"]["command"], shell=True, capture_output=True, text=True).stderr
print(ask(prompt, {"role": "user", "content": [{"type": "tool_result", "content": result}]})["text"])
"""
"""A program that uses the hooks and the model as Claude Code does, if HOOKS is true."""


@pytest.fixture
def place(user, tmp_path, monkeypatch):
    """Return a user with an empty folder for temporary files, which is the only one that the demo may use."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    user.env["PATH"] = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin"
    return user


def install(tmp_path, text, name="claude"):
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def agent(tmp_path, **values):
    constants = "".join(f"{name} = {value}\n" for name, value in values.items())
    install(tmp_path, f"#!{sys.executable}\n{constants}{STAND_IN}")


def show(place, *words, **env):
    ran = place.run("demo", *words, **env)
    return ran.returncode, " ".join((ran.stdout + ran.stderr).decode().split())


@pytest.mark.slow
@pytest.mark.parametrize("stream", [True, False])
def test_a_push_is_blocked_and_nothing_is_left(place, tmp_path, stream):
    agent(tmp_path, HOOKS=True, STREAM=stream)
    home = place.write("~/.claude/settings.json", {"model": "mine"})
    code, shown = show(place, CLAUDE_CONFIG_DIR=str(home.parent), ANTHROPIC_API_KEY="sk-mine")

    assert code == 0, shown
    assert "agent $ git push --force hookline blocks it; the agent reads: This push can overwrite" in shown
    assert f"agent {_scene.ENDING} remote still has the commit of a colleague: " in shown
    assert shown.endswith("`hookline init --host claude-code` in your project, or with --user in all of them")
    assert list((tmp_path / "tmp").iterdir()) == []
    assert sorted(path.name for path in place.home.rglob("*")) == [".claude", "settings.json"]
    assert json.loads(home.read_text()) == {"model": "mine"}


def test_an_agent_that_runs_no_hooks_is_reported(place, tmp_path):
    agent(tmp_path, HOOKS=False, STREAM=True)
    code, shown = show(place, "claude-code")

    assert code == 1
    assert "hookline did not stop it" in shown
    assert "remote lost the commit of a colleague" in shown
    assert "Claude Code did not run the hooks" in shown


def test_only_path_reaches_the_agent(place, tmp_path):
    install(tmp_path, f"#!/bin/sh\nenv > {tmp_path}/env\n")
    show(
        place,
        ANTHROPIC_AUTH_TOKEN="t",
        CLAUDE_CONFIG_DIR="/c",
        GIT_DIR="/g",
        XDG_CONFIG_HOME="/x",
        CLAUDECODE="1",
    )
    lines = (tmp_path / "env").read_text().splitlines()
    got = dict(line.partition("=")[::2] for line in lines)

    assert got["PATH"] == place.env["PATH"]
    assert got["HOME"].startswith(f"{tmp_path / 'tmp'}/hookline-demo-")
    assert got["HTTPS_PROXY"] == got["ANTHROPIC_BASE_URL"]
    assert (
        not {"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CONFIG_DIR", "GIT_DIR", "XDG_CONFIG_HOME", "CLAUDECODE"}
        & got.keys()
    )


@pytest.mark.parametrize("words", [(), ("claude-code",)])
def test_a_missing_agent_is_named_with_an_alternative(place, words):
    code, shown = show(place, *words)

    assert code == 1
    assert "Claude Code is not installed: no program 'claude' on PATH" in shown
    assert "`hookline explain claude-code 'git push --force'` works without it" in shown


def test_an_agent_without_a_demo_is_refused(place):
    assert show(place, "codex") == (2, "hookline: no demo named 'codex'; available: claude-code")


def test_git_is_required(place, tmp_path):
    install(tmp_path, "#!/bin/sh\n")

    assert show(place, PATH=str(tmp_path / "bin")) == (
        1,
        "hookline: the demo requires git; install it and try again",
    )


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("echo starting; echo no licence >&2; exit 1", "failed with exit code 1: no licence"),
        ("echo hello", "failed with exit code 0: hello"),
        ("kill -9 $$", "failed with exit code -9: no output"),
    ],
)
def test_a_broken_agent_is_reported(place, tmp_path, program, problem):
    install(tmp_path, f"#!/bin/sh\n{program}\n")
    code, shown = show(place)

    assert code == 1
    assert shown.endswith(f"hookline: 'claude' {problem}")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_agent_that_hangs_is_ended_with_its_children(place, tmp_path, monkeypatch):
    monkeypatch.setattr(_scene, "TIME_LIMIT", 1.0)
    install(tmp_path, f"#!/bin/sh\nsleep 300 &\necho $! > {tmp_path}/child\nwait\n")
    code, shown = show(place)

    assert code == 1
    assert "'claude' did not end within 1 s and was stopped" in shown
    assert not os.path.exists(f"/proc/{(tmp_path / 'child').read_text().strip()}")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_agent_and_removes_its_folder(place, tmp_path, number):
    os.mkfifo(tmp_path / "started")
    install(tmp_path, f"#!/bin/sh\necho $$ > {tmp_path}/started\nsleep 300\n")
    env = place.environment(TMPDIR=str(tmp_path / "tmp"))
    with subprocess.Popen([HOOKLINE, "demo"], cwd=place.project, env=env, stdout=subprocess.DEVNULL) as demo:
        agent_pid = (tmp_path / "started").read_text().strip()
        demo.send_signal(number)

        assert demo.wait(60) == 128 + number
    assert not os.path.exists(f"/proc/{agent_pid}")
    assert list((tmp_path / "tmp").iterdir()) == []
