"""Every command but `hook`: parse, run, and turn what a person can mend into one clear sentence."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence

from hookline import __version__
from hookline.cli import load, names
from hookline.store import StoreFailed


def run(argv: Sequence[str]) -> int:
    parser = build()
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except (LookupError, ValueError, OSError, StoreFailed) as error:
        print(f"hookline: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def build() -> ArgumentParser:
    parser = ArgumentParser(prog="hookline", description="The lifecycle layer of coding agents.")
    parser.add_argument("--version", action="version", version=f"hookline {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names():
        command = load(name)
        one = commands.add_parser(
            name,
            help=command.about,
            description=command.about,
            epilog=f"examples:\n{_indented(command.examples)}\n\nexit codes: {command.exits}",
            formatter_class=RawDescriptionHelpFormatter,
        )
        command.arguments(one)
        one.set_defaults(run=command.run)
    return parser


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
