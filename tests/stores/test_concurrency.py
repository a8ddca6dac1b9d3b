"""Test concurrent processes on a store: counts are exact, and duplicate records are stored once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline import stores
from hookline.core.store import Query

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server

SRC = str(Path(__file__).parents[2] / "src")
LONG = os.environ.get("HOOKLINE_LONG") == "1"
PROCESSES, ROUNDS = (16, 200) if LONG else (6, 25)
SHARED = sorted(set(stores.names()) - {"memory"})
CODE = """
import sys
from hookline import stores
from hookline.core.records import Experiment, Memory
from hookline.core.store import Record
name, place, mine, rounds = sys.argv[1:]
store = stores.load(name)(place)
won = 0
for n in range(int(rounds)):
    store.count("s", "n")
    same = [Record(id=f"all-{k}", at=1.0, session="s", host="h", event="Stop", counts={"same": 1})
            for k in (n, n + 1)]
    own = Record(id=f"{mine}-{n}", at=1.0, session="s", host="h", event="Stop", counts={"own": 1})
    store.record([*(same if int(mine) % 2 else same[::-1]), own])
    store.count_error("e", text="t", at=float(n))
    store.remember(Memory(id=f"m{n}", at=1.0, text=f"word{n} of {mine}"))
    store.mark_used([f"m{n}", "m0"], at=2.0)
    won += store.add_experiment(Experiment(run="run", number=n, at=1.0, status="kept"))
    store.hold_context("s", [f"{mine}-{n}"])
    won += 1000 * len(store.take_held_context("s"))
print(won)
store.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_many_processes_get_in_nobodys_way(name, place, tmp_path):
    where = place(name)
    env = {"PYTHONPATH": SRC, "PATH": os.environ["PATH"]}
    argv = [sys.executable, "-c", CODE, name, where]
    running = [
        subprocess.Popen([*argv, str(mine), str(ROUNDS)], env=env, stdout=subprocess.PIPE, text=True)
        for mine in range(PROCESSES)
    ]
    won = [int(process.communicate(timeout=300)[0] or "-1") for process in running]
    store = stores.load(name)(where)
    total = PROCESSES * ROUNDS

    assert sum(won) == ROUNDS + 1000 * total
    assert dict(store.counters("s")) == {"n": total, "own": total, "same": ROUNDS + 1}
    assert len(list(store.records(Query()))) == total + ROUNDS + 1
    assert [one.seen for one in store.signatures(key="e")] == [total]
    assert sum(one.uses for one in store.recall("", limit=total)) == 2 * total - PROCESSES
    assert (len(store.recall("of", limit=total)), store.check()) == (ROUNDS, "")
    store.close()
