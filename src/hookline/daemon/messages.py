"""What a client and the daemon say to each other, over either socket.

Over loopback a client first says only which protocol it speaks, and the knock that stands beside the address;
it goes on where it is told the proof that stands there too: a stranger may have taken the port. Then comes a
line of words: the protocol, the secret, its process, a name for the call that nobody else has, how many
arguments follow, and how many variables, or `-` if those are to be read from its process. Then come the
arguments, the variables, the folder and the payload, each ended by a NUL. The answer is a line with the exit
code and three lengths, then what is for stdout, for stderr and for the terminal. A line with a dot alone says
that the answer takes time.
"""

from collections.abc import Callable

from hookline.record import record
from hookline.tuples import NamedTuple

HELLO = b"hookline/1"
STILL = b".\n"
LONGEST = 64 << 20
"""Bytes of a payload."""
MOST_WORDS = 20_000


class Refused(Exception):
    """What was said is no call; the message says why."""


@record
class Asked:
    secret: str
    process: int
    name: str
    words: tuple[str, ...]
    env: dict[str, str] | None
    """None: it is to be read from the process."""
    cwd: str
    payload: bytes


class Said(NamedTuple):
    code: int
    stdout: bytes = b""
    stderr: bytes = b""
    terminal: bytes = b""

    def encoded(self) -> bytes:
        sizes = f"{self.code} {len(self.stdout)} {len(self.stderr)} {len(self.terminal)}\n".encode()
        return sizes + self.stdout + self.stderr + self.terminal


def greeted(receive: Callable[[], bytes], knock: str, begun: bytes = b"") -> bytes:
    """Read the first line, which names the protocol and has the *knock*; what came behind it."""
    data = bytearray(begun)
    while b"\n" not in data:
        _more(data, receive)
    first, _, rest = bytes(data).partition(b"\n")
    if first != HELLO + b" " + knock.encode():
        raise Refused("the first line is none of this protocol")
    return rest


def hear(receive: Callable[[], bytes], begun: bytes = b"") -> Asked:
    """Read one call; *receive* gives the next bytes, none at the end."""
    data = bytearray(begun)
    while b"\n" not in data:
        _more(data, receive)
    head, _, rest = bytes(data).partition(b"\n")
    secret, process, name, words, variables = _head(head)
    count = words + (variables or 0) + 2
    parts = _parts(bytearray(rest), count, receive)
    texts = [part.decode("utf-8", "surrogateescape") for part in parts[:-1]]
    env = None if variables is None else dict(one.partition("=")[::2] for one in texts[words:-1])
    return Asked(
        secret=secret,
        process=process,
        name=name,
        words=tuple(texts[:words]),
        env=env,
        cwd=texts[-1],
        payload=parts[-1],
    )


def _head(line: bytes) -> tuple[str, int, str, int, int | None]:
    try:
        hello, secret, process, name, words, variables = line.split(b" ")
        counts = int(words), None if variables == b"-" else int(variables)
        told = secret.decode("ascii"), int(process), name.decode("ascii")
    except ValueError:
        raise Refused("the first line is none of this protocol") from None
    if hello != HELLO or not 0 < counts[0] < MOST_WORDS or not 0 <= (counts[1] or 0) < MOST_WORDS:
        raise Refused("the first line is none of this protocol")
    return *told, *counts


def _parts(data: bytearray, count: int, receive: Callable[[], bytes]) -> list[bytes]:
    found = data.count(0)
    while found < count:
        new = _more(data, receive)
        found += new.count(0)
    return bytes(data).split(b"\0")[:count]


def _more(data: bytearray, receive: Callable[[], bytes]) -> bytes:
    new = receive()
    if not new:
        raise Refused("it ended in the middle")
    data += new
    if len(data) > LONGEST + (1 << 20):
        raise Refused("it is too long")
    return new
