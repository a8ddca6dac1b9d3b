"""What was tried before: the marked values as they stand in the commits that the journal names."""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hookline.engine.tuner.marks import BadMark, marks
from hookline.engine.tuner.study import Tried

WORKED = ("baseline", "keep", "keep_reworked", "discard", "discard_noise", "superseded")
"""Statuses whose metric is worth something: a number that a guard refused is a trap."""


def tried(journal: str, worktree: str, paths: Sequence[str]) -> list[Tried]:
    """The values of the marks in these *paths*, row by row of the journal's twin."""
    rows = [row for row in _rows(journal) if row.get("commit") and row.get("status")]
    texts = _texts(worktree, [(row["commit"], path) for row in rows for path in paths])
    return [one for row in rows if (one := _tried(row, paths, texts))]


def _tried(
    row: Mapping[str, Any], paths: Sequence[str], texts: Mapping[tuple[str, str], str]
) -> Tried | None:
    files = {path: texts[row["commit"], path] for path in paths if (row["commit"], path) in texts}
    try:
        values = {mark.name: mark.value for mark in marks(files)}
    except BadMark:
        return None
    metric = row.get("metric") if row["status"] in WORKED else None
    return Tried(values=values, metric=metric) if values else None


def _rows(journal: str) -> Iterator[dict[str, Any]]:
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


def _texts(worktree: str, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Files of commits, in one go."""
    asked = list(dict.fromkeys(wanted))
    if not asked:
        return {}
    lines = "".join(f"{commit}:{path}\n" for commit, path in asked if "\n" not in path)
    ran = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=worktree,
        input=lines.encode("utf-8", "surrogateescape"),
        capture_output=True,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"},
        check=False,
    )
    return dict(_answers(ran.stdout, [one for one in asked if "\n" not in one[1]]))


def _answers(told: bytes, asked: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
    at = 0
    for one in asked:
        end = told.find(b"\n", at)
        if end < 0:
            return
        head, at = told[at:end].split(b" "), end + 1
        if head[-1].isdigit() and len(head) == 3 and head[1] != b"missing":  # noqa: PLR2004 -- id, kind, size
            size = int(head[-1])
            yield one, told[at : at + size].decode("utf-8", "surrogateescape")
            at += size + 1
