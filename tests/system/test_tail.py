"""Test reading the lines added to a file since the last call: none twice, none lost."""

import os
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from hookline.system import tail
from hookline.system.tail import ReadPosition, mark_from, read_new_lines

ANY = (b"",)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "session.jsonl"


def add(file, data):
    with file.open("ab") as opened:
        opened.write(data)


def test_lines_come_once(file):
    add(file, b"one\ntwo\n")
    first = read_new_lines(str(file), ReadPosition(), ANY)
    add(file, b"three\n")
    second = read_new_lines(str(file), first.position, ANY)

    assert (first.lines, second.lines) == ((b"one", b"two"), (b"three",))
    assert read_new_lines(str(file), second.position, ANY).lines == ()


def test_a_line_that_is_half_written_waits(file):
    add(file, b"one\ntw")
    first = read_new_lines(str(file), ReadPosition(), ANY)
    add(file, b"o\n")

    assert first.lines == (b"one",)
    assert read_new_lines(str(file), first.position, ANY).lines == (b"two",)


def test_only_lines_with_a_mark_are_handed_out(file):
    add(file, b"one\ntwo\nthree\n")

    assert read_new_lines(str(file), ReadPosition(), (b"w", b"h")).lines == (b"two", b"three")


LINES = st.lists(st.binary(max_size=20).map(lambda one: one.replace(b"\n", b"")), max_size=12)


@given(lines=LINES, cuts=st.lists(st.integers(0, 250), max_size=6), most=st.integers(22, 60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_whole_line_comes_exactly_once(tmp_path, lines, cuts, most):
    file, whole = tmp_path / os.urandom(8).hex(), b"".join(one + b"\n" for one in lines)
    mark, got, ends = ReadPosition(), [], sorted({0, *cuts, len(whole)})
    for start, end in pairwise(ends):
        add(file, whole[start:end])
        found = read_new_lines(str(file), mark, ANY, most)
        while found.position != mark:
            mark, got = found.position, [*got, *found.lines]
            found = read_new_lines(str(file), mark, ANY, most)

    assert got == [one for one in lines if one]


def test_a_line_without_end_is_left_out(file):
    add(file, b"x" * 50)
    first = read_new_lines(str(file), ReadPosition(), ANY, 20)
    add(file, b"x\nnext\n")
    second = read_new_lines(str(file), first.position, ANY, 20)
    third = read_new_lines(str(file), second.position, ANY, 20)

    assert (first.lines, first.position.inside) == ((), True)
    assert (second.lines, second.position.inside) == ((), True)
    assert (third.lines, third.position.inside) == ((b"next",), False)


def test_more_than_one_look_can_read_is_gone_on_with(file):
    add(file, b"0123456\n" * 10)
    mark, got = ReadPosition(), 0
    while True:
        found = read_new_lines(str(file), mark, ANY, 30)
        got += len(found.lines)
        assert found.position.behind is (got < 10)
        if found.position == mark:
            break
        mark = found.position

    assert got == 10


HISTORY = b"".join(b"line %d of the history, of which there is some\n" % at for at in range(20))


def test_a_file_that_was_cut_is_told_again(file):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position
    os.truncate(file, len(HISTORY) // 2)
    found = read_new_lines(str(file), mark, ANY)

    assert found.restarted
    assert found.lines == tuple(HISTORY[: len(HISTORY) // 2].split(b"\n")[:-1])


def test_a_file_that_was_cut_and_has_grown_again_is_told_again(file):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position
    os.truncate(file, len(HISTORY) // 2)
    add(file, b"\n" + b"other words\n" * 99)
    found = read_new_lines(str(file), mark, ANY)

    assert found.restarted
    assert found.lines[-1] == b"other words"


@pytest.mark.parametrize("left", [0, 20], ids=["nothing", "half-a-line"])
def test_a_file_that_is_just_being_written_anew_is_not_counted_twice(file, left):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position
    os.truncate(file, left)
    between = read_new_lines(str(file), mark, ANY)
    file.write_bytes(HISTORY + b"more\n")
    found = read_new_lines(str(file), between.position, ANY)

    assert (between.lines, between.position) == ((), mark)
    assert (found.lines, found.restarted) == ((b"more",), False)


def test_a_file_that_was_copied_goes_on(file):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position
    copy = file.with_name("copy")
    copy.write_bytes(HISTORY + b"more\n")
    copy.replace(file)
    found = read_new_lines(str(file), mark, ANY)

    assert (found.lines, found.restarted) == ((b"more",), False)


def test_a_new_file_in_its_place_comes_on_top(file):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position
    file.unlink()
    add(file, b"a new beginning\n")
    found = read_new_lines(str(file), mark, ANY)

    assert (found.lines, found.restarted) == ((b"a new beginning",), False)


def test_what_is_no_file_tells_nothing(file, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    mark = ReadPosition(path="x", offset=3)

    for path in (file, tmp_path, tmp_path / "pipe", "\0", "/dev/zero"):
        assert read_new_lines(str(path), mark, ANY) == tail.NewLines(position=mark)


@pytest.mark.parametrize("kept", [None, 3, [], {}, {"offset": "x"}, {"offset": True, "path": 7}])
def test_what_is_no_mark_is_none(kept):
    assert mark_from(kept) == ReadPosition()


def test_a_mark_can_be_kept(file):
    add(file, HISTORY)
    mark = read_new_lines(str(file), ReadPosition(), ANY).position

    assert mark_from(to_builtins(mark)) == mark
