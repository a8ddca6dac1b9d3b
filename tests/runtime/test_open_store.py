"""Test that the configured store is used, and that a repository cannot redirect it."""

import json
from contextlib import closing

import pytest

from hookline.core.events import PreToolUse
from hookline.core.store import Limits, Query, Record, StoreFailed
from hookline.hosts import load as host
from hookline.runtime import open_store
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import load_setup
from hookline.stores import memory
from hookline.system import spool_files

ADDRESS = "postgresql://thief@evil.example.invalid/all"
DAY = 86_400.0
NOW = 1000 * DAY


def loaded(user, **env):
    return load_setup(user.environment(**env), str(user.project), host("claude-code"))


def test_it_is_sqlite_in_the_usual_place(user):
    setup = loaded(user)

    assert open_store.store_name(setup) == "sqlite"
    assert open_store.store_address(setup) == str(user.home / ".local/state/hookline/hookline.db")
    assert open_store.store_limits(setup) == Limits(days=90, records=1_000_000)


def test_the_users_own_file_chooses(user):
    place = user.home / "mine.db"
    user.write(
        "~/.config/hookline/hookline.toml", f'store_address = "{place}"\nkeep_days = 7.5\nkeep_records = 10\n'
    )
    setup = loaded(user)
    open_store.open_store(setup).close()

    assert place.exists()
    assert open_store.store_limits(setup) == Limits(days=7.5, records=10)


def test_the_environment_has_the_last_word(user):
    user.write("~/.config/hookline/hookline.toml", 'store_address = "/nowhere/db"\n')
    setup = loaded(user, HOOKLINE_STORE_ADDRESS="/elsewhere/db")

    assert open_store.store_address(setup) == "/elsewhere/db"


@pytest.mark.parametrize("name", ["hookline.toml", "hookline.local.toml"])
def test_a_repository_leads_the_store_elsewhere(user, name):
    user.write(f".hookline/{name}", f'store = "postgres"\nstore_address = "{ADDRESS}"\nkeep_records = 1\n')
    setup = loaded(user)

    assert (open_store.store_name(setup), open_store.store_limits(setup)) == ("sqlite", Limits())
    assert "evil" not in open_store.store_address(setup)
    assert [what.partition(": ")[2].partition(" ")[0] for what in setup.config.waiting] == [
        "store",
        "store_address",
        "keep_records",
    ]


def test_a_repository_leads_the_store_elsewhere_by_its_hosts_settings(user):
    user.write(".claude/settings.json", json.dumps({"env": {"HOOKLINE_STORE_ADDRESS": ADDRESS}}))
    setup = loaded(user, HOOKLINE_STORE_ADDRESS=ADDRESS)

    assert "evil" not in open_store.store_address(setup)


@pytest.mark.parametrize("line", ["keep_days = 0", "keep_days = -1", "keep_records = 0", "store_address = 5"])
def test_a_limit_that_is_none_is_a_problem(user, line):
    user.write("~/.config/hookline/hookline.toml", line + "\n")
    setup = loaded(user)

    assert [problem.line for problem in setup.config.problems] == [1]
    assert open_store.store_limits(setup) == Limits()


def test_postgres_without_an_address_is_said(user):
    user.write("~/.config/hookline/hookline.toml", 'store = "postgres"\n')

    with pytest.raises(StoreFailed, match="requires an address"):
        open_store.open_store(loaded(user))


def test_a_password_is_not_shown(user):
    user.write("~/.config/hookline/hookline.toml", 'store_address = "postgresql://me:vK3-x9Qm2pLs@db/app"\n')
    shown = user.run(
        "config", "show", HOOKLINE_STORE_ADDRESS="postgresql://me:vK3-x9Qm2pLs@db/other"
    ).stdout.decode()

    assert "vK3" not in shown
    assert "@db/app" in shown


def test_an_agent_goes_on_without_its_server(user):
    user.write(
        "~/.config/hookline/hookline.toml",
        f'store = "postgres"\nstore_address = "postgresql://me@/db?host={user.home}"\n',
    )
    first, second = (user.hook(user.shell("git push --force origin main")) for _ in range(2))

    assert [reply["hookSpecificOutput"]["permissionDecision"] for _, reply, _ in (first, second)] == [
        "deny"
    ] * 2
    assert "the store could not be used, so records wait in the spool" in first[1]["systemMessage"]
    assert "the store" not in second[1].get("systemMessage", "")
    assert "cannot be used" in user.run("doctor").stdout.decode()


def test_a_program_uses_its_store_again_once_it_is_back(user, monkeypatch):
    """Check a program that runs longer than an outage: its decisions wait, and its store works again."""
    away = user.write("~/store", "a file where a folder should be")
    user.write("~/.config/hookline/hookline.toml", f'store_address = "{away}/db"\n')
    event = PreToolUse(host="envelope", session="s", tool="Bash", kind="shell", input={"command": "ls"})
    with closing(Runtime.load(str(user.project), user.environment())) as runtime:
        said = runtime.fire_now(event).warnings
        away.unlink()
        runtime.run_deferred_work()
        waiting = spool_files.paths(runtime.setup.places.spool)
        monkeypatch.setattr(open_store, "RETRY_SECONDS", 0.0)
        monkeypatch.setattr(runtime.store, "_retry_at", 0.0)
        runtime.fire_now(event)
        runtime.run_deferred_work()
        kept = [record.event for _, record in runtime.store.records(Query())]

    assert any("records wait in the spool" in warning for warning in said)
    assert len(waiting) == 1
    assert kept == ["PreToolUse"] * 2
    assert spool_files.paths(runtime.setup.places.spool) == []


def filled(numbers, at=NOW):
    store = memory.open_store()
    store.record([Record(id=f"r{n}", at=at, session="s", host="h", event="Stop") for n in numbers])
    return store


def test_it_tidies_once_a_day_and_sooner_where_more_may_be_left(user):
    user.write("~/.config/hookline/hookline.toml", "keep_records = 2\n")
    setup, store = loaded(user), filled(range(5))
    totals = []
    for later in (0, 599, 601, DAY, DAY + 602):
        open_store.prune_daily(setup, store, at=NOW + later)
        totals.append(store.totals()["records"])
        store.record([Record(id=f"more-{later}", at=NOW, session="s", host="h", event="Stop")])

    assert totals == [2, 3, 2, 2, 2]


def test_a_clock_that_was_set_back_does_not_put_it_off(user):
    user.write("~/.config/hookline/hookline.toml", "keep_records = 2\n")
    setup, store = loaded(user), filled(range(2))
    open_store.prune_daily(setup, store, at=NOW)
    store.record([Record(id=f"more-{n}", at=1.0, session="s", host="h", event="Stop") for n in range(2)])
    open_store.prune_daily(setup, store, at=NOW - 100 * DAY)

    assert store.totals()["records"] == 2


def test_a_new_session_tidies_after_its_answer(user):
    user.write("~/.config/hookline/hookline.toml", "keep_records = 2\n")
    with closing(open_store.open_store(loaded(user))) as store:
        store.record(
            [Record(id=f"r{n}", at=NOW * 1e6, session="s", host="h", event="Stop") for n in range(9)]
        )
    user.hook(user.shell("ls"))

    with closing(open_store.open_store(loaded(user))) as store:
        assert len(list(store.records(Query()))) == 2
