"""Arguments of `hookline replay`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="recording; - for stdin")
    parser.add_argument(
        "--against", default="", metavar="OTHER.toml", help="compare with these user settings"
    )
    parser.add_argument(
        "--all", action="store_true", help="list every call of a group, not three; JSON always has all"
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="skip this hook")
    parser.add_argument("--cwd", default="", metavar="DIR", help="project folder")
    parser.add_argument("--json", action="store_true", help="print JSON")


COMMAND = Command(
    about="Judge recorded sessions by the current policy.",
    examples="""
hookline replay ~/.claude/projects/*/*.jsonl --against stricter.toml
hookline log --json | hookline replay -

Reads transcripts of Claude Code and Codex, and the audit trail (JSON lines or the SQLite store).
Each call is judged on its own. Observers do not run.
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, for every verdict", 1: "a file is not a readable recording"},
)
