"""Test the daemon's lifecycle: start on the first call, replacement when hung or foreign, exit when idle."""

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.conftest import SCRATCH, user_at
from tests.daemon.conftest import CLIENTS, FORCE, House, build, can_unshare, forbid

from hookline.cli._bench.world import copy_installation
from hookline.daemon import client, control

pytestmark = pytest.mark.slow

SLOW = {"command": "echo x >> ran; sleep 4; echo no >&2; exit 2", "timeout": 20}
OTHER = 61_234
"""Id of a user without processes and files on this machine."""


def test_the_first_call_starts_it_and_is_answered_by_it(each):
    assert each.ask_force()
    each.ask_until_served()
    assert len(each.running()) == 1


def test_many_first_calls_start_one(each):
    with ThreadPoolExecutor(16) as pool:
        denied = list(pool.map(lambda _: each.ask_force(), range(16)))

    assert all(denied)
    assert len(each.running()) == 1


def test_it_inherits_nothing_of_the_call_that_started_it(each):
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)  # noqa: FBT003 -- positional-only in os
    ran = subprocess.run(
        [each.client, "hook", "claude-code"],
        input=b"{}",
        capture_output=True,
        cwd=each.user.project,
        env=each.environment(SECRET="x", LD_LIBRARY_PATH="/nowhere"),
        pass_fds=[writing],
        check=False,
    )
    os.close(writing)
    (process,) = each.running()

    assert ran.returncode == 0
    assert each.until(lambda: os.read(reading, 1) == b"")  # no process has inherited the other end
    if os.getuid():
        pytest.skip("only root may inspect the daemon")
    env = Path(f"/proc/{process}/environ").read_bytes()
    assert os.readlink(f"/proc/{process}/cwd") == "/"
    assert {name.partition(b"=")[0] for name in env.split(b"\0") if name} <= {b"LANG", b"LC_ALL", b"TZ"}
    os.close(reading)


def test_one_that_hangs_costs_one_call_its_wait_and_is_replaced(asked):
    hung = asked.process
    hung.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    first = asked.ask_force()
    waited = time.monotonic() - began
    second = asked.ask_force()

    assert first
    assert second
    assert 2 * client.SILENCE <= waited < 2 * client.SILENCE + 10
    assert hung.wait(20) == -signal.SIGKILL
    assert asked.calls() == 2
    assert len(asked.running()) == 1


def test_calls_that_wait_for_one_that_hangs_are_all_answered(asked):
    asked.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(8) as pool:
        denied = list(pool.map(lambda _: asked.ask_force(), range(8)))

    assert all(denied)
    assert len(asked.running()) == 1
    asked.kill()


def test_a_call_that_one_that_hangs_has_read_is_recorded_once(asked):
    asked.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [SLOW]}})
    ran = asked.user.project / "ran"
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(asked.ask, asked.user.shell("ls"))
        asked.until(ran.exists)
        asked.process.send_signal(signal.SIGSTOP)
        said = asking.result().stdout

    assert b'"deny"' in said
    asked.until(lambda: asked.logged() == ["block"])


def test_one_that_was_killed_is_replaced(asked):
    asked.kill()

    asked.ask_until_served()


def test_a_socket_and_lock_that_a_killed_one_left_keep_nobody(asked):
    asked.kill()

    assert (asked.folder / "socket").exists()
    assert asked.ask_force()


def test_it_exits_when_idle(house):
    house.start("1")

    assert house.process.wait(60) == 0
    assert {one.name for one in house.folder.iterdir()} <= {"lock", "start.lock", "log"}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, "stop"], ids=str)
def test_a_call_in_progress_is_finished_and_recorded(asked, how):
    asked.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [SLOW]}})
    ran = asked.user.project / "ran"
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(asked.ask, asked.user.shell("ls"))
        asked.until(ran.exists)
        if how == "stop":
            asked.run("daemon", "stop")
        else:
            asked.process.send_signal(how)
        said = asking.result().stdout

    assert b'"deny"' in said
    assert ran.read_text() == "x\n"
    assert asked.process.wait(30) == 0
    assert asked.logged() == ["block"]


