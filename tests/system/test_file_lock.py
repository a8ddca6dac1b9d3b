"""Test the file lock across processes."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hookline.system import file_lock

SRC = str(Path(__file__).parents[2] / "src")
HOLD = """
import sys
from hookline.system import file_lock
with file_lock.lock(sys.argv[1]):
    print(flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")],
        env={"PYTHONPATH": SRC},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        yield process
        process.kill()


def test_a_lock_of_another_process_is_seen_and_ends_with_it(tmp_path, holder):
    path = str(tmp_path / "lock")
    with file_lock.try_lock(path) as file:
        assert file is None
    assert file_lock.is_locked(path)
    holder.kill()
    holder.wait()

    assert not file_lock.is_locked(path)
    with file_lock.try_lock(path) as file:
        assert file is not None


def test_a_waiting_process_gets_the_lock_of_the_file_that_is_in_place_then(tmp_path, holder):
    path, got = str(tmp_path / "lock"), threading.Event()

    def wait():
        with file_lock.lock(path) as file:
            assert os.path.samestat(os.fstat(file), os.stat(path))
            got.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not got.wait(0.1)
    os.unlink(path)
    holder.kill()
    waiting.join(5)

    assert got.is_set()


def test_a_missing_file_is_not_locked(tmp_path):
    assert not file_lock.is_locked(str(tmp_path / "lock"))


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"), file_lock.lock(str(tmp_path / "lock")):
        pass

    assert not (tmp_path / "elsewhere").exists()
