"""Recognition of Claude Code, and its settings that disable hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.host import tool
from hookline.core.install_table import Look, Place
from hookline.hosts._obstacles import either, switched

EDITS = ("--permission-mode=acceptEdits", "--allowedTools=Bash,Edit,Glob,Grep,Read,Write")
SETTINGS = ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")
# A list as a whole, or since 2.1 a task at a time: then only what was made has a text.
TODOS = {
    "TodoWrite": tool("todo", todos="todos", text="content", status="status"),
    "TaskCreate": tool("todo", text="subject", made="task.id"),
    "TaskUpdate": tool("todo", id="taskId", text="subject", status="status"),
}
OFF = switched("disableAllHooks", "allowManagedHooksOnly")


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Its marks are handed down to whatever is started inside of it, and may be another session's."""
    mark = env.get("CLAUDE_CODE_SESSION_ID")
    own = bool(mark) and mark == payload.get("session_id")
    return own or ("prompt_id" in payload and "timestamp" not in payload)


def background_result(payload: Mapping[str, Any]) -> bool:
    """A background agent's result arrives as if a person had written it."""
    return str(payload.get("prompt", "")).startswith("<task-notification>")


def untyped(payload: Mapping[str, Any]) -> bool:
    """Compaction ends two helpers that never began, without a type."""
    return not payload.get("agent_type")


def plugged(holds: Mapping[str, Any], place: Place) -> str:
    """It runs what settings and plugins say, even if that is the same."""
    plugins = holds.get("enabledPlugins")
    known = plugins if isinstance(plugins, Mapping) else {}
    ours = [name for name, on in known.items() if on and name.partition("@")[0] == "hookline"]
    return f"the plugin {ours[0]!r} is on as well, so every event arrives twice" if ours else ""


LOOKS = tuple(Look(file=file, said=either(OFF, plugged)) for file in SETTINGS)
