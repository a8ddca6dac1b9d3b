"""Answer a host: one native payload on stdin, the native reply out.

Hosts wait for this, and some block on any unexpected exit code: whatever comes in, it ends with 0 or with
a code that the host itself means so, and what it could not do it says where a person sees it.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the public one spends a millisecond on enumerations
import os
import sys

from hookline.cli._command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from hookline.host import Reply
    from hookline.response import Notify

NAME = "HOOKLINE_CALL"
"""The variable by which a client that asked the daemon in vain hands over the name of its call."""

SWITCH = "HOOKLINE_DAEMON"
"""The variable that does without a daemon (see `daemon/start.py`)."""


def main(argv: Sequence[str], *, last: bool = False) -> int:
    """Answer the host, whatever comes in; *last* where the process ends with it."""
    if "-h" in argv or "--help" in argv:
        return _help()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # so that what hooks have started is ended first
    try:
        return _answered(argv, last=last)
    except SystemExit:
        return 0


def _help() -> int:
    from hookline.cli._main import run as run_any  # noqa: PLC0415 -- a person asks

    try:
        return run_any(["hook", "--help"])
    except SystemExit:
        return 0


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)


def _answered(argv: Sequence[str], *, last: bool) -> int:
    from hookline.answering import Call, answer, spoken  # noqa: PLC0415 -- `--help` needs none

    try:
        words = spoken(tuple(argv))
    except ValueError as error:
        return _complain(f"called wrongly, so nothing was judged: {error}")
    env = dict(os.environ)
    name = env.pop(NAME, None)
    call = Call(
        **words._asdict(),
        payload=sys.stdin.buffer.read() if sys.stdin else b"",  # a host may have closed it
        env=env,
        cwd=_here(),
        name=name or "",
        last=last,
    )
    reply, notices, after = answer(call)
    code = _send(reply)
    for trouble in (*_shown(notices), *after()):
        _complain(trouble)
    if name is not None and env.get(SWITCH) != "off":
        _have_daemon(env, in_vain=bool(name))
    return code


def _have_daemon(env: dict[str, str], *, in_vain: bool) -> None:
    """For the next call: whoever handed this one over found none that answers."""
    from hookline.daemon.start import ensure  # noqa: PLC0415 -- the answer is out already

    ensure(env, in_vain=in_vain)


def run(args: Namespace) -> int:
    """For those who come here by way of all other commands."""
    return main([args.host, *_options(args)])


def _options(args: Namespace) -> list[str]:
    given = [("--event", args.event)] if args.event else []
    given += [("--only", name) for name in args.only] + [("--without", name) for name in args.without]
    return [word for pair in given for word in pair]


def _shown(notices: Sequence[Notify]) -> tuple[str, ...]:
    if not notices:
        return ()
    from hookline.system.effects import carry_out  # noqa: PLC0415 -- rare

    return carry_out(notices)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted under us
        return ""


def _send(reply: Reply) -> int:
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
