"""Reasonix: a native program from npm, with all files in ~/.reasonix and the model in config.toml."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import PROCESSOR, Client
from .model import URL
from .script import call

CONFIG = f"""default_model = "scripted"

[[providers]]
name = "scripted"
kind = "openai"
base_url = "{URL}/v1"
model = "scripted"
api_key_env = "SCRIPTED_KEY"

[environment]
offline = true
"""
TOLD = re.compile(r"^  ! hook \[\w+/(\w+)\] .*? — \w+: (.*(?:\nhookline: .*)*)", re.MULTILINE)


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        ".reasonix/config.toml": CONFIG,
        ".reasonix/.env": "SCRIPTED_KEY=sk-dummy\n",
        ".reasonix/settings.json": settings,
    }


def notices(stdout: str) -> tuple[str, ...]:
    return tuple(f"{event}: {text.strip()}" for event, text in TOLD.findall(stdout))


CLIENT = Client(
    name="reasonix",
    program=f"node_modules/@reasonix/cli-linux-{PROCESSOR}/bin/reasonix",
    dialect="openai-chat",
    shell=lambda line: call("bash", command=line),
    # Without a sandbox program, it runs no commands in any other mode.
    command=lambda program: [program, "run", "--permission-mode", "danger-full-access"],
    files=files,
    env=lambda url: {"DO_NOT_TRACK": "1", "REASONIX_TELEMETRY": "0", "CI": "1", "NO_COLOR": "1"},
    hooks=lambda stdout: (),
    notices=notices,
)
