"""HTTP, as strictly as it can be read, and whatever pieces it arrives in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.daemon.hypertext import Gone, Refused, body, head, reply

HEAD = b"POST /claude-code HTTP/1.1\r\nHost: here\r\n"
LONGEST = 100


def pieces(data, sizes=(1 << 20,)):
    """*data* in pieces of these sizes, the last of them again and again."""
    left, sizes = bytearray(data), list(sizes)

    def receive():
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        new = bytes(left[:size])
        del left[:size]
        return new

    return receive


def read(data, sizes=(1 << 20,)):
    """The first request in *data*, and what is left of what was received."""
    buffer, receive = bytearray(), pieces(data, sizes)
    asked = head(buffer, receive)
    return asked, body(asked, buffer, receive, LONGEST), bytes(buffer)


def refusal(data):
    with pytest.raises(Refused) as caught:
        read(data)
    return caught.value.status


@given(st.binary(max_size=LONGEST), st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_a_request_is_read_in_whatever_pieces_it_comes(content, sizes):
    data = HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content
    asked, got, left = read(data, sizes)

    assert (asked.method, asked.path, asked.headers[b"host"]) == (b"POST", "/claude-code", b"here")
    assert (got, left) == (content, b"")


@given(
    st.lists(st.binary(min_size=1, max_size=20), max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=9),
)
def test_chunks_are_put_together(parts, sizes):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    _, got, _ = read(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n", sizes)

    assert got == b"".join(parts)


@given(st.binary(max_size=300))
def test_anything_else_is_refused_or_read_and_never_breaks(data):
    try:
        read(data)
    except (Refused, Gone):
        return
    assert data.startswith(b"POST ")


def test_what_follows_belongs_to_the_next_request():
    _, got, left = read(HEAD + b"Content-Length: 2\r\n\r\n{}POST /x")

    assert (got, left) == (b"{}", b"POST /x")


def test_nothing_at_all_is_no_request():
    with pytest.raises(Gone):
        head(bytearray(), pieces(b""))


@pytest.mark.parametrize(
    "more",
    [
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: identity\r\n\r\n{}",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length : 2\r\n\r\n{}",
        b" Content-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\n folded\r\n\r\n{}",
        b"Content-Length: 2\nX: y\r\n\r\n{}",
        b"Content-Length: 2\r\nX: a\rb\r\n\r\n{}",
        b"Content-Length: 2\r\nX: a\0b\r\n\r\n{}",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 2, 2\r\n\r\n{}",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length: \xb2\r\n\r\n{}",
        b"Content-Length: 2_0\r\n\r\n{}",
        b"Content-Length: \r\n\r\n{}",
        b"Content-Length: 3\r\n\r\n{}",
        b"Host: there\r\nContent-Length: 2\r\n\r\n{}",
        b"no header\r\nContent-Length: 2\r\n\r\n{}",
        b"Transfer-Encoding: chunked\r\n\r\n2;name=value\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 50 + b"\r\n\r\n",
    ],
    ids=repr,
)
def test_what_two_readers_might_take_for_two_things_is_refused(more):
    assert refusal(HEAD + more) == 400


@pytest.mark.parametrize(
    "first",
    [
        b"POST  /x HTTP/1.1",
        b"POST /x HTTP/1.0",
        b"POST /x HTTP/2.0",
        b"POST /x",
        b"POST x HTTP/1.1",
        b"POST http://127.0.0.1/x HTTP/1.1",
        b"POST /x y HTTP/1.1",
        b"post /x HTTP/1.1",
        b"POST /\xff HTTP/1.1",
        b" POST /x HTTP/1.1",
        b"POST\t/x HTTP/1.1",
        b"POST /x HTTP/1.1 ",
        b"",
    ],
    ids=repr,
)
def test_a_first_line_is_exactly_that(first):
    assert refusal(first + b"\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}") == 400


@pytest.mark.parametrize(("count", "status"), [(62, None), (63, 431)])
def test_so_many_headers_and_no_more(count, status):
    data = HEAD + b"".join(b"X-%d: y\r\n" % one for one in range(count)) + b"Content-Length: 0\r\n\r\n"

    assert (refusal(data) if status else read(data)[1]) == (status or b"")


@pytest.mark.parametrize(("size", "status"), [(16_000, None), (16_384, 431), (1_000_000, 431)])
def test_headers_so_long_and_no_longer(size, status):
    data = HEAD + b"X: " + b"y" * size + b"\r\nContent-Length: 0\r\n\r\n"

    assert (refusal(data) if status else read(data)[1]) == (status or b"")


def test_headers_that_never_end_are_not_waited_for():
    def endless():
        endless.asked += 1
        return b"x" * 1024

    endless.asked = 0
    with pytest.raises(Refused) as caught:
        head(bytearray(HEAD), endless)

    assert caught.value.status == 431
    assert endless.asked < 20


def test_a_length_is_needed():
    assert refusal(HEAD + b"\r\n") == 411


@pytest.mark.parametrize(("size", "status"), [(LONGEST, None), (LONGEST + 1, 413)])
def test_a_body_so_long_and_no_longer(size, status):
    plain = HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * size
    chunked = (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (size - 1) + b"x" * (size - 1)
    ) + b"\r\n1\r\nx\r\n0\r\n\r\n"

    for data in (plain, chunked):
        assert (refusal(data) if status else len(read(data)[1])) == (status or size)


def test_a_reply_says_how_long_it_is_and_whether_the_connection_stays():
    assert reply(200, b"{}") == (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    )
    assert b"\r\nConnection: close\r\n" in reply(401, b"no", kind="text/plain", keeps=False)
