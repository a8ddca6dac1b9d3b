"""The dashboard: pages over a full store, and hook calls while ten viewers watch: `python bench/ui.py`.

Calls with and without viewers alternate, so that a slow moment of the machine affects both.
"""

import os
import random
import socket
import subprocess
import tempfile
import threading
import time
from argparse import ArgumentParser
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from statistics import median
from urllib.parse import urlencode

from starlette.testclient import TestClient

from hookline.budget.branches import BRANCHES_NOTE
from hookline.budget.ledger import USAGE_NOTE
from hookline.cli._bench.bars import MS, Figure, at_most
from hookline.cli._bench.world import change_folder, open_sandbox, run_daemon, spawn
from hookline.cli.explain import explain_command
from hookline.core.records import Memory
from hookline.core.store import Record
from hookline.core.usage import Tally, TokenCounts, tally_to_json
from hookline.runtime.setup import load_setup
from hookline.stores.sqlite import open_store
from hookline.web.application import build_app
from hookline.web.dashboard import Approvals, Checkup, Dashboard
from hookline.web.keys import Keys
from hookline.web.live_updates import Feed, Reader
from hookline.web.spendings import Spendings

RECORDS, SESSIONS, MEMORIES = 1_000_000, 20_000, 10_000
DAYS = 90
BATCH = 50_000
PAGES = (
    *("now", "decisions", "decisions?host=codex", "decisions?text=nowhere", "decisions?position=999"),
    *("spend?days=90", "runs", "memory", "memory?text=parser", "health"),
)
PAGE_MS = 200.0
"""Limit of a page, in milliseconds."""
VIEWERS, CALLS, TURNS = 10, 40, 10
RATIO = 1.1
HOST = "claude-code"
ADDRESS = "127.0.0.1:1"
RANDOM = random.Random(7)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full size")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown} {figure.bar}")


def figures(scale: float) -> list[Figure]:
    """Return the time of the slowest page, and the ratio of calls with viewers to calls without."""
    times = measure_pages(scale)
    slowest = max(times, key=lambda page: times[page])
    what = f"slowest page of the dashboard ({slowest}), {int(RECORDS * scale):,} records"
    return [
        *(Figure(id=f"ui-{page}", what=f"page {page}", value=ms, unit="ms") for page, ms in times.items()),
        at_most("ui-page", what, times[slowest], PAGE_MS, "ms"),
        at_most("ui-viewers", f"hook call, {VIEWERS} viewers / none", measure_viewers(scale), RATIO),
    ]


def measure_pages(scale: float) -> dict[str, float]:
    """Return the median milliseconds of each page."""
    with (
        tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder,
        closing(open_store(f"{folder}/full.db")) as store,
    ):
        fill(store, scale)
        client = open_client(store, folder)
        return {page: _time_page(client, page) for page in PAGES}


def _time_page(client, page: str) -> float:
    times = []
    for _ in range(7):
        began = time.perf_counter()
        client.get(f"/{page}").raise_for_status()
        times.append(time.perf_counter() - began)
    return median(times) * MS


def fill(store, scale: float) -> None:
    now = time.time()
    for number in range(int(SESSIONS * scale)):
        at = now - DAYS * 86_400 * RANDOM.random()
        tally = Tally(spent={"gpt-5-codex": TokenCounts(1000, 200, 5000, 100)}, model="gpt-5-codex", used=9)
        store.begin_session(f"session-{number}", host="codex", cwd=f"/home/user/{number % 40}", at=at)
        usage, branches = {"mark": {}, "tally": tally_to_json(tally)}, [[f"fix-{number % 400}", {}]]
        store.set_notes(f"session-{number}", {USAGE_NOTE: usage, BRANCHES_NOTE: branches})
    total = int(RECORDS * scale)
    for start in range(0, total, BATCH):
        store.record([_record(index, total, now, scale) for index in range(start, min(start + BATCH, total))])
    for number in range(int(MEMORIES * scale)):
        store.remember(Memory(id=f"m{number}", at=now, text=f"the parser of file {number} is slow"))