def test_another_serves_while_one_finishes_its_calls(asked):
    asked.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"UserPromptSubmit": [SLOW]}})
    ran = asked.user.project / "ran"
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(asked.ask, asked.user.payload("UserPromptSubmit"))
        asked.until(ran.exists)
        asked.process.send_signal(signal.SIGTERM)
        asked.until(lambda: not control.is_served(asked.place))
        denied = asked.ask_force()
        still = asked.process.poll() is None
        asking.result()

    assert denied
    assert still, "the slow call ended before the fast one"
    assert asked.calls() == 1


def test_one_whose_folder_was_removed_exits_and_is_replaced(each):
    each.start()
    shutil.rmtree(each.folder)
    each.folder.mkdir(mode=0o700)

    assert each.ask_force()
    assert each.process.wait(30) == 0
    each.ask_until_served()


@pytest.fixture
def upgraded(house):
    """Return an installation with its own copy of the package, which can be edited."""
    packages = next((house.root / "lib").glob("python*")) / "site-packages"
    shutil.copytree(
        Path(client.__file__).parents[1], packages / "hookline", ignore=shutil.ignore_patterns("__pycache__")
    )
    return house


@pytest.mark.parametrize("name", CLIENTS)
def test_one_whose_files_have_changed_is_replaced(upgraded, name):
    upgraded.use(name)
    before = upgraded.ask_force()
    upgraded.until(upgraded.status)  # compiling its files delays the start
    (first,) = upgraded.running()
    packages = next((upgraded.root / "lib").glob("python*")) / "site-packages"
    with (packages / "hookline/core/chain.py").open("a") as file:
        file.write("# edited\n")
    time.sleep(1.1)  # the daemon checks its files once a second
    after = upgraded.ask_force()

    assert (before, after) == (True, True)
    upgraded.ask_until_served()
    assert first not in upgraded.running()


@pytest.mark.skipif(not can_unshare("-m"), reason="requires mount namespaces (unshare -m)")
@pytest.mark.parametrize("name", CLIENTS)
def test_two_installations_that_share_a_folder_take_turns(house, name, user):
    """Check that both use the user's folder, because neither has its own, and that each call is answered."""
    other = House(user, os.path.realpath(tempfile.mkdtemp(prefix="o-", dir=SCRATCH))).use(name)
    (user.project / "sent.json").write_text(json.dumps(user.shell(FORCE)))
    for one in (house.use(name), other):
        one.folder.rmdir()
    own = "mount -t tmpfs tmpfs /run && mkdir -p /run/user/$(id -u) && chmod 700 /run/user/$(id -u)"
    turns = 'for one in 1 2 3; do "$0" hook claude-code < sent.json; "$1" hook claude-code < sent.json; done'
    try:
        ran = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{own} && {turns}", house.client, other.client],
            capture_output=True,
            cwd=user.project,
            env=house.environment(),
            check=False,
            timeout=60,
        )
        house.until(lambda: not house.running())
        left = len(other.running())
    finally:
        other.end()

    assert ran.stdout.count(b'"deny"') == 6, ran.stderr
    assert left <= 1  # on a busy machine the last call may be answered without a daemon


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_of_another_release_replaces_it(asked, name):
    text = build(name).read_bytes().replace(b"0.1.0", b"0.1.1")
    newer = asked.root / "bin/hookline-client"
    before = asked.ask_force()
    newer.unlink()
    newer.write_bytes(text)
    newer.chmod(0o755)
    denied = asked.ask_force()

    # No daemon of that release can start, so a separate process answers.
    assert (before, denied) == (True, True)
    assert asked.process.wait(20) == 0


