"""Answer a host: one native payload on stdin, the native reply out.

Hosts wait for this, and some block on any unexpected exit code: whatever comes in, it ends with 0 or with
a code that the host itself means so, and what it could not do it says where a person sees it.
"""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress

from hookline.cli._command import Command
from hookline.core.response import Notify
from hookline.daemon.client import open_standard_streams, print_reply, read_all, write_all
from hookline.runtime.answer import answer, parse_call, streams
from hookline.system.notify import carry_out


def main(argv: Sequence[str], *, last: bool = False) -> int:
    """Answer the host, whatever comes in; *last* where the process ends with it."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # so that what hooks have started is ended first
    try:
        return _answered(argv, last=last)
    except SystemExit:
        return 0


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)


def _answered(argv: Sequence[str], *, last: bool) -> int:
    open_standard_streams()
    try:
        call = parse_call(argv, payload=read_all(0), env=dict(os.environ), cwd=_here(), last=last)
    except ValueError as error:
        return _complain(f"called wrongly, so nothing was judged: {error}")
    reply, notices, after = answer(call)
    code = print_reply(reply.code, reply.unwritten_code, *streams(reply))
    for trouble in (*_shown(notices), *after()):
        _complain(trouble)
    return code


def run(args: Namespace) -> int:
    """For those who come here by way of all other commands."""
    return main([args.host, *_options(args)])


def _options(args: Namespace) -> list[str]:
    given = [(f"--{name}", getattr(args, name)) for name in ("event", "call") if getattr(args, name)]
    given += [("--only", name) for name in args.only] + [("--without", name) for name in args.without]
    return [word for pair in given for word in pair]


def _shown(notices: Sequence[Notify]) -> tuple[str, ...]:
    if not notices:
        return ()
    return carry_out(notices)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted under us
        return ""


def _complain(text: str) -> int:
    with suppress(OSError):  # nobody is left to tell
        write_all(2, f"hookline: {text}\n".encode("utf-8", "backslashreplace"))
    return 0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="who sends the payload, such as claude-code")
    parser.add_argument("--event", default="", help="the moment, where the payload does not say it")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this hook out")
    parser.add_argument(
        "--call", default="", metavar="ID", help="unique id of the call; a retry is recorded once"
    )


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
