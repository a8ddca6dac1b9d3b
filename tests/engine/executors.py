"""The ways to run experiments: one at a time, in parallel, and on a cluster whose workers are killed."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.engine.ray_nodes import Nodes

KILLS = 2
"""Workers killed per run; fewer than the attempts of an experiment, so that none is abandoned."""


class Way:
    """A way to call `hookline run`."""

    def __init__(self, name: str, address: str = "", store: str = "", nodes: Nodes | None = None) -> None:
        self.name, self.address, self.store, self.nodes = name, address, store, nodes
        self.at_once = 1 if name == "local" else 2
        self.kills = KILLS

    def words(self) -> tuple[str, ...]:
        many = ("--parallel", str(self.at_once)) if self.name != "local" else ()
        return (*many, *(("--cluster", self.address) if self.address else ()))

    def settle(self, home: Path, env: dict[str, str]) -> None:
        """Configure the shared store, if there is one, for the user of this *home*."""
        if self.store:
            shared(home)
            env["HOOKLINE_STORE_ADDRESS"] = self.store

    def target(self, text: str, env: dict[str, str]) -> str:
        """Return the target with the environment that its agent needs on any machine."""
        if not self.address:
            return text
        told = ", ".join(f'{name} = "{env[name]}"' for name in ("HOME", "AGENT", "PATH"))
        return text.replace("[agent]\n", f"[agent]\nenv = {{{told}}}\n")

    def run(self, words: tuple[str, ...], root: Path, env: dict[str, str]) -> tuple[int, str, str]:
        """Run the command in a separate process whose workers are killed at random."""
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "hookline", *words]
        process = subprocess.Popen(command, cwd=root, env=env, stdout=pipe, stderr=pipe, text=True)
        if self.nodes:
            kill_some(process, self.nodes, random.Random(root.parent.name), self.kills)
        out, err = process.communicate(timeout=200)
        return process.returncode, out, err


def shared(home: Path, store: str = "postgres") -> None:
    path = home / ".config/hookline/hookline.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'store = "{store}"\n')


def kill_some(process: "subprocess.Popen[Any]", nodes: Nodes, rng: random.Random, most: int) -> list[int]:
    """Kill up to *most* workers at random while *process* runs, and return their pids."""
    killed: list[int] = []
    while process.poll() is None and len(killed) < most:
        found, until = nodes.workers(), time.monotonic() + rng.uniform(0.1, 1.2)
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        alive = set(found) & set(nodes.workers())
        if alive and process.poll() is None:
            killed.append(rng.choice(sorted(alive)))
            with suppress(ProcessLookupError):
                os.kill(killed[-1], signal.SIGKILL)
    return killed


def run_on(*names: str) -> pytest.MarkDecorator:
    """Return the mark of a test that runs once with each of the named executors."""
    return pytest.mark.parametrize("way", [_parameter(name) for name in names], indirect=True)


def _parameter(name: str) -> Any:
    one_worker = [pytest.mark.xdist_group("cluster"), pytest.mark.slow]
    return pytest.param(name, marks=one_worker if name == "cluster" else [])
