"""Arguments of `hookline check`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="host that sent the payloads, such as claude-code")
    parser.add_argument("file", metavar="FILE.jsonl", help="one native payload per line; - for stdin")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="skip this hook")
    parser.add_argument("--cwd", default="", metavar="DIR", help="project folder")


COMMAND = Command(
    about="Judge recorded payloads, and print one JSON verdict per line.",
    examples="""
hookline check claude-code session.jsonl --only dangerous-command

Each payload is judged on its own. Observers do not run. "event" is null if a line is not judged.
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, for every verdict"},
)
