"""Test calls while a store is down: no decision is lost or stored twice, and no call waits long."""

import json
import os
import signal
import socket
import sqlite3
import time
from contextlib import closing, contextmanager, suppress

import psycopg
import pytest

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.store import Query, Record
from hookline.daemon.warm_state import Warm
from hookline.runtime import open_store
from hookline.runtime.answer import HostCall, answer
from hookline.runtime.setup import load_setup
from hookline.system import spool, spool_files

pytestmark = pytest.mark.slow

CALLS = 4
BACKLOG = 3_000
SETTINGS = "~/.config/hookline/hookline.toml"
HOST = hosts.load("claude-code")


@pytest.fixture(scope="module")
def database(postgres):
    return postgres.database()


@pytest.fixture
def place(database, tmp_path):
    """Return a function that returns the address of a store."""
    return lambda name: database if name == "postgres" else str(tmp_path / "store")


@contextmanager
def stopped(server, address, user):
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextmanager
def refusing(server, address, user):
    with addressed(user, "postgresql://me@127.0.0.1:1/db", address):
        yield


@contextmanager
def hanging(server, address, user):
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        port = deaf.getsockname()[1]
        with addressed(user, f"postgresql://me@127.0.0.1:{port}/db?connect_timeout=30", address):
            yield


@contextmanager
def unreachable(server, address, user):
    """Yield while the address accepts no connection and does not refuse one, because its queue is full."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=0)) as deaf:
        callers = [socket.socket() for _ in range(4)]
        for caller in callers:
            caller.settimeout(0)
            with suppress(BlockingIOError):
                caller.connect(deaf.getsockname())
        hosts_named = ",".join(["127.0.0.1"] * 3)
        ports = ",".join([str(deaf.getsockname()[1])] * 3)
        with addressed(user, f"postgresql://me@/db?host={hosts_named}&port={ports}", address):
            yield
        for caller in callers:
            caller.close()


@contextmanager
def frozen(server, address, user):
    with open(f"/proc/{server.pid}/task/{server.pid}/children") as file:
        processes = [server.pid, *map(int, file.read().split())]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


@contextmanager
def busy(server, address, user):
    """Yield while another program holds every table."""
    with psycopg.connect(address) as db:
        db.execute("SET search_path TO hookline")
        names = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'hookline'").fetchall()
        if names:
            db.execute(f"LOCK TABLE {', '.join(name for (name,) in names)}")
        yield
        db.rollback()


@contextmanager
def unconfigured(server, address, user):
    with addressed(user, "", address):
        yield


@contextmanager
def addressed(user, other, address):
    configure(user, "postgres", other)
    try:
        yield
    finally:
        configure(user, "postgres", address)


@contextmanager
def locked(server, address, user):
    with closing(sqlite3.connect(address, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def replaced(server, address, user):
    """Yield while a folder is in the place of the file."""
    os.rename(address, f"{address}.away")
    os.mkdir(address)
    try:
        yield
    finally:
        os.rmdir(address)
        os.rename(f"{address}.away", address)


@contextmanager
def newer(server, address, user):
    version = sql(address, "PRAGMA user_version")
    sql(address, "PRAGMA user_version = 99")
    try:
        yield
    finally:
        sql(address, f"PRAGMA user_version = {version}")


def sql(address, statement):
    with closing(sqlite3.connect(address)) as db:
        return next(iter(db.execute(statement).fetchone() or ()), None)


OUTAGES = {
    "postgres": (stopped, refusing, hanging, unreachable, frozen, busy, unconfigured),
    "sqlite": (locked, replaced, newer),
}


def configure(user, name, address):
    user.write(SETTINGS, f'store = "{name}"\n' + (f'store_address = "{address}"\n' if address else ""))


class Calls:
    """Calls of a host, each answered by a new process or all by a daemon."""

    def __init__(self, user, *, daemon):
        self.user, self.warm, self.commands = user, Warm() if daemon else None, []
        self.session = os.urandom(8).hex()
        self.messages: list[str] = []

    def make(self, count=CALLS):
        """Answer *count* calls and return the seconds that the slowest took."""
        return max(self._make_one() for _ in range(count))

    def _make_one(self):
        command = f"git push --force # {len(self.commands)}"
        payload = self.user.shell(command) | {"session_id": self.session, "tool_use_id": command}
        call = HostCall(
            host="claude-code",
            payload=json.dumps(payload).encode(),
            env=self.user.environment(),
            cwd=str(self.user.project),
        )
        began = time.monotonic()
        found = answer(call, self.warm.open) if self.warm else answer(call)
        found.after()
        took = time.monotonic() - began
        reply = json.loads(found.reply.stdout)
        assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
        self.messages.append(reply.get("systemMessage", ""))
        self.commands.append(command)
        return took

    def stored(self):
        """Return the commands in the audit trail, after everything that waits was stored."""
        if self.warm:
            until = time.monotonic() + 30
            while self.warm.drain() and time.monotonic() < until:
                time.sleep(0.5)
        setup = load_setup(self.user.environment(), str(self.user.project), HOST)
        with closing(open_store.open_store(setup)) as store:
            records = [record for _, record in store.records(Query(session=self.session))]
        return [record.summary for record in records if record.event == PreToolUse.__name__]

    def close(self):
        if self.warm:
            self.warm.close()


@pytest.fixture(params=[False, True], ids=["process", "daemon"])
def calls(request, user):
    with closing(Calls(user, daemon=request.param)) as made:
        yield made


@pytest.fixture
def retry_at_once(monkeypatch):
    """Return a function that ends the pause after a failure, as if some seconds had passed."""
    monkeypatch.setattr("hookline.daemon.warm_state.RETRY_SECONDS", 0.1)

    def end_pause():
        monkeypatch.setattr("hookline.runtime.open_store.RETRY_SECONDS", 0.0)

    return end_pause


def places(user):
    return load_setup(user.environment(), str(user.project), HOST).places


def outages():
    return [
        pytest.param(name, outage, id=f"{name}-{outage.__name__}")
        for name, found in OUTAGES.items()
        for outage in found
    ]


@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
@pytest.mark.parametrize(("name", "outage"), outages())
def test_no_decision_is_lost_or_duplicated(calls, user, place, postgres, name, outage, known, retry_at_once):
    address = place(name)
    configure(user, name, address)
    if known or name == "sqlite":
        calls.make()
    with outage(postgres, address, user):
        calls.make()
        waiting = len(os.listdir(places(user).spool))
    retry_at_once()
    calls.make()

    assert sorted(calls.stored()) == sorted(calls.commands)
    assert waiting
    assert [one for one in os.listdir(places(user).spool) if one.endswith(".jsonl")] == []


@pytest.mark.parametrize(("name", "outage"), outages())
def test_one_call_waits_for_a_store_and_the_next_do_not(calls, user, place, postgres, name, outage):
    address = place(name)
    configure(user, name, address)
    calls.make(2)
    with outage(postgres, address, user):
        first, following = calls.make(1), calls.make(8)
        said = calls.messages[2:]

    assert first < 6
    assert following < 0.7
    assert ["records wait in the spool" in one for one in said] == [noticed(calls, outage)] + [False] * 8


def noticed(calls, outage):
    """Return whether calls notice the outage; while a daemon can still read, only its writer waits."""
    return calls.warm is None or outage not in (locked, newer)


def test_a_store_in_memory_leaves_nothing_to_wait(calls, user):
    configure(user, "memory", "")
    calls.make()

    assert calls.stored() == []
    assert spool_files.paths(places(user).spool) == []


@pytest.mark.parametrize("name", OUTAGES)
def test_a_long_outage_delays_no_call_afterwards(calls, user, place, name):
    configure(user, name, place(name))
    folder = places(user).spool
    for number in range(BACKLOG):
        spool.append(folder, record(calls.session, number))
    files = spool_files.paths(folder)
    slowest = calls.make(20)

    assert len(files) > 5
    assert slowest < 3
    assert sorted(calls.stored()) == sorted([*calls.commands, *(f"waits {n}" for n in range(BACKLOG))])
    assert spool_files.paths(folder) == []


def record(session, number):
    return Record(
        id=f"{session}.{number}",
        at=time.time(),
        session=session,
        host="claude-code",
        event=PreToolUse.__name__,
        summary=f"waits {number}",
        reason="x" * 500,
    )
