"""Which of very many memories fit a question best, without looking at all that have one of its words.

The index's own rank counts every memory of every word: that is the best there is for some thousands, and too
slow for a hundred thousand. Here rare words say which memories are looked at, and common ones only add to
their scores. A memory has a word once, so how rare its words are is all there is to weigh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log1p

from hookline.core.records import bare
from hookline.stores._sql import Database

FEW = 2_000
"""Memories of a project that the index ranks by itself; words of which more are known are equally common."""
LOOKED_AT = 300
"""Memories that words may bring together before the next one only adds to the scores."""
_MANY = 1e6
_IN = "SELECT rowid FROM memory_words WHERE memory_words MATCH :words ORDER BY rowid DESC LIMIT :most"
_COUNT = """
SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH :words LIMIT :most)
"""
_OWN = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE project = :project LIMIT :most)"
_OTHERS = "SELECT count(*) FROM memories WHERE +project NOT IN (:project, '')"
_ALL = "SELECT count(*) FROM (SELECT 1 FROM memories LIMIT :most)"


def best(
    db: Database, wanted: Sequence[str], project: str | None, most: int
) -> list[tuple[float, int]] | None:
    """Scores and numbers of the best of a large project; None where it is small enough to rank them all."""
    own = db.execute(_ALL if project is None else _OWN, {"project": project, "most": FEW}).fetchall()
    if own[0][0] < FEW:
        return None
    # Whoever has a word has it without its ending too: only those are looked for.
    stems = [stem for stem in dict.fromkeys(map(bare, wanted)) if stem in wanted]
    often = {stem: count for stem in stems if (count := _often(db, stem))}
    numbers = _looked_at(db, sorted(often, key=lambda stem: often[stem]), often, project) if often else []
    weights = {word: log1p(_MANY / often[stem]) for word in wanted if (stem := _stem(word, often)) in often}
    return sorted(_scored(db, numbers, weights), reverse=True)[:most]


def _often(db: Database, word: str) -> int:
    return int(db.execute(_COUNT, {"words": f'words : "{word}"', "most": FEW}).fetchall()[0][0])


def _stem(word: str, often: Mapping[str, int]) -> str:
    return word if word in often else bare(word)


def _looked_at(
    db: Database, known: Sequence[str], often: Mapping[str, int], project: str | None
) -> list[int]:
    """Those with a rare word; where there is none, those with every word before the newest with one."""
    ways = [" OR ".join(f'"{word}"' for word in _rare(known, often))]
    if often[known[0]] > LOOKED_AT and len(known) > 1:
        ways = [" AND ".join(f'"{word}"' for word in known), *ways]
    found: list[int] = []
    for way in ways:
        if len(found) < LOOKED_AT:
            found += _found(db, f"(words : ({way}))", LOOKED_AT - len(found), project)
    return found


def _found(db: Database, way: str, most: int, project: str | None) -> list[int]:
    """The newest: of them all where those are the project's, which is quicker than to look for its own."""
    found = [number for (number,) in db.execute(_IN, {"words": way, "most": most}).fetchall()]
    if project is None or not found:
        return found
    others = f"{_OTHERS} AND number IN ({', '.join(map(str, found))})"
    if not db.execute(others, {"project": project}).fetchall()[0][0]:
        return found
    own = {"words": f'{way} AND (whose : ("p{project.encode().hex()}" OR "p"))', "most": most}
    return [number for (number,) in db.execute(_IN, own).fetchall()]


def _rare(known: Sequence[str], often: Mapping[str, int]) -> list[str]:
    """As many of the rarest words as bring together not too many memories, and one at least."""
    rare, count = [known[0]], often[known[0]]
    for word in known[1:]:
        count += often[word]
        if count > LOOKED_AT:
            break
        rare.append(word)
    return rare


def _scored(
    db: Database, numbers: Sequence[int], weights: Mapping[str, float]
) -> Iterator[tuple[float, int]]:
    apart = [(f" {word} ", weight) for word, weight in weights.items()]
    asked = f"SELECT number, words FROM memories WHERE number IN ({', '.join(map(str, numbers))})"  # noqa: S608 -- numbers
    for number, words in db.execute(asked, {}).fetchall():
        text = f" {words} "
        yield sum([weight for word, weight in apart if word in text]), number
