"""Whoever asks the daemon reads what a process of its own would have said, byte for byte."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.conftest import CAPTURES

from hookline import __version__, hosts

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force"
EVERY = sorted(path for path in CAPTURES.glob("*/*.json") if path.parent.name in hosts.names())
FEW = 14
SWITCHES = ({}, {"AR_DISABLE_DANGEROUS_COMMAND": "1"}, {"AUTORESEARCH_BUDGET_END": "100"})


def payload(path, house):
    """As if sent from the user's project, in a session and a call of its own."""
    sent = json.loads(path.read_text().replace('"/repo', f'"{house.user.project}'))
    name = (
        "" if isinstance(sent.get(hosts.load(path.parent.name).names_event), str) else path.stem.split(".")[0]
    )
    return json.dumps(sent), (("--event", name) if name in hosts.load(path.parent.name).moments else ())


def some(*which):
    """All of them, or a few that others leave out."""
    step = 1 if LONG else len(EVERY) // FEW
    return EVERY[sum(map(ord, "".join(which))) % step :: step]


def alone(house, sent, *words, host, **env):
    return house.ask(sent, *words, host=host, HOOKLINE_DAEMON="off", **env)


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda one: next(iter(one), "plain"))
def test_every_captured_payload_is_answered_alike(asked, switches, request):
    wrong = {}
    for path in some(request.node.name):
        host = path.parent.name
        sent, words = payload(path, asked)
        shutil.rmtree(asked.user.home / ".local", ignore_errors=True)
        apart = alone(
            asked, sent, *words, host=host, XDG_STATE_HOME=f"{asked.runtime}/a{path.stem}", **switches
        )
        said = asked.ask(sent, *words, host=host, XDG_STATE_HOME=f"{asked.runtime}/b{path.stem}", **switches)
        if (apart.returncode, apart.stdout, apart.stderr) != (said.returncode, said.stdout, said.stderr):
            wrong[f"{host}:{path.stem}"] = (apart, said)

    assert wrong == {}


def test_the_daemon_was_asked_and_not_a_process_of_its_own(asked):
    asked.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    asked.ask(json.dumps(asked.user.shell("ls")))
    waited = time.monotonic() - began
    asked.process.send_signal(signal.SIGCONT)

    assert waited > 1  # it was waited for, and then left


def test_one_that_hangs_is_left_and_the_call_is_judged(asked):
    asked.process.send_signal(signal.SIGSTOP)
    said = asked.ask(json.dumps(asked.user.shell(FORCE)))
    asked.process.send_signal(signal.SIGCONT)

    assert b"deny" in said.stdout


def test_one_that_died_is_not_missed(asked):
    asked.kill()
    said = asked.ask(json.dumps(asked.user.shell(FORCE)))

    assert b"deny" in said.stdout


@pytest.mark.parametrize("size", [10, 32_767, 32_768, 32_769, 300_000, 8_000_000 if LONG else 1_000_000])
def test_payloads_of_every_size_arrive_whole(asked, size):
    sent = json.dumps({**asked.user.shell(FORCE), "padding": "x" * size})
    said = asked.ask(sent)

    assert b"deny" in said.stdout


