"""Serve the dashboard to this machine until the user interrupts."""

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import closing
from functools import partial

from hookline.cli._command import Command
from hookline.cli._require_person import require_person
from hookline.cli.doctor import list_findings
from hookline.cli.explain import explain_command
from hookline.core.install_commands import describe_missing
from hookline.core.person_commands import PERSON_ONLY
from hookline.daemon import request_approvals
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup

MAX_PORT = 65_535


def run(args: Namespace) -> int:
    if not args.read_only:
        require_person("a dashboard that can change something", os.environ)
    try:
        from hookline.web import dashboard, live_updates, serve, spendings  # noqa: PLC0415 -- the extra ui
    except ImportError as error:
        raise LookupError(describe_missing("ui", "hookline ui")) from error
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    with closing(open_store.open_store(setup)) as store:
        reader = live_updates.Reader(store, setup, request_approvals.list_questions)
        sources = dashboard.Dashboard(
            store=store,
            setup=setup,
            approvals=dashboard.Approvals(
                list_questions=request_approvals.list_questions, decide=request_approvals.decide
            ),
            explain=explain_command,
            checkup=dashboard.Checkup(run=partial(list_findings, setup)),
            take_snapshot=reader.take_snapshot,
            spendings=spendings.Spendings(store, setup.places),
            read_only=args.read_only,
        )
        serve.serve(sources, reader, args.port, _announce)
    return 0


def _announce(link: str) -> None:
    print(f"dashboard, opens once: {link}", flush=True)


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise ArgumentTypeError(f"invalid port {text!r}: expected 0 to {MAX_PORT}")
    return int(text)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=_parse_port, default=0, metavar="PORT", help="port (default: any free port)"
    )
    parser.add_argument("--read-only", action="store_true", help="show everything, change nothing")


COMMAND = Command(
    about="Show sessions, decisions, spend and runs on a live local page.",
    examples="""
hookline ui
hookline ui --read-only --port 8770

Prints a link that opens the page once, and a new one after each use. Without --read-only it requires an
interactive terminal outside an agent.
""",
    person_only=PERSON_ONLY["ui"],
    run=run,
    arguments=arguments,
)
