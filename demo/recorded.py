"""Recorded sessions of Claude Code through the real `hookline hook`, and what came of each call.

Needs no key and no network: a scratch home, a scratch repository, one process a payload, as the host does it.
"""

# ruff: noqa: INP001, TID251 -- a script, which runs processes in an environment of its own

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.text import Text
from scenes import Scene

SESSIONS = Path(__file__).parent / "sessions"
LIMIT = 20.0
LOOKS = {
    "passed": ("green", "✓ passed"),
    "advised": ("cyan", "→ to the agent"),
    "warned": ("yellow", "! to you"),
    "asked": ("magenta", "? asks you"),
    "stopped": ("bold red", "✗ stopped"),
}
EVENT, WORD = 20, 16
"""Widths of the first two columns."""

Said = list[tuple[str, str]]
"""What hookline did, each a word of `LOOKS` and a text."""


class Stage:
    """A scratch home with a repository in it; gone when the demo is over."""

    def __init__(self, home: Path) -> None:
        self.home, self.repository = home, home / "repo"
        self.repository.mkdir()
        self.run(["git", "init", "--quiet", "--initial-branch", "main", "."])

    def run(self, argv: list[str], stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, as a user who has nothing but this home."""
        env = {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            **more,
        }
        return subprocess.run(
            argv,
            cwd=self.repository,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    def hookline(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, "-m", "hookline", *words], stdin, **more)

    def shown(self, text: str) -> str:
        """*text* with the scratch home as a person writes it."""
        return text.replace(str(self.home), "~")

    def set_up(self, scene: Scene) -> None:
        """The files of *scene*, and of no other."""
        for folder in (self.home / ".config", self.repository / ".hookline"):
            shutil.rmtree(folder, ignore_errors=True)
        for name, text in scene.files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def show_trail(stage: Stage, console: Console) -> None:
    """What was kept, without the reasons, which were shown already."""
    console.print(Rule("what the audit trail kept: hookline log"))
    kept = stage.hookline("log")
    for line in stage.shown(kept.stdout + kept.stderr).splitlines():
        if not line.startswith(" "):
            console.print(Text(line), no_wrap=True, overflow="ellipsis")


def play(scene: Scene, stage: Stage, console: Console) -> Counter[str]:
    """Send the scene's payloads one by one, and show each with its answer."""
    stage.set_up(scene)
    console.print(Rule(f"[bold]{scene.title}[/]"))
    console.print(f"[dim]{scene.about}[/]\n")
    counts: Counter[str] = Counter()
    for number, line in enumerate((SESSIONS / scene.session).read_text(encoding="utf-8").splitlines()):
        sent = line.replace("/repo", str(stage.repository))
        more = (
            {"AUTORESEARCH_BUDGET_END": f"{time.time() + scene.left[number] + 0.9:.3f}"} if scene.left else {}
        )
        reply = stage.hookline("hook", "claude-code", stdin=sent, **more)
        said = understood(reply.stdout) + ([("warned", reply.stderr)] if reply.stderr else [])
        show(console, json.loads(line), [(word, stage.shown(text)) for word, text in said])
        counts.update(["calls", *(word for word, _ in said)])
    console.print()
    return counts


def understood(reply: str) -> Said:
    """Claude Code's reply language, as far as the demo needs it."""
    if not reply.strip():
        return [("passed", "")]
    answer: Mapping[str, Any] = json.loads(reply)
    specific = answer.get("hookSpecificOutput", {})
    word = {"deny": "stopped", "ask": "asked"}.get(specific.get("permissionDecision", ""), "")
    said = [(word, specific["permissionDecisionReason"])] if word else []
    said += [("advised", specific["additionalContext"])] if "additionalContext" in specific else []
    return said + ([("warned", answer["systemMessage"])] if "systemMessage" in answer else [])


def show(console: Console, payload: Mapping[str, Any], said: Said) -> None:
    print_columns(console, (payload["hook_event_name"], "bold", EVENT), _tried(payload))
    for word, text in said:
        look, label = LOOKS[word]
        print_columns(console, (label, look, WORD), text, indent=EVENT)


def print_columns(console: Console, first: tuple[str, str, int], text: str, indent: int = 0) -> None:
    """A coloured word, and beside it a text that wraps below itself."""
    word, look, width = first
    left = indent + width
    lines = [part for line in text.splitlines() for part in wrap(line, max(20, console.width - left - 1))]
    console.print(
        Text.assemble(" " * indent, (f"{word:<{width}}" if lines else word, look), "".join(lines[:1]))
    )
    for line in lines[1:]:
        console.print(Text(" " * left + line))


def _tried(payload: Mapping[str, Any]) -> str:
    given = payload.get("tool_input", {})
    own = given.get("command") or given.get("file_path")
    return str(own or payload.get("prompt") or payload.get("source") or payload.get("reason") or "")
