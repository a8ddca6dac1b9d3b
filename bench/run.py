"""All benchmarks that have a limit: `python bench/run.py [--scale 0.1]`; writes `bench/results.json`.

The benchmarks are those of `hookline bench`, and long ones: a full store, the memory of a daemon after a
million events, kills of the daemon, recall, a transcript of 200 MB, payloads of 60 MB, runs of the engine.
"""

import json
import platform
import sys
from argparse import ArgumentParser
from pathlib import Path

import adversarial
import engine
import growth
import help_pages
import language
import memory
import parallel
import payload
import recall
import stores
import storm
import ui
import usage

from hookline import __version__
from hookline.cli._arguments.bench import SIZE_OPTIONS
from hookline.cli._bench.bars import Results
from hookline.cli._bench.measure import BenchSize, measure_all
from hookline.cli.bench import LONG_IDLE, QUICK, choose_size, show

RESULTS = Path(__file__).parent / "results.json"
LONG = {
    stores: "the full store",
    memory: "a million events",
    storm: "10,000 calls with each client",
    recall: "100,000 memories",
    usage: "200 MB",
    engine: "20,000 files",
    growth: "1,000,000 characters",
    adversarial: "1,000,000 characters",
    language: "300 prompts",
    payload: "60 MB",
    parallel: "the experiments that sleep",
    help_pages: "5 calls of each --help",
    ui: "1,000,000 records, and ten viewers",
}
"""The long benchmarks, and the size of each."""


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="fraction of the full sizes of the long benchmarks"
    )
    parser.add_argument("--quick", action="store_true", help="fewer calls, and a short idle time")
    for name, (kind, help_text) in SIZE_OPTIONS.items():
        parser.add_argument(f"--{name}", type=kind, help=help_text)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file for the results")
    args = parser.parse_args()
    size = choose_size(args, QUICK if args.quick else BenchSize(idle=LONG_IDLE))
    basic = measure_all(size, _report)
    long = []
    for module, what in LONG.items():
        _report(f"{module.__name__}: {args.scale:g} of {what}")
        long += module.figures(args.scale)
    results = Results(figures=(*basic.figures, *long), left_out=basic.left_out, busy=basic.busy)
    show(results)
    args.results.write_text(_to_json(results, args.scale), encoding="utf-8")
    return 0 if results.met else 1


def _to_json(results: Results, scale: float) -> str:
    about = {"version": __version__, "python": platform.python_version(), "scale": scale}
    return json.dumps({**about, **results.plain()}, indent=1, ensure_ascii=False) + "\n"


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
