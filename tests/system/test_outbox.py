"""Test the outbox: bounded, sent once and in order, with lost lines counted."""

import os
import signal
import threading
from contextlib import closing

import pytest

from hookline.system import outbox


def taken(folder):
    with closing(outbox.take(folder)) as files:
        return [file.lines for file in files]


def test_a_queue_holds_only_so_much(tmp_path):
    folder = str(tmp_path / "q")

    assert outbox.put(folder, [b"12345"] * 3, max_bytes=18) == 0
    assert outbox.put(folder, [b"1"], max_bytes=18) == 1
    assert (outbox.count_waiting(folder), outbox.count_dropped(folder)) == (3, 1)
    with closing(outbox.take(folder)) as files:
        file = next(files)
        assert file.lines == [b"12345"] * 3
        assert outbox.put(folder, [b"1"], max_bytes=18) == 1  # lines in transit still count
        file.keep([])
        assert outbox.put(folder, [b"1"], max_bytes=18) == 0
    assert (outbox.count_waiting(folder), outbox.count_dropped(folder)) == (1, 2)


def test_lines_that_were_not_sent_are_taken_again_before_the_rest(tmp_path):
    folder = str(tmp_path)
    outbox.put(folder, [b"1", b"2", b"3"])
    with closing(outbox.take(folder)) as files:
        file = next(files)
        outbox.put(folder, [b"4"])
        file.keep([b"2", b"3"])
        outbox.put(folder, [b"5"])  # added to the queue, not to the lines in transit
        file.keep([b"3"])

    assert taken(folder) == [[b"3"], [b"4", b"5"]]


def test_lines_of_processes_one_after_another_lie_in_one_file(tmp_path):
    for number in range(5):
        outbox.put(str(tmp_path), [b"%d" % number])

    assert taken(str(tmp_path)) == [[b"0", b"1", b"2", b"3", b"4"]]


def test_lines_that_a_killed_exporter_had_taken_are_taken_again(tmp_path):
    outbox.put(str(tmp_path), [b"1", b"2"])
    child = os.fork()
    if child == 0:
        try:
            files = outbox.take(str(tmp_path))
            next(files).keep([b"2"])
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    assert taken(str(tmp_path)) == [[b"2"]]


def test_lines_that_could_not_be_written_are_counted_and_raise(tmp_path):
    (tmp_path / "queue").write_text("not a folder")
    with pytest.raises(OSError, match="queue"):
        outbox.put(str(tmp_path), [b"1", b"2"])

    assert outbox.count_dropped(str(tmp_path)) == 2


def test_lost_lines_are_counted_by_many_at_once(tmp_path):
    threads = [threading.Thread(target=outbox.drop, args=(str(tmp_path), 3)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outbox.count_dropped(str(tmp_path)) == 60


def test_only_one_sends(tmp_path):
    with outbox.lead(str(tmp_path)) as first, outbox.lead(str(tmp_path)) as second:
        assert (first, second) == (True, False)
        assert outbox.is_exporting(str(tmp_path))
    assert not outbox.is_exporting(str(tmp_path))
