"""A real Ray cluster with two nodes on this machine, as a separate program.

It prints its address and the pid of the second node, replaces that node on the input `again`, and ends when
its stdin is closed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}

LEADING = (b"gcs_server", b"raylet")


class Nodes:
    """A running cluster program."""

    def __init__(self, process: "subprocess.Popen[str]", home: Path) -> None:
        self._process, self.home = process, home
        self.address, self.second = "", 0
        self._heard()

    def again(self) -> None:
        """Add another second node."""
        self._say("again\n")
        self._heard()

    def _heard(self) -> None:
        assert self._process.stdout
        self.address, self.second = json.loads(self._process.stdout.readline())

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def workers(self) -> list[int]:
        """Return the pids of processes that run experiments."""
        return [int(path.name) for path in Path("/proc").glob("[0-9]*") if self._works(path)]

    def head(self) -> list[int]:
        """Return the pids of the main processes of the head node."""
        found = [int(path.name) for path in Path("/proc").glob("[0-9]*") if self._is(path, *LEADING)]
        return [pid for pid in found if pid != self.second]

    def _works(self, path: Path) -> bool:
        return self._is(path, b"ray::experiment")

    def _is(self, path: Path, *names: bytes) -> bool:
        with suppress(OSError):
            if (path / "cmdline").read_bytes().split(b"\0")[0].rpartition(b"/")[2].startswith(names):
                return f"HOME={self.home}\0".encode() in (path / "environ").read_bytes()
        return False


@contextmanager
def running(home: Path, env: Mapping[str, str]) -> Iterator[Nodes]:
    """Start two nodes that read hookline's settings from *home*."""
    pipe = subprocess.PIPE
    told = {**env, "HOME": str(home)}
    with (home / "ray.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, __file__], stdin=pipe, stdout=pipe, stderr=log, env=told, text=True
        )
    try:
        yield Nodes(process, home)
    finally:
        with suppress(BrokenPipeError):
            process.communicate(timeout=60)


def main() -> None:
    os.environ |= {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    from ray.cluster_utils import Cluster

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    told = ["again\n"]
    while told and told[0]:
        node = cluster.add_node(**NODE)
        raylet = node.all_processes["raylet"][0].process.pid
        print(json.dumps([cluster.address, raylet]), file=out, flush=True)
        told = [sys.stdin.readline()]
    cluster.shutdown()


if __name__ == "__main__":
    main()
