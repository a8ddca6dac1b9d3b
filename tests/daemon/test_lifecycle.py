"""A daemon's life: it goes when nobody calls, ends what it began, and bears the machines there are."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.conftest import user_at
from tests.daemon.conftest import CLIENT, CLIENTS, House

from hookline.daemon import control
from hookline.daemon.paths import Place

FORCE = "git push --force"
SLOW = {"command": "echo x >> ran; sleep 4; echo no >&2; exit 2", "timeout": 20}
OTHER = 61_234
"""A user who has no process and no file here."""


def status(house, **env):
    ran = house.user.run("daemon", "status", "--json", **house.environment(**env))
    return json.loads(ran.stdout)


def test_it_goes_when_nobody_calls(house):
    house.start(HOOKLINE_DAEMON_IDLE="1")

    assert house.process.wait(60) == 0
    assert {one.name for one in house.folder.iterdir()} <= {"lock", "starting", "log"}


@pytest.mark.parametrize("given", ["soon", "0", "-5", "nan"])
def test_an_idle_time_that_is_none_is_said_and_not_followed(house, given):
    house.start(HOOKLINE_DAEMON_IDLE=given)

    assert status(house)["idle"] == 1800
    assert f"HOOKLINE_DAEMON_IDLE is {given!r}" in (house.runtime / "said").read_text()


def test_the_idle_time_of_who_started_it_holds(house):
    house.ask(json.dumps(house.user.shell("ls")), HOOKLINE_DAEMON_IDLE="77")
    house.until((house.folder / "address").exists)

    assert status(house)["idle"] == 77


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, "stop"], ids=str)
def test_a_call_under_way_is_finished_and_kept(house, client, how):
    house.start()
    house.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [SLOW]}})
    ran = house.user.project / "ran"
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(house.ask, json.dumps(house.user.shell("ls")), client=client)
        house.until(ran.exists)
        if how == "stop":
            house.user.run("daemon", "stop", **house.environment())
        else:
            house.process.send_signal(how)
        said = asking.result().stdout

    assert b"deny" in said
    assert ran.read_text() == "x\n"
    assert house.process.wait(30) == 0
    assert [one["action"] for one in house.user.log() if one["event"] == "PreToolUse"] == ["block"]


def test_one_that_hangs_is_replaced_by_the_call_that_it_kept_waiting(house):
    house.start().process.send_signal(signal.SIGSTOP)
    said = house.ask(json.dumps(house.user.shell(FORCE)))

    assert b"deny" in said.stdout
    house.until(lambda: house.process.poll() is not None, seconds=60)
    house.until(lambda: status(house)["runs"])


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_large_payload_outlives_one_that_hangs_and_is_left_nowhere(house, client):
    house.start().process.send_signal(signal.SIGSTOP)
    sent = json.dumps({**house.user.shell(FORCE), "padding": "x" * 1_000_000})
    said = house.ask(sent, client=client)

    assert b"deny" in said.stdout
    assert [one.name for one in house.folder.iterdir() if one.name.startswith("payload")] == []


def test_one_whose_folder_was_removed_goes(house):
    house.start()
    shutil.rmtree(house.folder)

    assert house.process.wait(30) == 0


def test_without_a_unix_socket_the_other_one_does(house):
    (house.folder / "socket" / "no").mkdir(parents=True)
    house.start()
    said = house.ask(json.dumps(house.user.shell(FORCE)))

    assert b"deny" in said.stdout
    assert (status(house)["socket"], status(house)["calls"]) == (False, 1)
    assert house.user.run("daemon", "stop", **house.environment()).returncode == 0


def spoken(house, process, words, payload="{}"):
    """What a client on loopback hears that says to be that *process*."""
    _, port, knock, _, secret = control.read(Place(folder=str(house.folder)))
    said = f"hookline/1 {knock}\nhookline/1 {secret} {process} n {len(words)} -\n" + "\0".join(
        [*words, "/", payload, ""]
    )
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(said.encode())
        return b"".join(iter(lambda: line.recv(4096), b"")).partition(b"\n")[2]


@pytest.fixture
def bystander():
    """A process of this user that asks nothing, with some words of its own."""
    process = subprocess.Popen([sys.executable, "-c", "input()", "claude-code"], stdin=subprocess.PIPE)
    yield process.pid
    process.communicate(b"\n")


@pytest.mark.parametrize("number", [1, 2**22 + 1])
def test_a_process_that_cannot_be_looked_at_is_not_answered(daemon, number):
    assert spoken(daemon, number, ("claude-code", "--event", "Stop")) == b""


def test_it_does_not_guess_whose_environment_holds(daemon, bystander):
    assert spoken(daemon, bystander, ("claude-code",)) != b""  # these are its words
    assert spoken(daemon, bystander, ("codex",)) == b""


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_who_takes_the_port_of_one_that_died_is_neither_told_nor_believed(house, client):
    house.start()
    _, port, knock, *_ = control.read(Place(folder=str(house.folder)))
    house.kill()
    with socket.socket() as impostor:
        impostor.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        impostor.bind(("127.0.0.1", port))
        impostor.listen()
        impostor.settimeout(0.1)
        with ThreadPoolExecutor(1) as pool:
            heard = pool.submit(overheard, impostor)
            said = house.ask(json.dumps(house.user.shell(FORCE)), client=client)
            control.status(Place(folder=str(house.folder)))
            impostor.shutdown(socket.SHUT_RDWR)

        assert b"deny" in said.stdout
        assert heard.result().replace(f"hookline/1 {knock}\n".encode(), b"") == b""


def overheard(impostor):
    """All that is said to who has taken the port, until it is shut."""
    heard = b""
    with suppress(OSError):
        while True:
            with suppress(TimeoutError):
                line, _ = impostor.accept()
                with line:
                    line.sendall(b"welcome\n")
                    line.settimeout(5)
                    while more := line.recv(4096):
                        heard += more
    return heard


def can(*words):
    """Whether a user may have such a world of their own here."""
    if not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", *words, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can("-rpf", "--mount-proc"), reason="no processes of one's own here")
def test_a_client_in_a_container_is_answered(house):
    house.start()
    inside = ("unshare", "-rpf", "--mount-proc", CLIENT, "hook")
    said = house.ask(json.dumps(house.user.shell(FORCE)), client=inside)

    assert b"deny" in said.stdout
    assert status(house)["runs"]


@pytest.mark.skipif(not can("-rn"), reason="no network of one's own here")
def test_without_a_network_the_unix_socket_does(house):
    script = '"$0" -P -m hookline daemon start && "$0" -I -S "$1" hook claude-code'
    ran = subprocess.run(
        ["unshare", "-rn", "sh", "-c", script, sys.executable, CLIENTS["python"][-2]],
        input=json.dumps(house.user.shell(FORCE)).encode(),
        env=house.environment(),
        cwd=house.user.project,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert b"deny" in ran.stdout, ran.stderr
    assert status(house)["calls"] == 1


SMALL = """
mount -t tmpfs -o size=64k,mode=700 tmpfs "$XDG_RUNTIME_DIR" || exit 9
mkdir -m 700 "$XDG_RUNTIME_DIR/hookline"
head -c 100000 /dev/zero > "$XDG_RUNTIME_DIR/hookline/ballast" 2> /dev/null
"$1" claude-code < "$2"
hookline daemon start; echo "start $?"
rm "$XDG_RUNTIME_DIR/hookline/ballast"
hookline daemon start; echo "start $?"
"$1" claude-code < "$2"
hookline daemon status --json
hookline daemon stop
"""
LARGE = """
mount -t tmpfs -o size=128k,mode=700 tmpfs "$XDG_RUNTIME_DIR" || exit 9
hookline daemon start
"$1" claude-code < "$2"
ls "$XDG_RUNTIME_DIR/hookline"
hookline daemon stop
"""
READ_ONLY = """
mount -t tmpfs tmpfs "$HOME" && mount -o remount,ro "$HOME" || exit 9
hookline daemon start
"$1" claude-code < "$2"
hookline daemon status --json
hookline daemon stop
"""


@pytest.mark.skipif(not can("-rm"), reason="no disks of one's own here")
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_full_disk_is_borne_and_got_over(house, client):
    out = in_a_world(house, SMALL, client)

    assert [line for line in out if line.startswith("start ")] == ["start 1", "start 0"]
    assert len([line for line in out if '"deny"' in line]) == 2
    assert json.loads(out[-2])["calls"] == 1


@pytest.mark.skipif(not can("-rm"), reason="no disks of one's own here")
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_home_that_cannot_be_written_to_is_borne(house, client):
    out = in_a_world(house, READ_ONLY, client)

    assert len([line for line in out if '"deny"' in line]) == 1
    assert json.loads(out[-2])["calls"] == 1


@pytest.mark.skipif(not can("-rm"), reason="no disks of one's own here")
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_payload_larger_than_the_disk_is_judged(house, client):
    out = in_a_world(house, LARGE, client, padding="x" * 1_000_000)

    assert len([line for line in out if '"deny"' in line]) == 1
    assert [line for line in out if line.startswith("payload")] == []


def in_a_world(house, script, client, **more):
    """What *script* prints where disks are its own; the client is a program there."""
    sent = house.user.project / "sent.json"
    sent.write_text(json.dumps({**house.user.shell(FORCE), **more}))
    program = house.user.project.parent / "client"
    program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, client))} "$@"\n')
    program.chmod(0o755)
    ran = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", program, sent],
        env=house.environment(),
        cwd=house.user.project,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


root = pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
ATTACK = """
import json, os, socket, sys
folder, port, process, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
os.setgroups([]); os.setgid(other); os.setuid(other)
def tried(work):
    try:
        return work() or ""
    except OSError as error:
        return type(error).__name__
