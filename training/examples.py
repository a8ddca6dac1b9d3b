"""Rows of the corpus: their parts, their words, and removal of near-duplicates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hookline.language.features import spell_words
from hookline.language.network import split_tokens
from hookline.language.segment import find_sentences

Row = dict[str, Any]
CORPUS = Path(__file__).parent / "corpus"
NEAR = 0.75
"""Share of common word pairs from which two prompts are near-duplicates."""
NOTHING_FOUND = -99.0
"""Log-odds of a prompt in which nothing was found."""
MIN_PROMPTS, MIN_BATCHES = 6, 2
"""Prompts, and batches of them, that contain a word of the vocabulary."""


def read_rows(paths: Iterable[Path]) -> list[Row]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def drop_near_duplicates(rows: Sequence[Row], others: Sequence[Row] = ()) -> list[Row]:
    """Return *rows* without near-duplicates of one another, or of *others*.

    Near-duplicates share one of their rarest word pairs, so only these are compared.
    """
    sets = [_word_pairs(find_text(row)) for row in (*others, *rows)]
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


def find_text(row: Row) -> str:
    """Return the prompt or statement of a row, or both rules of a pair."""
    text: str = row.get("prompt") or row.get("text") or f"{row['old']} | {row['new']}"
    return text


def _word_pairs(text: str) -> frozenset[str]:
    words = [word.lower() for word in spell_words(text)]
    return frozenset(f"{a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True))


def find_vocabulary(rows: Iterable[Row]) -> frozenset[str]:
    """Return the words of several batches; the words of one writer do not show the words of others."""
    batches: dict[str, list[int]] = {}
    for row in rows:
        sentences = find_sentences(row["prompt"])
        for word in {token.word for sentence in sentences for token in split_tokens(sentence)}:
            batches.setdefault(word, []).append(row["batch"])
    return frozenset(
        word
        for word, numbers in batches.items()
        if len(numbers) >= MIN_PROMPTS and len({*numbers}) >= MIN_BATCHES
    )


def find_threshold(wrong: Sequence[float], share: float) -> float:
    """Return the threshold above which at most a *share* of the wrong scores lies."""
    return sorted(wrong, reverse=True)[int(len(wrong) * share)] + 1e-6


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
