"""Labelled examples from the corpus: rows of prompts become clauses and sentences with labels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hookline.language.classify import DURABLE, find_clauses
from hookline.language.features import Clause, hash_gaps, split_words
from hookline.language.model import Model
from hookline.language.segment import find_sentences

Row = dict[str, Any]
CORPUS = Path(__file__).parent / "corpus"
FILLER = "filler"
"""Label of a clause of a lasting sentence that is not part of its statement."""
NEAR = 0.75
"""Share of common word pairs from which two prompts are near-duplicates."""
MIN_PROMPTS, MIN_BATCHES = 3, 2
"""Prompts, and batches of them, that contain a word of the vocabulary."""


class Example(NamedTuple):
    """A clause, or a whole sentence, among its neighbours, with its label."""

    clauses: Sequence[Clause]
    number: int
    label: str


def read_rows(paths: Iterable[Path]) -> list[Row]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def drop_near_duplicates(rows: Sequence[Row], others: Sequence[Row] = ()) -> list[Row]:
    """Return *rows* without near-duplicates of one another, or of *others*.

    Near-duplicates share one of their rarest word pairs, so only these are compared.
    """
    sets = [_word_pairs(row["prompt"]) for row in (*others, *rows)]
    counts = Counter(pair for pairs in sets for pair in pairs)
    seen: dict[str, list[frozenset[str]]] = {}
    kept = []
    for number, pairs in enumerate(sets):
        rarest = sorted(pairs, key=lambda pair: (counts[pair], pair))[: int(len(pairs) * (1 - NEAR)) + 1]
        near = (known for pair in rarest for known in seen.get(pair, ()))
        if any(len(pairs & known) / len(pairs | known) >= NEAR for known in near):
            continue
        for pair in rarest:
            seen.setdefault(pair, []).append(pairs)
        kept += [rows[number - len(others)]] if number >= len(others) else []
    return kept


def _word_pairs(text: str) -> frozenset[str]:
    words = [word.lower() for word in split_words(text)]
    return frozenset(f"{a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True))


def find_vocabulary(rows: Iterable[Row]) -> frozenset[str]:
    """Return the words of several batches; the words of one writer do not show the words of others."""
    batches: dict[str, list[int]] = {}
    for row in rows:
        for word in {word.lower() for word in split_words(row["prompt"])}:
            batches.setdefault(word, []).append(row["batch"])
    return frozenset(
        word
        for word, numbers in batches.items()
        if len(numbers) >= MIN_PROMPTS and len({*numbers}) >= MIN_BATCHES
    )


class Part(NamedTuple):
    """A labelled part of a prompt, and the span of its statement if it is durable."""

    start: int
    end: int
    label: str
    statement: tuple[int, int] | None


def find_parts(row: Row) -> list[Part]:
    parts, position = [], 0
    for text, label, statement in row["parts"]:
        start = max(row["prompt"].find(text, position), 0)
        position = start + len(text)
        begin = start + text.find(statement) if statement else 0
        parts.append(Part(start, position, label, (begin, begin + len(statement)) if statement else None))
    return parts


def label_span(parts: Sequence[Part], start: int, end: int) -> str:
    """Return the label of the part with most of the span; outside the statement it is filler."""
    part = max(parts, key=lambda part: min(part.end, end) - max(part.start, start))
    if part.label not in DURABLE or part.statement is None:
        return part.label
    common = min(part.statement[1], end) - max(part.statement[0], start)
    return part.label if common * 2 >= end - start else FILLER


def find_gaps(row: Row) -> Iterator[tuple[list[int], bool]]:
    """Yield the features of each gap between words of a prompt, and whether a part or statement begins or ends there."""
    ends = {end for part in find_parts(row) for end in (part.start, *(part.statement or ()))}
    for sentence in find_sentences(row["prompt"]):
        for place, features in hash_gaps(sentence.text):
            at = sentence.start + place
            before = len(row["prompt"][:at].rstrip()) - 1
            yield features, any(before <= end <= at for end in ends)


def find_examples(row: Row, cut: Model, *, whole: bool) -> Iterator[Example]:
    """Yield an example for each clause of a prompt, or for each sentence if *whole*."""
    parts = find_parts(row)
    clauses = find_clauses(row["prompt"], cut)[not whole]
    for number, clause in enumerate(clauses):
        end = clause.start + len(clause.text)
        label = label_span(parts, clause.start, end)
        if whole:
            inside = (part for part in parts if part.statement and part.label in DURABLE)
            label = next((part.label for part in inside if _covers(part.statement, clause.start, end)), label)
            label = "fact" if label == FILLER else label
        yield Example(clauses, number, label)


def _covers(statement: tuple[int, int] | None, start: int, end: int) -> bool:
    """Return whether at least a third of the statement is within the span."""
    if statement is None:
        return False
    common = min(statement[1], end) - max(statement[0], start)
    return common * 3 >= statement[1] - statement[0] or common * 2 >= end - start
