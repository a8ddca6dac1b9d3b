"""Hosts that also run the hook files of other hosts, and marks that hint at them.

A mark is an environment variable or a payload field; a part of the field's text may follow after a colon. A
mark only selects the hosts whose `recognizes` function is then called, so that most calls load no other host.
"""

from __future__ import annotations

from hookline.core.frozen import Frozen

CLAUDE_READERS = Frozen(
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
"""Hosts that run settings and plugins for Claude Code, the most reliably recognised first."""
GITHUB_READERS = Frozen({"copilot-cli": ("COPILOT_CLI",), "vscode": ("timestamp",)})
"""Hosts that run the files in `.github/hooks` and `~/.copilot/hooks`."""
