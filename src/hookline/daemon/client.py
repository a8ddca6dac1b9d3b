"""hookline-client in Python: pass one hook call to the daemon over its Unix socket and print the reply.

Installed as `hookline-client` if no C compiler was found; `client.c` is the same program. It starts fast
because it imports nothing of the package; the daemon imports the rules about its folder from here.
"""

import fcntl
import os
import select
import signal
import socket
import stat
import struct
import sys
import time
from contextlib import suppress

RELEASE = "@RELEASE@"
"""Replaced when the package is built."""
LARGEST = 64 << 20
"""Bytes of a payload or of a reply."""
SILENCE = 1.0
"""Seconds without a byte after which the client checks whether the daemon uses CPU."""
LONGEST_WAIT = 60
"""Number of such intervals to wait for a daemon that uses CPU."""
CONNECTS_WITHIN = 2.0
START_WITHIN = 2.0
"""Seconds to wait for a daemon that is being started."""
RETRY_START = 10.0
"""Seconds until a failed start of the daemon is tried again."""
POLL_EVERY, ATTEMPTS, CHUNK = 0.005, 3, 1 << 18
SHARED = "/tmp", "/private/tmp", "/var/tmp", "/dev/shm"  # noqa: S108 -- see `hookline.system.paths.SHARED_FOLDERS`
LONGEST_SOCKET = 100
"""Bytes of a socket's path that every platform accepts."""
KEPT = ("LANG", "LC_ALL", "TZ")
"""Variables that the daemon inherits; others may be set by a repository."""
BOOTSTRAP = (
    "import runpy, site, sys; where = sys.argv.pop(1); "
    "site.addsitedir('%s/../lib/python%d.%d/site-packages' % (where, *sys.version_info[:2])); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)
"""Code that runs a module of a package installed beside the programs, as in a user's site-packages."""


class Refused(Exception):
    """The daemon cannot answer this caller."""


class Replaced(Exception):
    """The daemon is ending, and the next one answers this call."""


def candidates(prefix: str) -> list[str]:
    """Return the folders for the daemon's files, best first; *prefix* is the virtual environment, or empty.

    No environment variable chooses them, because a repository's settings may have set it.
    """
    own = [os.path.join(prefix, "run")] if prefix else []
    return [*own, f"/run/user/{os.getuid()}/hookline", f"/tmp/hookline-{os.getuid()}"]  # noqa: S108 -- see `unusable`


def unusable(folder: str, *, outside_repositories: bool = False) -> str:
    """Return why other users could replace or read *folder*, or why it cannot be used; empty if it can.

    `is_private` in client.c states the same rule.
    """
    parts = folder.split("/")
    for path in ("/".join(parts[:end]) or "/" for end in range(1, len(parts) + 1)):
        if reason := _replaceable(path):
            return reason
        marks = () if path in SHARED or not outside_repositories else (".git", ".hookline")
        if any(os.path.lexists(f"{path}/{mark}") for mark in marks):
            return f"{path} is a repository"
    status = os.lstat(folder)
    if status.st_uid != os.getuid():
        return f"{folder} belongs to user {status.st_uid}"
    if status.st_mode & 0o077:
        return f"other users can open {folder}; run `chmod 700 {folder}`"
    if len(os.fsencode(folder)) + len("/socket") > LONGEST_SOCKET:
        return "the path is too long for a socket"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder} is read-only"


def _replaceable(path: str) -> str:
    """Return why another user could replace *path*; empty if no other user could."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return f"{path}: {(error.strerror or 'cannot be examined').lower()}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a folder"
    if status.st_uid not in (0, os.getuid()):
        return f"{path} belongs to user {status.st_uid}"
    if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
        return f"other users can write to {path}"
    return ""


def find_folder(prefix: str) -> str:
    """Return the first usable candidate, created if missing; empty if there is none."""
    folders = candidates(prefix)
    if prefix and not unusable(folders[0], outside_repositories=True):
        return folders[0]
    for folder in folders[-2:]:
        with suppress(OSError):  # it exists, or cannot be created
            os.mkdir(folder, 0o700)
        if not unusable(folder):
            return folder
    return ""


def connect(folder: str) -> socket.socket | None:
    path = os.path.join(folder, "socket")
    with suppress(OSError):
        status = os.lstat(path)
        if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
            return None
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(CONNECTS_WITHIN)
        with suppress(OSError):
            connection.connect(path)
            if peer(connection)[1] == os.getuid():
                return connection
        connection.close()
    return None


def peer(connection: socket.socket) -> tuple[int, int]:
    """Return process and user of the other end; process 0 if the platform does not provide it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0, os.getuid()
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid


