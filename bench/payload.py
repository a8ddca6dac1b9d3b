"""Answers to large payloads: `python bench/payload.py [--scale 1.0] [--host HOST]`.

Each host sends a long command, file, output and prompt, through the daemon and without it. The answer must be
right, and come within the host's timeout.
"""

import json
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import NamedTuple

from hookline import hosts
from hookline.cli._bench.bars import Figure, at_most
from hookline.cli._bench.world import Sandbox, open_sandbox, run_daemon
from hookline.core.events import Event, PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.host import Host
from hookline.core.payload import compose

SIZE = 60_000_000
"""Characters of the texts."""
MAX_SECONDS = 3.0
HOSTS = ("claude-code", "codex", "gemini-cli", "cursor", "qwen-code")
TEXTS = {
    "plain": "INFO 2024-05-01 request 17 handled in 3 ms\n",
    "dense": "password=A1b2C3d4 ",
    "unbroken": "aB3d",
}
"""Pieces of which the texts consist: a log, secrets, and an encoded file."""
SECRET = "AKIA" + "QYLPMN5HFZ2JSVDT"
COMMAND_END = "; git push --force"


class Case(NamedTuple):
    host: str
    what: str
    text: str
    payload: bytes
    stopped: bool
    """True if the call may not pass silently."""


def figures(scale: float) -> list[Figure]:
    seconds, wrong, case = 0.0, 0, ""
    for measured in _measure(max(int(SIZE * scale), 200_000), HOSTS):
        wrong += not measured.right
        seconds, case = max((seconds, case), (measured.seconds, measured.name))
    what = f"slowest answer to a payload of {SIZE * scale / 1e6:g} MB: {case}"
    return [
        at_most("payload", what, seconds, MAX_SECONDS, "s"),
        at_most("payload-wrong", "wrong answers to large payloads", wrong, 0, "answers"),
    ]


class Measured(NamedTuple):
    name: str
    seconds: float
    right: bool


def _measure(size: int, names: tuple[str, ...]) -> Iterator[Measured]:
    with open_sandbox() as sandbox, run_daemon(sandbox):
        for case in _cases(size, names, sandbox.project):
            for way, argv, env in (
                ("daemon", [sandbox.client], {}),
                ("process", [f"{sandbox.folder}/bin/hookline"], {"HOOKLINE_DAEMON": "off"}),
            ):
                yield _run(f"{case.host} {case.what} {case.text}, {way}", argv, env, case, sandbox)


def _run(name: str, argv: list[str], env: dict[str, str], case: Case, sandbox: Sandbox) -> Measured:
    start = time.perf_counter()
    result = subprocess.run(
        [*argv, "hook", case.host],
        input=case.payload,
        capture_output=True,
        cwd=sandbox.project,
        env=sandbox.env | env,
        check=False,
    )
    said = result.stdout + result.stderr
    stopped = b"too long to be checked: " in said
    right = stopped == case.stopped and SECRET.encode() not in said and b"no hook judged" not in said
    return Measured(name, time.perf_counter() - start, right)


def _cases(size: int, names: tuple[str, ...], cwd: str) -> Iterator[Case]:
    for number, name in enumerate(names):
        host = hosts.load(name)
        for kind, piece in TEXTS.items():
            text = piece * (size // len(piece))
            for what, event in _events(host, text, cwd, f"{kind}-{number}"):
                payload = json.dumps(compose(host, event)).encode()
                yield Case(name, what, kind, payload, stopped=what == "command")


def _events(host: Host, text: str, cwd: str, session: str) -> Iterator[tuple[str, Event]]:
    common = {"host": host.name, "session": session, "cwd": cwd}
    available = {row.event for row in host.moments.values()}
    shell, write = (_find_tool(host, kind) for kind in ("shell", "write"))
    if PreToolUse in available and shell:
        command = {shell[1].get("command", "command"): f"echo {text}{COMMAND_END}"}
        yield "command", PreToolUse(**common, tool=shell[0], kind="shell", input=command, call="1")
    if PreToolUse in available and write and "path" in write[1]:
        file = {write[1]["path"]: f"{cwd}/notes.txt", write[1].get("content", "content"): text}
        yield "file", PreToolUse(**common, tool=write[0], kind="write", input=file, call="2")
    if PostToolUse in available and shell:
        output = {shell[1].get("output", "output") or "output": f"{text} {SECRET}", "stderr": ""}
        command = {shell[1].get("command", "command"): "cat log"}
        yield (
            "output",
            PostToolUse(**common, tool=shell[0], kind="shell", input=command, output=output, call="3"),
        )
    if UserPromptSubmit in available:
        yield "prompt", UserPromptSubmit(**common, prompt=text)


def _find_tool(host: Host, kind: str):
    return next(((name, row.input_keys) for name, row in host.tools.items() if row.kind == kind), None)


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of 60 MB")
    parser.add_argument("--host", action="append", choices=hosts.names())
    args = parser.parse_args()
    wrong = 0
    for measured in _measure(int(SIZE * args.scale), tuple(args.host or HOSTS)):
        wrong += not measured.right
        print(f"{measured.seconds:6.2f} s {'' if measured.right else 'WRONG '}{measured.name}", flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