def test_a_stranger_who_took_the_port_is_told_nothing(house, tmp_path):
    house.folder.mkdir(mode=0o700, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(20)
        told = f"{__version__} {stranger.getsockname()[1]} knock proof secret\n/nowhere\n"
        (house.folder / "address").write_text(told)
        (house.folder / "address").chmod(0o600)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(house.ask, json.dumps(house.user.shell(FORCE)))
            line, _ = stranger.accept()
            line.settimeout(20)
            heard = line.recv(1 << 16)
            line.sendall(b"welcome\n")
            with line, suppress(ConnectionError):
                heard += line.recv(1 << 16)

    assert heard == b"hookline/1 knock\n"
    assert b"deny" in asked.result().stdout


@pytest.mark.parametrize("told", ["0 999 0 0\n{", "0 ", ". \n. \n", "0 3 0", "x y z\n", ""])
def test_an_answer_that_is_cut_short_is_no_answer(house, told):
    house.folder.mkdir(mode=0o700, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as dying:
        dying.settimeout(20)
        (house.folder / "address").write_text(
            f"{__version__} {dying.getsockname()[1]} knock proof secret\n/\n"
        )
        (house.folder / "address").chmod(0o600)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(house.ask, json.dumps(house.user.shell(FORCE)))
            line, _ = dying.accept()
            with line:
                line.recv(1 << 16)
                line.sendall(b"proof\n")
                line.recv(1 << 16)
                line.sendall(told.encode())

    assert b"deny" in asked.result().stdout


def test_a_slow_hook_is_waited_for_and_runs_once(asked):
    slow = {"command": "echo x >> ran; sleep 4; echo no >&2; exit 2", "timeout": 20}
    asked.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [slow]}})
    said = asked.ask(json.dumps(asked.user.shell("ls")))

    assert b"deny" in said.stdout
    assert (asked.user.project / "ran").read_text() == "x\n"


def test_a_command_hook_has_the_environment_of_the_agent(asked):
    entry = {"command": 'printf "@@INJECT: %s" "$OF_THE_AGENT"'}
    asked.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"UserPromptSubmit": [entry]}})
    said = asked.ask(json.dumps(asked.user.payload("UserPromptSubmit")), OF_THE_AGENT="a\nb c")

    assert "a" in said.stdout.decode()


def test_what_is_configured_now_is_what_holds(asked):
    first = asked.ask(json.dumps(asked.user.shell(FORCE)))
    asked.user.write("~/.config/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    second = asked.ask(json.dumps(asked.user.shell(FORCE)))

    assert (b"deny" in first.stdout, b"deny" in second.stdout) == (True, False)


def test_a_wrong_secret_is_answered_by_nobody(daemon):
    _, port, knock, _, secret = (daemon.folder / "address").read_text().splitlines()[0].split()
    talk = f"hookline/1 {knock}\nhookline/1 {secret[::-1]} 1 n 1 0\nclaude-code\0/\0{{}}\0"
    said = subprocess.run(
        ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}; cat >&3; cat <&3"],
        input=talk.encode(),
        capture_output=True,
        check=False,
        timeout=30,
    )

    assert said.stdout.count(b"\n") == 1  # that it is the daemon, and no more


def test_it_is_told_to_go_and_leaves_nothing_but_the_log_of_what_happened(daemon):
    daemon.ask(json.dumps(daemon.user.shell(FORCE)))
    code = daemon.kill(signal.SIGTERM)

    assert code == 0
    assert not (daemon.folder / "address").exists()
    assert not (daemon.folder / "socket").exists()
    assert [one["action"] for one in daemon.user.log() if one["event"] == "PreToolUse"] == ["block"]


def test_the_end_of_a_turn_shows_what_happened_just_before(daemon):
    """Records are stored a little later as a rule; who reads them for an answer has them all."""
    begun = {"session_id": "turn", "cwd": str(daemon.user.project)}
    daemon.ask(json.dumps({**begun, "hook_event_name": "UserPromptSubmit", "prompt": "go"}))
    daemon.ask(json.dumps({**daemon.user.shell("git push --force"), "session_id": "turn"}))
    said = daemon.ask(json.dumps({**begun, "hook_event_name": "Stop", "stop_hook_active": False}))

    assert b"blocked: dangerous-command" in said.stdout


def test_counters_have_what_the_last_event_added(daemon):
    daemon.user.write(
        "~/.config/hookline/hooks/counting.py",
        """
from hookline import Count, PreToolUse, State, block, effect, hook

@hook()
def twice(event: PreToolUse, state: State):
    return block("enough") if state.counters.get("calls", 0) >= 2 else effect(Count(name="calls"))
""",
    )
    calls = [{**daemon.user.shell("ls"), "tool_use_id": f"t{number}"} for number in range(4)]
    said = [b"enough" in daemon.ask(json.dumps(one)).stdout for one in calls]

    assert said == [False, False, True, True]
