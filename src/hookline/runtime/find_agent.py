"""Detection of an agent among the ancestors of a process."""

import os
from collections.abc import Iterator, Mapping

from hookline import hosts
from hookline.system.process import identity

_MAX_ANCESTORS = 64


def find_agent(env: Mapping[str, str]) -> str:
    """Return the host in whose process tree this runs, or ""; also if it removed its variables."""
    markers = _list_markers()
    own = (markers[name] for name in markers if name in env or name in os.environ)
    return next(own, "") or find_agent_above(os.getppid())


def find_agent_above(process: int) -> str:
    """Return the host whose variables *process* or one of its ancestors was started with, or ""."""
    markers = {f"{name}=".encode(): host for name, host in _list_markers().items()}
    names = tuple(markers)
    entries = (entry for pid in list_ancestors(process) for entry in _read_environment(pid))
    return next((markers[entry[: entry.index(b"=") + 1]] for entry in entries if entry.startswith(names)), "")


def find_starting_agent(process: int) -> str:
    """Return the other agent in whose process tree the host of *process* was started, or "".

    0 stands for this process. Without /proc no agent is found.
    """
    starter = identity.find_starter(process or os.getpid())
    return find_agent_above(int(starter.split(":")[1])) if starter else ""


def list_ancestors(process: int) -> Iterator[int]:
    """Yield *process* and its ancestors, except the first process of the machine."""
    for _ in range(_MAX_ANCESTORS):
        if process <= 1:
            return
        yield process
        _, fields = identity.read_stat(process)
        process = int(fields[1]) if fields else 0


def _list_markers() -> dict[str, str]:
    """Return the variables that hosts set for the programs that they start, each with its host."""
    return {name: host.name for host in map(hosts.load, hosts.names()) for name in host.env_markers}


def _read_environment(process: int) -> list[bytes]:
    """Return the environment that a process was started with; empty without permission to read it."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
