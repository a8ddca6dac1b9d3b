"""Recorded sessions of Claude Code, sent through the installed client, with the answer to each call.

Like the host, the demo starts one client per payload; the first call starts the daemon.
"""

# ruff: noqa: INP001, TID251 -- a script, which runs processes with their own environment

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
from typing import Any, Self

from rich.console import Console
from rich.rule import Rule
from rich.text import Text
from scenes import Scene

CLIENT = Path(sys.executable).parent / "hookline-client"
SESSIONS = Path(__file__).parent / "sessions"
TIMEOUT = 20.0
"""Seconds per command."""
LOOKS = {
    "passed": ("green", "✓ passed"),
    "advised": ("cyan", "→ to the agent"),
    "warned": ("yellow", "! to you"),
    "asked": ("magenta", "? asks you"),
    "stopped": ("bold red", "✗ stopped"),
}
EVENT_WIDTH, LABEL_WIDTH = 20, 16
"""Widths of the first two columns."""

Decisions = list[tuple[str, str]]
"""Decisions of hookline, each a key of `LOOKS` and a text."""


class Stage:
    """A temporary home with a repository."""

    def __init__(self, home: Path) -> None:
        self.home, self.repository = home, home / "repo"
        self.repository.mkdir()
        self.run(["git", "init", "--quiet", "--initial-branch", "main", "."])
        self.call_times: list[float] = []
        """Seconds of each hook call."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the daemon that the calls started."""
        self.hookline("daemon", "stop")

    def run(self, argv: list[str], stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command as a user with only this home."""
        env = {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            **variables,
        }
        return subprocess.run(
            argv,
            cwd=self.repository,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def hookline(self, *args: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, "-m", "hookline", *args], stdin, **variables)

    def call(self, payload: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Send *payload* through the client, as the host does."""
        start = time.monotonic()
        reply = self.run([str(CLIENT), "hook", "claude-code"], payload, **variables)
        self.call_times.append(time.monotonic() - start)
        return reply

    def shorten(self, text: str) -> str:
        """Return *text* with the temporary home as `~`."""
        return text.replace(str(self.home), "~")

    def set_up(self, scene: Scene) -> None:
        """Create the files of *scene*, and remove those of other scenes."""
        for folder in (self.home / ".config", self.repository / ".hookline"):
            shutil.rmtree(folder, ignore_errors=True)
        for name, text in scene.files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def show_trail(stage: Stage, console: Console) -> None:
    """Show the audit trail without the reasons, which were shown already."""
    console.print(Rule("the audit trail: hookline log"))
    process = stage.hookline("log")
    for line in stage.shorten(process.stdout + process.stderr).splitlines():
        if not line.startswith(" "):
            console.print(Text(line), no_wrap=True, overflow="ellipsis")


def play(scene: Scene, stage: Stage, console: Console) -> Counter[str]:
    """Send the scene's payloads one by one, and show each with its answer."""
    stage.set_up(scene)
    console.print(Rule(f"[bold]{scene.title}[/]"))
    console.print(f"[dim]{scene.about}[/]\n")
    counts: Counter[str] = Counter()
    for number, line in enumerate((SESSIONS / scene.session).read_text(encoding="utf-8").splitlines()):
        payload = line.replace("/repo", str(stage.repository))
        variables = (
            {"HOOKLINE_BUDGET_END": f"{time.time() + scene.left[number] + 0.9:.3f}"} if scene.left else {}
        )
        reply = stage.call(payload, **variables)
        decisions = parse_reply(reply.stdout) + ([("warned", reply.stderr)] if reply.stderr else [])
        show(console, json.loads(line), [(kind, stage.shorten(text)) for kind, text in decisions])
        counts.update(kind for kind, _ in decisions)
    console.print()
    return counts


def parse_reply(reply: str) -> Decisions:
    """Return the decisions in a reply for Claude Code, as far as the demo needs them."""
    if not reply.strip():
        return [("passed", "")]
    answer: Mapping[str, Any] = json.loads(reply)
    specific = answer.get("hookSpecificOutput", {})
    kind = {"deny": "stopped", "ask": "asked"}.get(specific.get("permissionDecision", ""), "")
    decisions = [(kind, specific["permissionDecisionReason"])] if kind else []
    decisions += [("advised", specific["additionalContext"])] if "additionalContext" in specific else []
    return decisions + ([("warned", answer["systemMessage"])] if "systemMessage" in answer else [])


def show(console: Console, payload: Mapping[str, Any], decisions: Decisions) -> None:
    print_columns(console, (payload["hook_event_name"], "bold", EVENT_WIDTH), _summary(payload))
    for kind, text in decisions:
        style, label = LOOKS[kind]
        print_columns(console, (label, style, LABEL_WIDTH), text, indent=EVENT_WIDTH)


def print_columns(console: Console, first: tuple[str, str, int], text: str, indent: int = 0) -> None:
    """Print a coloured label, and beside it a wrapped text."""
    label, style, width = first
    left = indent + width
    lines = [part for line in text.splitlines() for part in wrap(line, max(20, console.width - left - 1))]
    console.print(
        Text.assemble(" " * indent, (f"{label:<{width}}" if lines else label, style), "".join(lines[:1]))
    )
    for line in lines[1:]:
        console.print(Text(" " * left + line))


def _summary(payload: Mapping[str, Any]) -> str:
    tool_input = payload.get("tool_input", {})
    target = tool_input.get("command") or tool_input.get("file_path")
    return str(target or payload.get("prompt") or payload.get("source") or payload.get("reason") or "")
