"""`hookline daemon`: sentences for people, codes and JSON for scripts, and what to do about trouble."""

import json
import signal

import pytest

from hookline import __version__


def run(house, *words, **env):
    ran = house.user.run("daemon", *words, **house.environment(**env))
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def test_one_that_runs_is_told_about(daemon):
    daemon.ask(json.dumps(daemon.user.shell("ls")))
    code, said, _ = run(daemon, "status")
    lines = said.splitlines()

    assert code == 0
    assert lines[0].startswith(
        f"a daemon runs: process {daemon.process.pid}, hookline {__version__}, Python "
    )
    assert lines[1].startswith("it has answered 1 call since ")
    assert lines[1].endswith(", and goes after 30 minutes without one")
    assert lines[2:3] == [f"its folder is {daemon.folder}"]
    assert lines[3].startswith("it is of this installation: ")
    assert len(lines) == 4


def test_none_is_told_about(house):
    assert run(house, "status") == (
        1,
        "no daemon runs; calls are answered by processes of their own\n",
        "",
    )


@pytest.mark.parametrize("switch", ["", "off"])
def test_scripts_read_the_same(daemon, switch):
    code, said, _ = run(daemon, "status", "--json", HOOKLINE_DAEMON=switch)
    told = json.loads(said)

    assert code == 0
    assert {
        name: told[name] for name in ("runs", "off", "process", "release", "calls", "idle", "folder")
    } == {
        "runs": True,
        "off": switch == "off",
        "process": daemon.process.pid,
        "release": __version__,
        "calls": 0,
        "idle": 1800.0,
        "folder": str(daemon.folder),
    }
    assert told["this_installation"]


def test_scripts_read_that_none_runs(house):
    code, said, _ = run(house, "status", "--json")

    assert code == 1
    assert json.loads(said) == {
        "runs": False,
        "folder": str(house.folder),
        "off": False,
        "hangs": False,
        "problems": [],
    }


def test_it_is_started_once_and_ended(house):
    first, second = run(house, "start"), run(house, "start")
    (process,) = house.running()
    ended, again = run(house, "stop"), run(house, "stop")

    assert first == (0, f"a daemon answers now, process {process}\n", "")
    assert second[:2] == (
        0,
        "a daemon of this installation runs already; `hookline daemon status` tells more\n",
    )
    assert ended[0] == 0
    assert again == (0, "no daemon runs\n", "")
    assert house.running() == []


def test_where_it_is_switched_off_none_is_started(house):
    code, _, wrong = run(house, "start", HOOKLINE_DAEMON="off")
    status = run(house, "status", HOOKLINE_DAEMON="off")[1]

    assert code == 2
    assert "HOOKLINE_DAEMON=off" in wrong
    assert "HOOKLINE_DAEMON=off" in status
    assert house.running() == []


def test_one_that_hangs_is_told_about_and_ended(daemon):
    daemon.process.send_signal(signal.SIGSTOP)
    code, said, _ = run(daemon, "status")
    ended = run(daemon, "stop")

    assert code == 1
    assert said == (
        f"process {daemon.process.pid} holds {daemon.folder} and does not answer; "
        "`hookline daemon stop` ends it\n"
    )
    assert ended[0] == 0
    assert daemon.process.wait(20) == -signal.SIGKILL


def test_a_folder_that_others_can_reach_into_is_told_about(house):
    house.folder.chmod(0o770)

    assert (
        f"{house.folder} is not used: others can reach into it; run `chmod 700 {house.folder}`"
        in (run(house, "status")[1])
    )


def test_one_that_cannot_start_is_told_about(house):
    (house.folder / "lock").mkdir()
    code, _, wrong = run(house, "start")

    assert code == 1
    assert "`hookline daemon logs` shows" in wrong
    assert "cannot run" in run(house, "logs")[1]


def test_a_log_in_which_nothing_stands_is_told_about(house):
    assert run(house, "logs")[1].startswith("nothing was written into ")


def test_what_stands_in_the_log_cannot_steer_a_terminal(house):
    (house.folder / "log").write_bytes(b"one\x1b[2J\ntwo\xff\n")

    assert run(house, "logs")[1] == "one␛[2J\ntwo\ufffd\n"


def test_an_unknown_word_is_refused(house):
    assert run(house, "restart")[0] == 2
