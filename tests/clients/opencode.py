"""OpenCode: a native program from npm, with plugins and configuration in ~/.config/opencode."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .client import PROCESSOR, Client
from .model import URL
from .script import call

MODEL = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
CONFIG: dict[str, Any] = {
    "autoupdate": False,
    "share": "disabled",
    "permission": "allow",
    "model": "scripted/scripted",
    "small_model": "scripted/scripted",
    "provider": {
        "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{URL}/v1", "apiKey": "sk-dummy"},
            "models": {"scripted": MODEL},
        }
    },
}
PLUGIN_PACKAGE = {"dependencies": {"@opencode-ai/plugin": "*"}}


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration, and files that make the plugin package look installed.

    Otherwise OpenCode waits while it tries to download the package.
    """
    return {
        ".config/opencode/opencode.json": {**CONFIG, **settings},
        ".config/opencode/package.json": PLUGIN_PACKAGE,
        ".config/opencode/package-lock.json": {"lockfileVersion": 3, "packages": {"": PLUGIN_PACKAGE}},
        ".config/opencode/node_modules/.keep": "",
    }


CLIENT = Client(
    name="opencode",
    program=f"node_modules/opencode-linux-{PROCESSOR}/bin/opencode",
    dialect="openai-chat",
    shell=lambda line: call("bash", command=line, description="do it"),
    command=lambda program: [program, "run"],
    files=files,
    env=lambda url: {
        "OPENCODE_DISABLE_AUTOUPDATE": "true",
        "OPENCODE_DISABLE_MODELS_FETCH": "true",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "true",
    },
    hooks=lambda stdout: (),
    notices=lambda stdout: (),
)
SERVED = replace(
    CLIENT,
    command=lambda program: [sys.executable, str(Path(__file__).with_name("opencode_served.py")), program],
)
"""OpenCode as a server, which is also how it runs behind its terminal interface."""
