"""Arguments of `hookline convert`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--from", dest="source", required=True, metavar="NAME", help="source host, such as claude-code"
    )
    parser.add_argument("--to", dest="target", required=True, metavar="NAME", help="target host")
    parser.add_argument("--user", action="store_true", help="convert your user hooks")
    parser.add_argument("--payload", default="", metavar="NAME", help="payload format that the hooks expect")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")
    parser.add_argument("--dry-run", action="store_true", help="show the changes only")
    parser.add_argument("--json", action="store_true", help="print JSON")


COMMAND = Command(
    about="Convert hooks of one agent for another, and report what is lost.",
    examples="""
hookline convert --from claude-code --to codex --dry-run

Converted hooks are added to hooks.json; the original hooks do not change.
""",
    arguments=arguments,
    exits={**EXITS, 0: "all hooks are converted", 1: "one is not"},
)
