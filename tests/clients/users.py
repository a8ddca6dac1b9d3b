"""Hooks that a person declared in the home of a scenario: what they say, and how badly they behave."""

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
"""The environment in which nothing is told of a session unasked."""
ONCE = "test -e ~/asked || { touch ~/asked; echo TEST-FIRST >&2; exit 2; }"
"""A gate that holds once."""


def user_hooks(**events: Any) -> dict[str, Any]:
    return {".config/hookline/hooks.json": {"version": 1, "hooks": events}}


def printing(**answer: Any) -> str:
    return f"echo '{json.dumps({'version': 1, **answer})}'"


def spelled_apart(secret: str) -> str:
    """For a shell, so that the secret itself is only in what comes out."""
    return f"{secret[:3]}''{secret[3:]}"


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    """What our log has of the session."""
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]
