"""Start, stop or inspect the daemon that answers hook calls."""

import os
import time
from argparse import Namespace
from typing import Any

from hookline.cli._output import dump, sanitize, sanitize_lines
from hookline.cli._require_person import refuse_agent
from hookline.daemon import control
from hookline.daemon.control import SWITCH, ensure
from hookline.daemon.paths import DaemonFolder, create_daemon_folder, describe_problem, find_daemon_folder
from hookline.system.paths import daemon_folders


def start(args: Namespace) -> int:
    if _is_off():
        raise ValueError(f"{SWITCH}=off is set in the environment; unset it to use the daemon")
    place = create_daemon_folder()
    if control.is_ours(control.status(place)):
        print("the daemon is already running; see `hookline daemon status`")
        return 0
    if not ensure(place):
        raise OSError("the daemon does not start; see `hookline daemon logs`")
    print(f"daemon started, process {(control.status(place) or {}).get('process', 'unknown')}")
    return 0


def stop(args: Namespace) -> int:
    refuse_agent("stopping the daemon", os.environ)
    place = find_daemon_folder()
    if not control.is_served(place):
        print("no daemon is running")
        return 0
    if not control.stop(place):
        raise OSError(f"{_describe_holder(place)} does not exit; end it, then try again")
    print("daemon stopped; the next call starts it again")
    return 0


def status(args: Namespace) -> int:
    place = find_daemon_folder()
    state = control.status(place) if control.is_served(place) else None
    if args.json:
        dump(_collect_facts(place, state))
    else:
        print("\n".join(map(sanitize, [*_describe_status(place, state), *_list_problems()])))
    return 0 if state else 1


def logs(args: Namespace) -> int:
    place = find_daemon_folder()
    try:
        with open(place.log, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    print(sanitize_lines(text.rstrip("\n")) if text else f"{sanitize(place.log)} is empty")
    return 0


def _is_off() -> bool:
    return os.environ.get(SWITCH) == "off"


def _collect_facts(place: DaemonFolder, status: dict[str, Any] | None) -> dict[str, Any]:
    facts = {
        "runs": status is not None,
        "folder": place.path,
        "off": _is_off(),
        "problems": _list_problems(),
    }
    if status is None:
        return {**facts, "hangs": control.is_served(place)}
    return {**facts, **status, "this_installation": control.is_ours(status)}


def _describe_status(place: DaemonFolder, status: dict[str, Any] | None) -> list[str]:
    if status is None:
        return [_describe_missing(place)]
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(status["since"]))
    calls = "1 call" if status["calls"] == 1 else f"{status['calls']:,} calls"
    another = "another installation (the next call replaces it)"
    owner = "this installation" if control.is_ours(status) else another
    process = f"process {status['process']}, hookline {status['release']}, Python {status['python']}"
    return [
        f"the daemon is running: {process}",
        f"answered {calls} since {since}; exits after {_format_span(status['idle'])} without one",
        f"folder: {place.path}",
        f"belongs to {owner}: {status['programs']}",
    ]


def _describe_missing(place: DaemonFolder) -> str:
    if not control.is_served(place):
        return "no daemon is running; the next call starts one"
    return f"{_describe_holder(place)} holds {place.path} and does not answer; the next call replaces it"


def _describe_holder(place: DaemonFolder) -> str:
    return f"process {control.holder(place).partition(':')[0] or 'unknown'}"


def _format_span(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"  # noqa: PLR2004 -- for people


def _list_problems() -> list[str]:
    """Return the reasons why no daemon is used."""
    off = [f"{SWITCH}=off is set in the environment, so the daemon is not used"]
    checked = [(folder, describe_problem(folder)) for folder in daemon_folders() if os.path.lexists(folder)]
    return [*(off if _is_off() else []), *(f"{folder} is not used: {why}" for folder, why in checked if why)]
