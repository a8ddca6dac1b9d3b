"""Accuracy and time of redaction: `python bench/redaction.py [--corpus FILE.jsonl] [--megabytes N]`.

The default corpus is `tests/corpus/secrets.jsonl`.
"""

import base64
import json
import random
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hookline.redact import redact

HERE = Path(__file__).parent
CORPUS = HERE.parent / "tests" / "corpus" / "secrets.jsonl"
MEGABYTE = 1_000_000
PIECE = 8
"""Characters of a secret in a row that must not be left."""


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="labelled rows, one JSON object per line")
    parser.add_argument("--megabytes", type=float, default=1.0, help="size of each text in megabytes")
    parser.add_argument("--runs", type=int, default=5, help="runs per text; the shortest counts")
    args = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 100)
    rows = [json.loads(line) for line in args.corpus.read_text().splitlines()]
    console.print(recall(rows))
    console.print(costs(texts(int(args.megabytes * MEGABYTE)), args.runs))


def recall(rows: Iterable[Mapping[str, Any]]) -> Table:
    counts = Counter((row["tier"], row["expect"], is_correct(row)) for row in rows)
    table = Table("tier", "expected", "correct", "total", "share", title="labelled texts")
    for tier, expect in sorted({key[:2] for key in counts}):
        correct = counts[tier, expect, True]
        total = correct + counts[tier, expect, False]
        table.add_row(tier, expect, str(correct), str(total), f"{correct / total:.1%}")
    return table


def is_correct(row: Mapping[str, Any]) -> bool:
    """Return whether no part of a secret is left, or a text without secrets is unchanged."""
    text, secrets = row["text"], ["".join(pieces) for pieces in row["secrets"]]
    for number, secret in enumerate(secrets):
        text = text.replace(f"{{{{S{number}}}}}", secret)
    after = redact(text)
    if row["expect"] == "keep":
        return after == text
    pieces = (secret[at : at + PIECE] for secret in secrets for at in range(len(secret) - PIECE + 1))
    return after != text and not any(piece in after for piece in pieces)


def texts(size: int) -> Mapping[str, str]:
    """Return typical tool output, and texts with many values that resemble secrets."""
    rng = random.Random(1)
    code = "".join(path.read_text() for path in sorted((HERE.parent / "src").rglob("*.py")))
    log = (
        f"2026-01-02T03:04:{n % 60:02}Z INFO id={rng.getrandbits(128):032x} path=/v1/{n} took=0.{n}s\n"
        for n in range(size // 90 + 1)
    )
    rows = ({"id": n, "sha": f"{rng.getrandbits(160):040x}", "tokens": n} for n in range(size // 80 + 1))
    return {
        "code": (code * (size // len(code) + 1))[:size],
        "logs": "".join(log)[:size],
        "JSON": json.dumps(list(rows), indent=1)[:size],
        "base64": base64.encodebytes(rng.randbytes(size)).decode()[:size],
        "only passwords": "".join(f"password={rng.getrandbits(64):x}G\n" for _ in range(size // 26))[:size],
    }


def costs(kinds: Mapping[str, str], runs: int) -> Table:
    size = len(next(iter(kinds.values()))) / MEGABYTE
    table = Table("text", "ms", "ms for a tenth", "growth", title=f"{size:g} MB each")
    for name, text in kinds.items():
        part = text[: len(text) // 10]
        whole, tenth = shortest(part * 10, runs), shortest(part, runs)
        table.add_row(name, f"{whole:.1f}", f"{tenth:.1f}", f"{whole / tenth:.1f} ×")
    return table


def shortest(text: str, runs: int) -> float:
    """Return the shortest CPU time of redacting *text*, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        redact(text)
        times.append((time.process_time() - start) * 1000)
    return min(times)


if __name__ == "__main__":
    main()
