"""User hooks for scenarios, including broken ones."""

import json
from typing import Any

from .driver import Played, afterwards

SECRET = "ghp_k4Z9vQ2mX7bN1cR8tY5wL3pJ6hG0fD2sA9eU"
BAD = (
    {"name": "crasher", "command": "kill -SEGV $$"},
    {"name": "hanger", "command": "sleep 30", "timeout": 1},
    {"name": "babbler", "command": "echo '{not json'"},
)
SILENT = {"AR_DISABLE_SESSION_INIT": "1", "AR_DISABLE_STOP_NOTIFY": "1"}
"""Environment variables that disable unrequested session messages."""
ONCE = "test -e ~/asked || { touch ~/asked; echo TEST-FIRST >&2; exit 2; }"
"""A command that blocks once."""


def user_hooks(**events: Any) -> dict[str, Any]:
    return {".config/hookline/hooks.json": {"version": 1, "hooks": events}}


def printing(**answer: Any) -> str:
    return f"echo '{json.dumps({'version': 1, **answer})}'"


def spelled_apart(secret: str) -> str:
    """Return *secret* split by quotes for a shell, so that only the command's output contains it."""
    return f"{secret[:3]}''{secret[3:]}"


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    """Return the session's records in hookline's audit log."""
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]
