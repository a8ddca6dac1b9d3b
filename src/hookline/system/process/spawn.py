"""Start a process in a session of its own, marked so that all it starts can be found again."""

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from hookline.system.process.marks import Mark, marked, stamp, wearing

_WHY = {
    errno.ENOENT: "no such program; check its path, and the interpreter that its first line names",
    errno.EACCES: "it is not executable; run chmod +x on it, or name its interpreter",
    errno.ENOEXEC: "it is not a program of this machine; does it lack a first line such as #!/bin/sh?",
    errno.E2BIG: "its arguments and environment are too long together; pass less",
}


class NotStarted(OSError):
    """A process could not be started; the message says why, and what to do."""


class Process(Struct, frozen=True, kw_only=True):
    """A process of ours. Nobody waits for it before `reap`, so that its number stays its own."""

    popen: subprocess.Popen[bytes]
    mark: Mark
    sole: bool = False
    """Whether, as long as it is attended, every child that this program has can only come from it."""

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def exited(self) -> bool:
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def reap(self) -> int | None:
        """Take the exit status; None where there is none, or someone else took it."""
        status = None
        with suppress(ChildProcessError):
            pid, raw = os.waitpid(self.pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(raw) if pid else None
        self.popen.returncode = 0 if status is None else status  # so that `Popen` waits for nothing itself
        return status

    def close(self) -> None:
        """Let go of its pipes."""
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe:
                pipe.close()


def spawn(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    stdin: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    sole: bool = False,
    mark: Mark | None = None,
) -> Process:
    if not argv:
        raise NotStarted("cannot start an empty command; name a program")
    mark = mark or Mark()
    try:
        with wearing(mark):
            popen = subprocess.Popen(
                [_word(one) for one in argv],
                cwd=cwd,
                env=marked(env, mark),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                pass_fds=pass_fds,
                start_new_session=True,
            )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NotStarted(f"cannot start {argv[0]!r}: {_why(error, cwd)}") from error
    stamp(popen.pid, mark)
    return Process(popen=popen, mark=mark, sole=sole)


def _word(text: str) -> str | bytes:
    """What the locale cannot write goes out in UTF-8, as files are written here."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def _why(error: Exception, cwd: str) -> str:
    if not isinstance(error, OSError):
        return str(error)
    if error.filename == cwd:
        return f"its folder {cwd!r} cannot be entered ({error.strerror}); check cwd"
    return _WHY.get(error.errno or 0) or (error.strerror or str(error)).lower()
