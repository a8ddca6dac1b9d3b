"""Find the requested command, and parse its arguments."""

import gc
import io
import os
import sys
from argparse import Action, ArgumentError, ArgumentParser, HelpFormatter, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import Any

from hookline import __version__
from hookline.cli._command import Command
from hookline.core.registry import Registry, describe_unknown

COMMANDS = Registry(package="hookline.cli._arguments", noun="command", constant="COMMAND")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hookline ...` and return its exit code."""
    words = [*(sys.argv[1:] if argv is None else argv)]
    if words[:1] == ["hook"] and not {"-h", "--help"} & {*words}:
        gc.disable()  # a process that answers one call ends before collecting would pay
        from hookline.cli.hook import main as answer_host  # noqa: PLC0415 -- a command is loaded when called

        return answer_host(words[1:], last=argv is None)
    return run(words)


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code: 2 for invalid arguments, 1 for a failure."""
    _escape_unprintable()
    if "_ARGCOMPLETE" in os.environ:
        from hookline.cli._completion import complete  # noqa: PLC0415 -- only for a shell that completes

        complete(build_parser)
    if not argv:
        build_parser().print_help(sys.stderr)
        return 2
    if argv[0] == "help":
        argv = [*argv[1:], "--help"]
    arguments = build_parser(argv).parse_args(argv)
    from hookline.cli._run_command import run_command  # noqa: PLC0415 -- `--help` does not need it

    return run_command(arguments)


def _escape_unprintable() -> None:
    """Escape characters that the encoding of a stream lacks, instead of failing on them."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def build_parser(words: Sequence[str] = ()) -> ArgumentParser:
    """Return the parser of the command that *words* name, or of the names of all commands."""
    parser = _Parser(
        prog="hookline",
        formatter_class=_Overview,
        description="Guards, budgets, memory and an audit trail for coding agents.",
        epilog="`hookline help COMMAND` shows examples and exit codes.",
    )
    parser.add_argument("--version", action="version", version=f"hookline {__version__}")
    commands = parser.add_subparsers(title="commands", prog="hookline", metavar="COMMAND", required=True)
    for name in _select_commands(words):
        command: Command = COMMANDS.load(name)
        subparser = commands.add_parser(
            name,
            help=command.about,
            description=command.about,
            epilog=f"examples:\n{_indent(command.examples)}{_describe_restriction(name, command)}"
            f"\n\n{describe_exits(command.exits)}",
            formatter_class=RawDescriptionHelpFormatter,
        )
        if [name] == [*words[:1]]:
            command.arguments(subparser)
        subparser.set_defaults(module=f"hookline.cli.{name.replace('-', '_')}", run="run")
    return parser


def describe_exits(exits: Mapping[int, str]) -> str:
    """Return the end of a help page, which lists the exit codes."""
    return "exit codes:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in exits.items())


def _describe_restriction(name: str, command: Command) -> str:
    commands = ", ".join(f"`hookline {name} {words}`".replace(" `", "`") for words in command.person_only)
    return f"\n\nAn agent must not run {commands}." if commands else ""


def _select_commands(words: Sequence[str]) -> Sequence[str]:
    first = words[:1]
    if first == ["--version"]:
        return ()
    return first if first and first[0] in COMMANDS.names() else COMMANDS.names()


class _Parser(ArgumentParser):
    """A parser that reports a mistake with the usage of its own command, and suggests the closest name."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse *args*; the parser of a subcommand refuses unknown words itself."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [name for action in self._actions for name in action.option_strings]
            word = unknown[0].partition("=")[0]
            is_option = word.startswith("-")
            self.error(describe_unknown("option", word, options) if is_option else f"unexpected {word!r}")
        return parsed, unknown

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            noun = {"COMMAND": "command", "ACTION": "action"}.get(str(action.metavar), "value")
            raise ArgumentError(action, describe_unknown(noun, str(value), map(str, action.choices)))


class _Overview(HelpFormatter):
    """Help formatter with room for the names of commands, whose indentation argparse does not count."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = 4 + max(map(len, COMMANDS.names()))


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())