def talk(family, address, word, secret="0" * 32):
    with socket.socket(family) as line:
        line.settimeout(20)
        line.connect(address)
        first = "hookline/1\\n" if family == socket.AF_INET else ""
        line.sendall(f"{first}hookline/1 {secret} {os.getpid()} n 1 0\\n{word}\\0/\\0{{}}\\0".encode())
        said = line.makefile("rb").read().decode()
        return said.partition("\\n")[2] if first else said
print(json.dumps([
    tried(lambda: open(folder + "/address").read()),
    tried(lambda: talk(socket.AF_UNIX, folder + "/socket", "stop")),
    tried(lambda: talk(socket.AF_INET, ("127.0.0.1", port), "stop")),
    tried(lambda: talk(socket.AF_INET, ("127.0.0.1", port), "status")),
    tried(lambda: os.kill(process, 15)),
]))
"""


@pytest.fixture
def open_house():
    """A house whose runtime folder lies where every user comes by."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    made = House(user_at(place), place)
    yield made
    made.end()
    shutil.rmtree(place)


def attacked(house):
    port = control.read(Place(folder=str(house.folder))).port
    argv = [sys.executable, "-c", ATTACK, str(house.folder), str(port), str(house.process.pid), str(OTHER)]
    return json.loads(subprocess.run(argv, capture_output=True, check=True, timeout=60).stdout)


