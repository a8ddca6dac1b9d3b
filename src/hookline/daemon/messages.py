"""The messages between a client and the daemon, over its Unix socket.

A request is a line `hookline/2 VERB RELEASE CALL ARGUMENTS VARIABLES BYTES`, then strings that each end in a
NUL (the folder of the client's programs, so many arguments, so many environment variables, the working
directory), then the payload of so many bytes. VERB is `hook`, `status` or `stop`; or one of `sign`, `check`
and `revoke`, with a JSON list of grants as the payload; or `questions`, or `decide` with a JSON decision.
CALL is a unique id, the same when a client sends its call again.

A reply is a line `CODE UNWRITTEN STDOUT STDERR TERMINAL` (the exit code, the exit code if stdout cannot be
written, three lengths), then the three texts. A line `.` before it says that the daemon is working. Instead
of a reply, `!replaced` tells the client to start the daemon of its own installation, and `!refused` to answer
the call without a daemon.
"""

from collections.abc import Callable
from typing import NamedTuple

from hookline.daemon.client import LARGEST

PROTOCOL = b"hookline/2"
WORKING = b".\n"
REPLACED, REFUSED = b"!replaced\n", b"!refused\n"
GRANT_VERBS = ("sign", "check", "revoke")
QUESTION_VERBS = ("questions", "decide")
VERBS = ("hook", "status", "stop", *GRANT_VERBS, *QUESTION_VERBS)
MAX_STRINGS = 20_000
MAX_HEAD_BYTES = 4_096


class Malformed(Exception):
    """Bytes that are not a request; the message says why."""


class Request(NamedTuple):
    """A request, decoded."""

    verb: str
    release: str
    call: str
    programs: str
    """Folder of the client's programs, which identifies its installation."""
    arguments: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    payload: bytes


class Head(NamedTuple):
    """The first line of a request, decoded."""

    verb: str
    release: str
    call: str
    arguments: int
    variables: int
    size: int


def encode_reply(
    code: int, stdout: bytes = b"", stderr: bytes = b"", terminal: bytes = b"", *, unwritten_code: int = 0
) -> bytes:
    head = f"{code} {unwritten_code} {len(stdout)} {len(stderr)} {len(terminal)}\n"
    return head.encode() + stdout + stderr + terminal


def read_request(receive: Callable[[], bytes]) -> Request:
    """Read one request; *receive* returns the next bytes, none at the end. Raise `Malformed`."""
    data = bytearray()
    while (end := data.find(b"\n")) < 0:
        if len(data) > MAX_HEAD_BYTES:
            raise Malformed("the first line is too long")
        _receive_more(data, receive)
    head = _parse_head(bytes(data[:end]))
    del data[: end + 1]
    count = head.arguments + head.variables + 2
    strings, rest = _split(data, count, receive)
    while len(rest) < head.size:
        _receive_more(rest, receive)
    return Request(
        verb=head.verb,
        release=head.release,
        call=head.call,
        programs=strings[0],
        arguments=tuple(strings[1 : head.arguments + 1]),
        env=dict(item.partition("=")[::2] for item in strings[head.arguments + 1 : -1]),
        cwd=strings[-1],
        payload=bytes(rest[: head.size]),
    )


def _parse_head(line: bytes) -> Head:
    try:
        protocol, verb, release, call, *numbers = line.decode("ascii").split(" ")
        head = Head(verb, release, call, *map(int, numbers))
    except (ValueError, TypeError):
        raise Malformed("the first line is not of this protocol") from None
    if protocol.encode() != PROTOCOL or verb not in VERBS:
        raise Malformed("the first line is not of this protocol")
    if min(head[3:]) < 0 or max(head.arguments, head.variables) > MAX_STRINGS or head.size > LARGEST:
        raise Malformed("too large")
    return head


def _split(data: bytearray, count: int, receive: Callable[[], bytes]) -> tuple[list[str], bytearray]:
    """Return *count* strings and the bytes after them."""
    count_found, searched = data.count(0), len(data)
    while count_found < count:
        _receive_more(data, receive)
        count_found += data.count(0, searched)
        searched = len(data)
    *strings, rest = bytes(data).split(b"\0", count)
    return [item.decode("utf-8", "surrogateescape") for item in strings], bytearray(rest)


def _receive_more(data: bytearray, receive: Callable[[], bytes]) -> None:
    chunk = receive()
    if not chunk:
        raise Malformed("ended in the middle")
    data += chunk
    if len(data) > LARGEST + (8 << 20):
        raise Malformed("too large")
