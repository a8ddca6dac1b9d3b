"""Arguments of `hookline explain`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "host",
        nargs="?",
        default="",
        metavar="HOST",
        help="host whose format and tools apply (default: the one with hookline)",
    )
    parser.add_argument("what", metavar="COMMAND|JSON", help="shell command line, or native payload")
    parser.add_argument("--cwd", default="", metavar="DIR", help="project folder")
    parser.add_argument("--json", action="store_true", help="print JSON")


COMMAND = Command(
    about="Explain how a command or payload would be judged, without running it.",
    examples="""
hookline explain claude-code 'git push --force origin main'
hookline explain claude-code "$(cat payload.json)"

While the guards are off, the JSON key "action_with_guards" is the result with the guards on.
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, for every verdict"},
)
