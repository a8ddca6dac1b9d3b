"""The description of a real client: its program, how to start it offline, and how to read its output."""

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
"""This machine's processor, as named in npm packages."""
NODE = INSTALLED / f"node_modules/node-linux-{PROCESSOR}/bin/node"


@dataclass(frozen=True, kw_only=True, slots=True)
class HookRun:
    """One run of one hook, as reported by the client."""

    event: str
    stdout: str
    stderr: str
    exit: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    name: str
    program: str
    """Path of the program below INSTALLED; package-lock.json pins its release."""
    dialect: str
    """Name of the model's protocol, which is a module with a DIALECT."""
    command: Callable[[str], list[str]]
    """Returns the command line for the program's path; the prompt is passed on stdin."""
    shell: Callable[[str], Reply]
    """Returns the model reply that runs a shell command."""
    files: Callable[[Path, Mapping[str, Any]], Mapping[str, Any]]
    """Returns files of the home for a repository and the client's own settings."""
    env: Callable[[str], Mapping[str, str]]
    """Returns environment variables that set the model's URL and disable telemetry and updates."""
    hooks: Callable[[str], tuple[HookRun, ...]]
    """Returns the hook runs found in the client's stdout."""
    notices: Callable[[str], tuple[str, ...]]
    """Returns the messages of hooks to the user, found in the client's stdout."""

    @property
    def path(self) -> Path:
        return INSTALLED / self.program

    @property
    def pinned(self) -> bool:
        """True if the lock file has a build for this machine's processor."""
        packages = json.loads(LOCK.read_text())["packages"]
        return any(self.program.startswith(f"{package}/") for package in packages if package)


def names() -> list[str]:
    """Return the names of all clients: the modules in this folder with a CLIENT."""
    files = Path(__file__).parent.glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in files if "\nCLIENT = " in path.read_text())


def load(name: str) -> Client:
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    client: Client = module.CLIENT
    return client
