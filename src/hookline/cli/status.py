"""Show the sessions that are alive: how much time and context each has left, and what was decided last."""

import json
import os
import shutil
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count

from hookline.cli._command import Command
from hookline.cli._doctor.store import failed
from hookline.cli._main import sentence
from hookline.cli._output import visible
from hookline.cli._status import Row, alive, drawn, home, runs, told
from hookline.cli.log import moment
from hookline.core.store import Query, Store, StoreFailed
from hookline.redact import redact_json
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load
from hookline.system import spool

LATELY = 3600.0
"""Seconds after which a session of which nothing is heard counts as gone, where its process is not known."""
EVERY = 1.0
"""Seconds between two looks of `--watch`."""
RESTING = 4
"""How many times as long as a look took it rests after it, so that many sessions cost no more."""
ANYWAY = 10
"""Looks after which all is read anew, though no record is new: not everything is a record."""
SCREEN, CURSOR = ("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h")
HOME, REST_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


def run(args: Namespace) -> int:
    setup = load(dict(os.environ), os.getcwd())
    setup.kept.close()
    if args.watch:
        return _watch(setup, args)
    with _opened(setup) as store:
        rows = _rows(store, setup, args) if store else None
        standing = (store.problem, *failed(store)) if store else ()
        for trouble in filter(None, (*standing, spool.problem(setup.places.spool))):
            print(f"hookline: {visible(trouble)}", file=sys.stderr)
        print(_text(rows, time.time(), args))
    if not args.json:
        print("".join(f"{line}\n" for line in runs(setup.places.root)), end="")
    return 0


@contextmanager
def _opened(setup: Setup) -> Iterator[Store | None]:
    """The store, None where there is none yet; to look at it does not make it."""
    place = open_store.place(setup)
    if place == setup.places.store and not os.path.lexists(place):
        yield None
        return
    with closing(open_store.open_store(setup)) as store:
        yield store


def _rows(store: Store, setup: Setup, args: Namespace) -> list[Row]:
    spool.drain(setup.places.spool, store)
    return list(alive(store, setup, since=args.since or time.time() - LATELY))


def _text(rows: list[Row] | None, now: float, args: Namespace) -> str:
    if args.json:
        return json.dumps(redact_json([told(row) for row in rows or ()]), ensure_ascii=False)
    if rows is None:
        return "no session is known: no agent has called yet; `hookline init` wires those that you use"
    if not rows:
        return "no session is alive" + ("" if args.since else ": nothing was heard of any in the last hour")
    many = "1 session is alive" if len(rows) == 1 else f"{len(rows):,} sessions are alive"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    return "\n".join([many, *drawn(rows, now, width=width, home=home(), plain=plain)])


def _watch(setup: Setup, args: Namespace) -> int:
    """Until a person ends it; what fails meanwhile is said, and tried again."""
    with suppress(KeyboardInterrupt), _screen() as show:
        before: object = None
        began = time.monotonic()
        for seen, text in _looks(setup, args):
            if seen != before:
                show(text)
            before = seen
            time.sleep(max(EVERY, RESTING * (time.monotonic() - began)))
            began = time.monotonic()
    return 0


def _looks(setup: Setup, args: Namespace) -> Iterator[tuple[object, str]]:
    while True:
        try:
            with _opened(setup) as store:
                for rows in _seen(store, setup, args):
                    text = _text(rows, time.time(), args)
                    yield (
                        (text if sys.stdout.isatty() else rows),
                        text,
                    )  # a pipe need not know how time goes by
        except (StoreFailed, OSError) as error:
            wrong = f"hookline: {visible(sentence(error))}"
            yield wrong, wrong


def _seen(store: Store | None, setup: Setup, args: Namespace) -> Iterator[list[Row] | None]:
    """What there is, look by look; the store is only read through where it may say something new."""
    if store is None:
        yield None
        return
    rows, seen = list[Row](), -1
    for look in count():
        spool.drain(setup.places.spool, store)
        newest = next((place for place, _ in store.records(Query(last=1))), 0)
        if newest != seen or look % ANYWAY == 0:
            rows, seen = _rows(store, setup, args), newest
        yield rows


@contextmanager
def _screen() -> Iterator[Callable[[str], None]]:
    """How a text is shown: in place of the one before on a terminal, below it elsewhere."""
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
        lines = [*lines[: room - 1], f"… and {len(lines) - room + 1:,} lines more"]
    print(HOME, *(f"{line}{REST_OF_LINE}\n" for line in lines), REST, sep="", end="", flush=True)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="go on, and show it anew when something changed")
    parser.add_argument("--since", type=moment, metavar="WHEN", help="also those heard of since: 30m, 2h, 7d")
    parser.add_argument("--json", action="store_true", help="a JSON list with everything, on one line")


COMMAND = Command(
    about="Show the sessions that are alive, and runs: time and tokens left, strikes, the last decision.",
    examples="""
hookline status
hookline status --watch
hookline status --since 1d
hookline status --json | jq '.[] | select(.percent > 80) | .session'
""",
    run=run,
    arguments=arguments,
    exits="0 when it worked, also when none is alive; 1 when the store cannot be read; 2 when called wrongly",
)
