"""Answer a host: one native payload on stdin, the native reply out.

Hosts wait for this, and some block on any unexpected exit code: whatever comes in, it ends with 0 or with
a code that the host itself means so, and what it could not do it says where a person sees it.
"""

import json
import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hookline.callers import as_guest, true_caller
from hookline.cli._command import Command
from hookline.host import Host, Reply, Said, Unreadable, decode

if TYPE_CHECKING:
    from hookline.events import Event
    from hookline.runtime import Runtime

LONGEST_ERROR = 200
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
    from hookline import hosts  # noqa: PLC0415 -- `--help` needs none

    try:
        host = hosts.load(args.host)
    except LookupError as error:
        return _complain(str(error))
    try:
        reply, after = _reply(host, args)
    except Exception as error:  # noqa: BLE001 -- the top of the command line: a host never sees a traceback
        from hookline.redact import redact  # noqa: PLC0415 -- only when something broke

        what = redact(f"{type(error).__name__}: {error}")[:LONGEST_ERROR]
        reply, after = _diagnosis(host, f"could not answer, so nothing judged this call: {what}"), None
    code = _send(reply)
    if after:
        after()
    return code


def _reply(host: Host, args: Namespace) -> tuple[Reply, Callable[[], None] | None]:
    """The reply, and what can wait until it is out."""
    if args.event and args.event not in host.moments:
        there = ", ".join(host.moments)
        return _diagnosis(host, f"{host.name} has no event {args.event!r}; there are: {there}"), None
    caller, name = host, args.event
    try:
        payload = _payload()
        caller = true_caller(host, payload, os.environ, name)
        if caller is not host:
            payload, name = as_guest(payload, caller, name)
        found = decode(caller, payload, name)
    except Unreadable as error:
        return _diagnosis(caller, f"a payload could not be read, so nothing judged it: {error}"), None
    if found is None:
        return Reply(stdout=caller.silence(name or str(payload.get(caller.names_event)))), None
    return _answer(caller, *found, args)


def _answer(
    host: Host, name: str, event: "Event", args: Namespace
) -> tuple[Reply, Callable[[], None] | None]:
    from hookline import claims  # noqa: PLC0415 -- what cannot be read needs none
    from hookline.repeating import repeat  # noqa: PLC0415 -- ditto
    from hookline.runtime import Runtime  # noqa: PLC0415 -- ditto
    from hookline.store import Claim  # noqa: PLC0415 -- ditto
    from hookline.system import lives  # noqa: PLC0415 -- ditto

    runtime = Runtime.load(_existing(event.cwd), host=host)
    try:
        runtime.limit_to(args.only, args.without)
    except LookupError as error:
        runtime.troubles.append(f"{error}; every hook looked")
    words = [f"+{name}" for name in args.only] + [f"-{name}" for name in args.without]
    within = min(host.moments[name].within or host.within, host.within)
    held = claims.held(runtime, host, event, words, within=within)
    if isinstance(held, Claim):
        reply = repeat(runtime, host, name, event, held.said)
        return reply, lambda: _close(runtime, lambda: claims.note(runtime, event))
    try:
        reply = runtime.answer(host, name, event)
    except Exception:
        held.abandon()
        raise
    ready = lives.now()
    return reply, lambda: _close(runtime, lambda: held.answered(ready))


def _close(runtime: "Runtime", first: Callable[[], None] = lambda: None) -> None:
    try:
        first()
        runtime.close()
        for trouble in runtime.troubles:
            _complain(trouble)
    except Exception as error:  # noqa: BLE001 -- the top of the command line: the answer is out already
        _complain(f"{type(error).__name__} after answering: {error}")


def _payload() -> Any:
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise Unreadable("stdin was empty")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable(f"stdin is no JSON ({len(data):,} bytes)") from None


def _existing(cwd: str) -> str:
    if cwd and os.path.isdir(cwd):
        return cwd
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted under us
        return "/"


def _diagnosis(host: Host, text: str) -> Reply:
    """A reply that only warns, at whichever moment it is."""
    from hookline.events import Notification  # noqa: PLC0415 -- rare
    from hookline.outcome import Outcome  # noqa: PLC0415 -- rare

    event = Notification(host=host.name)
    return host.encode(Said(name="", event=event, outcome=Outcome(event=event, warnings=(text,))))


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
