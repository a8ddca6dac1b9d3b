"""Search for the best among very many memories without reading all that contain one of the words.

The full-text index ranks every match of every word; that is best for thousands of memories and too slow for a
hundred thousand. Here rare words select the candidates, and common words only add to their scores. A memory
contains a word at most once, so only the rarity of its words counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log1p

from hookline.core.records import stem_word
from hookline.stores._sql import Database

MAX_FULL_RANKING = 2_000
"""Memories of a project up to which the index ranks; also the number at which counting a word stops."""
MAX_CANDIDATES = 300
"""Maximum number of candidates; further words only add to the scores."""
_COLLECTION_SIZE = 1e6
_FIND_BY_WORDS = (
    "SELECT rowid FROM memory_words WHERE memory_words MATCH :words ORDER BY rowid DESC LIMIT :most"
)
_COUNT_BY_WORDS = """
SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH :words LIMIT :most)
"""
_COUNT_IN_PROJECT = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE project = :project LIMIT :most)"
_COUNT_FOREIGN = "SELECT count(*) FROM memories WHERE +project NOT IN (:project, '')"
_COUNT_ALL = "SELECT count(*) FROM (SELECT 1 FROM memories LIMIT :most)"


def find_best(
    db: Database, words: Sequence[str], project: str | None, max_rows: int
) -> list[tuple[float, int]] | None:
    """Return scores and numbers of the best memories; None if the index can rank the whole project."""
    size = db.execute(
        _COUNT_ALL if project is None else _COUNT_IN_PROJECT, {"project": project, "most": MAX_FULL_RANKING}
    ).fetchall()
    if size[0][0] < MAX_FULL_RANKING:
        return None
    # A memory with a word is also indexed under its stem, so only stems are searched.
    stems = [stem for stem in dict.fromkeys(map(stem_word, words)) if stem in words]
    counts = {stem: count for stem in stems if (count := _count_word(db, stem))}
    numbers = (
        _find_candidates(db, sorted(counts, key=lambda stem: counts[stem]), counts, project) if counts else []
    )
    weights = {
        word: log1p(_COLLECTION_SIZE / counts[stem])
        for word in words
        if (stem := _counted_form(word, counts)) in counts
    }
    return sorted(_score(db, numbers, weights), reverse=True)[:max_rows]


def _count_word(db: Database, word: str) -> int:
    return int(
        db.execute(_COUNT_BY_WORDS, {"words": f'words : "{word}"', "most": MAX_FULL_RANKING}).fetchall()[0][0]
    )


def _counted_form(word: str, counts: Mapping[str, int]) -> str:
    return word if word in counts else stem_word(word)


def _find_candidates(
    db: Database, stems: Sequence[str], counts: Mapping[str, int], project: str | None
) -> list[int]:
    """Return candidates with a rare word; if none is rare, those with all words, then the newest with one."""
    queries = [" OR ".join(f'"{word}"' for word in _select_rare_words(stems, counts))]
    if counts[stems[0]] > MAX_CANDIDATES and len(stems) > 1:
        queries = [" AND ".join(f'"{word}"' for word in stems), *queries]
    numbers: list[int] = []
    for query in queries:
        if len(numbers) < MAX_CANDIDATES:
            numbers += _find_numbers(db, f"(words : ({query}))", MAX_CANDIDATES - len(numbers), project)
    return numbers


def _find_numbers(db: Database, query: str, max_rows: int, project: str | None) -> list[int]:
    """Return the newest matches; a search in the project only is slower, so it runs only if needed."""
    numbers = [
        number for (number,) in db.execute(_FIND_BY_WORDS, {"words": query, "most": max_rows}).fetchall()
    ]
    if project is None or not numbers:
        return numbers
    statement = f"{_COUNT_FOREIGN} AND number IN ({', '.join(map(str, numbers))})"
    if not db.execute(statement, {"project": project}).fetchall()[0][0]:
        return numbers
    values = {"words": f'{query} AND (whose : ("p{project.encode().hex()}" OR "p"))', "most": max_rows}
    return [number for (number,) in db.execute(_FIND_BY_WORDS, values).fetchall()]


def _select_rare_words(stems: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return the rarest words, at least one, that select at most `MAX_CANDIDATES` memories together."""
    rare, count = [stems[0]], counts[stems[0]]
    for word in stems[1:]:
        count += counts[word]
        if count > MAX_CANDIDATES:
            break
        rare.append(word)
    return rare


def _score(db: Database, numbers: Sequence[int], weights: Mapping[str, float]) -> Iterator[tuple[float, int]]:
    padded = [(f" {word} ", weight) for word, weight in weights.items()]
    statement = f"SELECT number, words FROM memories WHERE number IN ({', '.join(map(str, numbers))})"  # noqa: S608 -- numbers
    for number, words in db.execute(statement, {}).fetchall():
        text = f" {words} "
        yield sum([weight for word, weight in padded if word in text]), number
