"""Test the identity of processes: id and start time, and ended processes."""

import os
import subprocess
import sys

import pytest

from hookline.system.process import identity


def test_this_process_lives_and_every_name_is_new():
    names = {identity.new_name() for _ in range(20)}

    assert len(names) == 20
    assert all(map(identity.is_alive, names))


@pytest.mark.parametrize("name", ["", "x", "1", "1:x:y", "-1:0:a", "999999999:5:a", "999999999:0:a"])
def test_what_is_no_process_does_not_live(name):
    assert not identity.is_alive(name)


def test_a_number_that_was_given_to_another_is_not_the_same():
    pid, born, rest = identity.new_name().split(":")

    assert not identity.is_alive(f"{pid}:{int(born) + 1}:{rest}")


def test_the_dead_do_not_live_even_before_they_are_waited_for():
    code = "from hookline.system.process import identity; print(identity.new_name(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as child:
        name = child.stdout.readline().strip()
        before = identity.is_alive(name)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        as_zombie = identity.is_alive(name)

    assert (before, as_zombie, identity.is_alive(name)) == (True, False, False)


def test_a_process_knows_when_it_began():
    wait = "import time; time.sleep(0.3);"
    code = f"{wait} from hookline.system.process import identity; print(identity.start_time())"
    before = identity.now()
    began = float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)

    assert before - 0.001 <= began < before + 0.3


def test_the_clock_is_the_machines_and_the_same_for_everybody():
    code = "from hookline.system.process import identity; print(identity.now(), identity.boot_id())"
    before = identity.now()
    now, boot = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split()

    assert before < float(now) < identity.now()
    assert boot.decode() == identity.boot_id()


STARTER = "from hookline.system.process import identity; import os; print(identity.find_starter(os.getpid()))"


@pytest.mark.parametrize(
    "words",
    [
        [sys.executable, "-c", STARTER],
        ["sh", "-c", '"$0" -c "$1"; true', sys.executable, STARTER],
        ["sh", "-c", 'sh -c \'"$0" -c "$1"; true\' "$0" "$1"; true', sys.executable, STARTER],
    ],
)
def test_the_starter_of_a_program_is_no_shell(words):
    ran = subprocess.run(words, capture_output=True, text=True, check=True)

    assert ran.stdout.split(":")[1] == str(os.getpid())


def test_a_process_that_has_ended_has_no_starter():
    assert identity.find_starter(999_999_999) == identity.find_starter(1) == ""
