"""Let an agent open one guarded path, once: a user's decision, at a terminal."""

import os
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.cli._output import sanitize
from hookline.policy import grants
from hookline.system import paths
from hookline.system.paths import Places

MAX_MINUTES = 8 * 60


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    if args.list:
        return _list_approvals(places)
    if not args.path:
        raise ValueError("no path is given; write it as the agent did, such as .env")
    path = _resolve_path(args.path, places)
    if args.revoke:
        return _revoke(path, places)
    _require_person.require_person("approving a path", os.environ)
    return _approve(path, places, args.minutes)


def _resolve_path(path: str, places: Places) -> str:
    plain = path.removeprefix("APPROVED:")
    return os.path.normpath(
        os.path.join(os.getcwd(), plain.replace("~", places.home, plain.startswith("~/")))
    )


def _approve(path: str, places: Places, minutes: int) -> int:
    if not 0 < minutes <= MAX_MINUTES:
        raise ValueError(f"{minutes} is no number of minutes from 1 to {MAX_MINUTES}")
    until = grants.approve_path(places.state, places.root, path, now=time.time(), seconds=60 * minutes)
    print(
        f"{sanitize(path)} may be opened once by an agent in {sanitize(places.root)}, "
        f"until {_format_time(until)}"
    )
    print(f"take it back with: hookline approve --revoke {sanitize(path)}")
    return 0


def _revoke(path: str, places: Places) -> int:
    """Revoke an approval; this needs no person, because it only tightens the guards."""
    count = grants.revoke_path(places.state, places.root, path)
    print(f"{sanitize(path)} {'is approved no longer' if count else 'was not approved'}")
    return 0


def _list_approvals(places: Places) -> int:
    approved = grants.load_approvals(places.state, places.root, time.time())
    for approval in approved:
        print(f"{sanitize(approval['path'])}  until {_format_time(approval['until'])}")
    if not approved:
        print(f"no path is approved in {sanitize(places.root)}")
    return 0


def _format_time(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the file, as the agent wrote it")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--list", action="store_true", help="show what is approved here")
    group.add_argument("--revoke", action="store_true", help="take the approval of PATH back")
    parser.add_argument("--minutes", type=int, default=10, metavar="N", help="how long it counts (10)")


COMMAND = Command(
    about="Let an agent open a path that is guarded, once.",
    examples="""
hookline approve .env            the agent may open .env once, by writing its path as APPROVED:.env
hookline approve --list          what is approved in this project
hookline approve --revoke .env

Only a person can do this: it needs a terminal, and refuses inside an agent and inside a hook.
Whoever wants less may say so from anywhere: --list and --revoke need no terminal.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 where no person sits at a terminal, 2 when it was called wrongly",
)
