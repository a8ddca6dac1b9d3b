"""Arguments of `hookline hook`."""

from __future__ import annotations

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="host that sends the payload, such as claude-code")
    parser.add_argument("--event", default="", help="native event, if the payload does not name it")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="skip this hook")
    parser.add_argument("--call", default="", metavar="ID", help="unique id; a retry is recorded once")


COMMAND = Command(
    about="Answer a hook call: native payload on stdin, native reply on stdout.",
    examples="""
hookline hook claude-code --only dangerous-command < payload.json
""",
    arguments=arguments,
    exits={0: "answered", 1: "the host shows a warning", 2: "the host blocks"},
)
