"""What is said between client and daemon: every cut of it comes out the same, and nonsense is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hookline.daemon import messages

TEXT = some.text(some.characters(blacklist_characters="\0", blacklist_categories=["Cs"]))
NAME = some.text("ABCxyz_", min_size=1)


def said(words, env, cwd, payload, secret="s"):
    count = "-" if env is None else len(env)
    head = f"hookline/1 {secret} 7 n.1 {len(words)} {count}\n"
    parts = [*words, *(f"{name}={value}" for name, value in (env or {}).items()), cwd]
    return head.encode() + b"".join(part.encode() + b"\0" for part in parts) + payload + b"\0"


def hear(data, size):
    pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
    return messages.hear(lambda: next(pieces, b""))


@given(
    some.lists(TEXT, min_size=1, max_size=4),
    some.none() | some.dictionaries(NAME, TEXT, max_size=4),
    TEXT,
    some.binary().map(lambda data: data.replace(b"\0", b"")),
    some.integers(1, 50),
)
def test_a_call_comes_out_as_it_was_said_however_it_was_cut(words, env, cwd, payload, size):
    asked = hear(said(words, env, cwd, payload), size)

    assert (asked.words, asked.env, asked.cwd, asked.payload) == (tuple(words), env, cwd, payload)
    assert (asked.secret, asked.process, asked.name) == ("s", 7, "n.1")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"hookline/2 s 7 n 1 0\nx\0/\0{}\0",
        b"hookline/1 s 7 n 0 0\n/\0{}\0",
        b"hookline/1 s 7 n -1 0\n/\0{}\0",
        b"hookline/1 s x n 1 0\nx\0/\0{}\0",
        b"hookline/1 s 7 n 99999999 0\nx\0/\0{}\0",
        b"hookline/1 s 7 n 1 0\nx\0/\0{}",  # the end is missing
        b"\xff" * 100,
    ],
)
def test_what_is_no_call_is_refused(data):
    with pytest.raises(messages.Refused):
        hear(data, 16)


@given(some.binary())
def test_nothing_else_is_ever_raised(data):
    try:
        hear(data, 8)
    except messages.Refused:
        return


def test_an_answer_says_its_lengths_first():
    assert messages.Said(2, b"out", b"", b"!").encoded() == b"2 3 0 1\nout!"
