"""Test the behaviour of the postgres store when its server is slow, unreachable, restarted or foreign."""

import os
import signal
import socket
import threading
import time
from contextlib import closing, suppress

import psycopg
import pytest

from hookline.core.records import Memory
from hookline.core.store import Query, Record, StoreFailed
from hookline.stores import _postgres_pool, _postgres_schema
from hookline.stores.postgres import open_store

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server


@pytest.fixture
def address(postgres):
    return postgres.database()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(_postgres_pool, "TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(_postgres_pool, "RETRY_AFTER_SECONDS", 0.0)


def record(number):
    return Record(id=f"r{number}", at=1.0, session="s", host="h", event="Stop")


def said(address, statement):
    with psycopg.connect(address, autocommit=True) as db:
        return db.execute(statement).fetchall()


def test_everything_is_there_after_opening_again(address):
    with closing(open_store(address)) as store:
        store.record([record(1)])
        store.remember(Memory(id="m", at=1.0, text="tabs"))
    with closing(open_store(address)) as store:
        assert [one for _, one in store.records(Query())] == [record(1)]
        assert [one.id for one in store.recall("tabs")] == ["m"]
        assert store.problem == ""


def test_its_tables_are_in_a_schema_of_their_own(address):
    open_store(address).close()

    assert said(address, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    assert said(address, "SELECT number FROM hookline.version") == [(_postgres_schema.LATEST_VERSION,)]


def test_many_may_open_it_first(address):
    troubles = []

    def first():
        try:
            with closing(open_store(address)) as store:
                store.count("s", "n")
        except StoreFailed as error:
            troubles.append(str(error))

    threads = [threading.Thread(target=first) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(open_store(address)) as store:
        assert (troubles, dict(store.counters("s"))) == ([], {"n": 8})


def test_a_newer_version_is_refused_and_left_as_it_is(address):
    open_store(address).close()
    newer = _postgres_schema.LATEST_VERSION + 1
    said(address, f"UPDATE hookline.version SET number = {newer} RETURNING 1")

    with pytest.raises(StoreFailed, match=f"has version {newer}.*upgrade hookline"):
        open_store(address)
    assert said(address, "SELECT number FROM hookline.version") == [(newer,)]


def test_a_step_that_fails_leaves_the_version_before_it(address, monkeypatch):
    open_store(address).close()
    steps = (*_postgres_schema.STEPS, ("CREATE TABLE later (a text)", "CREATE NONSENSE"))
    monkeypatch.setattr(_postgres_schema, "STEPS", steps)
    monkeypatch.setattr(_postgres_schema, "LATEST_VERSION", len(steps))

    with pytest.raises(StoreFailed, match="NONSENSE"):
        open_store(address)
    assert said(address, "SELECT number FROM hookline.version") == [(len(steps) - 1,)]
    assert said(address, "SELECT to_regclass('hookline.later') IS NULL") == [(True,)]


def test_texts_need_a_database_that_can_hold_them(postgres):
    with pytest.raises(StoreFailed, match="SQL_ASCII; create a database with UTF8"):
        open_store(postgres.database(encoding="SQL_ASCII"))


def test_a_server_that_is_not_there_is_said(tmp_path):
    with pytest.raises(StoreFailed, match=r"database 'db', cannot be used: .*No such file"):
        open_store(f"postgresql://me@/db?host={tmp_path}")


def test_a_password_is_not_said(tmp_path):
    with pytest.raises(StoreFailed) as told:
        open_store(f"postgresql://me:hunter22@/db?host={tmp_path}")

    assert "hunter22" not in str(told.value)


def test_no_address_is_said():
    with pytest.raises(StoreFailed, match="requires an address"):
        open_store("/home/me/hookline.db")


def test_an_address_that_is_none_is_said():
    with pytest.raises(StoreFailed, match="invalid store address; expected"):
        open_store("postgresql://[broken")


def test_a_server_that_never_answers_is_left(impatient):
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        port = deaf.getsockname()[1]
        with pytest.raises(StoreFailed, match="cannot be used"):
            open_store(f"postgresql://me@127.0.0.1:{port}/db?connect_timeout=1")


def test_a_server_that_hangs_is_left_and_used_again(postgres, address, impatient):
    with closing(open_store(address)) as store:
        store.count("s", "n")
        workers = [
            int(pid) for (pid,) in said(address, "SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL")
        ]
        for pid in workers:
            hold(pid, signal.SIGSTOP)
        try:
            with pytest.raises(StoreFailed, match="timed out"):
                store.count("s", "n")
        finally:
            for pid in workers:
                hold(pid, signal.SIGCONT)

        assert sooner_or_later(lambda: store.count("s", "n")) == 2


def sooner_or_later(work):
    """Return the result of *work*, with retries while the machine is busy."""
    for _ in range(60):
        with suppress(StoreFailed):
            return work()
        time.sleep(0.5)
    return work()


def hold(pid, number):
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def test_a_server_that_was_started_anew_is_used_again(postgres, address, impatient):
    with closing(open_store(address)) as store:
        store.count("s", "n")
        postgres.stop()
        try:
            with pytest.raises(StoreFailed, match="timed out after"):
                store.count("s", "n")
        finally:
            postgres.start()

        assert sooner_or_later(lambda: store.count("s", "n")) == 2
        assert store.check() == ""


def test_a_server_that_is_away_is_not_waited_for_every_time(postgres, address, monkeypatch):
    monkeypatch.setattr(_postgres_pool, "TIMEOUT_SECONDS", 0.3)
    with closing(open_store(address)) as store:
        postgres.stop()
        try:
            first, second = (trouble(store) for _ in range(2))
        finally:
            postgres.start()

    assert isinstance(first.__cause__, psycopg.Error)
    assert (second.__cause__, str(second)) == (None, str(first))


def trouble(store):
    with pytest.raises(StoreFailed) as told:
        store.count("s", "n")
    return told.value


def test_the_environment_does_not_lead_it_elsewhere(address, monkeypatch):
    for name in ("PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS", "PGSSLMODE"):
        monkeypatch.setenv(name, "nowhere")
    with closing(open_store(address)) as store:
        assert store.count("s", "n") == 1


def test_a_closed_store_says_so(address):
    store = open_store(address)
    store.close()
    store.close()

    with pytest.raises(StoreFailed, match="was closed"):
        store.count("s", "n")


def test_positions_come_to_light_in_their_order(address):
    """Check that a reader that follows positions misses no record of concurrent writers."""
    with closing(open_store(address)) as store:
        ready = threading.Barrier(5)
        seen: list[str] = []

        def writer(name):
            ready.wait()
            for number in range(30):
                store.record([record(f"{name}{number}")])

        threads = [threading.Thread(target=writer, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        ready.wait()
        after, alive = 0, True
        while alive:
            alive = any(thread.is_alive() for thread in threads)
            found = list(store.records(Query(after=after)))
            seen += [one.id for _, one in found]
            after = found[-1][0] if found else after

        assert sorted(seen) == sorted(f"r{name}{n}" for name in "abcd" for n in range(30))
