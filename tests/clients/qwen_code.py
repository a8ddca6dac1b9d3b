"""Qwen Code: a Node program, with settings in ~/.qwen and the model at OPENAI_BASE_URL."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import NODE, Client
from .script import call

KEY = "sk-dummy"
QUIET = {
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False},
    # Otherwise every run ends with an extra model call that looks for memories.
    "memory": {"enableManagedAutoMemory": False},
}


def command(program: str) -> list[str]:
    return [str(NODE), program, "--yolo"]


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {".qwen/settings.json": {**QUIET, **settings}}


def env(url: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "fake",
        "QWEN_CODE_NO_RELAUNCH": "true",
        "NO_COLOR": "1",
    }


CLIENT = Client(
    name="qwen-code",
    program="node_modules/@qwen-code/qwen-code/cli.js",
    dialect="openai-chat",
    shell=lambda line: call("run_shell_command", command=line, description="do it", is_background=False),
    command=command,
    files=files,
    env=env,
    hooks=lambda stdout: (),
    notices=lambda stdout: (),
)
