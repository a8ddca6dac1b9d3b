"""What an answer costs inside one process: `python bench/inside.py [--lines N]`.

Times of one machine say little about another: everything is a ratio of one run, and nothing is asserted.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hookline import PreToolUse, State, hook, hosts, passed, shell
from hookline.core.hook import Hook
from hookline.core.payload import decode
from hookline.runtime.runtime import Runtime

CAPTURES = Path(__file__).parent.parent / "tests" / "captures" / "claude-code"
PAYLOAD = (CAPTURES / "PreToolUse.json").read_bytes()
LINES = (
    "echo hi",
    "cd src && pytest -q tests/test_parser.py | tail -n 20",
    "git commit -am 'mend the parser' && git push origin main",
    'for f in *.py; do sed -i "s/old/new/" "$f"; done',
    "sudo env A=1 bash -lc 'git -C /tmp/x push --force origin main'",
)
"""Commands as agents write them, from plain to wrapped."""


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=20_000, help="how many lines are checked")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each rate is measured")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        env = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        console = Console(width=None if sys.stdout.isatty() else 100)
        console.print(in_process(args.seconds, args.lines, env, folder))


def in_process(seconds: float, lines: int, env: Mapping[str, str], cwd: str) -> Table:
    plain = _rate(lambda: json.loads(PAYLOAD), seconds)
    rates = {
        "json.loads of the payload": plain,
        "bash.read of a command": len(LINES) * _rate(lambda: [shell.read(line) for line in LINES], seconds),
        "Runtime.answer, as configured": _answers(Runtime.load(cwd, env), seconds),
        **{f"Runtime.answer, {n} hooks": _answers(_with_hooks(n), seconds) for n in (0, 10, 100)},
        f"hookline check, {lines:,} lines": _checked(lines, env, cwd),
    }
    table = _table("in one process", "a second", "µs each", "in json.loads")
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{1e6 / rate:,.1f}", f"{plain / rate:,.1f} ×")
    return table


def _rate(work: Callable[[], object], seconds: float) -> float:
    """How many a second; the best of three, for the others only tell what else the machine did."""
    work()
    return max(_once(work, seconds) for _ in range(3))


def _once(work: Callable[[], object], seconds: float) -> float:
    began, times = time.perf_counter(), 0
    while (took := time.perf_counter() - began) < seconds or not times:
        work()
        times += 1
    return times / took


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _answers(runtime: Runtime, seconds: float) -> float:
    host = hosts.load("claude-code")
    found = decode(host, json.loads(PAYLOAD))
    assert found is not None
    rate = _rate(lambda: runtime.answer(host, *found), seconds)
    runtime.close()
    return rate


def _with_hooks(count: int) -> Runtime:
    runtime = Runtime()
    for number in range(count):
        runtime.register(_passing(f"passes-{number}"))
    return runtime


def _passing(name: str) -> Hook:
    @hook(name=name)
    def passes(event: PreToolUse, state: State) -> object:
        return passed()

    return passes


def _checked(lines: int, env: Mapping[str, str], cwd: str) -> float:
    """The whole command with its start, on lines that differ."""
    payload = json.loads(PAYLOAD)
    sent = [{**payload, "tool_input": {"command": LINES[n % len(LINES)]}} for n in range(lines)]
    file = Path(cwd) / "lines.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in sent), encoding="utf-8")
    argv = [sys.executable, "-m", "hookline", "check", "claude-code", str(file)]
    return lines / _seconds(
        lambda: subprocess.run(argv, env=env, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
    return table


if __name__ == "__main__":
    main()
