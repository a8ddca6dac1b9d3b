"""Hand over what a session leaves, so that a fresh one goes on; or run a headless agent that does so."""

import os
import signal
import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from contextlib import closing

from msgspec import to_builtins

from hookline import hosts
from hookline.budget.ledger import USAGE
from hookline.cli import budget
from hookline.cli._command import Command
from hookline.cli._output import dump, lines, visible
from hookline.core.events import PreCompact
from hookline.core.records import Handoff
from hookline.core.store import Session, Store, StoreFailed
from hookline.handoff.content import from_details
from hookline.handoff.handoffs import ours
from hookline.memory.learn import READ
from hookline.runtime import rotation
from hookline.runtime.rotation import How, Leg, Ran
from hookline.runtime.runtime import Runtime
from hookline.system import git_facts
from hookline.system.paths import Places

SHOWN = 120
"""Characters of a task that are shown."""
LONGEST = 86_400
"""Seconds that an agent may be waited for once it was asked to end."""
WHY = {
    "unheard": "nothing was heard of the session, so nothing could be rotated; are its hooks wired? "
    "run: hookline doctor",
    "resumed": "the command resumes the session that was rotated, so its context stays full; leave out the "
    "option that resumes",
    "nothing-left": "the session was asked to rotate, and left nothing to do",
    "nothing-known": "the session was asked to rotate, and nothing is known that could be handed on",
    "most": "as many sessions as were allowed have run; "
    "`hookline rotate --run --continue` goes on from there",
}


