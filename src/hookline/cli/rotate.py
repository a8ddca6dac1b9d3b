"""Create a handoff for a new session, or run a headless agent in several sessions."""

import os
import signal
import sys
from argparse import Namespace
from contextlib import closing

from msgspec import to_builtins

from hookline import hosts
from hookline.cli import budget
from hookline.cli._output import dump, sanitize, sanitize_lines
from hookline.core.records import Handoff
from hookline.core.store import Session, Store, StoreFailed
from hookline.handoff.content import from_details
from hookline.handoff.handoffs import is_own
from hookline.runtime import rotation
from hookline.runtime.rotation import Leg, RotationOptions, RotationResult
from hookline.runtime.runtime import Runtime
from hookline.system import git_facts
from hookline.system.paths import Places

MAX_TASK_LENGTH = 120
"""Characters of a task that are shown."""
END_REASONS = {
    "no-hook-called": "the session called no hooks, so it was not rotated; run `hookline doctor`",
    "resumed": "the command resumed the rotated session, so its context is full; remove that option",
    "nothing-left": "the session was asked to rotate, and left no work to continue",
    "no-handoff": "the session was asked to rotate, but has no content for a handoff",
    "session-limit": "session limit reached; `hookline rotate --run --continue` continues",
}


def run(args: Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not args.headless and (command or args.continue_run):
        raise ValueError("a command requires --run: hookline rotate --run -- claude -p")
    with closing(Runtime.load()) as runtime:
        _require_store(runtime.store)
        if args.headless:
            return _run_headless(args, command, runtime)
        return show(args, runtime) if args.show else hand_over(args, runtime)


def _require_store(store: Store) -> None:
    try:
        store.notes("")
    except (StoreFailed, OSError) as error:
        raise StoreFailed(f"the store cannot be used: {error}") from error


def hand_over(args: Namespace, runtime: Runtime) -> int:
    """Create the handoff of a session, for the one that starts next."""
    session = _find_session(runtime, args.session)
    handoff = rotation.hand_over_session(runtime, session)
    _print(handoff, as_json=args.json)
    if not args.json:
        short_id = sanitize(session.id[:8])
        print(
            f"\nsaved as handoff {handoff.id}; end session {short_id}, and start a new one here to continue"
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
        raise LookupError("no handoff in this project; create one with `hookline rotate`")
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
        raise LookupError(f"nothing to rotate: {error}") from None


def _run_headless(args: Namespace, command: list[str], runtime: Runtime) -> int:
    if not command:
        raise ValueError("missing command after --: hookline rotate --run -- claude -p")
    now = runtime.now()
    handoff = _claim_handoff(runtime.store, runtime.setup.places, now) if args.continue_run else None
    prompt = "" if args.continue_run else sys.stdin.read()
    if not args.continue_run and not prompt.strip():
        raise ValueError("no prompt on stdin: echo 'fix the tests' | hookline rotate --run -- claude -p")
    for number in (signal.SIGTERM, signal.SIGHUP):  # else the agent would keep running
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
                host=_find_host(command[0]),
                max_sessions=args.max_sessions or rotation.MAX_SESSIONS,
                grace=rotation.GRACE_SECONDS if args.grace is None else args.grace,
            ),
            handoff=handoff,
            notify=reporter,
        )
    except KeyboardInterrupt as interrupt:
        _print_message("interrupted; `hookline rotate --show` shows the handoff")
        return 128 + int(*interrupt.args or (signal.SIGINT,))
    return _report_end(result)


def _claim_handoff(store: Store, places: Places, now: float) -> Handoff:
    """Return the handoff to continue from; raise `LookupError` if there is none for this branch."""
    branch = git_facts.find_branch(places.root)
    handoff = rotation.find_unclaimed(store, places.root, now, branch, places.state)
    if handoff is None:
        raise LookupError("no handoff to continue from; omit --continue and write a prompt to stdin")
    details = from_details(handoff.details)
    short_id, age = sanitize(handoff.session[:8]), _format_age(now - handoff.at)
    if details.branch and details.branch != branch:
        raise LookupError(
            f"session {short_id!r} left a handoff {age} ago on branch {sanitize(details.branch)!r}, but "
            f"{sanitize(branch) or 'none'!r} is checked out; check out that branch first"
        )
    rotation.reserve_handoff(store, handoff, places.state)
    _print_message(f"continuing from session {short_id!r} ({age} ago): {details.task[:MAX_TASK_LENGTH]}")
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
            _print_message(f"session {leg.number} starts with handoff {leg.handoff}")
        elif point == "asked":
            _print_message(f"session {leg.number} was asked to end")
        elif point == "verified":
            check = rotation.find_handoff_check(self.store, leg) or {}
            missing = ", ".join(check.get("missing") or ())
            share = f"{round(100 * float(check.get('share', 0)))} %"
            suffix = f"; missing: {missing}" if missing else ""
            _print_message(f"the first answer of session {leg.number} covers {share} of the handoff{suffix}")


def _print_message(text: str) -> None:
    print(f"hookline: {sanitize(text)}", file=sys.stderr, flush=True)


def _find_host(program: str) -> str:
    name = os.path.basename(program)
    return next((host for host in hosts.names() if hosts.load(host).program == name), "")
