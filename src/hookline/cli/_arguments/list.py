"""Arguments of `hookline list`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command

VIEWS = ("hooks", "hosts", "sinks")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("view", nargs="?", choices=VIEWS, help="default: all")
    parser.add_argument("--wide", action="store_true", help="also list settings, with every row on one line")
    parser.add_argument("--json", action="store_true", help="print JSON")


COMMAND = Command(
    about="List hooks, hosts and sinks.",
    examples="""
hookline list hooks

native: the host fires the event itself; derived: hookline derives it from another event.
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, even with configuration problems"},
)
