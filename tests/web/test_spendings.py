"""Test the count of usage: as complete as a new one, without reading all sessions again."""

import json
import random
import threading
import time
from pathlib import Path

import pytest
from tests.web import seed
from tests.web.conftest import Site

from hookline.budget.branches import BRANCHES_NOTE, add_change
from hookline.budget.ledger import SPENT_PREFIX, USAGE_NOTE
from hookline.core.usage import Tally, TokenCounts, tally_to_json
from hookline.web.spendings import Spendings

MODELS = ("gpt-5-codex", "claude-sonnet-4-5", "of-nobody")


def work(store, session, usage, at, *, noted):
    """Let a session spend tokens: those of a transcript, or of model calls without one."""
    store.begin_session(session, host="codex", cwd="/p", at=at)
    if noted:
        store.set_notes(session, {USAGE_NOTE: {"mark": {}, "tally": tally_to_json(Tally(spent=usage))}})
    else:
        for model, tokens in usage.items():
            store.count(session, f"{SPENT_PREFIX}output:{model}", tokens.output)
    store.record([seed.record(f"{session}-{at}", session, at, "codex", "/p", "Stop", "", "pass", (), "")])


@pytest.mark.parametrize("number", range(20))
def test_news_are_counted_like_all_sessions(store, setup, number):
    choose, now = random.Random(number), time.time()
    kept = Spendings(store, setup.places)
    for step in range(12):
        name = choose.choice("abcdef")
        usage = {model: TokenCounts(*choose.choices(range(99), k=4)) for model in MODELS[: step % 3 + 1]}
        work(store, name, usage, now + step, noted=name < "d")
        changes = add_change(store.notes(name).get(BRANCHES_NOTE), choose.choice(["main", "fix"]), usage)
        store.set_notes(name, {BRANCHES_NOTE: changes} if step % 4 == 0 else {})
        if choose.random() < 0.5:
            kept.read()

    assert sorted(kept.read(), key=repr) == sorted(Spendings(store, setup.places).read(), key=repr)


def test_usage_that_moves_to_a_transcript_counts_once(store, setup):
    kept, now = Spendings(store, setup.places), time.time()
    work(store, "s", {"a": TokenCounts(output=5)}, now, noted=False)
    assert [item.output for item in kept.read()] == [5]
    work(store, "s", {"b": TokenCounts(output=7)}, now + 1, noted=True)

    assert [(item.model, item.output) for item in kept.read()] == [("b", 7)]


class WatchedStore:
    """A store that counts reads of all sessions, and can hold one back."""

    def __init__(self, store):
        self._store, self.reads, self.may_read = store, 0, threading.Event()
        self.may_read.set()

    def __getattr__(self, name):
        return getattr(self._store, name)

    def session_notes(self, name, *, since):
        self.reads += name == USAGE_NOTE
        self.may_read.wait(20)
        return self._store.session_notes(name, since=since)


def test_all_sessions_are_read_once(site):
    store = WatchedStore(site.store)
    client = Site(store, site.dashboard.setup).client()
    pages = [client.get(f"/spend?days={days}").text for days in (7, 30, 90)]

    assert store.reads == 1
    assert [text.count("gemini-2.5-pro") for text in pages] == [1, 1, 1]


def test_the_page_says_that_the_first_count_runs(site):
    store = WatchedStore(site.store)
    store.may_read.clear()
    slow = Site(store, site.dashboard.setup)
    with slow.client(inside=False) as client:  # the server counts when it starts
        client.post("/enter", data={"token": slow.keys.token})
        early = client.get("/spend").text
        store.may_read.set()
        while slow.dashboard.spendings.read() is None:
            time.sleep(0.01)
        late = client.get("/spend").text

    assert ("data-reload" in early, "No usage" in early, "gpt-5-codex" in early) == (True, False, False)
    assert ("data-reload" in late, "gpt-5-codex" in late) == (False, True)


def test_new_prices_apply_at_once(store, setup):
    work(store, "s", {"mine": TokenCounts(output=1_000_000)}, time.time(), noted=True)
    kept = Spendings(store, setup.places)
    assert [item.cost for item in kept.read()] == [None]
    folder = Path(setup.places.config)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.json").write_text(json.dumps({"mine": {"output": 3.0}}))

    assert [item.cost for item in kept.read()] == [3.0]


def test_sums_change_with_the_usage(site):
    client = site.client()
    before = client.get("/spend?days=7").text
    work(site.store, "new", {"brand-new-model": TokenCounts(output=5)}, time.time(), noted=True)

    assert client.get("/spend?days=7").text.count("brand-new-model") == 1
    assert "brand-new-model" not in before


def test_sums_are_computed_once(site):
    spendings, computed = site.dashboard.spendings, []
    for _ in range(3):
        spendings.read()
        spendings.keep("key", lambda: computed.append(1) or {})

    assert computed == [1]
