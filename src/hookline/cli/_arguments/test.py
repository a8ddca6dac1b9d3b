"""Arguments of `hookline test`."""

from argparse import ArgumentParser

from hookline.cli._arguments.guard import TESTS
from hookline.cli._command import EXITS, Command

PREFIX = "test_"
"""Start of the names of test files and test functions."""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="tests to run (default: all of the project)")
    parser.add_argument("--user", action="store_true", help="tests of your own hooks")


COMMAND = Command(
    about="Run the tests of a project's hooks and guards.",
    examples=f"""
hookline test
hookline test .hookline/tests/test_no_deploys.py

Runs .hookline/tests/{PREFIX}*.py, by pytest if it is installed, and .hookline/{TESTS}.
""",
    arguments=arguments,
    exits={**EXITS, 0: "all tests pass", 1: "one fails", 2: "invalid test or arguments"},
)
