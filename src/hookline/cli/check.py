"""Judge recorded payloads: a native payload per line in, a JSON verdict per line out, nothing recorded."""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import IO, Any

from hookline import hosts
from hookline.cli._dry_run import Judge, Judged
from hookline.cli._progress import Advance, show_progress
from hookline.core.events import Unreadable

PASS: dict[str, Any] = {
    "event": None,
    "action": "pass",
    "rules": [],
    "reason": "",
    "context": [],
    "warnings": [],
}


def run(args: Namespace) -> int:
    host = hosts.load(args.host)
    with (
        closing(Judge(host, args.cwd, args.only, args.without)) as judge,
        _open(args.file) as lines,
        show_progress([args.file], hidden=sys.stdout.isatty()) as advance,
    ):
        _print_problems(judge, args.only)
        for verdict in judge_lines(judge, _count_bytes(lines, advance)):
            print(json.dumps(verdict), flush=True)
    return 0


def _count_bytes(lines: Iterable[bytes], advance: Advance) -> Iterator[bytes]:
    for number, line in enumerate(lines, 1):
        yield line
        advance(len(line), number)


def _open(file: str) -> IO[bytes]:
    return open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-")


def _print_problems(judge: Judge, only: Iterable[str]) -> None:
    """Print problems once, to stderr, because the verdicts on stdout are for a program."""
    for complaint in judge.setup.user_messages:
        print(f"hookline: {complaint}", file=sys.stderr)
    for hook in judge.hooks if only else ():
        if not hook.enabled:
            print(f"hookline: hook {hook.name!r} is off: {hook.off}", file=sys.stderr)


def judge_lines(judge: Judge, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield a verdict for every line, in order; a line that cannot be read passes, with a warning."""
    for number, line in enumerate(lines, 1):
        began = time.perf_counter()
        verdict = _judge_line(judge, line)
        ms = (time.perf_counter() - began) * 1000
        yield {"line": number, **verdict, "ms": round(ms, 3)}


def _judge_line(judge: Judge, line: bytes) -> dict[str, Any]:
    try:
        judged = judge.judge(_parse_payload(line))
    except Unreadable as error:
        return {**PASS, "warnings": [f"line not judged: {error}"]}
    except RecursionError:
        return {**PASS, "warnings": ["line not judged: nested too deeply"]}
    return PASS if judged is None else _verdict_facts(judged)


def _parse_payload(line: bytes) -> Any:
    if not line.strip():
        raise Unreadable("empty line")
    try:
        return json.loads(line)
    except ValueError:
        raise Unreadable(f"invalid JSON ({len(line):,} bytes)") from None


def _verdict_facts(judged: Judged) -> dict[str, Any]:
    outcome = judged.outcome
    return {
        "event": judged.event.name,
        "action": outcome.action,
        "rules": list(outcome.rules),
        "reason": judged.reason,
        "context": list(judged.context),
        "warnings": list(outcome.warnings),
    }
