"""Arguments of `hookline new`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=("hook",), metavar="hook", help="kind of file to create")
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and -")
    parser.add_argument("--user", action="store_true", help="for all your projects")


COMMAND = Command(
    about="Create a hook in .hookline/hooks, with a test.",
    examples="""
hookline new hook no-deploys
""",
    arguments=arguments,
)
