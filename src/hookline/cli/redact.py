"""Redact a stream: stdin to stdout, line by line, as it arrives."""

import codecs
import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from hookline.redact import Rules
from hookline.redact.gitleaks_rules import parse_rules
from hookline.redact.stream import redact_stream

CHUNK_BYTES = 64 * 1024


def run(args: Namespace) -> int:
    rules = _load_rules(args.rules)
    number = 0
    with _open(args.file) as source:
        for piece in redact_stream(_read_chunks(source), rules=rules):
            _write(piece.text)
            for kind, line in piece.secrets:
                number += 1
                _report(args, kind, line)
    if args.json:
        _print_error(json.dumps({"secrets": number}))
    return 0


def _report(args: Namespace, kind: str, line: int) -> None:
    if args.json:
        _print_error(json.dumps({"line": line, "kind": kind}))
    elif args.report:
        _print_error(f"line {line}: {kind}")


def _print_error(text: str) -> None:
    print(text, file=sys.stderr)


def _load_rules(name: str) -> Rules:
    if not name:
        return ()
    with open(name, encoding="utf-8") as file:
        rules = parse_rules(file.read())
    for problem in rules.problems:
        _print_error(f"hookline: {name!r} {problem}")
    return (rules,)


@contextmanager
def _open(name: str) -> Iterator[int]:
    if name == "-":
        yield sys.stdin.fileno()
        return
    with open(name, "rb", buffering=0) as file:
        yield file.fileno()


def _read_chunks(source: int) -> Iterator[str]:
    """Yield the text as it arrives; bytes that are not UTF-8 pass through unchanged."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    while data := os.read(source, CHUNK_BYTES):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
