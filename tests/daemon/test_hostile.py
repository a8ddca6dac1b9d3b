"""What a repository or an agent can put around a client must not keep a call from being judged."""

import json
import shutil
import socket
import subprocess
import time

import pytest

from hookline.daemon import control
from hookline.daemon.paths import Place

FORCE = "git push --force"
HARMLESS = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}})
AROUND = {
    "a payload": {"payload": HARMLESS, "hl_payload": HARMLESS},
    "a name": {"name": "fixed", "hl_name": "fixed"},
    "posix": {"POSIXLY_CORRECT": "1"},
    "a function": {
        "BASH_FUNC_exec%%": "() { builtin exit 0; }",
        "BASH_FUNC_printf%%": "() { builtin exit 0; }",
    },
    "options": {"SHELLOPTS": "noexec:nounset", "BASHOPTS": "extdebug"},
    "a limit": {"TMOUT": "1"},
    "a relative place": {"XDG_RUNTIME_DIR": "."},
    "python": {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere"},
    "fields": {"IFS": "0123456789", "LC_ALL": "tr_TR.UTF-8"},
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("state", ["runs", "died", "off"])
def test_the_environment_does_not_steer_a_client(asked, around, state):
    if state == "died":
        asked.kill()
    more = {"HOOKLINE_DAEMON": "off"} if state == "off" else {}
    said = asked.ask(json.dumps(asked.user.shell(FORCE)), **{**around, **more})

    assert b"deny" in said.stdout, said


def test_a_file_that_bash_is_told_to_read_first_is_not_read(asked, tmp_path):
    (tmp_path / "first").write_text("exit 0\n")
    said = asked.ask(json.dumps(asked.user.shell(FORCE)), BASH_ENV=str(tmp_path / "first"))

    assert b"deny" in said.stdout


def test_programs_of_a_repository_are_not_run_on_a_payload(asked, tmp_path):
    for name in ("cat", "head"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{asked.environment()['PATH']}"
    sent = json.dumps({**asked.user.shell(FORCE), "transcript_path": "x" * 50_000})

    assert b"deny" in asked.ask(sent, PATH=path).stdout


def test_records_have_names_of_their_own_whatever_the_environment_says(asked):
    for number in range(3):
        sent = {**asked.user.shell(FORCE), "tool_use_id": f"call-{number}"}
        asked.ask(json.dumps(sent), name="fixed", HOOKLINE_DAEMON="off")

    assert len([one for one in asked.user.log() if one["event"] == "PreToolUse"]) == 3


def test_who_does_not_know_the_knock_gets_no_proof(daemon):
    port = control.read(Place(folder=str(daemon.folder))).port
    for first in (b"hookline/1\n", b"hookline/1 \n", b"hookline/1 knock\n"):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
            line.sendall(first)
            line.shutdown(socket.SHUT_WR)

            assert line.recv(100) == b""


def test_a_store_that_was_removed_under_it_is_made_anew(daemon):
    ask = lambda number: daemon.ask(  # noqa: E731 -- once here
        json.dumps({**daemon.user.shell(FORCE), "tool_use_id": f"call-{number}"})
    )
    ask(1)
    time.sleep(0.5)  # until it is stored
    shutil.rmtree(daemon.user.home / ".local/state/hookline")
    ask(2)
    daemon.process.terminate()
    daemon.process.wait(20)

    assert [one["action"] for one in daemon.user.log() if one["event"] == "PreToolUse"] == ["block"]


@pytest.mark.skipif(
    not shutil.which("unshare")
    or subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0,
    reason="no files of one's own here",
)
def test_who_has_other_files_is_answered_where_those_are(asked):
    asked.user.write("~/other/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    home = asked.user.home
    (home / ".config").mkdir(exist_ok=True)
    inside = ("unshare", "-rm", "sh", "-c", f'mount --bind {home}/other {home}/.config && exec "$0" "$@"')
    sent = json.dumps(asked.user.shell(FORCE))
    there = asked.ask(sent, client=(*inside, *asked.client))
    here = asked.ask(sent)

    assert (b"deny" in there.stdout, b"deny" in here.stdout) == (False, True)


def test_why_records_wait_is_in_the_log(daemon):
    daemon.ask(json.dumps(daemon.user.shell("ls")))
    store = daemon.user.home / ".local" / "state" / "hookline" / "hookline.db"
    daemon.until(store.exists)
    for path in store.parent.glob("hookline.db*"):
        path.unlink()
    store.mkdir()
    said = daemon.ask(json.dumps(daemon.user.shell(FORCE)))

    assert b"deny" in said.stdout
    daemon.until(lambda: "what was answered waits in" in (daemon.runtime / "said").read_text())
