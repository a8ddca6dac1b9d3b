"""GitHub Copilot CLI: JSON in, one flat JSON document out, always exit 0; any other code denies the tool.

No answer ever allows: Copilot asks hooks before the user's own rules, and an allow would beat a deny there.
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
from hookline.core.install_table import Entry, Look, Own, Wiring
from hookline.hosts import _shared_files
from hookline.hosts._copilot_codec import encode, failure, of_helper, of_ours, unpacked
from hookline.hosts._obstacles import listed, switched

CALL = {"tool": "toolName", "input": "toolArgs"}
TEXT = {"output": "textResultForLlm"}
FILE = {"path": "path", **TEXT}
MISSING = json.dumps({"type": "progress", "message": "hookline could not be run, so nothing was judged"})


def other_tool(name: str) -> Tool:
    """Tools of MCP servers are `server-tool`, or `server/tool` where a permission is asked for."""
    return tool("mcp" if "-" in name or "/" in name else "other", **TEXT)


def files(entries: tuple[Entry, ...]) -> Mapping[str, str]:
    """Both spellings would fire twice, so only Copilot's own is wired."""
    hooks = {one.moment: [_entry(one)] for one in entries if one.moment in NATIVE}
    return {"hookline.json": json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"}


def _entry(one: Entry) -> dict[str, Any]:
    """A command that ends with 0, and says so, where hookline cannot be run; 2 is its own block."""
    line = f"{one.command} --event {one.moment}"
    powershell = f"{line}; if (-not $?) {{ '{MISSING}' }}; exit 0"
    bash = f"{one.guard}{line} || {{ [ $? = 2 ] && exit 2; echo '{MISSING}'; }}"
    return {"type": "command", "bash": bash, "powershell": powershell, "timeoutSec": round(one.seconds)}


NATIVE = {
    "sessionStart": moment(SessionStart, INJECT, source="source"),
    "userPromptSubmitted": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
        lambda payload: of_helper(payload) or of_ours(payload), None
    ),
    "preToolUse": moment(PreToolUse, BLOCK, ASK, INJECT, MODIFY, **CALL),
    "permissionRequest": moment(PermissionRequest, BLOCK, tool="toolName", input="toolInput"),
    "postToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **CALL, output="toolResult"),
    "postToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **CALL, error="error").saying(success=False),
    "preCompact": moment(PreCompact, trigger="trigger", instructions="customInstructions"),
    "subagentStart": moment(SubagentStart, INJECT),
    "subagentStop": moment(SubagentStop, BLOCK, again="stop_hook_active", last_text="response"),
    "notification": moment(Notification, INJECT, kind="notification_type", text="message"),
    "agentStop": moment(Stop, BLOCK, again="stop_hook_active").unless(of_helper, None),
    "errorOccurred": moment(OnError, error="error.message"),
    "sessionEnd": moment(SessionEnd, reason="reason"),
}
CLAUDES = {"userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop"}
"""Where the other spelling is more than a capital letter."""
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
RENAMED = {
    "Bash": "bash", "PowerShell": "powershell", "Read": "view", "Write": "create", "Edit": "edit",
    "Glob": "glob", "Grep": "grep", "WebFetch": "web_fetch", "WebSearch": "web_search", "Agent": "task",
    "Task": "task",
}  # fmt: skip
"""The other dialect's names of tools; their arguments are the same."""

HOST = Host(
    name="copilot-cli",
    about="GitHub's Copilot CLI.",
    proved="1.0.102",
    names_event="hook_event_name",
    common={
        "session": "sessionId",
        "transcript": "transcriptPath",
        "cwd": "cwd",
        "subagent_id": "agentId",
        "subagent_type": "agentType",
    },
    moments={
        **NATIVE,
        **{CLAUDES.get(name, name[0].upper() + name[1:]): row for name, row in NATIVE.items()},
    },
    tools={**TOOLS, **{theirs: TOOLS[name] for theirs, name in RENAMED.items()}},
    tool_kind=other_tool,
    unpacked=unpacked,
    failure=failure,
    encode=encode,
    prompt_may_come_first=True,
    telltales=("COPILOT_CLI",),
    sent=lambda payload, env: bool(env.get("COPILOT_CLI")) and "timestamp" in payload,
    run_by=_shared_files.GITHUBS,
    one_by_one=True,
    project_env="COPILOT_PROJECT_DIR",
    settings=("~/.copilot/hooks/hookline.json", "~/.copilot/settings.json", "~/.copilot/config.json"),
    program="copilot",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json"),
    folders=("~/.copilot", ".github/copilot", ".github/hooks"),
    wiring=Wiring(
        way=Own(user="~/.copilot/hooks", project=".github/hooks", files=files),
        moved_by="COPILOT_HOME",
        looks=(
            Look(file="~/.copilot/settings.json", said=switched("disableAllHooks")),
            Look(file="~/.copilot/config.json", said=listed("trustedFolders", "start `copilot` there")),
        ),
        needs=(
            "the folder must be trusted for the project's hooks to run: `copilot` asks when it starts there",
        ),
    ),
    headless=("copilot", "-p", "{prompt}", "--trust-folder", "--no-color", "--model={model}"),
    free={"edit": ("--allow-all-tools",), "full": ("--allow-all-tools", "--allow-all-paths")},
)
