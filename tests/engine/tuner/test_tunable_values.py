"""Test that marked values are found in any language, and that nothing else is changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.engine.tuner.tunable_values import BadMark, Choice, Range, find_marks, replace_values


def only(line):
    (mark,) = find_marks({"file": line})
    return mark


@pytest.mark.parametrize(
    ("line", "name", "value", "space"),
    [
        ("BLOCK = 16  # tune: 1..100", "BLOCK", 16, Range(low=1, high=100, whole=True)),
        ("int x = 5; // tune: 1..64 log", "x", 5, Range(low=1, high=64, whole=True, log=True)),
        (
            "rate: float = .25  # tune: 0.1..10 log",
            "rate",
            0.25,
            Range(low=0.1, high=10, whole=False, log=True),
        ),
        ("off = -3  # tune: -5..5", "off", -3, Range(low=-5, high=5, whole=True)),
        ("f(1, 2.5) -- tune: 0..4 step 0.5", "f", 2.5, Range(low=0, high=4, whole=False, step=0.5)),
        ("  level: 6 # tune: 1..9", "level", 6, Range(low=1, high=9, whole=True)),
        (
            '{"k": 1e-3} /* tune: 1e-5..0.1 log */',
            "k",
            0.001,
            Range(low=1e-5, high=0.1, whole=False, log=True),
        ),
        (
            "size = 1_000  # tune: 10..10_000 log",
            "size",
            1000,
            Range(low=10, high=10000, whole=True, log=True),
        ),
        ("x = a-1  # tune: 0..9", "x", 1, Range(low=0, high=9, whole=True)),
        ("x = a - 1  # tune: 0..9", "x", 1, Range(low=0, high=9, whole=True)),
        ("<a b='7'/> <!-- tune: 1..9 -->", "b", 7, Range(low=1, high=9, whole=True)),
        ("# tune: 1..9\nx = 4\n", "x", 4, Range(low=1, high=9, whole=True)),
        (
            'how = "quick"  # tune: quick|merge|heap',
            "how",
            "quick",
            Choice(options=("quick", "merge", "heap")),
        ),
        ("set on = true ; tune: true|false", "on", "true", Choice(options=("true", "false"))),
        ("n = 32  % tune: 16|32|64", "n", "32", Choice(options=("16", "32", "64"))),
        ("y1 = 5  # tune: 1..9\r\n", "y1", 5, Range(low=1, high=9, whole=True)),
    ],
)
def test_a_mark_speaks_of_the_value_before_it(line, name, value, space):
    mark = only(line)

    assert (mark.name, mark.value, mark.space) == (name, value, space)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = 1  # tune: 5..", "file line 1: invalid mark `tune: 5..`: expected LOW..HIGH"),
        ("x = 1  # tune: 5..1", "invalid mark `tune: 5..1`"),
        ("x = 1  # tune: 0..9 log", "invalid mark `tune: 0..9 log`"),
        ("x = 1  # tune: 1..9 step 0", "invalid mark"),
        ("x = 1  # tune: a||b", "invalid mark"),
        ("x = 1  # tune: a|a", "invalid mark"),
        ("x = y  # tune: 1..9", "has no number before it; place it after one"),
        ("x = 'c'  # tune: a|b", "has no one of a, b before it; place it after one"),
    ],
)
def test_a_mark_that_cannot_be_followed_says_where_and_what_is_allowed(line, said):
    with pytest.raises(BadMark) as error:
        find_marks({"file": line})

    assert said in str(error.value)


def test_marks_of_the_same_name_are_told_apart():
    found = find_marks({"a": "x = 1  # tune: 1..9\nx = 2  # tune: 1..9\n", "b": "x = 3  # tune: 1..9\n"})

    assert [mark.name for mark in found] == ["a:x", "a:x#2", "b:x"]


def test_values_are_put_where_they_were_and_nothing_else_changes():
    text = "# -*- é\r\nx = 10  # tune: 1..99\nhow='a' # tune: a|b\n\x0ctrailing"
    files = {"file": text, "other": "y = 1  # tune: 1..9"}

    after = replace_values(files, find_marks(files), {"x": 7, "how": "b", "y": 1})

    assert after == {"file": text.replace("x = 10", "x = 7").replace("'a'", "'b'")}


@given(st.integers(1, 99), st.integers(1, 99), st.floats(0.1, 10).map(lambda x: float(f"{x:.4g}")))
def test_what_is_written_is_read_back(a, b, rate):
    files = {"f": "a = 1  # tune: 1..99\nb = 1, c = 2.5  # tune: 0.1..10\nd = 3 // tune: 1..99\n"}
    values = dict(zip([mark.name for mark in find_marks(files)], (a, rate, b), strict=True))

    after = {**files, **replace_values(files, find_marks(files), values)}

    assert {mark.name: mark.value for mark in find_marks(after)} == values


@given(st.text())
def test_any_text_is_read_or_refused(text):
    try:
        found = find_marks({"f": text})
    except BadMark:
        return
    assert all(0 <= mark.start < mark.end <= len(text) for mark in found)
