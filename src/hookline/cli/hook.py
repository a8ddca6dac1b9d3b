"""Answer a host: one native payload on stdin, the native reply on stdout.

Hosts wait for the answer, and some block on an unexpected exit code. Therefore this command exits only with 0
or a code that has a meaning for the host, and reports its failures to the user.
"""

from __future__ import annotations

import os
import signal
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hookline.core.host import Host
from hookline.core.response import Notify
from hookline.daemon.client import open_standard_streams, print_reply, read_all, write_all
from hookline.runtime.answer import answer, load, parse_call, streams
from hookline.runtime.runtime import Runtime
from hookline.system.notify import show
from hookline.system.session_record import CallingSession


def main(argv: Sequence[str], *, last: bool = False) -> int:
    """Answer the host, for any input; *last* if the process ends afterwards."""
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
        return _report_error(f"invalid arguments; no hook ran: {error}")
    reply, notices, after, *_ = answer(call, _open)
    code = print_reply(reply.code, reply.unwritten_code, *streams(reply))
    for trouble in (*_show_notices(notices), *after()):
        _report_error(trouble)
    return code


def _open(cwd: str, env: Mapping[str, str], host: Host, session: CallingSession) -> Runtime:
    """Return the runtime; remove the repository's variables from this process, because libraries read it."""
    runtime = load(cwd, env, host, session)
    for name in os.environ.keys() - runtime.setup.env.keys():
        del os.environ[name]
    os.environ.update(
        {name: value for name, value in runtime.setup.env.items() if os.environ.get(name) != value}
    )
    return runtime


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
