"""Look at the warm process that answers hook calls, start it, end it: normally nobody needs to."""

import os
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from collections.abc import Callable
from typing import Any

from hookline.cli._command import Command
from hookline.cli._show import dump, lines, visible
from hookline.daemon import control, installation
from hookline.daemon import start as starting
from hookline.daemon.paths import Place, find, made, trouble
from hookline.system.places import daemon_folders

UP_WITHIN = 30.0
LOOK_EVERY = 0.05


def start(args: Namespace) -> int:
    if _off():
        raise ValueError(f"{starting.SWITCH}=off stands in the environment; unset it to have a daemon")
    place = made(os.environ)
    if _ours(control.status(place)):
        print("a daemon of this installation runs already; `hookline daemon status` tells more")
        return 0
    said = _awaited(place, starting.start(place, os.environ))
    print(f"a daemon answers now, process {said['process']}")
    return 0


def _awaited(place: Place, process: int) -> dict[str, Any]:
    """What the daemon says of itself as soon as it does; the *process* is it, or looks after another."""
    until = time.monotonic() + UP_WITHIN
    while time.monotonic() < until:
        over = os.waitpid(process, os.WNOHANG)[0]
        said = control.status(place)
        if said is not None and _ours(said):
            return said
        if over:
            break
        time.sleep(LOOK_EVERY)
    raise OSError("it was started and does not answer; `hookline daemon logs` shows what it said")


def stop(args: Namespace) -> int:
    place = find(os.environ)
    if not control.held(place):
        print("no daemon runs")
        return 0
    if not control.stop(place):
        raise OSError(f"{_holder(place)} neither hears nor ends; end it yourself, then try again")
    print("the daemon is gone; calls are answered by processes of their own, and the next one starts it")
    return 0


def status(args: Namespace) -> int:
    place = find(os.environ)
    said = control.status(place) if control.held(place) else None
    if args.json:
        dump(_facts(place, said))
    else:
        print("\n".join(map(visible, [*_sentences(place, said), *_remarks(place)])))
    return 0 if said else 1


def logs(args: Namespace) -> int:
    place = find(os.environ)
    try:
        with open(place.log, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    print(lines(text.rstrip("\n")) if text else f"nothing was written into {visible(place.log)} so far")
    return 0


def _off() -> bool:
    return os.environ.get(starting.SWITCH) == "off"


def _ours(said: dict[str, Any] | None) -> bool:
    return said is not None and said.get("word") == installation.word()


def _facts(place: Place, said: dict[str, Any] | None) -> dict[str, Any]:
    about = {"runs": said is not None, "folder": place.folder, "off": _off()}
    if said is None:
        return {**about, "hangs": control.held(place), "problems": _remarks(place)}
    release, _, _ = str(said.pop("word")).partition("+")
    ours = (
        said["package"] == installation.PACKAGE
        and os.path.dirname(said["executable"]) == installation.PROGRAMS
    )
    return {**about, **said, "release": release, "this_installation": ours, "problems": _remarks(place)}


def _sentences(place: Place, said: dict[str, Any] | None) -> list[str]:
    if said is None:
        return [_none(place)]
    facts = _facts(place, said)
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(facts["since"]))
    calls = "1 call" if facts["calls"] == 1 else f"{facts['calls']:,} calls"
    whose = "it is of this installation" if facts["this_installation"] else _other(facts)
    return [
        f"a daemon runs: process {facts['process']}, hookline {facts['release']}, Python {facts['python']}",
        f"it has answered {calls} since {since}, and goes after {_span(facts['idle'])} without one",
        f"its folder is {place.folder}",
        f"{whose}: {facts['executable']}",
    ]


def _none(place: Place) -> str:
    if not control.held(place):
        return "no daemon runs; calls are answered by processes of their own"
    return f"{_holder(place)} holds {place.folder} and does not answer; `hookline daemon stop` ends it"


def _holder(place: Place) -> str:
    return f"process {control.holder(place).partition(':')[0] or 'unknown'}"


def _other(facts: dict[str, Any]) -> str:
    return "it is of another installation, and `hookline daemon start` replaces it"


def _span(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"  # noqa: PLR2004 -- for people


def _remarks(place: Place) -> list[str]:
    """What keeps one from being where it should be."""
    off = [f"{starting.SWITCH}=off stands in the environment, so that none is asked or started"]
    spoilt = [(one, trouble(one)) for one in daemon_folders(os.environ) if os.path.lexists(one)]
    return [*(off if _off() else []), *(f"{one} is not used: {why}" for one, why in spoilt if why)]


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    _verb(verbs, "start", "Start it, and wait until it answers.", start)
    _verb(verbs, "stop", "End it, once the calls under way are answered, and wait until it is gone.", stop)
    one = _verb(verbs, "status", "Say whether it runs; the exit code is 0 if it does, else 1.", status)
    one.add_argument("--json", action="store_true", help="one JSON object instead of sentences")
    _verb(verbs, "logs", "Show what it wrote into its log, which is nothing as long as all is well.", logs)


def _verb(
    verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Callable[[Namespace], int]
) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about, formatter_class=RawDescriptionHelpFormatter)
    one.set_defaults(carry_out=work)
    return one


COMMAND = Command(
    about="The warm process that answers hook calls: start, stop, status, logs.",
    examples="""
hookline daemon status           whether it runs, since when, and where
hookline daemon status --json
hookline daemon stop             the next call starts it again

Normally nobody needs these: the first call starts it, and it goes when nobody calls for half an hour.
HOOKLINE_DAEMON=off in the environment: none is asked or started.
""",
    run=run,
    arguments=arguments,
    exits="0 when it worked, or it runs; 1 when not, or none runs; 2 when it was called wrongly",
)
