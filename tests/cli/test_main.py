"""The command line as a whole: help for everything, and no traceback for anyone."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookline import __version__, cli
from hookline.cli import main
from hookline.cli._main import run

HOOKLINE = str(Path(sys.executable).parent / "hookline")

COMMANDS = ("check", "config", "explain", "fire", "hook", "list", "log", "new", "trust", "untrust")


def test_the_commands_are_the_files():
    assert set(COMMANDS) <= set(cli.names())


def test_version(user):
    assert user.run("--version").stdout.decode() == f"hookline {__version__}\n"


def test_the_overview_names_every_command(user):
    text = user.run("--help").stdout.decode()

    assert [name for name in cli.names() if f"\n    {name} " not in text] == []


@pytest.mark.parametrize("name", cli.names())
def test_help_has_examples_and_exit_codes(name, capsys):
    with pytest.raises(SystemExit) as left:
        run([name, "--help"])
    text = capsys.readouterr().out

    assert left.value.code == 0
    assert f"examples:\n  hookline {name}" in text
    assert "exit codes: 0" in text


def test_one_process_may_run_several(capsys):
    """A command is called like a built-in function: loading it must not put it in that one's place."""
    codes = [main(["hook", "--help"])]
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            main(["list", "--help"])
        codes.append(left.value.code)

    assert codes == [0, 0, 0]


@pytest.mark.parametrize("name", cli.names())
def test_every_command_documents_itself(name):
    command = cli.load(name)

    assert f"hookline {name}" in command.examples
    assert command.about.endswith(".")
    assert command.exits.startswith("0")


@pytest.mark.parametrize("words", [[], ["nothing"], ["list", "--what"]])
def test_a_wrong_call_says_what_there_is(user, words):
    ran = user.run(*words)

    assert ran.returncode == 2
    assert ran.stderr.startswith(b"usage: hookline")
    assert b"Traceback" not in ran.stderr


def test_a_terminal_that_cannot_show_a_character_is_no_error(user):
    ran = user.run("explain", "envelope", "echo ▲", PYTHONIOENCODING="ascii", LANG="C")

    assert ran.returncode == 0
    assert b"\\u25b2" in ran.stdout


def test_an_interrupted_command_says_so(user):
    program = subprocess.Popen(
        [HOOKLINE, "log", "--follow"],
        cwd=user.project, env=user.environment(), stderr=subprocess.PIPE,
        # A job in the background ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- no threads here
    )  # fmt: skip
    with program:
        while not (user.home / ".local" / "state" / "hookline" / "hookline.db").exists():
            time.sleep(0.1)
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        said = program.stderr.read()

    assert (program.returncode, said) == (130, b"")
