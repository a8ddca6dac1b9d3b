"""Test state kept between calls: it equals the stored state, and is stored soon."""

from contextlib import closing

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.store import Query
from hookline.daemon.warm_state import Warm, WarmStore
from hookline.stores.memory import MemoryStore
from hookline.stores.sqlite import open_store

CALLS = 3


class Asked(MemoryStore):
    """A store that counts the queries for errors."""

    times = 0

    def signatures(self, **wanted):
        self.times += 1
        return super().signatures(**wanted)


def fixes(store):
    return [one.fix for one in store.signatures(project="p", limit=50, fixed=True)]


def test_errors_with_a_fix_are_not_read_before_every_command():
    below = Asked()
    store = WarmStore(below)

    assert [fixes(store) for _ in range(5)] == [[]] * 5
    assert below.times == 1


def test_what_is_learnt_here_is_known_at_once():
    store = WarmStore(Asked())
    store.count_error("make#1", text="no rule", at=1.0, project="p")
    assert fixes(store) == []
    store.record_fix("make#1", "autoconf", project="p")
    assert fixes(store) == ["autoconf"]
    before = store.signatures(project="p", fixed=True)[0].confidence_at(1.0)
    store.adjust_confidence("make#1", 0.3, at=1.0, project="p")

    assert store.signatures(project="p", fixed=True)[0].confidence_at(1.0) > before
    assert store.signatures(key="make#1", project="p")[0].seen == 1


def test_what_another_process_learnt_is_known_a_little_later(monkeypatch):
    below = Asked()
    store = WarmStore(below)
    assert fixes(store) == []
    below.count_error("make#1", text="no rule", at=1.0, project="p")
    below.record_fix("make#1", "autoconf", project="p")
    monkeypatch.setattr("hookline.daemon.warm_state.FIXES_CACHE_SECONDS", -1.0)
    store.count_error("other#1", text="x", at=1.0, project="q")

    assert fixes(store) == ["autoconf"]
    assert fixes(store) == ["autoconf"]
    assert below.times == 3


def test_what_comes_while_something_is_stored_is_no_failure(tmp_path):
    """Check that records added during a write do not count as a failure, which would delay the next write."""
    env = {"HOME": str(tmp_path), "PATH": "/bin"}
    came = list[int]()

    class Busy:
        def __enter__(self):
            if len(came) < CALLS:
                call(len(came))

        def __exit__(self, *told):
            pass

    warm = Warm(Busy)

    def call(number):
        came.append(number)
        runtime = warm.open(str(tmp_path), env, hosts.load("claude-code"))
        runtime.answer(
            hosts.load("claude-code"),
            "PreToolUse",
            PreToolUse(host="claude-code", session="s", tool="Bash", call=f"c{number}", input={}),
        )
        runtime.close()

    call(0)
    failed = warm.drain()
    warm.close()
    with closing(open_store(str(tmp_path / ".local/state/hookline/hookline.db"))) as store:
        kept = [found.event for _, found in store.records(Query())]

    assert failed == 0
    assert kept.count("PreToolUse") == CALLS
