"""Test the commands in the program's messages: each is one that `hookline` accepts, or of one module."""

import ast
import re
import shlex
from contextlib import suppress
from pathlib import Path

import pytest

from hookline.cli._main import build_parser

SOURCE = Path(__file__).parents[1] / "src" / "hookline"
QUOTED = re.compile(r"`(hookline(?: [^`$]*)?)`")
PLACEHOLDER = "X"
UNPARSED = {"hookline", "hookline ...", "hookline X", "hookline X X"}
NAMED = ("help COMMAND", "ACTION --help", "COMMAND --help")
"""Mentions of the program as a whole, and commands whose name is inserted."""
INSTALLERS = re.compile(
    r"\b(?:pip3? (?:un)?install|pipx (?:install|inject|uninstall|ensurepath)|uv tool|-m pip|-m pytest)\b"
)
ABOUT_AGENTS = ("hooks/", "shell/", "core/command_kind.py")
"""Files whose texts describe the commands of agents."""


def literals(tree):
    """Yield the texts of a module that a user may read, with a placeholder for each inserted value."""
    docs = {node.body[0].value for node in ast.walk(tree) if documented(node)}
    inner = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs | inner:
            yield node.value


def documented(node):
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    body = getattr(node, "body", None) if isinstance(node, kinds) else None
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


def texts():
    for file in sorted(SOURCE.rglob("*.py")):
        for text in literals(ast.parse(file.read_text())):
            yield file.relative_to(SOURCE).as_posix(), text


HINTS = sorted(
    {hint for _, text in texts() for hint in QUOTED.findall(text) if not hint.endswith(NAMED)} - UNPARSED
)


def test_there_are_hints():
    assert len(HINTS) > 40


@pytest.mark.parametrize("hint", HINTS)
def test_every_hint_is_a_command_that_is_accepted(hint, capsys):
    """Check the words of the hint; one that only names a command must have help."""
    words = shlex.split(hint.replace("[", "").replace("]", ""))[1:]
    with suppress(SystemExit):
        build_parser(words).parse_args(words)
    error = capsys.readouterr().err

    assert not error or "arguments are required" in error


def test_one_module_knows_how_hookline_was_installed():
    found = {name for name, text in texts() if INSTALLERS.search(text)}

    assert {name for name in found if not name.startswith(ABOUT_AGENTS)} == {"core/install_commands.py"}