def command_line(programs: str, module: str, *arguments: str) -> list[str]:
    """Return the command that runs *module* of the installation whose programs are in that folder."""
    if _prefix(programs):
        return [sys.executable, "-I", "-m", module, *arguments]
    return [sys.executable, "-I", "-c", BOOTSTRAP, programs, module, *arguments]


def _prefix(programs: str) -> str:
    prefix = os.path.dirname(programs)
    return prefix if os.path.exists(os.path.join(prefix, "pyvenv.cfg")) else ""


def start_daemon(folder: str, programs: str) -> int:
    """Start the daemon in its own session, with its output in the log; return its process id."""
    log = os.path.join(folder, "log")
    command = command_line(programs, "hookline.daemon", programs)
    return os.posix_spawn(
        command[0],
        command,
        {name: os.environ[name] for name in KEPT if name in os.environ},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def wait_for_daemon(folder: str, programs: str) -> socket.socket | None:
    """Return a connection to a daemon; one of the waiting clients starts it if necessary."""
    deadline = time.monotonic() + START_WITHIN
    connection, child, failed = None, 0, False
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with open(os.open(os.path.join(folder, "start.lock"), flags, 0o600), "r+b", buffering=0) as lock:
        while connection is None and not failed:
            if not child and _try_lock(lock.fileno()):
                if _failed_recently(lock.fileno()):
                    break
                if (connection := connect(folder)) is not None:
                    break  # another client has started it
                child = start_daemon(folder, programs)
            child, failed = _poll_child(child)
            time.sleep(POLL_EVERY)
            if (connection := connect(folder)) is None and time.monotonic() > deadline:
                break
        if child and connection is None:
            os.utime(lock.fileno(), (0, time.time()))  # marks a failed start without using disk space
            connection = connect(folder)
        if child and connection is not None:
            os.utime(lock.fileno())
    return connection


def _poll_child(child: int) -> tuple[int, bool]:
    """Return *child*, -1 if it has exited or 0 if it was killed, and whether it failed to start."""
    ended, status = os.waitpid(child, os.WNOHANG) if child > 0 else (0, 0)
    if not ended:
        return child, False
    return (-1, status != 0) if os.WIFEXITED(status) else (0, False)  # 0: another daemon has the folder


def _try_lock(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _failed_recently(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    return not status.st_atime and 0 <= time.time() - status.st_mtime < RETRY_START


def encode_call(
    verb: str, release: str, call_id: str, programs: str, arguments: list[str], payload: bytes
) -> bytes:
    """Return the request that `messages.py` documents."""
    env = [name + b"=" + value for name, value in os.environb.items()]
    head = f"hookline/2 {verb} {release} {call_id} {len(arguments)} {len(env)} {len(payload)}\n".encode()
    cwd = b""
    with suppress(OSError):  # the folder was removed
        cwd = os.getcwdb()
    strings = [os.fsencode(programs), *map(os.fsencode, arguments), *env, cwd]
    return head + b"".join(item + b"\0" for item in strings) + payload


def exchange(connection: socket.socket, call: bytes) -> tuple[int, int, bytes, bytes, bytes]:
    """Return exit code, exit code if stdout is lost, and the bytes for stdout, stderr and the terminal."""
    with suppress(BrokenPipeError):  # a daemon that refuses may close before it has read everything
        rest = memoryview(call)
        while rest:
            _wait_until_ready(connection, select.POLLOUT)
            rest = rest[connection.send(rest[:CHUNK]) :]
    data = _receive(connection)
    while (end := data.find(b"\n") + 1) == 0 or data.startswith(b".\n"):
        data = data[end:] if end else data + _receive(connection)
    if data.startswith(b"!"):
        raise Replaced if data == b"!replaced\n" else Refused
    code, unwritten, *sizes = map(int, data[:end].split())
    chunks, missing = [data[end:]], sum(sizes) - len(data) + end
    while missing > 0:
        chunks.append(_receive(connection))
        missing -= len(chunks[-1])
    text, (out, err, _) = b"".join(chunks), sizes
    return code, unwritten, text[:out], text[out : out + err], text[out + err :]


def _receive(connection: socket.socket) -> bytes:
    _wait_until_ready(connection, select.POLLIN)
    data = connection.recv(CHUNK)
    if not data:
        raise ConnectionResetError("the daemon died")
    return data


def _wait_until_ready(connection: socket.socket, events: int) -> None:
    """Raise `TimeoutError` if the daemon is silent for two intervals and uses no CPU: it may only be busy."""
    poll, used_before = select.poll(), -1
    poll.register(connection, events)
    for interval in range(LONGEST_WAIT):
        if poll.poll(SILENCE * 1000):
            return
        used = _cpu_time(peer(connection)[0])
        if interval and used - used_before < os.sysconf("SC_CLK_TCK") / 10:
            break
        used_before = used
    raise TimeoutError


def _cpu_time(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return int(fields[11]) + int(fields[12])
    except (OSError, ValueError, IndexError):
        return -1


def kill_daemon(connection: socket.socket) -> bool:
    pid, uid = peer(connection)
    with suppress(PermissionError):
        if pid > 1 and uid == os.getuid():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            return True
    return False


def ask_daemon(programs: str, arguments: list[str], call_id: str, payload: bytes) -> int | None:
    """Return the exit code for the host; None if no daemon answers."""
    folder = "" if os.environ.get("HOOKLINE_DAEMON") == "off" else find_folder(_prefix(programs))
    if not folder or len(payload) > LARGEST:
        return None
    call = encode_call("hook", RELEASE, call_id, programs, arguments, payload)
    for _ in range(ATTEMPTS):
        try:
            connection = connect(folder) or wait_for_daemon(folder, programs)
        except OSError:
            return None
        if connection is None:
            return None
        with connection, suppress(Replaced, OSError, ValueError):
            try:
                return print_reply(*exchange(connection, call))
            except TimeoutError:
                if not kill_daemon(connection):
                    return None  # it cannot be replaced, so it is not called again
            except Refused:
                return None
    return None


def print_reply(code: int, unwritten_code: int, out: bytes, err: bytes, terminal: bytes = b"") -> int:
    """Write the reply and return the exit code for the host; a lost reply does not count as a pass."""
    try:
        write_all(1, out)
    except OSError as error:
        code, reason = unwritten_code, (error.strerror or "error").encode()
        blocked = b", so the call is blocked" if code else b""
        err = b"hookline: the reply cannot be written to standard output (%b)%b: %b\n%b" % (
            reason,
            blocked,
            out,
            err,
        )
    with suppress(OSError):  # no other way to report it
        write_all(2, err)
    with suppress(OSError):  # no terminal
        if terminal:
            write_all(os.open("/dev/tty", os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC), terminal)
    return code


def write_all(number: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(number, rest) :]
        except BlockingIOError:  # its owner has made it non-blocking
            select.select([], [number], [])


def open_standard_streams() -> None:
    """Open missing streams, or a socket would get their number; writing to such a stream fails."""
    while os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) < 3:  # noqa: PLR2004 -- first descriptor after the standard streams
        pass


def read_all(number: int) -> bytes:
    chunks, at_end = list[bytes](), False
    with suppress(OSError):  # an unreadable payload counts as empty
        while not at_end:
            try:
                chunks.append(os.read(number, CHUNK))
                at_end = not chunks[-1]
            except BlockingIOError:  # its owner has made it non-blocking
                select.select([number], [], [])
    return b"".join(chunks)


def run_hookline(programs: str, arguments: list[str], payload: bytes | None = None) -> None:
    """Replace this process by `hookline`, with *payload* as its standard input."""
    if payload is not None:
        os.dup2(_payload_stream(payload), 0)
    command = command_line(programs, "hookline", *arguments)
    os.execv(command[0], command)  # noqa: S606 -- an argument list, no shell


def _payload_stream(payload: bytes) -> int:
    """Return a stream with the payload: a file in memory, or a pipe if that is missing or forbidden."""
    with suppress(AttributeError, OSError):
        file = os.memfd_create("hookline-payload")
        write_all(file, payload)
        os.lseek(file, 0, os.SEEK_SET)
        return file
    reading, writing = os.pipe()
    if os.fork() == 0:
        for number in (0, 1, 2, reading):
            os.close(number)  # their readers must not wait for this process
        write_all(writing, payload)
        os._exit(0)
    os.close(writing)
    return reading


def main() -> int:
    open_standard_streams()
    programs, arguments = os.path.dirname(os.path.realpath(__file__)), sys.argv[1:]
    if len(arguments) < 2 or arguments[0] != "hook" or arguments[1] in ("-h", "--help"):  # noqa: PLR2004
        run_hookline(programs, arguments)
    payload, call_id = read_all(0), os.urandom(16).hex()
    code = ask_daemon(programs, arguments[1:], call_id, payload)
    if code is not None:
        return code
    try:
        run_hookline(programs, ["hook", "--call", call_id, *arguments[1:]], payload)
    except OSError as error:
        text = f"hookline: the call cannot be passed on, so it is blocked: {error.strerror}\n"
        write_all(2, text.encode())
    return 2


if __name__ == "__main__":
    sys.exit(main())
