"""Whether this process was begun by an agent: by the variables that only an agent's processes have."""

import os
from collections.abc import Iterable

_DEEPEST = 64


def inside(variables: Iterable[str]) -> str:
    """The first of *variables* that this process or one it descends from was started with; empty for none."""
    names = tuple(f"{name}=".encode() for name in variables)
    own = next((name for name in variables if name in os.environ), "")
    process = os.getppid()
    for _ in range(_DEEPEST):
        if own or process <= 1 or not names:
            break
        found = next((item for item in _environment(process) if item.startswith(names)), b"")
        own = found.partition(b"=")[0].decode(errors="replace")
        process = _parent(process)
    return own


def _environment(process: int) -> list[bytes]:
    """What it was started with; nothing where that is not ours to see."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def _parent(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
