"""Earlier trials: the marked values in the commits that the journal names."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hookline.engine.git.run_git import open_checkout
from hookline.engine.tuner.study import Trial
from hookline.engine.tuner.tunable_values import BadMark, find_marks

VALID_STATUSES = ("baseline", "keep", "keep_reworked", "discard", "discard_noise", "superseded")
"""Statuses whose metric is usable; a metric that failed the guard would mislead the study."""


def read_trials(journal: str, worktree: str, paths: Sequence[str]) -> list[Trial]:
    """Return the marked values in *paths* for each row of the journal's JSON lines."""
    rows = [row for row in _read_rows(journal) if row.get("commit") and row.get("status")]
    texts = _read_files(worktree, [(row["commit"], path) for row in rows for path in paths])
    return [trial for row in rows if (trial := _read_trial(row, paths, texts))]


def _read_trial(
    row: Mapping[str, Any], paths: Sequence[str], texts: Mapping[tuple[str, str], str]
) -> Trial | None:
    files = {path: texts[row["commit"], path] for path in paths if (row["commit"], path) in texts}
    try:
        values = {mark.name: mark.value for mark in find_marks(files)}
    except BadMark:
        return None
    metric = row.get("metric") if row["status"] in VALID_STATUSES else None
    return Trial(values=values, metric=metric) if values else None


def _read_rows(journal: str) -> Iterator[dict[str, Any]]:
    try:
        with open(journal, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _read_files(worktree: str, requests: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Read files of commits with one git process."""
    unique = list(dict.fromkeys(requests))
    if not unique:
        return {}
    lines = "".join(f"{commit}:{path}\n" for commit, path in unique if "\n" not in path)
    output = open_checkout(worktree, os.environ).attempt("cat-file", "--batch", stdin=lines).stdout
    data = output.encode("utf-8", "surrogateescape")
    return dict(_parse_batch(data, [request for request in unique if "\n" not in request[1]]))


def _parse_batch(output: bytes, requests: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
    position = 0
    for request in requests:
        end = output.find(b"\n", position)
        if end < 0:
            return
        header, position = output[position:end].split(b" "), end + 1
        if header[-1].isdigit() and len(header) == 3 and header[1] != b"missing":  # noqa: PLR2004 -- id, kind, size
            size = int(header[-1])
            yield request, output[position : position + size].decode("utf-8", "surrogateescape")
            position += size + 1
