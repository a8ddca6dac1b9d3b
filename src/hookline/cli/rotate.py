"""Hand over the work of a session to a fresh one; or run a headless agent in several sessions."""

import os
import signal
import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from contextlib import closing

from msgspec import to_builtins

from hookline import hosts
from hookline.budget.ledger import USAGE_NOTE
from hookline.cli import budget
from hookline.cli._command import Command
from hookline.cli._output import dump, sanitize, sanitize_lines
from hookline.core.events import PreCompact
from hookline.core.records import Handoff
from hookline.core.store import Session, Store, StoreFailed
from hookline.handoff.content import from_details
from hookline.handoff.handoffs import is_own
from hookline.memory.learn import POSITION_NOTE
from hookline.runtime import rotation
from hookline.runtime.rotation import Leg, RotationOptions, RotationResult
from hookline.runtime.runtime import Runtime
from hookline.system import git_facts
from hookline.system.paths import Places

MAX_TASK_LENGTH = 120
"""Characters of a task that are shown."""
MAX_GRACE = 86_400
"""Seconds to wait at most for an agent that was asked to end."""
END_REASONS = {
    "no-hook-called": "nothing was heard of the session, so nothing could be rotated; are its hooks wired? "
    "run: hookline doctor",
    "resumed": "the command resumes the session that was rotated, so its context stays full; leave out the "
    "option that resumes",
    "nothing-left": "the session was asked to rotate, and left nothing to do",
    "no-handoff": "the session was asked to rotate, and nothing is known that could be handed on",
    "session-limit": "as many sessions as were allowed have run; "
    "`hookline rotate --run --continue` goes on from there",
}


