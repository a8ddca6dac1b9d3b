"""Arguments of `hookline guard`."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter, _SubParsersAction

from hookline.cli._command import EXITS, Command

TESTS = "guard-tests.jsonl"
"""Name of the file of test cases in a project's `.hookline` folder."""


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    test_parser = _add_subcommand(subparsers, "test", "Run the test cases of a project.", TEST_EXAMPLES)
    test_parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"file of test cases (default: .hookline/{TESTS})"
    )
    test_parser.add_argument("--cwd", default="", metavar="DIR", help="project folder")
    test_parser.add_argument("--json", action="store_true", help="print JSON")
    test_parser.set_defaults(run="test")
    score_parser = _add_subcommand(
        subparsers, "score", "Print recall and false alarms on a labelled file.", SCORE_EXAMPLES
    )
    score_parser.add_argument("file", metavar="FILE.jsonl", help="one labelled case per line")
    score_parser.add_argument(
        "--only", action="append", default=[], metavar="HOOK", help="score only this guard, even if it is off"
    )
    score_parser.add_argument("--misses", action="store_true", help="list the misjudged rows")
    score_parser.add_argument("--json", action="store_true", help="print JSON")
    score_parser.set_defaults(run="show_scores")


def _add_subcommand(
    subparsers: "_SubParsersAction[ArgumentParser]", name: str, about: str, epilog: str
) -> ArgumentParser:
    return subparsers.add_parser(
        name, help=about, description=about, epilog=epilog, formatter_class=RawDescriptionHelpFormatter
    )


TEST_EXAMPLES = """examples:
  hookline guard test tests/policy.jsonl

Each line is a JSON object with "command" or "payload", and "expect": "block", "ask" or "allow".
Optional keys: "rule", "host", "cwd", "why". Modified calls count as allowed."""
SCORE_EXAMPLES = """examples:
  hookline guard score secrets.jsonl --only redact-secrets --misses

Each line is a JSON object with "expect" (block, warn, redact, gate, allow, keep or pass) and one of "cmd",
"tool" with "path", "input" or "command", "text" with "secrets", or "prompt". "tier" and "category" group the
rows; the tier "contested" is not in the totals."""


COMMAND = Command(
    about="Test the guards, or score them on a labelled file.",
    examples="""
hookline guard test
hookline guard score matrix.jsonl --only dangerous-command --misses

`hookline guard ACTION --help` describes the format of the files.
""",
    arguments=arguments,
    exits={**EXITS, 1: "a test fails", 2: "invalid test or arguments"},
)
