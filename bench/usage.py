"""What it costs to know a session's tokens, in a long transcript for a short one: `python bench/usage.py`."""

import json
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from statistics import median

from hookline import stores
from hookline.budget.ledger import Ledger
from hookline.cli._bench.bars import Figure, at_most
from hookline.core.events import Stop
from hookline.core.store import Store
from hookline.system.paths import find_places

SHORT, LONG = 200_000, 200_000_000
"""Bytes."""
EVENTS, FEWEST = 1500, 50
MOST = 1.2
TOLD = "x" * 4000
"""What a message of a usual session says, beside its usage."""


def figures(scale: float) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        store = stores.load("sqlite")(str(place / "store.db"))
        short = _session(place / "short.jsonl", SHORT, store)
        long = _session(place / "long.jsonl", max(int(LONG * scale), SHORT), store)
        taken: dict[Path, list[float]] = {short: [], long: []}
        for number in range(max(int(EVENTS * scale), FEWEST)):
            for path, times in taken.items():
                times.append(_event(path, store, number))
        store.close()
        ratio = median(taken[long]) / median(taken[short])
    what = f"tokens of a session with a transcript of {max(LONG * scale, SHORT) / 1e6:g} MB, to one of 0.2 MB"
    return [at_most("usage", what, ratio, MOST)]


def _session(path: Path, size: int, store: Store) -> Path:
    """A transcript of that size, which was read to its end."""
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size:
            number += 1
            file.write(_message(f"old-{number}"))
    while _look(path, store) < number:
        pass
    return path


def _event(path: Path, store: Store, number: int) -> float:
    with path.open("a", encoding="utf-8") as file:
        file.write(_message(f"new-{number}"))
    began = time.perf_counter()
    _look(path, store)
    return time.perf_counter() - began


def _look(path: Path, store: Store) -> int:
    event = Stop(session=path.stem, host="claude-code", transcript=str(path))
    home = {"HOME": str(path.parent)}
    return Ledger(event, store, find_places(home, str(path.parent)), {}, now=0.0).usage.output or 0


def _message(name: str) -> str:
    usage = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 1000}
    content = [{"type": "text", "text": TOLD}]
    said = {"id": name, "model": "claude-sonnet-4-5", "content": content, "usage": usage}
    return json.dumps({"type": "assistant", "isSidechain": False, "message": said}) + "\n"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of 200 MB")
    for one in figures(parser.parse_args().scale):
        print(f"{one.what}: {one.shown}, bar {one.bar}")


if __name__ == "__main__":
    sys.exit(main())
