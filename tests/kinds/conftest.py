"""Fixtures for hook kinds: a machine with real processes, all of which must end."""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hookline.core.kind import Declaration, Machine
from hookline.core.values import replace
from hookline.kinds.python import KIND, Discovery, Source, find_hooks
from hookline.system.process.run_command import run, start


@dataclass(frozen=True, kw_only=True)
class Project:
    """A folder with hooks, and the machine on which they run."""

    root: Path
    machine: Machine

    def file(self, name: str, text: str) -> Source:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return Source(path=str(path), source="project", root=str(self.root))

    def found(self, text: str) -> Discovery:
        return find_hooks(
            [self.file(".hookline/hooks/x.py", "from hookline import *\n" + text)], self.machine
        )

    def hook(self, text: str, **changes):
        """Return a callable for the one hook that *text* declares."""
        found = self.found(text)
        assert found.problems == ()
        (declaration,) = found.declarations
        return self.bound(replace(declaration, **changes))

    def bound(self, declaration: Declaration):
        return KIND.bind(declaration, self.machine)


@pytest.fixture
def project(tmp_path) -> Iterator[Project]:
    root = tmp_path / "project"
    root.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "HOOKLINE_DEPTH"}
    machine = Machine(run=run, start=start, env=env, clock=time.monotonic, scratch=str(tmp_path / "scratch"))
    yield Project(root=root, machine=machine)
    machine.resources.close()
    assert running_in(tmp_path) == []


@pytest.fixture
def over() -> float:
    """Return the seconds by which a time limit may be exceeded; a machine under load gets more."""
    return 0.5 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def running_in(folder: Path) -> list[str]:
    """Return the command lines of processes that still run in *folder* after half a second."""
    until = time.monotonic() + 0.5
    while (found := _processes(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def _processes(folder: Path) -> list[str]:
    if sys.platform != "linux":
        return []
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("cwd").readlink().is_relative_to(folder):
                found.append(process.joinpath("cmdline").read_text())
        except OSError:
            continue
    return found
