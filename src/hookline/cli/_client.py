"""The clients of this installation, and whether the bash of this machine is one that can ask the daemon."""

import os
import socket
import sys
from contextlib import closing, suppress

from hookline.daemon import control, installation
from hookline.owned import CLIENT
from hookline.system import compiled, processes

BASH = "/bin/bash"
"""As the client names it."""
TRY = 'exec 3<>"/dev/tcp/127.0.0.1/$1" && ((BASH_VERSINFO[0] >= 5)) && echo well'
ROOM = os.path.dirname(control.__file__)
ASKING = [sys.executable, "-I", "-S", os.path.join(ROOM, "ask.py")]
"""The client that needs no shell."""


def client(folder: str) -> list[str]:
    """What `init` would wire here: the client in C, made in *folder*, else in bash, else in Python."""
    if made := compiled.client(os.environ, folder, installation.word(), build=True):
        return [made]
    if unsuitable():
        return ASKING
    told, beside = os.path.join(ROOM, "client.sh"), os.path.join(installation.PROGRAMS, CLIENT)
    return [beside] if os.access(beside, os.X_OK) and _same(beside, told) else [told]


def _same(one: str, other: str) -> bool:
    """An installation that follows its sources has a copy of how the client once was."""
    with suppress(OSError), open(one, "rb") as left, open(other, "rb") as right:
        return left.read() == right.read()
    return False


def unsuitable() -> str:
    """Why the client in bash cannot ask the daemon; empty where it can."""
    if not os.access(BASH, os.X_OK):
        return f"there is no {BASH}"
    with closing(socket.socket()) as heard:
        try:
            heard.bind(("127.0.0.1", 0))
            heard.listen()
        except OSError as error:
            return f"there is no loopback ({error.strerror})"
        words = [BASH, "-c", TRY, "bash", str(heard.getsockname()[1])]
        ran = processes.run(words, stdin=b"", cwd="/", env={}, limit=5.0)
    return "" if ran.stdout.strip() == "well" else f"{BASH} is older than 5, or knows no /dev/tcp"
