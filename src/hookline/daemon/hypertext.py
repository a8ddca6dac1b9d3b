"""As much of HTTP/1.1 as a host needs that asks us, and not a byte more: what is odd is refused."""

import re
from collections.abc import Callable, Mapping

from hookline.record import record

LONGEST_HEAD = 16 << 10
MOST_HEADERS = 64
LONGEST_SIZE = 20
"""Bytes of the line that says how long a chunk is."""
_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]{0,255}) HTTP/1\.1")
_HEADER = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}):([\t -~\x80-\xff]*)")
_LENGTH = re.compile(rb"[0-9]{1,12}")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,8}")
SAID = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}
MORE = {401: "WWW-Authenticate: Bearer\r\n", 405: "Allow: POST\r\n"}
Receive = Callable[[], bytes]
"""Gives the next bytes, none at the end."""


class Refused(Exception):
    """Why a request is not answered, and with which status."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Gone(Exception):
    """Whoever asked has closed the connection between two requests."""


@record
class Head:
    method: bytes
    path: str
    headers: Mapping[bytes, bytes]
    """By their names in small letters; none comes twice."""

    @property
    def keeps(self) -> bool:
        """Whether the connection is to stay open."""
        return self.headers.get(b"connection", b"").lower() != b"close"


def head(data: bytearray, receive: Receive) -> Head:
    """The next request's head, taken off *data*; raises `Refused`, or `Gone`."""
    searched = 0
    while (end := data.find(b"\r\n\r\n", searched)) < 0:
        if len(data) > LONGEST_HEAD:
            raise Refused(431, "the headers are too long")
        searched = max(0, len(data) - 3)
        new = receive()
        if not new:
            raise Gone if not data else Refused(400, "it ended in the middle")
        data += new
    if end > LONGEST_HEAD:
        raise Refused(431, "the headers are too long")
    text = bytes(data[:end])
    del data[: end + 4]
    return _head(text)


def _head(text: bytes) -> Head:
    first, *lines = text.split(b"\r\n")
    asked = _LINE.fullmatch(first)
    if asked is None:
        raise Refused(400, "the first line is no request of HTTP/1.1")
    if len(lines) > MOST_HEADERS:
        raise Refused(431, "there are too many headers")
    headers = dict[bytes, bytes]()
    for line in lines:
        found = _HEADER.fullmatch(line)
        name = found[1].lower() if found else b""
        if found is None or name in headers:
            raise Refused(400, "a header is malformed, or comes twice")
        headers[name] = found[2].strip(b" \t")
    return Head(method=asked[1], path=asked[2].decode("ascii"), headers=headers)


def body(head: Head, data: bytearray, receive: Receive, longest: int) -> bytes:
    """What follows the *head*, taken off *data*; raises `Refused`."""
    length, coding = head.headers.get(b"content-length"), head.headers.get(b"transfer-encoding")
    if length is not None and coding is not None:
        raise Refused(400, "it has a length and a transfer coding: one of them is wrong")
    if coding is not None:
        if coding.lower() != b"chunked":
            raise Refused(400, "the only transfer coding is chunked")
        return _chunks(data, receive, longest)
    if length is None:
        raise Refused(411, "it needs a Content-Length")
    if _LENGTH.fullmatch(length) is None:
        raise Refused(400, "its Content-Length is no number")
    if int(length) > longest:
        raise Refused(413, f"more than {longest:,} bytes are not taken")
    return _take(int(length), data, receive)


def _take(count: int, data: bytearray, receive: Receive) -> bytes:
    while len(data) < count:
        _more(data, receive)
    taken = bytes(data[:count])
    del data[:count]
    return taken


def _more(data: bytearray, receive: Receive) -> None:
    new = receive()
    if not new:
        raise Refused(400, "it ended in the middle")
    data += new


def _chunks(data: bytearray, receive: Receive, longest: int) -> bytes:
    whole = bytearray()
    while size := _size(data, receive):
        if len(whole) + size > longest:
            raise Refused(413, f"more than {longest:,} bytes are not taken")
        whole += _take(size, data, receive)
        _end_of_line(data, receive)
    _end_of_line(data, receive)  # nothing of what may come behind the last chunk is of use
    return bytes(whole)


def _size(data: bytearray, receive: Receive) -> int:
    while (end := data.find(b"\r\n")) < 0:
        if len(data) > LONGEST_SIZE:
            raise Refused(400, "a chunk has no length")
        _more(data, receive)
    line = bytes(data[:end])
    if _CHUNK.fullmatch(line) is None:
        raise Refused(400, "a chunk has no length")
    del data[: end + 2]
    return int(line, 16)


def _end_of_line(data: bytearray, receive: Receive) -> None:
    if _take(2, data, receive) != b"\r\n":
        raise Refused(400, "a chunk is longer than it says, or something follows the last")


def reply(status: int, content: bytes, *, kind: str = "application/json", keeps: bool = True) -> bytes:
    more = "" if keeps else "Connection: close\r\n"
    more += MORE.get(status, "")
    start = f"HTTP/1.1 {status} {SAID[status]}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
    return f"{start}{more}\r\n".encode("ascii") + content
