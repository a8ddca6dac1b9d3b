"""What the docs say about the command line: every `--help` page, at one width."""

import os
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from unittest.mock import patch

from hookline.cli._main import build_parser

WIDTH = "100"


def commands() -> str:
    with patch.dict(os.environ, COLUMNS=WIDTH):  # noqa: TID251 -- argparse takes its width from there
        return "\n".join(
            f"## {p.prog}\n\n```text\n{p.format_help().rstrip()}\n```\n" for p in _parsers(build_parser())
        )


def _parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    yield parser
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its commands
        if isinstance(action, _SubParsersAction):
            for one in action.choices.values():
                yield from _parsers(one)