def test_where_no_daemon_can_start_calls_are_answered_and_it_is_not_tried_again_at_once(each):
    (each.folder / "lock").mkdir()
    first = each.ask_force()
    tries = (each.folder / "log").read_text().count("cannot run")
    second = each.ask_force()

    assert (first, second) == (True, True)
    assert tries == (each.folder / "log").read_text().count("cannot run") == 1
    assert each.running() == []


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="unknown system call numbers")
def test_a_sandbox_that_forbids_sockets_gets_every_answer(each):
    inside = (sys.executable, "-c", forbid("socket"), each.client)

    assert [each.ask_force(client=inside) for _ in range(2)] == [True, True]
    each.until(lambda: each.running() == [])


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="unknown system call numbers")
@pytest.mark.long
@pytest.mark.parametrize("call", ["socket", "connect"])
def test_a_sandboxed_caller_leaves_the_daemon_of_the_others_alone(asked, call, monkeypatch):
    inside = (sys.executable, "-c", forbid(call), asked.client)
    denied = [asked.ask_force(client=inside) for _ in range(2)]
    time.sleep(12)  # longer than a newly started daemon waits for the folder

    assert denied == [True, True]
    assert asked.running() == [asked.process.pid]
    assert asked.ask_force()
    assert asked.calls() == 1


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="unknown system call numbers")
def test_a_daemon_that_a_sandboxed_caller_started_is_replaced_for_one_that_is_free(each):
    assert each.ask_force(client=(sys.executable, "-c", forbid("reboot"), each.client))
    (first,) = each.running()
    assert each.ask_force()

    each.until(lambda: first not in each.running())
    each.ask_until_served()
    assert len(each.running()) == 1


@pytest.mark.skipif(not can_unshare("-n"), reason="requires network namespaces (unshare -n)")
def test_a_daemon_with_another_network_answers_only_those_who_share_it(each):
    assert each.ask_force(client=("unshare", "-n", each.client))
    each.until(each.status)
    calls = each.calls()
    assert each.ask_force()

    assert each.calls() == calls


def test_one_that_is_stopped_while_many_wait_is_replaced(asked):
    asked.process.send_signal(signal.SIGSTOP)
    lines = [socket.socket(socket.AF_UNIX) for _ in range(600)]
    for line in lines:
        line.setblocking(False)  # noqa: FBT003 -- positional-only in socket
        with suppress(BlockingIOError):
            line.connect(str(asked.folder / "socket"))
    denied = [asked.ask_force() for _ in range(2)]
    for line in lines:
        line.close()

    assert denied == [True, True]
    asked.until(lambda: asked.process.poll() is not None)
    asked.ask_until_served()


def test_one_that_is_busy_is_not_taken_for_hung(asked):
    """Run a hook that holds the GIL for longer than the client's timeout for an unresponsive daemon."""
    asked.user.write(
        "~/.config/hookline/hooks/busy.py",
        """
import re
from hookline import UserPromptSubmit, State, block, hook

@hook()
def busy(event: UserPromptSubmit, state: State):
    re.match(r"(a|a)*$", "a" * 26 + "b")
    return block("busy no longer")
""",
    )
    said = asked.ask(asked.user.payload("UserPromptSubmit"))

    assert b"busy" in said.stdout
    assert asked.status()["process"] == asked.process.pid


@pytest.mark.skipif(not can_unshare("-rm"), reason="requires mount namespaces (unshare -rm)")
@pytest.mark.parametrize(
    "script",
    [
        'mount -t tmpfs tmpfs "$HOME" && mount -o remount,ro "$HOME"',
        'mount -t tmpfs -o size=4k,mode=700 tmpfs "$RUN"; head -c 9000 /dev/zero 2> /dev/null > "$RUN/x"; :',
        'mount -t tmpfs -o mode=700 tmpfs "$RUN" && mount -o remount,ro "$RUN"',
    ],
    ids=["the home is read-only", "the folder is full", "the folder is read-only"],
)
def test_disks_that_cannot_be_written_to_are_borne(each, script):
    sent = json.dumps({**each.user.shell(FORCE), "padding": "x" * 1_000_000})
    own = "mount -t tmpfs tmpfs /run"  # prevents a daemon in the user's real folder
    inside = ("unshare", "-rm", "sh", "-c", f'{own}; {script} && exec "$0" "$@"', each.client)
    said = [each.ask(sent.encode(), client=inside, RUN=str(each.folder)) for _ in range(2)]

    assert [b'"deny"' in one.stdout for one in said] == [True, True], said


READ_ONLY_TMP = """
mount -t tmpfs tmpfs /run && mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp || exit 9
mount --bind "$HOME" "$HOME" && mount -o remount,rw,bind "$HOME" || exit 9
! touch /tmp/x 2> /dev/null && exec "$0" "$@"
"""


