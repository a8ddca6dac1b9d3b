"""Test colours: in the log, in diffs and in doctor, at a terminal only, and never with NO_COLOR."""

import pytest

ESCAPE = "\x1b["
COMMANDS = {
    "log": (("log",), "\x1b[31mblock\x1b[0m"),
    "init": (("init", "--host", "claude-code", "--dry-run"), '\x1b[32m+  "hooks": {'),
    "trust": (("trust", "--show"), "\x1b[32m+print()"),
}


@pytest.fixture
def busy(user):
    """Return a user with a blocked call, an agent and an untrusted hook."""
    user.hook(user.shell("git push --force origin main"))
    user.write(".hookline/hooks/own.py", "print()\n")
    return user


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_shows_colours(busy, at_terminal, name):
    words, expected = COMMANDS[name]

    assert expected in at_terminal(*words)[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_shows_none_with_no_color(busy, at_terminal, name):
    assert ESCAPE not in at_terminal(*COMMANDS[name][0], NO_COLOR="1")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_gets_none(busy, name):
    assert ESCAPE not in busy.run(*COMMANDS[name][0]).stdout.decode()
