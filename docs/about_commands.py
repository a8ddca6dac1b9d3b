"""The command line reference and the manual page: the `--help` of every command, at one width."""

import os
import re
from argparse import SUPPRESS, ArgumentParser, _HelpAction, _SubParsersAction
from collections.abc import Iterator
from unittest.mock import patch

from hookline.cli._command import EXITS
from hookline.cli._main import build_parser

MAN_WIDTH = "72"
WIDTH = "100"
"""Width of the help pages in characters, as the variable `COLUMNS`."""


def commands() -> str:
    with patch.dict(os.environ, COLUMNS=WIDTH):  # noqa: TID251 -- argparse takes its width from there
        return "\n".join(f"## {p.prog}\n\n```text\n{_help(p)}\n```\n" for p in _parsers(build_parser()))


def man_page() -> str:
    """Return the manual page in the format of man(7)."""
    with patch.dict(os.environ, COLUMNS=MAN_WIDTH):  # noqa: TID251 -- as in `commands`
        overview, *parsers = _parsers(build_parser())
        sections = [f".SS {_escape(p.prog)}\n.nf\n{_escape(_help(p))}\n.fi\n" for p in parsers]
    about = str(overview.description).removesuffix(".")
    return (
        f'.TH HOOKLINE 1 "" "hookline" "User Commands"\n'
        f".SH NAME\nhookline \\- {_escape(about[:1].lower() + about[1:])}\n"
        ".SH SYNOPSIS\n.B hookline\n.I COMMAND\n\\&...\n"
        f".SH EXIT STATUS\n{_escape(EXITS)}, unless a command states otherwise.\n"
        f".SH COMMANDS\n{''.join(sections)}"
    )


def _escape(text: str) -> str:
    """Return *text* for roff: dashes stay dashes, and no line is a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    lines = re.sub(r"[^\x00-\x7f]", lambda found: rf"\[u{ord(found[0]):04X}]", escaped).splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


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
