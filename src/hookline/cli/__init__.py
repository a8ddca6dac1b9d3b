"""The command line: one file a command, found by being there."""

import sys
from collections.abc import Sequence

from hookline.cli._command import Command
from hookline.family import Family

FAMILY = Family(package=__name__, noun="command", constant="COMMAND")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Command:
    command: Command = FAMILY.load(name)
    return command


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hookline ...`; the exit code."""
    argv = [*(sys.argv[1:] if argv is None else argv)]  # `list` is a command here, once it is loaded
    if argv[:1] == ["hook"]:
        # The one that every tool call waits for: nothing else is imported for it.
        from hookline.cli.hook import main as answer_host  # noqa: PLC0415

        return answer_host(argv[1:])
    from hookline.cli._main import run  # noqa: PLC0415

    return run(argv)
