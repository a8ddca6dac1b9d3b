"""Test the protocol: a request is read correctly in pieces of any size, and malformed input is refused."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hookline.daemon import messages

TEXT = some.text(some.characters(blacklist_characters="\0", blacklist_categories=["Cs"]))
NAME = some.text("ABCxyz_", min_size=1)


def encode(arguments, env, cwd, payload):
    head = f"hookline/2 hook 1.0 id {len(arguments)} {len(env)} {len(payload)}\n"
    strings = ["/bin", *arguments, *(f"{name}={value}" for name, value in env.items()), cwd]
    return head.encode() + b"".join(os.fsencode(one) + b"\0" for one in strings) + payload


def read(data, size):
    pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
    return messages.read_request(lambda: next(pieces, b""))


@given(
    some.lists(TEXT, max_size=4),
    some.dictionaries(NAME, TEXT, max_size=4),
    TEXT,
    some.binary(),
    some.integers(1, 50),
)
def test_a_request_is_read_as_it_was_sent_however_it_was_cut(arguments, env, cwd, payload, size):
    assert read(encode(arguments, env, cwd, payload), size) == messages.Request(
        "hook", "1.0", "id", "/bin", tuple(arguments), env, cwd, payload
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"hookline/1 hook 1.0 id 0 0 0\n/\0/\0",
        b"hookline/2 eat 1.0 id 0 0 0\n/\0/\0",
        b"hookline/2 hook 1.0 id 0 0\n/\0/\0",
        b"hookline/2 hook 1.0 id -1 0 0\n/\0/\0",
        b"hookline/2 hook 1.0 id x 0 0\n/\0/\0",
        b"hookline/2 hook 1.0 id 99999999 0 0\n/\0/\0",
        b"hookline/2 hook 1.0 id 0 0 99999999999\n/\0/\0",
        b"hookline/2 hook 1.0 id 0 0 9\n/\0/\0short",
        b"x" * 10_000,
        b"\xff" * 100,
    ],
)
def test_what_is_not_a_request_is_refused(data):
    with pytest.raises(messages.Malformed):
        read(data, 16)


@given(some.binary())
def test_nothing_else_is_ever_raised(data):
    try:
        read(data, 8)
    except messages.Malformed:
        return


def test_a_reply_names_its_lengths_first():
    assert messages.encode_reply(0, b"out", b"", b"!", unwritten_code=2) == b"0 2 3 0 1\nout!"
