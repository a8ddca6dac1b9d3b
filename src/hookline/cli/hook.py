"""Answer a host: one native payload on stdin, the native reply on stdout.

Hosts wait for the answer, and some block on any unexpected exit code. Therefore this command exits only with
0 or with a code that has a meaning for the host, and reports its failures where a person sees them.
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
from hookline.system.notify import show


def main(argv: Sequence[str], *, last: bool = False) -> int:
    """Answer the host, whatever the input; *last* if the process ends afterwards."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit_on_signal)  # so that processes started by hooks are ended first
    try:
        return _answer(argv, last=last)
    except SystemExit:
        return 0


def _exit_on_signal(number: int, frame: object) -> None:
    raise SystemExit(0)


def _answer(argv: Sequence[str], *, last: bool) -> int:
    open_standard_streams()
    try:
        call = parse_call(argv, payload=read_all(0), env=dict(os.environ), cwd=_current_folder(), last=last)
    except ValueError as error:
        return _report_error(f"called wrongly, so nothing was judged: {error}")
    reply, notices, after = answer(call)
    code = print_reply(reply.code, reply.unwritten_code, *streams(reply))
    for trouble in (*_show_notices(notices), *after()):
        _report_error(trouble)
    return code


def run(args: Namespace) -> int:
    """Answer a host that was called through the general argument parser."""
    return main([args.host, *_format_options(args)])


def _format_options(args: Namespace) -> list[str]:
    options = [(f"--{name}", getattr(args, name)) for name in ("event", "call") if getattr(args, name)]
    options += [("--only", name) for name in args.only] + [("--without", name) for name in args.without]
    return [word for pair in options for word in pair]


def _show_notices(notices: Sequence[Notify]) -> tuple[str, ...]:
    if not notices:
        return ()
    return show(notices)


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted
        return ""


def _report_error(text: str) -> int:
    with suppress(OSError):  # stderr is closed
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
