"""GitHub Copilot CLI: JSON in, one flat JSON document out, exit code 0; any other code denies the tool.

No reply allows a call: Copilot runs hooks before the user's own rules, and an allow would override a deny
there.
"""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    Notification,
    OnError,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
)
from hookline.core.host import Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, ObstacleCheck, OwnFiles
from hookline.hosts import _shared_files
from hookline.hosts._copilot_codec import encode, find_failure, is_continuation, is_from_subagent, normalize
from hookline.hosts._obstacles import disabled_by, unlisted_folder

CALL = {"tool": "toolName", "input": "toolArgs"}
TEXT = {"output": "textResultForLlm"}
FILE = {"path": "path", **TEXT}
NOT_RUN = json.dumps({"type": "progress", "message": "hookline could not run; the call was not checked"})


def find_tool(name: str) -> Tool:
    """Return the row of a tool; an MCP tool is `server-tool`, or `server/tool` in permission requests."""
    return tool("mcp" if "-" in name or "/" in name else "other", **TEXT)


def make_files(entries: tuple[InstallEntry, ...]) -> Mapping[str, str]:
    """Return the hook file; it has only Copilot's own spelling, because both would fire each event twice."""
    hooks = {entry.moment: [_make_entry(entry)] for entry in entries if entry.moment in NATIVE_MOMENTS}
    return {"hookline.json": json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"}


def _make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry whose command exits with 0 and a message if hookline cannot run; 2 is a block."""
    line = f"{entry.command} --event {entry.moment}"
    powershell = f"{line}; if (-not $?) {{ '{NOT_RUN}' }}; exit 0"
    bash = f"{entry.guard}{line} || {{ [ $? = 2 ] && exit 2; echo '{NOT_RUN}'; }}"
    return {"type": "command", "bash": bash, "powershell": powershell, "timeoutSec": round(entry.timeout)}


NATIVE_MOMENTS = {
    "sessionStart": moment(SessionStart, INJECT, source="source"),
    "userPromptSubmitted": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
        lambda payload: is_from_subagent(payload) or is_continuation(payload), None
    ),
    "preToolUse": moment(PreToolUse, BLOCK, ASK, INJECT, MODIFY, **CALL),
    "permissionRequest": moment(PermissionRequest, BLOCK, tool="toolName", input="toolInput"),
    "postToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **CALL, output="toolResult"),
    "postToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **CALL, error="error").with_values(
        success=False
    ),
    "preCompact": moment(PreCompact, trigger="trigger", instructions="customInstructions"),
    "subagentStart": moment(SubagentStart, INJECT),
    "subagentStop": moment(SubagentStop, BLOCK, again="stop_hook_active", last_text="response"),
    "notification": moment(Notification, INJECT, kind="notification_type", text="message"),
    "agentStop": moment(Stop, BLOCK, again="stop_hook_active").unless(is_from_subagent, None),
    "errorOccurred": moment(OnError, error="error.message"),
    "sessionEnd": moment(SessionEnd, reason="reason"),
}
CLAUDE_NAMES = {"userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop"}
"""Claude's event names that differ by more than a capital letter."""
TOOLS = {
    "bash": tool("shell", command="command", **TEXT),
    "powershell": tool("powershell", command="command", **TEXT),
    "view": tool("read", **FILE),
    "create": tool("write", **FILE, content="file_text"),
    "edit": tool("edit", **FILE, content="new_str"),
    "apply_patch": tool("edit", **TEXT, patch="input"),
    "glob": tool("glob", **FILE, pattern="pattern"),
    "grep": tool("grep", **FILE, pattern="pattern"),
    "web_fetch": tool("fetch", path="url", **TEXT),
    "web_search": tool("search", pattern="query", **TEXT),
    "task": tool("agent", content="prompt", **TEXT),
    "ask_user": tool("question", **TEXT),
}
CLAUDE_TOOLS = {
    "Bash": "bash", "PowerShell": "powershell", "Read": "view", "Write": "create", "Edit": "edit",
    "Glob": "glob", "Grep": "grep", "WebFetch": "web_fetch", "WebSearch": "web_search", "Agent": "task",
    "Task": "task",
}  # fmt: skip
"""Claude's tool names; the arguments are the same."""

HOST = Host(
    name="copilot-cli",
    about="GitHub's Copilot CLI.",
    tested_version="1.0.102",
    event_key="hook_event_name",
    common_paths={
        "session": "sessionId",
        "transcript": "transcriptPath",
        "cwd": "cwd",
        "subagent_id": "agentId",
        "subagent_type": "agentType",
    },
    moments={
        **NATIVE_MOMENTS,
        **{CLAUDE_NAMES.get(name, name[0].upper() + name[1:]): row for name, row in NATIVE_MOMENTS.items()},
    },
    tools={**TOOLS, **{theirs: TOOLS[name] for theirs, name in CLAUDE_TOOLS.items()}},
    find_tool=find_tool,
    normalize=normalize,
    find_error=find_failure,
    encode=encode,
    prompt_may_come_first=True,
    env_markers=("COPILOT_CLI",),
    recognises=lambda payload, env: bool(env.get("COPILOT_CLI")) and "timestamp" in payload,
    run_by=_shared_files.GITHUB_READERS,
    sequential_hooks=True,
    project_env="COPILOT_PROJECT_DIR",
    settings=("~/.copilot/hooks/hookline.json", "~/.copilot/settings.json", "~/.copilot/config.json"),
    program="copilot",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json"),
    folders=("~/.copilot", ".github/copilot", ".github/hooks"),
    install=InstallMethod(
        layout=OwnFiles(user="~/.copilot/hooks", project=".github/hooks", make_files=make_files),
        folder_env="COPILOT_HOME",
        checks=(
            ObstacleCheck(file="~/.copilot/settings.json", find_obstacle=disabled_by("disableAllHooks")),
            ObstacleCheck(
                file="~/.copilot/config.json",
                find_obstacle=unlisted_folder("trustedFolders", "start `copilot` there"),
            ),
        ),
        manual_steps=(
            "trust the folder, or the hooks of the project do not run: `copilot` asks when it starts there",
        ),
    ),
    headless=("copilot", "-p", "{prompt}", "--trust-folder", "--no-color", "--model={model}"),
    permission_arguments={"edit": ("--allow-all-tools",), "full": ("--allow-all-tools", "--allow-all-paths")},
)
