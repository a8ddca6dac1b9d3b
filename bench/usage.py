"""Time to read tokens from a long transcript, relative to a short one: `python bench/usage.py`."""

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
"""Sizes of the transcripts in bytes."""
EVENTS, MIN_EVENTS = 1500, 50
MAX_RATIO = 1.2
TEXT = "x" * 4000
"""Text of a typical message."""


def figures(scale: float) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        store = stores.load("sqlite")(str(root / "store.db"))
        short = _create_transcript(root / "short.jsonl", SHORT, store)
        long = _create_transcript(root / "long.jsonl", max(int(LONG * scale), SHORT), store)
        times_by_path: dict[Path, list[float]] = {short: [], long: []}
        for number in range(max(int(EVENTS * scale), MIN_EVENTS)):
            for path, times in times_by_path.items():
                times.append(_event(path, store, number))
        store.close()
        ratio = median(times_by_path[long]) / median(times_by_path[short])
    what = f"token count with a transcript of {max(LONG * scale, SHORT) / 1e6:g} MB, relative to 0.2 MB"
    return [at_most("usage", what, ratio, MAX_RATIO)]


def _create_transcript(path: Path, size: int, store: Store) -> Path:
    """Write a transcript of that size, and read it to its end."""
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size:
            number += 1
            file.write(_message(f"old-{number}"))
    while _read_tokens(path, store) < number:
        pass
    return path


def _event(path: Path, store: Store, number: int) -> float:
    with path.open("a", encoding="utf-8") as file:
        file.write(_message(f"new-{number}"))
    start = time.perf_counter()
    _read_tokens(path, store)
    return time.perf_counter() - start


def _read_tokens(path: Path, store: Store) -> int:
    event = Stop(session=path.stem, host="claude-code", transcript=str(path))
    home = {"HOME": str(path.parent)}
    return Ledger(event, store, find_places(home, str(path.parent)), {}, now=0.0).usage.output or 0


def _message(name: str) -> str:
    usage = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 1000}
    content = [{"type": "text", "text": TEXT}]
    message = {"id": name, "model": "claude-sonnet-4-5", "content": content, "usage": usage}
    return json.dumps({"type": "assistant", "isSidechain": False, "message": message}) + "\n"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of 200 MB")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar}")


if __name__ == "__main__":
    sys.exit(main())
