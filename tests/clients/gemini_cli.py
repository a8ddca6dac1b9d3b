"""Gemini CLI: a Node program, with settings in ~/.gemini and the model at GOOGLE_GEMINI_BASE_URL."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import NODE, Client
from .script import call

KEY = "sk-dummy"
QUIET = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


def command(program: str) -> list[str]:
    # It does not start in an untrusted folder, and without --yolo it omits tools that require approval.
    return [str(NODE), program, "--skip-trust", "--yolo"]


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {".gemini/settings.json": {**QUIET, **settings}}


def env(url: str) -> dict[str, str]:
    return {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": KEY,
        # Without a fixed model, it first asks a small model which one to use.
        "GEMINI_MODEL": "gemini-2.5-flash",
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "NO_COLOR": "1",
    }


CLIENT = Client(
    name="gemini-cli",
    program="node_modules/@google/gemini-cli/bundle/gemini.js",
    dialect="gemini-generate",
    shell=lambda line: call("run_shell_command", command=line, description="do it"),
    command=command,
    files=files,
    env=env,
    hooks=lambda stdout: (),
    notices=lambda stdout: (),
)
