"""Claude Code in the demo: its model at ANTHROPIC_BASE_URL, a dummy key, and a home that needs no set-up."""

from typing import Any

from hookline.cli._demo._anthropic_messages import PROTOCOL, SHELL
from hookline.cli._demo._client import Client

KEY = "sk-dummy"


def files(project: str) -> dict[str, Any]:
    state = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {project: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    return {".claude.json": state}


def env(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


CLIENT = Client(
    title="Claude Code",
    program="claude",
    install="https://code.claude.com/docs/en/setup",
    arguments=("-p", "--allowedTools", SHELL),  # without hookline, the push would really run
    files=files,
    env=env,
    protocol=PROTOCOL,
)