@root
def test_another_user_reaches_nothing(open_house):
    open_house.start()

    assert attacked(open_house) == ["PermissionError", "PermissionError", "", "", "PermissionError"]
    assert status(open_house)["runs"]


@root
def test_another_user_is_told_by_the_socket_even_where_files_stand_open(open_house):
    open_house.start()
    open_house.folder.chmod(0o755)
    (open_house.folder / "socket").chmod(0o666)
    told = attacked(open_house)
    open_house.folder.chmod(0o700)

    assert told == ["PermissionError", "", "", "", "PermissionError"]
    assert status(open_house)["runs"]


@root
def test_a_folder_of_another_user_is_refused(open_house):
    open_house.folder.mkdir(mode=0o700)
    os.chown(open_house.folder, OTHER, OTHER)
    told = status(open_house)

    assert told["problems"] == [
        f"{open_house.folder} is not used: it belongs to user {OTHER}; have it removed"
    ]


CAPABLE = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")
"""So that the other user can use this interpreter, wherever it lies."""
AS_OTHER = ("setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", *CAPABLE)


@pytest.fixture
def other(tmp_path):
    """Another user, who has no runtime folder from the system."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    user = user_at(place)
    for folder in (place, *place.rglob("*")):
        os.chown(folder, OTHER, OTHER)
    yield user
    subprocess.run(
        [*AS_OTHER, sys.executable, "-m", "hookline", "daemon", "stop"],
        env=user.environment(),
        cwd="/",
        capture_output=True,
        check=True,
    )
    shutil.rmtree(place)
    shutil.rmtree(f"/tmp/hookline-{OTHER}")


@root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="no setpriv here")
def test_two_users_have_a_daemon_each(house, other):
    house.start()
    theirs = subprocess.run(
        [*AS_OTHER, sys.executable, "-P", "-m", "hookline", "daemon", "start"],
        env=other.environment(HOOKLINE_DAEMON="on"),
        cwd="/",
        check=True,
        capture_output=True,
        timeout=60,
    )
    asked = [
        subprocess.run(
            [*AS_OTHER, *map(str, client), "claude-code"],
            input=json.dumps(other.shell(FORCE)).encode(),
            env=other.environment(HOOKLINE_DAEMON="on"),
            cwd=other.project,
            capture_output=True,
            check=False,
            timeout=60,
        )
        for client in CLIENTS.values()
    ]
    house.ask(json.dumps(house.user.shell(FORCE)))
    told = control.status(Place(folder=f"/tmp/hookline-{OTHER}"))  # root may look everywhere

    assert str(told["process"]).encode() in theirs.stdout
    assert [b"deny" in one.stdout for one in asked] == [True] * len(CLIENTS)
    assert (told["calls"], status(house)["calls"]) == (len(CLIENTS), 1)