@pytest.mark.skipif(not can_unshare("-rm"), reason="requires mount namespaces (unshare -rm)")
def test_a_call_is_answered_and_recorded_without_a_writable_tmp(each):
    inside = ("unshare", "-rm", "sh", "-c", READ_ONLY_TMP, each.client)

    assert [each.ask_force(client=inside, TMPDIR="/tmp") for _ in range(2)] == [True, True]
    assert each.logged() == ["block", "block"]


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="unknown system call numbers")
def test_a_call_is_answered_and_recorded_where_no_process_can_be_started(each):
    """Refuse new processes and threads, as `ulimit -u` does."""
    refusing = [(sys.executable, "-c", forbid(name, errno.EAGAIN)) for name in ("clone", "clone3")]
    inside = (*refusing[0], *refusing[1], each.client)

    assert [each.ask_force(client=inside) for _ in range(2)] == [True, True]
    assert each.running() == []
    assert each.logged() == ["block", "block"]


@pytest.mark.skipif(
    not can_unshare("-rpf", "--mount-proc"), reason="requires process namespaces (unshare -rpf)"
)
def test_a_client_with_other_processes_or_files_is_answered(asked):
    asked.user.write("~/other/hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    home = asked.user.home
    (home / ".config").mkdir(exist_ok=True)
    mounted = f'mount --bind {home}/other {home}/.config && exec "$0" "$@"'
    files = asked.ask_force(client=("unshare", "-rm", "sh", "-c", mounted, asked.client))
    processes = asked.ask_force(client=("unshare", "-rpf", "--mount-proc", asked.client))

    assert (files, processes) == (False, True)  # the configuration that the caller sees applies
    assert asked.status()["process"] == asked.process.pid


root = pytest.mark.skipif(os.getuid() != 0, reason="requires root to act as a second user")
ATTACK = """
import json, os, socket, sys
folder, process, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.setgroups([]); os.setgid(other); os.setuid(other)
def stop():
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(folder + "/socket")
        line.sendall(b"hookline/2 stop 0.1.0 - 0 0 0\\n/\\0/\\0")
        return line.makefile("rb").read().decode()
def tried(work):
    try:
        return work() or ""
    except OSError as error:
        return type(error).__name__
print(json.dumps([tried(stop), tried(lambda: os.kill(process, 15))]))
"""


@root
@pytest.mark.parametrize("open_to_all", [False, True])
def test_another_user_reaches_nothing(daemon, open_to_all):
    Path(SCRATCH).chmod(0o755)
    daemon.root.chmod(0o755)
    if open_to_all:
        daemon.folder.chmod(0o755)
        (daemon.folder / "socket").chmod(0o666)
    argv = [sys.executable, "-c", ATTACK, str(daemon.folder), str(daemon.process.pid), str(OTHER)]
    ran = subprocess.run(argv, capture_output=True, check=True, timeout=60)
    daemon.folder.chmod(0o700)
    (daemon.folder / "socket").chmod(0o600)

    stopped, killed = json.loads(ran.stdout)

    cut_off = ("", "ConnectionResetError", "BrokenPipeError")
    assert stopped in (cut_off if open_to_all else ("PermissionError",))
    assert killed == "PermissionError"
    assert daemon.status()["process"] == daemon.process.pid


@root
@pytest.mark.skipif(not shutil.which("setpriv"), reason="requires setpriv")
@pytest.mark.parametrize("name", CLIENTS)
def test_two_users_have_a_daemon_each(house, name):
    """Check two users whose folders are below a shared folder."""
    house.use(name)
    shared = Path(tempfile.mkdtemp(dir="/tmp"))
    shared.chmod(0o755)
    theirs = House.__new__(House)
    theirs.user, theirs.root, theirs.process = user_at(shared), shared / "venv", None
    copy_installation(str(theirs.root))
    theirs.folder, theirs.client = theirs.root / "run", theirs.root / "bin/hookline-client"
    theirs.use(name)
    for path in (shared, *shared.rglob("*")):
        os.chown(path, OTHER, OTHER, follow_symlinks=False)
    capable = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")
    as_other = ("setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", *capable)
    try:
        assert theirs.ask_force(client=(*as_other, theirs.client))
        assert house.ask_force()
        (process,) = theirs.running()
        assert f"\nUid:\t{OTHER}\t" in Path(f"/proc/{process}/status").read_text()
        assert len(house.running()) == 1
    finally:
        for process in theirs.running():
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(shared)
