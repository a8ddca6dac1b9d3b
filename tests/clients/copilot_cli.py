"""GitHub Copilot CLI: a native program from npm, with hooks in ~/.copilot and a custom model provider."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import INSTALLED, PROCESSOR, Client
from .script import call


def command(program: str) -> list[str]:
    return [program, "--trust-folder", "--allow-all-tools", "--allow-all-paths", "--no-color"]


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {".copilot/hooks/by-hand.json": {"version": 1, **settings}} if settings else {}


def env(url: str) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "sk-dummy",
        "COPILOT_MODEL": "scripted",
        # Without a shared cache, it unpacks 235 MB for every new home, which takes five seconds.
        "XDG_CACHE_HOME": str(INSTALLED / "copilot-cache"),
    }


def notices(stdout: str) -> tuple[str, ...]:
    """Return the progress lines of hooks, which is how they show messages to the user."""
    return tuple(line[2:] for line in stdout.splitlines() if line.startswith("● hookline"))


CLIENT = Client(
    name="copilot-cli",
    program=f"node_modules/@github/copilot-linux-{PROCESSOR}/copilot",
    dialect="openai-chat",
    shell=lambda line: call("bash", command=line, description="do it"),
    command=command,
    files=files,
    env=env,
    hooks=lambda stdout: (),
    notices=notices,
)
