"""Test that both clients reply exactly as a process without a daemon does."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.conftest import CAPTURES
from tests.daemon.conftest import CLIENTS, FORCE, SOURCES, build, can_unshare, forbid

from hookline import __version__, hosts
from hookline.daemon import client
from hookline.system.paths import SHARED_FOLDERS, daemon_folders, virtual_environment

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("HOOKLINE_LONG"))
EVERY = sorted(path for path in CAPTURES.glob("*/*.json") if path.parent.name in hosts.names())
STEP = 1 if LONG else len(EVERY) // 6
SWITCHES = ({}, {"AR_DISABLE_DANGEROUS_COMMAND": "1"}, {"AUTORESEARCH_BUDGET_END": "100"})


def told(ran):
    return ran.returncode, ran.stdout, ran.stderr


def captured(path, house):
    sent = json.loads(path.read_text().replace('"/repo', f'"{house.user.project}'))
    host = hosts.load(path.parent.name)
    name = path.stem.split(".")[0]
    named = isinstance(sent.get(host.event_key), str)
    return sent, ("--event", name) if not named and name in host.moments else ()


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda one: next(iter(one), "plain"))
def test_captured_payloads_are_answered_as_in_a_process_of_their_own(asked, switches, request):
    wrong = {}
    for path in EVERY[sum(map(ord, request.node.name)) % STEP :: STEP]:
        sent, words = captured(path, asked)
        shutil.rmtree(asked.user.home / ".local", ignore_errors=True)
        how = {"host": path.parent.name, **switches}
        alone = asked.ask(
            sent, *words, XDG_STATE_HOME=f"{asked.root}/a{path.stem}", HOOKLINE_DAEMON="off", **how
        )
        through = asked.ask(sent, *words, XDG_STATE_HOME=f"{asked.root}/b{path.stem}", **how)
        if told(alone) != told(through):
            wrong[f"{path.parent.name}:{path.stem}"] = (alone, through)

    assert wrong == {}


def test_a_call_goes_through_the_daemon(asked):
    assert asked.ask_force()
    assert asked.calls() == 1


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"@/etc/passwd",
        b'{"a": "\0"}',
        b"\xff\xfe",
        b"[" * 9,
        b"{}",
        json.dumps({"hook_event_name": "PreToolUse", "tool_name": "B\0"}).encode(),
    ],
)
@pytest.mark.parametrize(
    "words", [(), ("--event",), ("--event", "Nope"), ("--only", "dangerous-command")][: None if LONG else 2]
)
def test_nonsense_is_answered_as_in_a_process_of_its_own(asked, payload, words):
    alone, through = (asked.ask(payload, *words, HOOKLINE_DAEMON=how) for how in ("off", ""))

    assert told(alone) == told(through)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_other_encodings_are_judged_the_same(asked, encoding):
    sent = json.dumps(asked.user.shell(FORCE)).encode(encoding)
    alone, through = (asked.ask(sent, HOOKLINE_DAEMON=how) for how in ("off", ""))

    assert told(alone) == told(through)
    assert b'"deny"' in through.stdout
    assert asked.calls() == 1


def test_an_escaped_nul_hides_nothing(asked):
    assert b'"deny"' in asked.ask({**asked.user.shell(f"echo a\0b; {FORCE}")}).stdout


@pytest.mark.parametrize("size", [10, 32_768, 300_000, 60_000_000 if LONG else 20_000_000])
def test_payloads_of_every_size_arrive_whole(asked, size):
    assert b'"deny"' in asked.ask({**asked.user.shell(FORCE), "padding": "x" * size}).stdout
    assert asked.calls() == 1


def test_a_payload_larger_than_the_protocol_allows_is_answered_without_the_daemon(asked):
    assert b'"deny"' in asked.ask({**asked.user.shell(FORCE), "padding": "x" * client.LARGEST}).stdout
    assert asked.calls() == 0


def test_a_call_without_a_host_is_refused_with_a_sentence(asked):
    ran = asked.ask(b"{}", host="--event")

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"invalid arguments" in ran.stderr


def test_other_commands_are_those_of_hookline(each):
    ran = subprocess.run(
        [each.client, "--version"], capture_output=True, text=True, env=each.environment(), check=True
    )
    shown = subprocess.run(
        [each.client, "hook", "--help"], capture_output=True, text=True, env=each.environment(), check=True
    )

    assert ran.stdout == f"hookline {__version__}\n"
    assert "--only NAME" in shown.stdout


def streams(house, redirection, payload=None, *, daemon="on"):
    """Run the client in a shell with this *redirection*, and return (exit code, stderr)."""
    sent = house.user.project / "sent.json"
    sent.write_text(json.dumps(payload or house.user.shell(FORCE)))
    with sent.open() as stdin:
        ran = subprocess.run(
            ["sh", "-c", f'exec "$0" hook claude-code {redirection}', house.client],
            stdin=stdin,
            capture_output=True,
            text=True,
            cwd=house.user.project,
            env=house.environment(HOOKLINE_DAEMON=daemon),
            check=False,
            timeout=60,
        )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("daemon", ["on", "off"])
@pytest.mark.parametrize("redirection", [">&-", "> /dev/full", ">&- 2>&-"])
def test_a_deny_that_cannot_be_written_blocks_by_exit_code(asked, redirection, daemon):
    code, said = streams(asked, redirection, daemon=daemon)

    assert code == 2
    assert "2>&-" in redirection or ("so the call is blocked" in said and "git-push-force" in said)


@pytest.mark.parametrize("daemon", ["on", "off"])
def test_a_pass_that_cannot_be_written_passes(asked, daemon):
    assert streams(asked, ">&-", asked.user.shell("ls"), daemon=daemon) == (0, "")


@pytest.mark.parametrize("daemon", ["on", "off"])
def test_a_deny_whose_reader_is_gone_blocks_by_exit_code(asked, daemon):
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [asked.client, "hook", "claude-code"],
        input=json.dumps(asked.user.shell(FORCE)),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        cwd=asked.user.project,
        env=asked.environment(HOOKLINE_DAEMON=daemon),
        check=False,
    )
    os.close(writing)

    assert ran.returncode == 2
    assert "so the call is blocked" in ran.stderr


@pytest.mark.parametrize("daemon", ["on", "off"])
def test_a_closed_stdin_is_answered_at_once(asked, daemon):
    began = time.monotonic()
    code, _ = streams(asked, "<&-", daemon=daemon)

    assert code == 0
    assert time.monotonic() - began < 5  # reading a closed stdin once blocked until a timeout of 10 s


@pytest.mark.parametrize("redirection", ["<&- >&- 2>&-", "2>&-"])
def test_closed_streams_do_not_end_a_call(asked, redirection):
    assert streams(asked, redirection, asked.user.shell("ls"))[0] == 0


def linked(house, folder):
    folder.mkdir()
    (folder / "hookline-client").symlink_to(house.client)
    return folder / "hookline-client"


def test_a_link_to_the_client_finds_the_installation(asked, tmp_path):
    assert asked.ask_force(client=(linked(asked, tmp_path / "bin"),))
    assert asked.calls() == 1


def test_a_moved_environment_works(each, tmp_path):
    moved = each.root.with_name(f"{each.root.name}-moved")
    each.root.rename(moved)
    try:
        ran = each.ask(each.user.shell(FORCE), client=(moved / "bin/hookline-client",), HOOKLINE_DAEMON="off")
    finally:
        moved.rename(each.root)

    assert b'"deny"' in ran.stdout


def test_an_installation_without_an_environment_is_found_by_its_script(each):
    """Check a `pip install --user` installation: the script beside the client names the interpreter."""
    (each.root / "pyvenv.cfg").unlink()
    (each.root / "bin/python").unlink()
    (each.root / "bin/hookline").write_text(f"#!{os.path.realpath(sys.executable)}\n")

    assert each.ask_force(HOOKLINE_DAEMON="off", PYTHONPATH="/nowhere")


def test_without_an_interpreter_that_is_said(each):
    (each.root / "bin/python").unlink()
    ran = each.ask(each.user.shell(FORCE), HOOKLINE_DAEMON="off")

    assert ran.stdout == b""
    assert ran.stderr != b""
    assert ran.returncode not in (0, 2)  # hosts report other exit codes to their user, and continue


@pytest.mark.skipif(not can_unshare("-m"), reason="requires mount namespaces (unshare -m)")
def test_a_sandbox_without_proc_is_answered(asked):
    inside = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /proc && exec "$0" "$@"', asked.client)

    assert asked.ask_force(client=inside)


def test_a_stdin_that_does_not_block_is_read_to_its_end(asked):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with subprocess.Popen(
        [asked.client, "hook", "claude-code"],
        stdin=reading,
        stdout=subprocess.PIPE,
        cwd=asked.user.project,
        env=asked.environment(),
    ) as call:
        time.sleep(0.3)
        os.write(writing, json.dumps(asked.user.shell(FORCE)).encode())
        os.close(writing)
        os.close(reading)
        said = call.stdout.read()

    assert b'"deny"' in said


@pytest.mark.parametrize("size", [10, 500_000])
def test_a_sandbox_without_files_in_memory_gets_its_answer(each, size):
    inside = (sys.executable, "-c", forbid("memfd_create"), each.client)
    sent = {**each.user.shell(FORCE), "padding": "x" * size}
    said = each.ask(sent, client=inside, HOOKLINE_DAEMON="off")

    assert b'"deny"' in said.stdout, said


def test_programs_of_a_repository_are_not_run(asked, tmp_path):
    for name in ("dirname", "realpath", "sed", "python", "hookline", "test"):
        (tmp_path / name).write_text("#!/bin/sh\ntouch pwned\n")
        (tmp_path / name).chmod(0o755)
    for switch in ("on", "off"):
        assert asked.ask_force(PATH=f"{tmp_path}:/usr/bin:/bin", HOOKLINE_DAEMON=switch)

    assert not (asked.user.project / "pwned").exists()


AROUND = {
    "a runtime folder": {"XDG_RUNTIME_DIR": "."},
    "python": {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere"},
    "a shell": {"BASH_ENV": "/nowhere", "SHELLOPTS": "noexec", "IFS": "0123456789", "LC_ALL": "tr_TR.UTF-8"},
    "a call": {"HOOKLINE_CALL": "fixed"},
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("state", ["runs", "none", "off"])
def test_the_environment_does_not_steer_it(each, around, state):
    if state == "runs":
        each.start()

    assert each.ask_force(**around, **({"HOOKLINE_DAEMON": "off"} if state == "off" else {}))


@pytest.mark.parametrize("state", ["runs", "none"])
def test_a_folder_that_a_repository_offers_is_not_used(each, state):
    """Listen as a fake daemon in a folder that the environment names."""
    fake = each.root / "fake"
    for folder in (fake, fake / "hookline"):
        folder.mkdir(mode=0o700)
    if state == "runs":
        each.start()
    heard = []
    with listening(fake / "hookline/socket", heard):
        denied = each.ask_force(XDG_RUNTIME_DIR=str(fake), HOOKLINE_RUNTIME_DIR=str(fake))

    assert denied
    assert heard == []


def listening(path, heard):
    import socket

    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    os.chmod(path, 0o600)
    server.listen()

    def serve():
        try:
            line, _ = server.accept()
        except OSError:
            return
        heard.append(line)
        line.sendall(b"0 0 0 0 0\n")
        line.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return server


SPOILT = {
    "others can open it": lambda house: house.folder.chmod(0o750),
    "others can write to its parent": lambda house: house.root.chmod(0o777),
    "it is a link": lambda house: (
        house.folder.rename(house.root / "there"),
        house.folder.symlink_to("there"),
    ),
    "it is in a repository": lambda house: (house.root / ".git").mkdir(),
    "it is in a project": lambda house: (house.root / ".hookline").touch(),
    "others can use the socket": lambda house: (house.folder / "socket").chmod(0o666),
}


@pytest.mark.skipif(not can_unshare("-m"), reason="requires mount namespaces (unshare -m)")
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_both_clients_refuse_the_same_folders(asked, spoil):
    """Check that the client starts a daemon in another runtime folder instead."""
    spoil(asked)
    own = "mount -t tmpfs tmpfs /run && mkdir -p /run/user/$(id -u) && chmod 700 /run/user/$(id -u)"
    inside = ("unshare", "-m", "sh", "-c", f'{own} && exec "$0" "$@"', asked.client)
    denied = asked.ask_force(client=inside)

    assert denied
    assert len(asked.running()) == 2


def test_both_clients_know_the_same_folders_of_all_users():
    (listed,) = re.findall(r"\*shared\[\] = \{(.*)\};", (SOURCES / "client.c").read_text())

    assert tuple(json.loads(f"[{listed}]")) == client.SHARED == SHARED_FOLDERS


def test_the_daemon_looks_where_the_clients_do():
    assert tuple(client.candidates(virtual_environment())) == daemon_folders()


def test_the_python_client_imports_nothing_of_the_package():
    probe = "import sys; sys.path.insert(0, sys.argv[1]); import client; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(SOURCES)], capture_output=True, text=True, check=True
    )

    assert "hookline" not in ran.stdout
    assert not {"subprocess", "asyncio", "json", "re"} & set(ran.stdout.split())


def test_nothing_but_the_release_is_compiled_in():
    if "c" not in CLIENTS:
        pytest.skip("requires a C compiler")
    text = build("c").read_bytes()

    assert __version__.encode() in text
    assert str(SOURCES.parents[2]).encode() not in text
    assert sys.prefix.encode() not in text


def test_a_daemon_that_stops_in_the_middle_is_retried(asked):
    asked.process.send_signal(signal.SIGSTOP)
    with subprocess.Popen(
        [asked.client, "hook", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=asked.user.project,
        env=asked.environment(),
    ) as call:
        call.stdin.write(json.dumps(asked.user.shell(FORCE)).encode())
        call.stdin.close()
        time.sleep(0.5)
        asked.kill()
        said = call.stdout.read()

    assert b'"deny"' in said
    asked.until(lambda: asked.logged() == ["block"])