def run(args: Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not args.headless and (command or args.go_on):
        raise ValueError("a command to run needs --run: hookline rotate --run -- claude -p")
    with closing(Runtime.load()) as runtime:
        if not runtime.counts:
            raise StoreFailed("; ".join(runtime.troubles) or "the store cannot be used")
        if args.headless:
            return _run(args, command, runtime)
        return show(args, runtime) if args.show else now(args, runtime)


def now(args: Namespace, runtime: Runtime) -> int:
    """Make the handoff of a session, for the one that starts next."""
    session = _session(runtime, args.session)
    event = PreCompact(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        transcript=_recording(runtime.store, session),
        trigger=rotation.ROTATION,
    )
    made = rotation.given_up(runtime, event)
    if made is None:
        raise LookupError(
            f"nothing is known of session {session.id[:8]!r} that could be handed on: "
            "it has no prompt yet, or the hook `handoff` is off"
        )
    _print(made, as_json=args.json)
    if not args.json:
        whose = visible(session.id[:8])
        print(f"\nkept as {made.id}; end session {whose} and start a fresh one here: it goes on from this")
    return 0


def show(args: Namespace, runtime: Runtime) -> int:
    """The newest handoff of this project, or of a session."""
    places = runtime.setup.places
    every = (one for one in runtime.store.handoffs(project=places.root, limit=200) if ours(one, places.state))
    found = next((one for one in every if one.session.startswith(args.session)), None)
    if found is None:
        raise LookupError(
            "no session has handed on anything here; `hookline rotate` has the newest one do so"
        )
    _print(found, as_json=args.json)
    return 0


def _print(one: Handoff, *, as_json: bool) -> None:
    if as_json:
        dump(to_builtins(one))
    else:
        print(lines(one.text))


def _session(runtime: Runtime, name: str) -> Session:
    try:
        return budget.chosen(runtime.store, runtime.setup, name)
    except LookupError as error:
        raise LookupError(f"there is nothing to rotate: {error}") from None


def _recording(store: Store, session: Session) -> str:
    """Where the host records it, as far as somebody has looked there."""
    notes = store.notes(session.id)
    marks = ((notes.get(USAGE) or {}).get("mark"), notes.get(READ))
    return next((str(one["path"]) for one in marks if one and one.get("path")), "")


def _run(args: Namespace, command: list[str], runtime: Runtime) -> int:
    if not command:
        raise ValueError("name the headless command behind --: hookline rotate --run -- claude -p")
    now = runtime.now()
    left = _taken_up(runtime.store, runtime.setup.places, now) if args.go_on else None
    asked = "" if args.go_on else sys.stdin.read()
    if not args.go_on and not asked.strip():
        raise ValueError(
            "no prompt on stdin; write: echo 'mend the tests' | hookline rotate --run -- claude -p"
        )
    for number in (signal.SIGTERM, signal.SIGHUP):  # else the agent would work on, and nobody would know
        if signal.getsignal(number) is not signal.SIG_IGN:  # as behind `nohup`
            signal.signal(number, _interrupt)
    told = Telling(runtime.store)
    try:
        ran = rotation.run(
            command,
            asked,
            runtime=runtime,
            env=os.environ,
            how=How(host=_host(command[0]), most=args.most, grace=args.grace),
            handoff=left,
            reached=told,
        )
    except KeyboardInterrupt as why:
        _say("interrupted; `hookline rotate --show` shows what the session left")
        return 128 + int(*why.args or (signal.SIGINT,))
    return _ended(ran)


def _taken_up(store: Store, places: Places, now: float) -> Handoff:
    """What this run goes on from; raises `LookupError` where there is nothing, or nothing of this branch."""
    branch = git_facts.branch(places.root)
    left = rotation.lying_about(store, places.root, now, branch, places.state)
    if left is None:
        raise LookupError(
            "nobody left anything here to go on from; leave --continue out, and write a prompt to stdin"
        )
    known = from_details(left.details)
    whose, age = visible(left.session[:8]), _age(now - left.at)
    if known.branch and known.branch != branch:
        raise LookupError(
            f"session {whose!r} left something {age} ago on the branch {visible(known.branch)!r}, and "
            f"{visible(branch) or 'none'!r} is checked out; check that one out, and then go on from it"
        )
    rotation.take_up(store, left, places.state)
    _say(f"this goes on from what session {whose!r} left {age} ago: {known.task[:SHOWN]}")
    return left


def _age(seconds: float) -> str:
    hours = int(max(seconds, 0.0) // 3600)
    return f"{hours // 24} d" if hours >= 48 else f"{hours} h" if hours else f"{int(seconds // 60)} m"  # noqa: PLR2004 -- two days


def _interrupt(number: int, *_: object) -> None:
    raise KeyboardInterrupt(number)


def _ended(ran: Ran) -> int:
    if ran.why in WHY:
        _say(WHY[ran.why])
    return ran.code if ran.code >= 0 else 128 - ran.code


class Telling:
    """Tells on stderr what a run comes to."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __call__(self, point: str, leg: Leg) -> None:
        if point == "starting" and leg.handoff:
            _say(f"session {leg.number} begins, with handoff {leg.handoff}")
        elif point == "asked":
            _say(f"session {leg.number} is asked to end")
        elif point == "verified":
            known = rotation.known_of(self.store, leg) or {}
            missing = ", ".join(known.get("missing") or ())
            share = f"{round(100 * float(known.get('share', 0)))} %"
            more = f", not: {missing}" if missing else ""
            _say(f"the first answer of session {leg.number} knew {share} of what was handed over{more}")


def _say(text: str) -> None:
    print(f"hookline: {visible(text)}", file=sys.stderr, flush=True)


def _host(program: str) -> str:
    name = os.path.basename(program)
    return next((one for one in hosts.names() if hosts.load(one).program == name), "")


def _sessions(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number of sessions; write one such as 20")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST:
        raise ArgumentTypeError(f"{text!r} is no number of seconds up to {LONGEST}; write one such as 60")
    return seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", default="", metavar="ID", help="or how its name begins; else the newest")
    parser.add_argument("--show", action="store_true", help="only show the newest handoff")
    parser.add_argument("--json", action="store_true", help="the handoff as one JSON object")
    parser.add_argument(
        "--run",
        action="store_true",
        dest="headless",
        help="run a headless agent, in as many sessions as it takes",
    )
    parser.add_argument(
        "--continue", dest="go_on", action="store_true", help="with --run: from what was left here"
    )
    parser.add_argument(
        "--max-sessions",
        dest="most",
        type=_sessions,
        default=rotation.MOST,
        metavar="N",
        help="with --run: so many sessions",
    )
    parser.add_argument(
        "--grace",
        type=_seconds,
        default=rotation.GRACE,
        metavar="S",
        help="with --run: seconds to end by itself",
    )
    parser.add_argument("command", nargs=REMAINDER, metavar="-- COMMAND", help="such as claude -p")


COMMAND = Command(
    about="Hand over what a session leaves, so that a fresh one goes on.",
    examples="""
hookline rotate                                    the newest session here hands over; the next one goes on
hookline rotate --show                             what was handed over last
echo "mend the tests" | hookline rotate --run -- claude -p --permission-mode acceptEdits
hookline rotate --run --continue -- claude -p      from what a run left that was broken off

With --run the prompt is read from stdin, and the agent gets it there, or where its arguments say {prompt}.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 when the store cannot be used, 2 where there is nothing to rotate or it was "
    "called wrongly; with --run the agent's own",
)
