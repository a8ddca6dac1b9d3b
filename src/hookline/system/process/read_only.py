"""A command for which some files and folders are read-only, in a mount namespace of its own (Linux).

This file is also the program that prepares the namespace: an isolated interpreter runs it by its path, and it
imports only the standard library, so that it starts fast. Without the right to create a mount namespace, a
user has one inside a user namespace, if the system allows it.
"""

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

PROBE_SECONDS = 10.0
FAILED = 125
"""Exit code of the program if it cannot prepare the namespace."""
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_KEPT_FLAGS = {os.ST_NOSUID: 2, os.ST_NODEV: 4, os.ST_NOEXEC: 8, os.ST_NOATIME: 1024, os.ST_RELATIME: 1 << 21}
"""Flags of a mount that a namespace cannot clear, as statvfs reports them and as mount expects them."""
_END = "--"


def command(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the words to put before a command so that it cannot write to *paths*."""
    return (sys.executable, "-I", "-S", os.path.abspath(__file__), *paths, _END)


@cache
def is_available(path: str) -> bool:
    """Return whether the system allows a command for which *path* is read-only."""
    if sys.platform != "linux":
        return False
    probe = (*command((path,)), "/bin/sh", "-c", 'test ! -w "$0"', path)
    try:
        return subprocess.run(probe, capture_output=True, timeout=PROBE_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def main(words: Sequence[str]) -> int:
    """Run the command after `--`; everything before it becomes read-only."""
    end = words.index(_END)
    try:
        _enter_namespace()
        for path in words[:end]:
            _protect(os.path.realpath(path))
    except OSError as error:
        print(f"cannot make a folder read-only: {error}", file=sys.stderr)  # noqa: T201 -- a program
        return FAILED
    os.execv(words[end + 1], [*words[end + 1 :]])  # noqa: S606 -- the command itself
    return FAILED


def _enter_namespace() -> None:
    user, group = os.getuid(), os.getgid()
    try:
        _call("unshare", _NEW_MOUNTS)
    except PermissionError:
        _call("unshare", _NEW_MOUNTS | _NEW_USER)
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _mount("none", "/", _RECURSIVE | _PRIVATE)


def _protect(path: str) -> None:
    _mount(path, path, _BIND | _RECURSIVE)
    flags = os.statvfs(path).f_flag
    kept = sum(number for flag, number in _KEPT_FLAGS.items() if flags & flag)
    _mount("none", path, _REMOUNT | _BIND | _READ_ONLY | kept)


def _mount(source: str, target: str, flags: int) -> None:
    _call("mount", os.fsencode(source), os.fsencode(target), None, ctypes.c_ulong(flags), None)


def _call(name: str, *arguments: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
