"""Time per answer in one process: `python bench/inside.py [--lines N]`.

All results are also shown relative to `json.loads`, to compare machines. Nothing is asserted.
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
    "git commit -am 'fix the parser' && git push origin main",
    'for f in *.py; do sed -i "s/old/new/" "$f"; done',
    "sudo env A=1 bash -lc 'git -C /tmp/x push --force origin main'",
)
"""Typical commands of agents, from plain to wrapped."""


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=20_000, help="number of lines to check")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds per measurement")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        env = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        console = Console(width=None if sys.stdout.isatty() else 100)
        console.print(in_process(args.seconds, args.lines, env, folder))


def in_process(seconds: float, lines: int, env: Mapping[str, str], cwd: str) -> Table:
    plain = _rate(lambda: json.loads(PAYLOAD), seconds)
    rates = {
        "json.loads of the payload": plain,
        "shell.read of a command": len(LINES) * _rate(lambda: [shell.read(line) for line in LINES], seconds),
        "Runtime.answer, as configured": _answer_rate(Runtime.load(cwd, env), seconds),
        **{f"Runtime.answer, {n} hooks": _answer_rate(_with_hooks(n), seconds) for n in (0, 10, 100)},
        f"hookline check, {lines:,} lines": _check_rate(lines, env, cwd),
    }
    table = _table("in one process", "per second", "µs each", "relative to json.loads")
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{1e6 / rate:,.1f}", f"{plain / rate:,.1f} ×")
    return table


def _rate(work: Callable[[], object], seconds: float) -> float:
    """Return the calls per second, the best of three measurements."""
    work()
    return max(_once(work, seconds) for _ in range(3))


def _once(work: Callable[[], object], seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds or not count:
        work()
        count += 1
    return count / elapsed


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _answer_rate(runtime: Runtime, seconds: float) -> float:
    host = hosts.load("claude-code")
    decoded = decode(host, json.loads(PAYLOAD))
    assert decoded is not None
    rate = _rate(lambda: runtime.answer(host, *decoded), seconds)
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


def _check_rate(lines: int, env: Mapping[str, str], cwd: str) -> float:
    """Return the lines per second of the whole command, including its start."""
    payload = json.loads(PAYLOAD)
    payloads = [{**payload, "tool_input": {"command": LINES[n % len(LINES)]}} for n in range(lines)]
    file = Path(cwd) / "lines.jsonl"
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in payloads), encoding="utf-8")
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
