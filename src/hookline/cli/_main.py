"""Load the command that is called, parse its arguments, run it, and report its errors in one sentence."""

import io
import os
import sys
from argparse import ArgumentParser, HelpFormatter, RawDescriptionHelpFormatter
from collections.abc import Sequence

from hookline import __version__
from hookline.cli._command import Command
from hookline.core.registry import Family
from hookline.core.store import StoreFailed

COMMANDS = Family(package="hookline.cli", noun="command", constant="COMMAND")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hookline ...` and return its exit code."""
    words = [*(sys.argv[1:] if argv is None else argv)]
    if words[:1] == ["hook"] and not {"-h", "--help"} & {*words}:
        from hookline.cli.hook import main as answer_host  # noqa: PLC0415 -- a command is loaded when called

        return answer_host(words[1:], last=argv is None)
    return run(words)


def run(argv: Sequence[str]) -> int:
    """Return 2 for a wrong call and 1 for a failure of the machine."""
    _take_any_text()
    arguments = build(argv).parse_args(argv)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        return _left_alone()
    except (LookupError, ValueError) as error:
        return _complain(sentence(error), 2)
    except (OSError, StoreFailed) as error:
        return _complain(sentence(error), 1)
    except KeyboardInterrupt:
        return 130
    return code


def _take_any_text() -> None:
    """What a terminal cannot show, or is no text at all, is escaped: it must not end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _left_alone() -> int:
    """Who read us has seen enough; the interpreter's own flush at the end must not stumble over it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    return str(error)


def _complain(text: str, code: int) -> int:
    print(f"hookline: {text}", file=sys.stderr)
    return code


def build(words: Sequence[str] = ()) -> ArgumentParser:
    """Return the parser of the command that *words* name, or of all commands if they name none."""
    parser = ArgumentParser(
        prog="hookline",
        formatter_class=_Overview,
        description="The lifecycle layer of coding agents.",
        epilog="`hookline COMMAND --help` has examples and exit codes.",
    )
    parser.add_argument("--version", action="version", version=f"hookline {__version__}")
    commands = parser.add_subparsers(title="commands", prog="hookline", metavar="COMMAND", required=True)
    for name in _needed(words):
        command: Command = COMMANDS.load(name)
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


def _needed(words: Sequence[str]) -> Sequence[str]:
    first = words[:1]
    if first == ["--version"]:
        return ()
    return first if first and first[0] in COMMANDS.names() else COMMANDS.names()


class _Overview(HelpFormatter):
    """With room for the names of commands, whose indentation argparse forgets when it measures them."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = 4 + max(map(len, COMMANDS.names()))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
