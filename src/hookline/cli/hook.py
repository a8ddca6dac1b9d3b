"""Answer a host: one native payload on stdin, the native reply out.

Hosts wait for this, and some block on any unexpected exit code: whatever comes in, it ends with 0 or with
a code that the host itself means so, and what it could not do it says where a person sees it.
"""

import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookline.cli._command import Command

if TYPE_CHECKING:
    from hookline.host import Reply

WRONG_CALL = 2


def main(argv: Sequence[str]) -> int:
    """Answer the host, whatever comes in."""
    if "-h" in argv or "--help" in argv:
        return _help()
    parser = ArgumentParser(prog="hookline hook", description=COMMAND.about)
    arguments(parser)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # so that what hooks have started is ended first
    try:
        return run(parser.parse_args(argv))
    except SystemExit as left:
        return _complain("called wrongly; nothing was judged") if left.code == WRONG_CALL else 0


def _help() -> int:
    from hookline.cli._main import run as run_any  # noqa: PLC0415 -- a person asks

    try:
        return run_any(["hook", "--help"])
    except SystemExit:
        return 0


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)


def run(args: Namespace) -> int:
    from hookline.answering import Call, answer  # noqa: PLC0415 -- `--help` needs none

    call = Call(
        host=args.host,
        payload=sys.stdin.buffer.read(),
        env=dict(os.environ),
        cwd=_here(),
        event=args.event,
        only=tuple(args.only),
        without=tuple(args.without),
    )
    reply, after = answer(call)
    code = _send(reply)
    for trouble in after():
        _complain(trouble)
    return code


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted under us
        return ""


def _send(reply: "Reply") -> int:
    """Write the reply, whatever became of who should read it; the host need not wait for what comes after."""
    text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
    _write(1, text)
    _write(2, reply.stderr)
    return reply.code


def _write(stream: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(stream, data) :]
    except OSError:
        return  # nobody is left to be told


def _complain(text: str) -> int:
    _write(2, f"hookline: {text}\n")
    return 0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="who sends the payload, such as claude-code")
    parser.add_argument("--event", default="", help="the moment, where the payload does not say it")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this hook out")


COMMAND = Command(
    about="Answer a host: one native payload on stdin, the native reply out.",
    examples="""
hookline hook claude-code < payload.json
hookline hook claude-code --only dangerous-command < payload.json
""",
    run=run,
    arguments=arguments,
    exits="0, or the code by which the host blocks or shows a warning; never another, whatever comes in",
)
