"""Show the active sessions: time and context left, and the last decision."""

import json
import os
import select
import shutil
import sys
import termios
import time
import tty
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count

from hookline.cli._doctor.store import describe_failures
from hookline.cli._output import sanitize
from hookline.cli._run_command import describe_error
from hookline.cli._status import describe_runs, format_sessions, read_home, session_facts
from hookline.core.store import Query, Store, StoreFailed
from hookline.redact import redact_json
from hookline.runtime import open_store
from hookline.runtime.live_sessions import MAX_SILENCE, Row, find_live_sessions
from hookline.runtime.setup import Setup, load_setup
from hookline.system import spool

ACTIVE_SECONDS = 3600.0
"""Seconds without a call after which a session with an unknown process counts as ended."""
POLL_SECONDS = 1.0
"""Seconds between two updates of `--watch`."""
REST_FACTOR = 4
"""Pause after an update, as a multiple of its duration, which limits the load of many sessions."""
REFRESH_UPDATES = 10
"""Updates after which everything is read again without a new record: not all changes are recorded."""
SCREEN, CURSOR = ("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h")
HOME, REST_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


def run(args: Namespace) -> int:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    if args.watch:
        return _watch(setup, args)
    with _open_store(setup) as store:
        rows = _read_rows(store, setup, args) if store else None
        problems = (store.problem, *describe_failures(store)) if store else ()
        for problem in filter(None, (*problems, spool.problem(setup.places.spool))):
            print(f"hookline: {sanitize(problem)}", file=sys.stderr)
        print(_format_text(rows, time.time(), args))
    if not args.json:
        print("".join(f"{line}\n" for line in describe_runs(setup.places.root)), end="")
    return 0


@contextmanager
def _open_store(setup: Setup) -> Iterator[Store | None]:
    """Yield the store, or None if there is none yet; opening it would create it."""
    address = open_store.store_address(setup)
    if address == setup.places.store and not os.path.lexists(address):
        yield None
        return
    with closing(open_store.open_store(setup)) as store:
        yield store


def _read_rows(store: Store, setup: Setup, args: Namespace) -> list[Row]:
    spool.drain(setup.places.spool, store)
    since = args.since or time.time() - ACTIVE_SECONDS
    return list(find_live_sessions(store.sessions(since=since - MAX_SILENCE), store, setup, since=since))


def _format_text(rows: list[Row] | None, now: float, args: Namespace) -> str:
    if args.json:
        return json.dumps(redact_json([session_facts(row) for row in rows or ()]), ensure_ascii=False)
    if rows is None:
        return "no sessions recorded yet; install hooks with `hookline init`"
    if not rows:
        return "no active sessions" + ("" if args.since else " in the last hour")
    title = "1 active session" if len(rows) == 1 else f"{len(rows):,} active sessions"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    return "\n".join([title, *format_sessions(rows, now, width=width, home=read_home(), plain=plain)])


def _watch(setup: Setup, args: Namespace) -> int:
    """Show the sessions until the user presses q or interrupts; show an error and try again."""
    with suppress(KeyboardInterrupt), _screen() as show, _keyboard() as pressed_quit:
        previous: object = None
        start = time.monotonic()
        for current, text in _poll(setup, args):
            if current != previous:
                show(text)
            previous = current
            if pressed_quit(max(POLL_SECONDS, REST_FACTOR * (time.monotonic() - start))):
                break
            start = time.monotonic()
    return 0


def _poll(setup: Setup, args: Namespace) -> Iterator[tuple[object, str]]:
    while True:
        try:
            with _open_store(setup) as store:
                for rows in _poll_store(store, setup, args):
                    text = _format_text(rows, time.time(), args)
                    yield (
                        (text if sys.stdout.isatty() else rows),
                        text,
                    )  # in a pipe, a new time alone is not a change
        except (StoreFailed, OSError) as error:
            message = f"hookline: {sanitize(describe_error(error))}"
            yield message, message


def _poll_store(store: Store | None, setup: Setup, args: Namespace) -> Iterator[list[Row] | None]:
    """Yield the rows of each update; all sessions are read only if the store may have changed."""
    if store is None:
        yield None
        return
    rows, seen = list[Row](), -1
    for update in count():
        spool.drain(setup.places.spool, store)
        newest = next((position for position, _ in store.records(Query(last=1))), 0)
        if newest != seen or update % REFRESH_UPDATES == 0:
            rows, seen = _read_rows(store, setup, args), newest
        yield rows


@contextmanager
def _keyboard() -> Iterator[Callable[[float], bool]]:
    """Yield a function that waits for so many seconds, or until the user presses q; it returns whether."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield _sleep
        return
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        yield lambda seconds: _wait_for_quit(keyboard, time.monotonic() + seconds)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def _wait_for_quit(keyboard: int, deadline: float) -> bool:
    while (left := deadline - time.monotonic()) > 0:
        if select.select([keyboard], [], [], left)[0]:
            keys = os.read(keyboard, 100)
            if b"q" in keys or not keys:
                return True
    return False


@contextmanager
def _screen() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text: in place of the last one on a terminal, else below it."""
    if not sys.stdout.isatty():
        yield lambda text: print(text, flush=True)
        return
    try:
        print(SCREEN[0], CURSOR[0], sep="", end="", flush=True)
        yield _redraw
    finally:
        print(CURSOR[1], SCREEN[1], sep="", end="", flush=True)


def _redraw(text: str) -> None:
    lines, room = text.splitlines(), shutil.get_terminal_size().lines - 1
    if len(lines) > room > 1:
        lines = [*lines[: room - 1], f"… and {len(lines) - room + 1:,} more lines"]
    print(HOME, *(f"{line}{REST_OF_LINE}\n" for line in lines), REST, sep="", end="", flush=True)
