"""Start, stop or examine the daemon that answers hook calls."""

import os
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from collections.abc import Callable
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import dump, lines, visible
from hookline.daemon import control
from hookline.daemon.paths import Place, find, make, problem
from hookline.daemon.start import SWITCH, ensure
from hookline.system.paths import daemon_folders


def start(args: Namespace) -> int:
    if _off():
        raise ValueError(f"{SWITCH}=off is set in the environment; unset it to use a daemon")
    place = make()
    if control.is_ours(control.status(place)):
        print("a daemon of this installation is running; see `hookline daemon status`")
        return 0
    if not ensure(place):
        raise OSError("the daemon does not start; see `hookline daemon logs`")
    print(f"a daemon answers, process {(control.status(place) or {}).get('process', 'unknown')}")
    return 0


def stop(args: Namespace) -> int:
    place = find()
    if not control.held(place):
        print("no daemon is running")
        return 0
    if not control.stop(place):
        raise OSError(f"{_holder(place)} does not end; end it yourself, then try again")
    print("the daemon has ended; the next call starts it again")
    return 0


def status(args: Namespace) -> int:
    place = find()
    found = control.status(place) if control.held(place) else None
    if args.json:
        dump(_facts(place, found))
    else:
        print("\n".join(map(visible, [*_sentences(place, found), *_remarks()])))
    return 0 if found else 1


def logs(args: Namespace) -> int:
    place = find()
    try:
        with open(place.log, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    print(lines(text.rstrip("\n")) if text else f"nothing was written into {visible(place.log)} so far")
    return 0


def _off() -> bool:
    return os.environ.get(SWITCH) == "off"


def _facts(place: Place, status: dict[str, Any] | None) -> dict[str, Any]:
    facts = {"runs": status is not None, "folder": place.folder, "off": _off(), "problems": _remarks()}
    if status is None:
        return {**facts, "hangs": control.held(place)}
    return {**facts, **status, "this_installation": control.is_ours(status)}


def _sentences(place: Place, status: dict[str, Any] | None) -> list[str]:
    if status is None:
        return [_none(place)]
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(status["since"]))
    calls = "1 call" if status["calls"] == 1 else f"{status['calls']:,} calls"
    other = "another installation, which the next call of this one replaces"
    whose = "this installation" if control.is_ours(status) else other
    process = f"process {status['process']}, hookline {status['release']}, Python {status['python']}"
    return [
        f"a daemon is running: {process}",
        f"answered {calls} since {since}; exits after {_span(status['idle'])} without one",
        f"folder: {place.folder}",
        f"belongs to {whose}: {status['programs']}",
    ]


def _none(place: Place) -> str:
    if not control.held(place):
        return "no daemon is running; the next call starts one"
    return f"{_holder(place)} holds {place.folder} and does not answer; the next call replaces it"


def _holder(place: Place) -> str:
    return f"process {control.holder(place).partition(':')[0] or 'unknown'}"


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"  # noqa: PLR2004 -- for people


def _remarks() -> list[str]:
    """What keeps a daemon from being used."""
    off = [f"{SWITCH}=off is set in the environment, so no daemon is used"]
    spoilt = [(one, problem(one)) for one in daemon_folders() if os.path.lexists(one)]
    return [*(off if _off() else []), *(f"{one} is not used: {why}" for one, why in spoilt if why)]


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _verb(verbs, "start", "Start the daemon and wait until it answers.", start)
    _verb(verbs, "stop", "Stop the daemon after the calls in progress, and wait until it has ended.", stop)
    one = _verb(
        verbs, "status", "Show whether a daemon is running; the exit code is 0 if so, else 1.", status
    )
    one.add_argument("--json", action="store_true", help="print one JSON object")
    _verb(verbs, "logs", "Show the log, which is empty unless something failed.", logs)


def _verb(
    verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Callable[[Namespace], int]
) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about, formatter_class=RawDescriptionHelpFormatter)
    one.set_defaults(carry_out=work)
    return one


COMMAND = Command(
    about="Start, stop or examine the daemon that answers hook calls.",
    examples="""
hookline daemon status           whether it runs, since when, and where
hookline daemon status --json
hookline daemon stop             the next call starts it again

The first call starts the daemon, and it exits after 30 minutes without one: these commands are rarely needed.
HOOKLINE_DAEMON=off in the environment: every call is answered in a process of its own.
""",
    run=run,
    arguments=arguments,
    exits="0 on success or if it runs; 1 if not; 2 for wrong arguments",
)
