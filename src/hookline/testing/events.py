"""Ordinary events, so that a test spells out only what it is about."""

from dataclasses import MISSING, fields
from typing import Any

from hookline.core.events import Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit
from hookline.core.frozen import Frozen

PLAIN: dict[str, Any] = {"str": "text", "bool": False}


def pre_tool_use(command: str = "echo hi", **values: Any) -> PreToolUse:
    """A shell command that is about to run."""
    return PreToolUse(**{**_call(command), **values})


def post_tool_use(command: str = "echo hi", **values: Any) -> PostToolUse:
    """A shell command that has run."""
    return PostToolUse(**{**_call(command), "output": {"stdout": "hi", "stderr": ""}, **values})


def user_prompt_submit(prompt: str = "please do the thing", **values: Any) -> UserPromptSubmit:
    return UserPromptSubmit(**{**_where(), "prompt": prompt, **values})


def session_start(source: str = "startup", **values: Any) -> SessionStart:
    return SessionStart(**{**_where(), "source": source, **values})


def stop(**values: Any) -> Stop:
    return Stop(**{**_where(), **values})


def any_event(kind: type[Event], **values: Any) -> Event:
    """An event of that class, with what it needs filled in."""
    needed = [f for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    return kind(**{**_where(), **{f.name: PLAIN.get(str(f.type), "text") for f in needed}, **values})


def _where() -> dict[str, Any]:
    return {"session": "s-1", "host": "claude-code", "cwd": "/repo"}


def _call(command: str) -> dict[str, Any]:
    places = Frozen({"command": "command", "output": "stdout", "errors": "stderr"})
    given = Frozen({"command": command})
    return {**_where(), "tool": "Bash", "kind": "shell", "input": given, "places": places}