def _record(index: int, total: int, now: float, scale: float) -> Record:
    decided = RANDOM.random() < 0.05  # noqa: PLR2004 -- a share
    number = index * int(SESSIONS * scale) // total  # the records of a session follow each other
    return Record(
        id=f"r{index}",
        at=now - DAYS * 86_400 * (1 - index / total),
        session=f"session-{number}",
        host="codex" if index % 3 else HOST,
        event="PreToolUse",
        cwd=f"/home/user/{number % 40}",
        tool="shell",
        summary="pytest -q tests/test_parser.py | tail -n 20",
        action="block" if decided else "pass",
        rules=("dangerous-command:rm",) if decided else (),
        reason="deletes work" if decided else "",
        trail=({"hook": "dangerous-command", "said": "pass", "ms": 0.2},),
        ms=RANDOM.expovariate(0.5),
    )


def open_client(store, folder: str) -> TestClient:
    setup = load_setup({"HOME": folder, "PATH": os.defpath}, folder)
    setup.resources.close()
    reader, keys = Reader(store, setup, tuple), Keys()
    dashboard = Dashboard(
        store=store,
        setup=setup,
        approvals=Approvals(list_questions=tuple, decide=lambda decision: ""),
        explain=explain_command,
        checkup=Checkup(run=list),
        take_snapshot=reader.take_snapshot,
        spendings=Spendings(store, setup.places),
    )
    dashboard.spendings.read()  # in the background of a real server
    app = build_app(dashboard, Feed(reader), keys, ADDRESS)
    client = TestClient(app, base_url=f"http://{ADDRESS}", headers={"origin": f"http://{ADDRESS}"})
    client.post("/enter", data={"token": keys.token})
    return client


def measure_viewers(scale: float) -> float:
    """Return the median time of an installed hook call with viewers, relative to one without."""
    numbers, times = count(), ([], [])
    with open_sandbox() as sandbox, run_daemon(sandbox), change_folder(sandbox.project):
        argv = [sandbox.client, "hook", HOST]

        def call() -> float:
            return spawn(argv, sandbox.payload("bench", next(numbers)), sandbox.env).seconds

        for _ in range(CALLS):
            call()
        with served(sandbox) as (address, cookie):
            for _ in range(max(int(TURNS * scale), 2)):
                times[0].extend(call() for _ in range(CALLS))
                with watched(address, cookie):
                    times[1].extend(call() for _ in range(CALLS))
    return median(times[1]) / median(times[0])


@contextmanager
def served(sandbox):
    """Run `hookline ui`; yield its address and a viewer's cookie."""
    argv = [f"{sandbox.folder}/bin/hookline", "ui", "--read-only"]
    with subprocess.Popen(argv, env=sandbox.env, stdout=subprocess.PIPE, text=True) as process:
        try:
            link = process.stdout.readline().split()[-1]
            address, _, token = link.removeprefix("http://").partition("/#")
            yield address, _enter(address, token)
        finally:
            process.terminate()


def _enter(address: str, token: str) -> str:
    connection = HTTPConnection(address)
    headers = {"origin": f"http://{address}", "content-type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/enter", urlencode({"token": token}), headers)
    return connection.getresponse().getheader("set-cookie").partition(";")[0]


@contextmanager
def watched(address: str, cookie: str):
    """Let ten viewers read the live updates."""
    host, _, port = address.partition(":")
    viewers = [socket.create_connection((host, int(port))) for _ in range(VIEWERS)]
    for number, viewer in enumerate(viewers):
        page = ("now", "decisions")[number % 2]
        viewer.sendall(
            f"GET /events?page={page} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n".encode()
        )
        threading.Thread(target=_drain, args=[viewer], daemon=True).start()
    time.sleep(0.5)
    try:
        yield
    finally:
        for viewer in viewers:
            viewer.shutdown(socket.SHUT_RDWR)


def _drain(viewer: socket.socket) -> None:
    with viewer:
        while viewer.recv(65_536):
            pass


if __name__ == "__main__":
    main()
