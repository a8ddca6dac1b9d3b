"""What a real client is: how its program is installed, started offline, and read afterwards."""

import importlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / ".clients"

# npm packages of programs are named after Node's words for a machine.
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
NODE = INSTALLED / "node" / "node_modules" / f"node-linux-{MACHINE}" / "bin" / "node"


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
    package: str
    """What npm installs, with its range."""
    program: Path
    """What is started, below the client's own folder of INSTALLED."""
    dialect: str
    """What it speaks with its model: the file that ends in that DIALECT."""
    command: Callable[[str], list[str]]
    """The program's arguments; the prompt is given on stdin."""
    files: Callable[[Path, Mapping[str, Any]], Mapping[str, Any]]
    """From the repository and the client's own settings to files of the home."""
    env: Callable[[str], Mapping[str, str]]
    """From the model's address to what points the client there and keeps it quiet."""
    hooks: Callable[[str], tuple[HookRun, ...]]
    """From what the client printed to what its hooks did."""
    notices: Callable[[str], tuple[str, ...]]
    """From what the client printed to what it told its user on behalf of hooks."""

    @property
    def folder(self) -> Path:
        return INSTALLED / self.name

    @property
    def path(self) -> Path:
        return self.folder / self.program


def names() -> list[str]:
    """Every client there is: the files beside this one that end in a CLIENT."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in files if "\nCLIENT = " in path.read_text())


def load(name: str) -> Client:
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    client: Client = module.CLIENT
    return client
