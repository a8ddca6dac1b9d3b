"""Calls while the daemon is killed again and again: `python bench/storm.py [--calls 10000]`."""

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

CALLS, AT_ONCE = 10_000, 16
SOURCES = Path(__file__).parents[1] / "src/hookline/daemon"
DANGEROUS, HARMLESS = "git push --force", "ls"


def figures(scale: float) -> list[Figure]:
    calls = max(int(CALLS * scale), AT_ONCE)
    return [figure for name in ("c", "python") for figure in _storm(name, calls)]


def _storm(name, calls):
    with open_sandbox() as at, tempfile.TemporaryDirectory() as made:
        built = os.path.join(made, "client")
        if name == "python":
            write_client(SOURCES / "client.py", built, __version__)
        elif not compile_client(SOURCES / "client.c", built, __version__):
            return []
        os.unlink(at.client)
        shutil.copy(built, at.client)
        began = time.monotonic()
        wrong, killed = _shoot(at, calls)
        took = time.monotonic() - began
        left = _settled(at)
        lost, twice = _recorded(at, calls)
    faults = wrong + lost + twice + left
    text = f"{killed} kills in {took:.0f} s; {wrong} wrong, {lost} lost, {twice} twice, {left} processes left"
    return [at_most(f"storm-{name}", f"{calls:,} calls, client {name}, {text}", faults, 0, "faults")]


def _shoot(at, calls):
    chance, killed, wrong = random.Random(7), 0, 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(_ask, at, number) for number in range(calls)]
        while not all(one.done() for one in asked):
            time.sleep(chance.uniform(0.2, 0.5))
            for process in _daemons(at):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed += 1
        wrong = sum(not one.result() for one in asked)
    return wrong, killed


def _ask(at, number):
    dangerous = number % 2
    sent = json.loads(at.payload("storm", number))
    sent["tool_input"]["command"] = DANGEROUS if dangerous else HARMLESS
    ran = subprocess.run(
        [at.client, "hook", HOST],
        input=json.dumps(sent).encode(),
        capture_output=True,
        cwd=at.project,
        env=at.env,
        check=False,
        timeout=60,
    )
    return (b'"deny"' in ran.stdout) == bool(dangerous) and ran.returncode == 0


def _daemons(at):
    return [process for process, words in _processes() if f"{at.folder}/bin".encode() in words]


def _processes():
    for one in Path("/proc").iterdir():
        if one.name.isdecimal():
            with suppress(OSError):
                words = (one / "cmdline").read_bytes().split(b"\0")
                if b"hookline.daemon" in words:
                    yield int(one.name), words


def _settled(at):
    """End the last daemon, and return how many processes of the installation are left."""
    for process in _daemons(at):
        os.kill(process, signal.SIGTERM)
    until = time.monotonic() + 30
    while _ours(at) and time.monotonic() < until:
        time.sleep(0.1)
    return len(_ours(at))


def _ours(at):
    found = []
    for one in Path("/proc").iterdir():
        if one.name.isdecimal():
            with suppress(OSError):
                if at.folder.encode() in (one / "cmdline").read_bytes():
                    found.append(one.name)
    return found


def _recorded(at, calls):
    ran = subprocess.run(
        [f"{at.folder}/bin/hookline", "log", "--json", "--event", "PreToolUse"],
        capture_output=True,
        cwd=at.project,
        env=at.env,
        check=True,
    )
    actions = Counter(json.loads(line)["action"] for line in ran.stdout.splitlines())
    expected = {"block": calls // 2, "pass": calls - calls // 2}
    lost = sum(max(0, expected[name] - actions[name]) for name in expected)
    twice = sum(max(0, actions[name] - expected[name]) for name in expected)
    return lost, twice


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    for one in figures(parser.parse_args().calls / CALLS):
        print(f"{one.what}: {one.shown}, bar {one.bar}")


if __name__ == "__main__":
    sys.exit(main())
