"""The ways in which a run can be carried out: alone, several at once, and by a cluster whose workers die."""

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
"""In a run: below the attempts that an experiment has, so that none can be given up."""


class Way:
    """How `hookline run` is called."""

    def __init__(self, name: str, address: str = "", store: str = "", nodes: Nodes | None = None) -> None:
        self.name, self.address, self.store, self.nodes = name, address, store, nodes
        self.at_once = 1 if name == "local" else 2
        self.kills = KILLS

    def words(self) -> tuple[str, ...]:
        many = ("--parallel", str(self.at_once)) if self.name != "local" else ()
        return (*many, *(("--cluster", self.address) if self.address else ()))

    def settle(self, home: Path, env: dict[str, str]) -> None:
        """Have a user of this *home* store where machines can share it."""
        if self.store:
            shared(home)
            env["HOOKLINE_STORE_ADDRESS"] = self.store

    def target(self, text: str, env: dict[str, str]) -> str:
        """A target whose agent finds on any machine what it would find here."""
        if not self.address:
            return text
        told = ", ".join(f'{name} = "{env[name]}"' for name in ("HOME", "AGENT", "PATH"))
        return text.replace("[agent]\n", f"[agent]\nenv = {{{told}}}\n")

    def run(self, words: tuple[str, ...], root: Path, env: dict[str, str]) -> tuple[int, str, str]:
        """In a process of its own, whose workers are killed at random meanwhile."""
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
    """Kill those who carry out experiments, one now and then, as long as the run goes on; who that was."""
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


def parametrized(metafunc: pytest.Metafunc) -> None:
    """Every test of a module that has `WAYS`, in each of them: but for the first, and for tests that are
    marked to be tried everywhere, in the long suite only; a cluster always so."""
    ways = getattr(metafunc.module, "WAYS", ())
    if not ways or "way" not in metafunc.fixturenames:
        return
    often = metafunc.definition.get_closest_marker("everywhere") is not None
    metafunc.parametrize(
        "way",
        [_param(name, often=often or (name == ways[0] and name != "cluster")) for name in ways],
        indirect=True,
    )


def _param(name: str, *, often: bool) -> Any:
    marks = [] if often else [pytest.mark.long]
    return pytest.param(name, marks=[*marks, *([pytest.mark.xdist_group("cluster")] * (name == "cluster"))])
