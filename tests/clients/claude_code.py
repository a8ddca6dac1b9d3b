"""Claude Code: a native program from npm, with settings in ~/.claude and the model at ANTHROPIC_BASE_URL."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import PROCESSOR, Client, HookRun
from .script import call

KEY = "sk-dummy"


def command(program: str) -> list[str]:
    # The tools are listed because the program does not skip permissions when it runs as root.
    said = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    return [program, "-p", *said, "--allowedTools", "Bash,Read,Write,Edit"]


def files(repo: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    state = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(repo): trusted},
    }
    return {".claude/settings.json": settings, ".claude.json": state}


def env(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def hooks(stdout: str) -> tuple[HookRun, ...]:
    return tuple(
        HookRun(
            event=line["hook_event"], stdout=line["stdout"], stderr=line["stderr"], exit=line.get("exit_code")
        )
        for line in _lines(stdout, "hook_response")
    )


def notices(stdout: str) -> tuple[str, ...]:
    return tuple(line["content"] for line in _lines(stdout, "informational"))


def _lines(stdout: str, subtype: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]
    return [line for line in lines if line.get("subtype") == subtype]


def wire(command: str, *events: str) -> dict[str, Any]:
    """Return settings that run *command* at each of *events*, as a user would write them."""
    entry = {"type": "command", "command": command, "timeout": 10}
    return {"hooks": {event: [{"hooks": [entry]}] for event in events}}


CLIENT = Client(
    name="claude-code",
    program=f"node_modules/@anthropic-ai/claude-code-linux-{PROCESSOR}/claude",
    dialect="anthropic-messages",
    shell=lambda line: call("Bash", command=line, description="do it"),
    command=command,
    files=files,
    env=env,
    hooks=hooks,
    notices=notices,
)
