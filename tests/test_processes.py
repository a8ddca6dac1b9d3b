"""Test the installed command in its own process, and that commands in the test's process behave like it."""

import pytest
from tests import commands

from hookline.cli._main import COMMANDS


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_command_starts_in_its_own_process(user, name):
    started = commands.start((name, "--help"), cwd=user.project, env=user.environment())

    assert (started.returncode, started.stderr) == (0, b"")
    assert started.stdout.startswith(f"usage: hookline {name}".encode())


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("list", "--json"),
        ("log", "--json"),
        ("check", "claude-code", "nowhere.jsonl"),
        ("hook", "claude-code"),
        ("no-such-command",),
    ],
    ids=" ".join,
)
def test_a_command_in_this_process_prints_the_same(user, words):
    user.hook(user.shell("git push --force"))
    started = commands.start(words, cwd=user.project, env=user.environment())
    within = user.run(*words)

    assert (within.returncode, within.stdout, within.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_each_command_has_its_own_environment(user, tmp_path):
    homes = [tmp_path / name for name in ("one", "other")]
    for home in homes:
        (home / ".config" / "hookline" / "hooks").mkdir(parents=True)
        (home / ".config" / "hookline" / "hooks" / f"of_{home.name}.py").write_text(
            "from hookline import *\n@hook\ndef mine(event: PreToolUse, state):\n    return allow()\n"
        )
    listed = [user.run("list", "--json", HOME=str(home)).stdout.decode() for home in homes]

    assert [f"of_{home.name}" in text for home, text in zip(homes, listed, strict=True)] == [True, True]
    assert "of_one" not in listed[1]
