"""What a real client is: how its program is installed, started offline, and read afterwards."""

import importlib
import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .script import Reply

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / ".clients"

LOCK = Path(__file__).parent / "npm/package-lock.json"
MACHINE = platform.machine()
PROCESSOR = {"x86_64": "x64", "aarch64": "arm64"}.get(MACHINE, MACHINE)
"""This machine's processor, as npm packages name it."""
NODE = INSTALLED / f"node_modules/node-linux-{PROCESSOR}/bin/node"


@dataclass(frozen=True, kw_only=True, slots=True)
class HookRun:
    """One run of one hook, as the client itself reports it."""

    event: str
    stdout: str
    stderr: str
    exit: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    name: str
    program: str
    """What is started, below INSTALLED; package.json and its lock say which release that is."""
    dialect: str
    """What it speaks with its model: the file that ends in that DIALECT."""
    command: Callable[[str], list[str]]
    """The program's arguments; the prompt is given on stdin."""
    shell: Callable[[str], Reply]
    """From a command line to the call by which its model runs one."""
    files: Callable[[Path, Mapping[str, Any]], Mapping[str, Any]]
    """From the repository and the client's own settings to files of the home."""
    env: Callable[[str], Mapping[str, str]]
    """From the model's address to what points the client there and keeps it quiet."""
    hooks: Callable[[str], tuple[HookRun, ...]]
    """From what the client printed to what its hooks did."""
    notices: Callable[[str], tuple[str, ...]]
    """From what the client printed to what it told its user on behalf of hooks."""

    @property
    def path(self) -> Path:
        return INSTALLED / self.program

    @property
    def pinned(self) -> bool:
        """Whether the lock has a build of it for this machine's processor."""
        packages = json.loads(LOCK.read_text())["packages"]
        return any(self.program.startswith(f"{package}/") for package in packages if package)


def names() -> list[str]:
    """Every client there is: the files beside this one that end in a CLIENT."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in files if "\nCLIENT = " in path.read_text())


def load(name: str) -> Client:
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    client: Client = module.CLIENT
    return client
