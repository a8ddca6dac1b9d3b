"""Calls while the daemon is killed repeatedly: `python bench/storm.py [--calls 10000]`."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from hatch_build import compile_client, write_client

from hookline import __version__
from hookline.cli._bench.bars import Figure, at_most
from hookline.cli._bench.world import HOST, open_sandbox

CALLS, CONCURRENCY = 10_000, 16
SOURCES = Path(__file__).parents[1] / "src/hookline/daemon"
DANGEROUS, HARMLESS = "git push --force", "ls"


def figures(scale: float) -> list[Figure]:
    calls = max(int(CALLS * scale), CONCURRENCY)
    return [figure for name in ("c", "python") for figure in _storm(name, calls)]


def _storm(name, calls):
    with open_sandbox() as at, tempfile.TemporaryDirectory() as folder:
        client = os.path.join(folder, "client")
        if name == "python":
            write_client(SOURCES / "client.py", client, __version__)
        elif not compile_client(SOURCES / "client.c", client, __version__):
            return []
        os.unlink(at.client)
        shutil.copy(client, at.client)
        start = time.monotonic()
        wrong, kills = _call_and_kill(at, calls)
        elapsed = time.monotonic() - start
        left = _end_daemons(at)
        lost, duplicate = _check_records(at, calls)
    faults = wrong + lost + duplicate + left
    counts = f"{wrong} wrong, {lost} lost, {duplicate} duplicate, {left} processes left"
    text = f"{kills} kills in {elapsed:.0f} s; {counts}"
    return [at_most(f"storm-{name}", f"{calls:,} calls, client {name}, {text}", faults, 0, "faults")]


def _call_and_kill(at, calls):
    """Return the number of wrong answers and of kills."""
    rng, kills = random.Random(7), 0
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        futures = [pool.submit(_call, at, number) for number in range(calls)]
        while not all(future.done() for future in futures):
            time.sleep(rng.uniform(0.2, 0.5))
            for process in _daemons(at):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    kills += 1
        wrong = sum(not future.result() for future in futures)
    return wrong, kills


def _call(at, number):
    """Return whether the client gave the right answer."""
    dangerous = number % 2
    payload = json.loads(at.payload("storm", number))
    payload["tool_input"]["command"] = DANGEROUS if dangerous else HARMLESS
    process = subprocess.run(
        [at.client, "hook", HOST],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=at.project,
        env=at.env,
        check=False,
        timeout=60,
    )
    return (b'"deny"' in process.stdout) == bool(dangerous) and process.returncode == 0


def _daemons(at):
    return [pid for pid, argv in _daemon_processes() if f"{at.folder}/bin".encode() in argv]


def _daemon_processes():
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                argv = (folder / "cmdline").read_bytes().split(b"\0")
                if b"hookline.daemon" in argv:
                    yield int(folder.name), argv


def _end_daemons(at):
    """End the last daemon, and return the number of processes of the installation that are left."""
    for process in _daemons(at):
        os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + 30
    while _processes_left(at) and time.monotonic() < deadline:
        time.sleep(0.1)
    return len(_processes_left(at))


def _processes_left(at):
    pids = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                if at.folder.encode() in (folder / "cmdline").read_bytes():
                    pids.append(folder.name)
    return pids


def _check_records(at, calls):
    """Return the number of lost and of duplicate records."""
    process = subprocess.run(
        [f"{at.folder}/bin/hookline", "log", "--json", "--event", "PreToolUse"],
        capture_output=True,
        cwd=at.project,
        env=at.env,
        check=True,
    )
    actions = Counter(json.loads(line)["action"] for line in process.stdout.splitlines())
    expected = {"block": calls // 2, "pass": calls - calls // 2}
    lost = sum(max(0, expected[name] - actions[name]) for name in expected)
    duplicate = sum(max(0, actions[name] - expected[name]) for name in expected)
    return lost, duplicate


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    for figure in figures(parser.parse_args().calls / CALLS):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar}")


if __name__ == "__main__":
    sys.exit(main())
