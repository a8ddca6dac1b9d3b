"""Builders of ordinary events, so that a test names only the fields that it is about."""

from typing import Any

from msgspec.structs import fields

from hookline.core.events import Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit
from hookline.core.frozen import Frozen

DEFAULT_VALUES: dict[Any, Any] = {str: "text", bool: False}
"""Values of required fields, by type."""


def pre_tool_use(command: str = "echo hi", **values: Any) -> PreToolUse:
    """Return the event of a shell command that is about to run."""
    return PreToolUse(**{**_call_fields(command), **values})


def post_tool_use(command: str = "echo hi", **values: Any) -> PostToolUse:
    """Return the event of a shell command that has run."""
    return PostToolUse(**{**_call_fields(command), "output": {"stdout": "hi", "stderr": ""}, **values})


def user_prompt_submit(prompt: str = "please do the thing", **values: Any) -> UserPromptSubmit:
    return UserPromptSubmit(**{**_common_fields(), "prompt": prompt, **values})


def session_start(source: str = "startup", **values: Any) -> SessionStart:
    return SessionStart(**{**_common_fields(), "source": source, **values})


def stop(**values: Any) -> Stop:
    return Stop(**{**_common_fields(), **values})


def any_event(kind: type[Event], **values: Any) -> Event:
    """Return an event of the class *kind*, with values for its required fields."""
    required = [f for f in fields(kind) if f.required]
    return kind(
        **{
            **_common_fields(),
            **{f.name: DEFAULT_VALUES.get(f.type, "text") for f in required},
            **values,
        }
    )


def _common_fields() -> dict[str, Any]:
    return {"session": "s-1", "host": "claude-code", "cwd": "/repo"}


def _call_fields(command: str) -> dict[str, Any]:
    places = Frozen({"command": "command", "output": "stdout", "errors": "stderr"})
    tool_input = Frozen({"command": command})
    return {**_common_fields(), "tool": "Bash", "kind": "shell", "input": tool_input, "input_keys": places}
