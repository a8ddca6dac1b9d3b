"""Arguments of `hookline redact`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="input (default: stdin)")
    parser.add_argument("--report", action="store_true", help="report kind and line of each secret on stderr")
    parser.add_argument("--json", action="store_true", help="report as JSON lines, with a count")
    parser.add_argument("--rules", default="", metavar="FILE", help="additional gitleaks rule file")


COMMAND = Command(
    about="Redact secrets in a text stream; line numbers do not change.",
    examples="""
hookline redact --report build.log > clean.log
tail -f app.log | hookline redact
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, even if secrets were found"},
)
