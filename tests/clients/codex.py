"""Codex CLI: a native program from npm, with settings in ~/.codex and a custom model provider."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import MACHINE, PROCESSOR, Client
from .model import URL
from .script import call

# The bundled description of this model has plain tools; newer models have one tool that takes JavaScript.
CONFIG = f"""\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{URL}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugin_discovery_prefetch = false
"""


def command(program: str) -> list[str]:
    # Codex silently skips hooks that no user has reviewed, and a test has no user.
    unguarded = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    return [program, "exec", *unguarded, "-"]


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {".codex/config.toml": CONFIG, ".codex/hooks.json": settings}


CLIENT = Client(
    name="codex",
    program=f"node_modules/@openai/codex-linux-{PROCESSOR}/vendor/{MACHINE}-unknown-linux-musl/bin/codex",
    dialect="openai-responses",
    shell=lambda line: call("exec_command", cmd=line),
    command=command,
    files=files,
    env=lambda url: {"SCRIPTED_KEY": "sk-dummy"},
    hooks=lambda stdout: (),
    notices=lambda stdout: (),
)
