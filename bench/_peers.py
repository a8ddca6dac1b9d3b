"""Other guards of shell commands, installed from their registries, and their verdicts on labelled lines."""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from typing import NamedTuple

TIMEOUT_SECONDS = 300
"""Seconds that the installation of a peer may take."""
WORKERS = 2


class Peer(NamedTuple):
    name: str
    requires: str
    """The program that installs it."""
    install: tuple[str, ...]
    """Arguments of that program; `{folder}` is the folder of the installation."""
    command: tuple[str, ...]
    """The command line of its hook for Claude Code."""


PEERS = (
    Peer(
        "cc-safety-net",
        "npm",
        ("install", "--silent", "--no-audit", "--no-fund", "--prefix", "{folder}", "cc-safety-net"),
        ("node", "{folder}/node_modules/cc-safety-net/dist/bin/cc-safety-net.js", "hook", "--claude-code"),
    ),
    Peer(
        "nah",
        sys.executable,
        ("-m", "pip", "install", "--quiet", "--no-deps", "--target", "{folder}", "nah"),
        (
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, '{folder}'); from nah.hook import main; main()",
        ),
    ),
    Peer(
        "dcg",
        "cargo",
        ("install", "--quiet", "--root", "{folder}", "destructive_command_guard"),
        ("{folder}/bin/dcg",),
    ),
)


def install_peer(peer: Peer, folder: Path) -> str:
    """Install *peer* into *folder*, and return the reason if that is impossible."""
    if shutil.which(peer.requires) is None:
        return f"{peer.requires} not found"
    folder.mkdir()
    words = [word.format(folder=folder) for word in peer.install]
    result = run(
        [peer.requires, *words], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )
    if result.returncode:
        lines = [line for line in (result.stderr or result.stdout).splitlines() if " 404 " in line]
        missing = lines or "could not find" in result.stderr
        return f"not installable: {'not in the registry' if missing else f'exit code {result.returncode}'}"
    return ""


def judge_lines(peer: Peer, folder: Path, lines: Sequence[str], project: str) -> list[bool]:
    """Return for every line whether the peer blocks it or asks about it.

    The lines name the folder *project*; they are judged in a real repository, because some peers block all
    commands in a folder that does not exist.
    """
    argv = [word.format(folder=folder) for word in peer.command]
    home = folder / "home"
    real = home / Path(project).name
    run(["git", "init", "-q", str(real)], check=True)
    env = {**os.environ, "HOME": str(home)}
    moved = [line.replace(project, str(real)).replace(str(Path(project).parent), str(home)) for line in lines]
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda line: _stops(argv, env, line, str(real)), moved))


def _stops(argv: list[str], env: Mapping[str, str], line: str, project: str) -> bool:
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}}
    payload = json.dumps({**call, "session_id": "s", "cwd": project})
    result = run(
        argv, input=payload, env=env, cwd=project, capture_output=True, text=True, timeout=60, check=False
    )
    try:
        answer = json.loads(result.stdout or "{}")
    except ValueError:
        return result.returncode == 2  # noqa: PLR2004 -- the exit code that blocks a call
    return answer.get("hookSpecificOutput", {}).get("permissionDecision") in ("deny", "ask")