def run(args: Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not args.headless and (command or args.continue_run):
        raise ValueError("a command to run needs --run: hookline rotate --run -- claude -p")
    with closing(Runtime.load()) as runtime:
        if not runtime.can_count:
            raise StoreFailed("; ".join(runtime.problems) or "the store cannot be used")
        if args.headless:
            return _run_headless(args, command, runtime)
        return show(args, runtime) if args.show else hand_over(args, runtime)


def hand_over(args: Namespace, runtime: Runtime) -> int:
    """Create the handoff of a session, for the one that starts next."""
    session = _find_session(runtime, args.session)
    event = PreCompact(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        transcript=_find_transcript(runtime.store, session),
        trigger=rotation.ROTATION_REASON,
    )
    handoff = rotation.hand_over_session(runtime, event)
    if handoff is None:
        raise LookupError(
            f"nothing is known of session {session.id[:8]!r} that could be handed on: "
            "it has no prompt yet, or the hook `handoff` is off"
        )
    _print(handoff, as_json=args.json)
    if not args.json:
        short_id = sanitize(session.id[:8])
        print(
            f"\nkept as {handoff.id}; end session {short_id} and start a fresh one here: it goes on from this"
        )
    return 0


def show(args: Namespace, runtime: Runtime) -> int:
    """Print the newest handoff of this project, or of a session."""
    places = runtime.setup.places
    handoffs = (
        handoff
        for handoff in runtime.store.handoffs(project=places.root, limit=200)
        if is_own(handoff, places.state)
    )
    newest = next((handoff for handoff in handoffs if handoff.session.startswith(args.session)), None)
    if newest is None:
        raise LookupError(
            "no session has handed on anything here; `hookline rotate` has the newest one do so"
        )
    _print(newest, as_json=args.json)
    return 0


def _print(handoff: Handoff, *, as_json: bool) -> None:
    if as_json:
        dump(to_builtins(handoff))
    else:
        print(sanitize_lines(handoff.text))


def _find_session(runtime: Runtime, name: str) -> Session:
    try:
        return budget.find_session(runtime.store, runtime.setup, name)
    except LookupError as error:
        raise LookupError(f"there is nothing to rotate: {error}") from None


def _find_transcript(store: Store, session: Session) -> str:
    """Return the path of the host's transcript, if it was read before, or ""."""
    notes = store.notes(session.id)
    marks = ((notes.get(USAGE_NOTE) or {}).get("mark"), notes.get(POSITION_NOTE))
    return next((str(mark["path"]) for mark in marks if mark and mark.get("path")), "")


def _run_headless(args: Namespace, command: list[str], runtime: Runtime) -> int:
    if not command:
        raise ValueError("name the headless command behind --: hookline rotate --run -- claude -p")
    now = runtime.now()
    handoff = _claim_handoff(runtime.store, runtime.setup.places, now) if args.continue_run else None
    prompt = "" if args.continue_run else sys.stdin.read()
    if not args.continue_run and not prompt.strip():
        raise ValueError(
            "no prompt on stdin; write: echo 'mend the tests' | hookline rotate --run -- claude -p"
        )
    for number in (signal.SIGTERM, signal.SIGHUP):  # else the agent would go on unnoticed
        if signal.getsignal(number) is not signal.SIG_IGN:  # as set by `nohup`
            signal.signal(number, _interrupt)
    reporter = Reporter(runtime.store)
    try:
        result = rotation.run(
            command,
            prompt,
            runtime=runtime,
            env=os.environ,
            options=RotationOptions(
                host=_find_host(command[0]), max_sessions=args.max_sessions, grace=args.grace
            ),
            handoff=handoff,
            notify=reporter,
        )
    except KeyboardInterrupt as interrupt:
        _print_message("interrupted; `hookline rotate --show` shows what the session left")
        return 128 + int(*interrupt.args or (signal.SIGINT,))
    return _report_end(result)


def _claim_handoff(store: Store, places: Places, now: float) -> Handoff:
    """Return the handoff to go on from; raise `LookupError` if there is none for this branch."""
    branch = git_facts.find_branch(places.root)
    handoff = rotation.find_unclaimed(store, places.root, now, branch, places.state)
    if handoff is None:
        raise LookupError(
            "nobody left anything here to go on from; leave --continue out, and write a prompt to stdin"
        )
    details = from_details(handoff.details)
    short_id, age = sanitize(handoff.session[:8]), _format_age(now - handoff.at)
    if details.branch and details.branch != branch:
        raise LookupError(
            f"session {short_id!r} left something {age} ago on the branch {sanitize(details.branch)!r}, and "
            f"{sanitize(branch) or 'none'!r} is checked out; check that one out, and then go on from it"
        )
    rotation.reserve_handoff(store, handoff, places.state)
    _print_message(
        f"this goes on from what session {short_id!r} left {age} ago: {details.task[:MAX_TASK_LENGTH]}"
    )
    return handoff


def _format_age(seconds: float) -> str:
    hours = int(max(seconds, 0.0) // 3600)
    return f"{hours // 24} d" if hours >= 48 else f"{hours} h" if hours else f"{int(seconds // 60)} m"  # noqa: PLR2004 -- two days


def _interrupt(number: int, *_: object) -> None:
    raise KeyboardInterrupt(number)


def _report_end(result: RotationResult) -> int:
    if result.why in END_REASONS:
        _print_message(END_REASONS[result.why])
    return result.code if result.code >= 0 else 128 - result.code


class Reporter:
    """Reports on stderr the steps of a headless run."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __call__(self, point: str, leg: Leg) -> None:
        if point == "starting" and leg.handoff:
            _print_message(f"session {leg.number} begins, with handoff {leg.handoff}")
        elif point == "asked":
            _print_message(f"session {leg.number} is asked to end")
        elif point == "verified":
            check = rotation.find_handoff_check(self.store, leg) or {}
            missing = ", ".join(check.get("missing") or ())
            share = f"{round(100 * float(check.get('share', 0)))} %"
            suffix = f", not: {missing}" if missing else ""
            _print_message(
                f"the first answer of session {leg.number} knew {share} of what was handed over{suffix}"
            )


def _print_message(text: str) -> None:
    print(f"hookline: {sanitize(text)}", file=sys.stderr, flush=True)


def _find_host(program: str) -> str:
    name = os.path.basename(program)
    return next((host for host in hosts.names() if hosts.load(host).program == name), "")


def _parse_sessions(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number of sessions; write one such as 20")
    return int(text)


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_GRACE:
        raise ArgumentTypeError(f"{text!r} is no number of seconds up to {MAX_GRACE}; write one such as 60")
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
        "--continue", dest="continue_run", action="store_true", help="with --run: from what was left here"
    )
    parser.add_argument(
        "--max-sessions",
        dest="max_sessions",
        type=_parse_sessions,
        default=rotation.MAX_SESSIONS,
        metavar="N",
        help="with --run: so many sessions",
    )
    parser.add_argument(
        "--grace",
        type=_parse_seconds,
        default=rotation.GRACE_SECONDS,
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
