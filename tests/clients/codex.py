"""Codex CLI: a native program from npm; settings in ~/.codex, the model as a provider of our own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import MACHINE, PROCESSOR, Client
from .model import URL
from .script import call

# A model whose bundled description has plain tools; newer ones have a single tool that takes JavaScript.
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
    # Hooks that no person has looked at are skipped in silence, and nobody can look here.
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
