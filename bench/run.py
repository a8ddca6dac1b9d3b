"""Every bar, in one run: `python bench/run.py [--scale 0.1]`, which also writes `bench/results.json`.

What `hookline bench` measures on anybody's machine, and those that take their time: a store that is full,
the memory of a daemon that has answered a million events, a hundred thousand memories, a transcript of
200 MB, and runs of the engine: of many files, and of two experiments at once.
"""

import json
import platform
import sys
from argparse import ArgumentParser
from pathlib import Path

import engine
import memory
import parallel
import recall
import stores
import storm
import usage

from hookline import __version__
from hookline.cli._bench.bars import Results
from hookline.cli._bench.measure import BenchSize, measure_all
from hookline.cli.bench import LONG_IDLE, QUICK, SIZE_OPTIONS, choose_size, show

RESULTS = Path(__file__).parent / "results.json"


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers for store and memory")
    parser.add_argument("--quick", action="store_true", help="fewer calls, and a short rest")
    for name, (kind, what) in SIZE_OPTIONS.items():
        parser.add_argument(f"--{name}", type=kind, help=what)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file that is written")
    args = parser.parse_args()
    found = measure_all(choose_size(args, QUICK if args.quick else BenchSize(idle=LONG_IDLE)), _say)
    _say(f"store: {args.scale:g} of the full numbers")
    more = stores.figures(args.scale)
    _say(f"memory: {args.scale:g} of a million events")
    more += memory.figures(args.scale)
    _say(f"storm: {args.scale:g} of 10,000 calls with each client")
    more += storm.figures(args.scale)
    _say(f"recall: {args.scale:g} of 100,000 memories")
    more += recall.figures(args.scale)
    _say(f"usage: {args.scale:g} of 200 MB")
    more += usage.figures(args.scale)
    _say(f"engine: {args.scale:g} of 20,000 files")
    more += engine.figures(args.scale)
    _say("parallel: experiments that sleep, one after the other and two at once")
    more += parallel.figures(args.scale)
    whole = Results(figures=(*found.figures, *more), left_out=found.left_out)
    show(whole)
    args.results.write_text(_results(whole, args.scale), encoding="utf-8")
    return 0 if whole.met else 1


def _results(found: Results, scale: float) -> str:
    about = {"version": __version__, "python": platform.python_version(), "scale": scale}
    return json.dumps({**about, **found.plain()}, indent=1, ensure_ascii=False) + "\n"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
