"""A command that is forked does what a command does that is started."""

import os
import subprocess

import pytest
from tests import forked_commands


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("list", "--json"),
        ("log", "--json"),
        ("check", "claude-code", "nowhere.jsonl"),
        ("no-such-command",),
    ],
    ids=" ".join,
)
def test_it_says_and_leaves_the_same(user, words):
    user.hook(user.shell("git push --force"))
    env = user.environment()
    started = subprocess.run(
        [forked_commands.HOOKLINE, *words],
        input=b"",
        capture_output=True,
        cwd=user.project,
        env=env,
        check=False,
    )
    forked = user.run(*words)

    assert (forked.returncode, forked.stdout, forked.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_it_reads_what_it_is_given_to_its_end(user):
    said = user.run("redact", stdin="a line\n" * 20_000)

    assert (said.returncode, said.stdout) == (0, b"a line\n" * 20_000)


def test_each_has_an_environment_and_a_folder_of_its_own(user, tmp_path):
    homes = [tmp_path / name for name in ("one", "other")]
    for home in homes:
        (home / ".config" / "hookline" / "hooks").mkdir(parents=True)
        (home / ".config" / "hookline" / "hooks" / f"of_{home.name}.py").write_text(
            "from hookline import *\n@hook\ndef mine(event: PreToolUse, state):\n    return allow()\n"
        )
    said = [user.run("list", "--json", HOME=str(home)).stdout.decode() for home in homes]

    assert [f"of_{home.name}" in one for home, one in zip(homes, said, strict=True)] == [True, True]
    assert "of_one" not in said[1]


@pytest.mark.skipif(bool(os.environ.get("HOOKLINE_LONG")), reason="then nothing is forked")
def test_one_that_takes_too_long_is_ended(user):
    with pytest.raises(subprocess.TimeoutExpired):
        forked_commands.run(("log", "--follow"), cwd=user.project, env=user.environment(), timeout=1)
