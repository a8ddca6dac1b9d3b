"""Let an agent open one guarded path, once: a person's decision, at a terminal."""

import os
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.cli._output import visible
from hookline.policy import approvals
from hookline.system import paths
from hookline.system.paths import Places

LONGEST = 8 * 60


def run(args: Namespace) -> int:
    where = paths.find(os.environ, os.getcwd())
    if args.list:
        return _list(where)
    if not args.path:
        raise ValueError("no path is given; write it as the agent did, such as .env")
    path = _whole(args.path, where)
    if args.revoke:
        return _revoke(path, where)
    _require_person.needed("approving a path", os.environ)
    return _approve(path, where, args.minutes)


def _whole(path: str, where: Places) -> str:
    plain = path.removeprefix("APPROVED:")
    return os.path.normpath(os.path.join(os.getcwd(), plain.replace("~", where.home, plain.startswith("~/"))))


def _approve(path: str, where: Places, minutes: int) -> int:
    if not 0 < minutes <= LONGEST:
        raise ValueError(f"{minutes} is no number of minutes from 1 to {LONGEST}")
    until = approvals.add(where.state, where.root, path, now=time.time(), seconds=60 * minutes)
    print(f"{visible(path)} may be opened once by an agent in {visible(where.root)}, until {_clock(until)}")
    print(f"take it back with: hookline approve --revoke {visible(path)}")
    return 0


def _revoke(path: str, where: Places) -> int:
    """Tightening is open to everyone."""
    count = approvals.revoke(where.state, where.root, path)
    print(f"{visible(path)} {'is approved no longer' if count else 'was not approved'}")
    return 0


def _list(where: Places) -> int:
    known = approvals.load(where.state, where.root, time.time())
    for one in known:
        print(f"{visible(one['path'])}  until {_clock(one['until'])}")
    if not known:
        print(f"no path is approved in {visible(where.root)}")
    return 0


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the file, as the agent wrote it")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--list", action="store_true", help="show what is approved here")
    chosen.add_argument("--revoke", action="store_true", help="take the approval of PATH back")
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
