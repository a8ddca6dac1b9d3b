"""The command line reference: the `--help` of every command, at one width."""

import os
from argparse import SUPPRESS, ArgumentParser, _HelpAction, _SubParsersAction
from collections.abc import Iterator
from unittest.mock import patch

from hookline.cli._command import EXITS
from hookline.cli._main import build_parser

WIDTH = "100"
"""Width of the help pages in characters, as the variable `COLUMNS`."""


def commands() -> str:
    with patch.dict(os.environ, COLUMNS=WIDTH):  # noqa: TID251 -- argparse takes its width from there
        return "\n".join(f"## {p.prog}\n\n```text\n{_help(p)}\n```\n" for p in _parsers(build_parser()))


def _help(parser: ArgumentParser) -> str:
    """Return the help without `-h`, the usual exit codes, and descriptions that the page has elsewhere."""
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its options
        if isinstance(action, _HelpAction):
            action.help = SUPPRESS
        if isinstance(action, _SubParsersAction) and " " not in parser.prog:
            action._choices_actions.clear()  # noqa: SLF001 -- each command has a section with its description
    if not parser.epilog:
        parser.description = None
    return parser.format_help().rstrip().removesuffix(f"exit codes: {EXITS}").rstrip()


def _parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """Yield *parser* and its commands, except those that only their parent's help describes."""
    yield parser
    for action in parser._actions:  # noqa: SLF001 -- ditto
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                if command.epilog or len(command._actions) > 1:  # noqa: SLF001 -- ditto; `-h` is one
                    yield from _parsers(command)
