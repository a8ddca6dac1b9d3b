"""Test the completion of command lines, with bash as the shell."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.conftest import HOOKLINE

SCRIPT = """
eval "$(hookline completion bash)"
COMP_WORDS=({line}{end}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE={quoted}; COMP_POINT=${{#COMP_LINE}}
_python_argcomplete hookline
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete(user, line):
    path = f"{Path(HOOKLINE).parent}:{os.environ['PATH']}"
    script = SCRIPT.format(line=line, end=" ''" if line.endswith(" ") else "", quoted=shlex.quote(line))
    command = ["bash", "--norc", "-c", script]
    ran = subprocess.run(
        command, cwd=user.project, env=user.environment(PATH=path), capture_output=True, text=True, check=True
    )
    return [*map(str.strip, ran.stdout.splitlines())]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hookline docto", {"doctor"}),
        ("hookline log --sess", {"--session"}),
        ("hookline explain claude", {"claude-code"}),
        ("hookline budget s", {"set", "show"}),
        ("hookline doctor --host gem", {"gemini-cli"}),
        (
            "hookline allow --once dangerous-command:git-push-f",
            {"git-push-force"},
        ),  # a colon separates words in bash
        ("hookline log --session sess", {"session-of-this-test"}),
    ],
)
def test_words_are_completed(user, line, expected):
    user.hook(user.shell("ls") | {"session_id": "session-of-this-test"})

    assert {*complete(user, line)} == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(user, shell):
    ran = user.run("completion", shell)

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"hookline" in ran.stdout
