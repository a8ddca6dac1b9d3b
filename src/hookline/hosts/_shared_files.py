"""Which hosts run the files of others, and what raises the question whether it is them.

A mark is a variable of the environment or a field of the payload, with a part of its text behind a colon
where the field alone says too little. It decides nothing: whoever it points to is
then asked, by `sent` in its own file, so that the many calls that bear no mark load no other host.
"""

from __future__ import annotations

from hookline.core.frozen import Frozen

CLAUDES = Frozen(
    {
        "qwen-code": ("QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
        "gemini-cli": ("GEMINI_SESSION_ID",),
        "cursor": ("cursor_version",),
        "reasonix": ("REASONIX_PLUGIN_ROOT",),
        "factory-droid": ("DROID_PROJECT_DIR",),
        "codex": ("turn_id", "transcript_path:rollout-"),
        "copilot-cli": ("COPILOT_CLI",),
        "vscode": ("timestamp",),
    }
)
"""Who runs settings and plugins that were made for Claude Code, the surest to be told first."""
GITHUBS = Frozen({"copilot-cli": ("COPILOT_CLI",), "vscode": ("timestamp",)})
"""Who runs the files in `.github/hooks` and `~/.copilot/hooks`."""
