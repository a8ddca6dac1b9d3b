"""`hookline`, of which `hook` asks the daemon over its Unix socket, with the interpreter's core alone.

Where no daemon answers, and with any other word, it becomes `hookline` itself. `ask.py` runs it.
"""

import posix
import sys
from _socket import AF_UNIX, socket

RELEASE = b"0.1.0"
PATIENCE = 2.0
"""Seconds without a sign of life after which a daemon is left."""
LONGEST = 64 << 20
PIECE = 1 << 18
FOLDER = 0o040000
ALONE = "import gc, sys; gc.disable(); sys.path.append({!r}); from hookline.cli import main; sys.exit(main())"


def main(words: list[str]) -> int:
    """The exit code that the host should see."""
    command, words = words[:1], words[1:]
    line = _line(posix.environ) if command == ["hook"] else None
    if line is None:
        return _become([*command, *words])
    payload, name = _read(0), posix.urandom(12).hex()
    if b"\0" in payload or len(payload) > LONGEST:
        return _alone(words, payload)  # what cannot be said on the line
    try:
        _send(line[0], _said(words, name, line[1], payload))
        code, out, err, terminal = _heard(line[0])
    except (OSError, ValueError):
        return _alone(words, payload, name)
    for number, text in ((1, out), (2, err)):
        _write(number, text)
    _show(terminal)
    return code


def _line(env: dict[bytes, bytes]) -> tuple[socket, bytes] | None:
    """A connection to a daemon of our installation, with its secret; None where there is none."""
    if env.get(b"HOOKLINE_DAEMON") == b"off":
        return None
    for place in _places(env)[:1]:
        try:
            told, _, _, _, secret = _kept(place + b"/address").partition(b"\n")[0].split()
            line = socket(AF_UNIX)
            line.settimeout(PATIENCE)
            line.connect(place + b"/socket")
        except (OSError, ValueError):
            continue
        if told == word(sys.executable.rpartition("/")[0], _package()):
            return line, secret
    return None


def word(programs: str, package: str) -> bytes:
    """Release and installation: what a client that knows either can compare with what it was told."""
    number = 0x811C9DC5
    for byte in f"{programs}:{package}".encode("utf-8", "surrogateescape"):
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return RELEASE + b"+%08x" % number


def _package() -> str:
    """The folder of hookline."""
    return __file__.rpartition("/")[0].rpartition("/")[0] or posix.getcwd()


def _places(env: dict[bytes, bytes]) -> list[bytes]:
    """Where one may be: the folders of `paths.py` that are ours alone."""
    given, usual = env.get(b"XDG_RUNTIME_DIR", b""), b"/tmp/hookline-%d" % posix.getuid()
    return [one for one in ([given + b"/hookline"] if given[:1] == b"/" else []) + [usual] if _ours(one)]


def _ours(folder: bytes) -> bool:
    try:
        found = posix.lstat(folder)
    except OSError:
        return False
    return found.st_uid == posix.getuid() and found.st_mode & 0o170077 == FOLDER


def _kept(path: bytes) -> bytes:
    number = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return posix.read(number, 300)
    finally:
        posix.close(number)


def _read(number: int) -> bytes:
    pieces = []
    while piece := posix.read(number, PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def _said(words: list[str], name: str, secret: bytes, payload: bytes) -> bytes:
    """The call as `messages.py` has it."""
    env = [key + b"=" + value for key, value in posix.environ.items()]
    head = f"{posix.getpid()} {name} {len(words)} {len(env)}".encode()
    told = [word.encode(sys.getfilesystemencoding(), "surrogateescape") for word in words]
    return b"\0".join(
        [b"hookline/1 " + secret + b" " + head + b"\n" + told[0], *told[1:], *env, _here(), payload, b""]
    )


def _here() -> bytes:
    try:
        return posix.getcwdb()
    except OSError:
        return b""


def _send(line: socket, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[line.send(rest[:PIECE]) :]


def _heard(line: socket) -> tuple[int, bytes, bytes, bytes]:
    """Exit code, and what is for stdout, stderr and the terminal."""
    data = b""
    while not (newline := data.find(b"\n") + 1) or data[:newline] == b".\n":
        data = data[newline:] if newline else data + _more(line)
    code, *sizes = map(int, data[:newline].split())
    pieces, missing = [data[newline:]], sum(sizes) - len(data) + newline
    while missing > 0:
        pieces.append(_more(line))
        missing -= len(pieces[-1])
    text, (out, err, terminal) = b"".join(pieces), sizes
    return code, text[:out], text[out : out + err], text[out + err : out + err + terminal]


def _more(line: socket) -> bytes:
    data = line.recv(PIECE)
    if not data:
        raise OSError("it ended in the middle")
    return data


def _write(number: int, text: bytes) -> None:
    try:
        while text:
            text = text[posix.write(number, text) :]
    except OSError:
        return  # nobody is left to be told


def _show(terminal: bytes) -> None:
    if not terminal:
        return
    try:
        _write(posix.open("/dev/tty", posix.O_WRONLY | posix.O_NOCTTY | posix.O_CLOEXEC), terminal)
    except OSError:
        return  # there is none


def _alone(words: list[str], payload: bytes | None = None, name: str = "") -> int:
    """Become `hookline hook`, with what was read already; it starts a daemon for the next call."""
    if payload is not None:
        _feed(payload)
    return _become(["hook", *words], name)


def _become(words: list[str], name: str = "") -> int:
    # A host's call does not wait until Python has found all libraries: see `late_site.py`.
    alone = "-IS" if words[:1] == ["hook"] else "-I"
    call = [sys.executable, alone, "-c", ALONE.format(_package() + "/.."), *words]
    posix.execve(sys.executable, call, {**posix.environ, b"HOOKLINE_CALL": name.encode()})


def _feed(payload: bytes) -> None:
    """Have *payload* on stdin, from a process that ends with it."""
    reading, writing = posix.pipe()
    if posix.fork() == 0:
        posix.close(reading)
        for number in (0, 1, 2):
            posix.close(number)  # who reads them must not wait for us
        _write(writing, payload)
        posix._exit(0)  # noqa: SLF001 -- as `os` has it
    posix.dup2(reading, 0)
    posix.close(writing)
