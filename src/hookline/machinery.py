"""What kinds of hooks are handed of the machine: how processes are run, and the hosts' reply languages."""

from collections.abc import Sequence
from typing import Any

from hookline import hosts
from hookline.kind import Child, Dialect, Finished


def dialects() -> tuple[Dialect, ...]:
    return tuple(host.dialect for host in map(hosts.load, hosts.names()) if host.dialect)


def run(argv: Sequence[str], **how: Any) -> Finished:
    from hookline.system import processes  # noqa: PLC0415 -- only where a process is run

    return processes.run(argv, **how)


def start(argv: Sequence[str], **how: Any) -> Child:
    from hookline.system import processes  # noqa: PLC0415 -- only where a process is started

    return processes.start(argv, **how)
