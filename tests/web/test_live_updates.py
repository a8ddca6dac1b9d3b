"""Test the fan-out: one read of the store serves every viewer."""

import asyncio
import json

from tests.web import seed

from hookline.web.live_updates import QUEUE_LENGTH, Feed, Reader


class CountingStore:
    """A store that counts the reads of records."""

    def __init__(self, store):
        self._store, self.reads = store, 0

    def __getattr__(self, name):
        return getattr(self._store, name)

    def records(self, query):
        self.reads += 1
        return self._store.records(query)


def test_ten_viewers_cost_one_read(site, user):
    store = CountingStore(site.store)
    feed = Feed(Reader(store, site.dashboard.setup, lambda: ()))
    feed.reader.read()

    async def watch():
        viewers = [feed.follow() for _ in range(10)]
        waiting = [asyncio.ensure_future(anext(viewer)) for viewer in viewers]
        await asyncio.sleep(0)
        before = store.reads
        site.store.record(
            [seed.record("n1", "s", 5.0, "codex", user.project, "PreToolUse", "x", "block", ("a:b",), "r")]
        )
        feed.publish(feed.reader.read())
        updates = await asyncio.gather(*waiting)
        return store.reads - before, {id(update) for update in updates}, updates[0]

    reads, updates, update = asyncio.run(watch())

    assert (reads, len(updates)) == (1, 1)
    assert [record.id for _, record in update.records] == ["n1"]


def test_a_record_between_the_page_and_its_stream_is_not_lost(site):
    feed = Feed(site.reader)
    site.reader.start()
    site.store.record([seed.record("n1", "s", 5.0, "codex", "/p", "PreToolUse", "x", "block", ("a:b",), "r")])
    feed.publish(site.reader.read())

    async def follow_late():
        return await anext(feed.follow())

    update = asyncio.run(follow_late())

    assert [record.id for _, record in update.records] == ["n1"]


def test_each_record_is_read_once(site):
    site.reader.read()
    site.store.record([seed.record("n1", "s", 5.0, "codex", "/p", "PreToolUse", "x", "block", ("a:b",), "r")])
    found = [[record.id for _, record in site.reader.read().records] for _ in range(3)]

    assert found == [["n1"], [], []]


def test_a_new_decision_updates_its_session(site):
    site.reader.read()
    site.store.record(
        [
            seed.record(
                "n1", "c4417e90-77aa", 9e9, "gemini-cli", "/p", "PreToolUse", "x", "block", ("a:b",), "r"
            )
        ]
    )
    rows = {row.session: row for row in site.reader.read().snapshot.sessions}

    assert rows["c4417e90-77aa"].decided.id == "n1"


def test_a_slow_viewer_is_ended_and_the_others_go_on(site):
    feed = site.feed

    async def watch():
        slow, fast = feed.follow(), feed.follow()
        first = [asyncio.ensure_future(anext(viewer)) for viewer in (slow, fast)]
        await asyncio.sleep(0)
        update = site.reader.read()
        feed.publish(update)
        await asyncio.gather(*first)
        for _ in range(QUEUE_LENGTH + 1):
            feed.publish(update)
            await anext(fast)
        return [1 async for _ in slow]

    assert asyncio.run(watch()) == []


def test_a_store_that_fails_is_reported(site, monkeypatch):
    def fail(query):
        raise OSError("disk is gone")

    monkeypatch.setattr(site.store, "records", fail)

    assert site.reader.read().snapshot.problem == "disk is gone"


def test_live_rows_follow_the_filters(site, user):
    site.reader.read()
    site.store.record(
        [
            seed.record("n1", "s", 5.0, "codex", user.project, "PreToolUse", "one", "block", ("a:b",), "r"),
            seed.record("n2", "s", 6.0, "codex", user.project, "PreToolUse", "two", "pass", (), ""),
            seed.record(
                "n3", "s", 7.0, "gemini-cli", user.project, "PreToolUse", "three", "ask", ("a:c",), "r"
            ),
        ]
    )
    update = site.reader.read()
    from hookline.web.pages.decisions import show_updates

    def shown(**params):
        return [record.id for _, view in show_updates(update, params) for _, record in view.values["records"]]

    assert shown() == ["n3", "n1"]
    assert shown(host="codex") == ["n1"]
    assert shown(action="ask") == ["n3"]
    assert shown(position="1") == []
    assert json.dumps(shown(text="THREE")) == '["n3"]'
