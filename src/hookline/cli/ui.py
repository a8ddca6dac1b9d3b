"""Serve the dashboard to this machine until the user interrupts."""

import os
from argparse import Namespace
from contextlib import closing
from functools import partial

from hookline.cli._require_person import require_person
from hookline.cli.doctor import list_findings
from hookline.cli.explain import explain_command
from hookline.core.install_commands import describe_missing
from hookline.daemon import request_approvals
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup


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
