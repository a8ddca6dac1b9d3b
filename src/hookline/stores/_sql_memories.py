"""Memories in SQL that every database of ours understands: rows in, values out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.ranking import asked, ranked, surest
from hookline.core.records import Memory, words_of
from hookline.stores._sql import Database, Dialect, Row, as_json, from_json
from hookline.stores._text import read, written

MOST = 100
"""Memories that are weighed in the end: the best by their words, or the surest where there are none."""

_TEXTS = ("id", "text", "kind", "project", "branch", "issue", "source")
_NUMBERS = ("at", "confidence", "half_life", "used", "uses")
_COLUMNS = (*_TEXTS, *_NUMBERS, "pinned", "tags", "relations")
_NAMES = ", ".join(_COLUMNS)
_KEPT = ("id", "used", "uses")
"""What stays as it is when a memory is remembered again."""
_REMEMBER = f"""
INSERT INTO memories ({_NAMES}, words) VALUES ({", ".join(f":{name}" for name in _COLUMNS)}, :words)
ON CONFLICT (id) DO UPDATE SET words = excluded.words,
    {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in _KEPT)}
"""  # noqa: S608 -- our names
_SUREST = "ORDER BY pinned DESC, confidence DESC, at DESC LIMIT :most"


def remember(db: Database, memory: Memory) -> None:
    values: dict[str, Any] = {name: written(getattr(memory, name)) for name in _TEXTS}
    values |= {name: getattr(memory, name) for name in _NUMBERS}
    values |= {"tags": as_json(memory.tags), "relations": as_json(memory.relations)}
    db.execute(_REMEMBER, {**values, "pinned": int(memory.pinned), "words": " ".join(words_of(memory))})


def recall(
    db: Database,
    text: str,
    near: Mapping[str, str | None],
    at: float | None,
    limit: int,
    dialect: Dialect,
) -> list[Memory]:
    wanted, most = asked(text), max(limit, MOST)
    if not wanted:
        return surest(_surest(db, near, most), at)[:limit]
    if dialect.best and limit <= MOST:
        project = near["project"]
        own = None if project is None else written(project)
        best = dialect.best(db, wanted, own, max(limit, MOST // 2))
        if best is not None:
            return ranked(_numbered(db, best, near), at)[:limit]
    return ranked(_with(db, wanted, near, most, dialect), at)[:limit]


def _with(
    db: Database, wanted: Sequence[str], near: Mapping[str, str | None], most: int, dialect: Dialect
) -> Iterator[tuple[float, Memory]]:
    where, values = _where(near)
    values |= {"most": most, "words": dialect.matching(wanted, values.get("project"))}
    # Rank first, read afterwards: of a hundred thousand that match, only those on top are looked at.
    statement = (
        f"SELECT score, {_NAMES} FROM ({dialect.found}) AS found{where} ORDER BY score DESC LIMIT :most"  # noqa: S608 -- our names
    )
    for score, *row in db.execute(statement, values).fetchall():
        yield score, _memory(tuple(row))


def _numbered(
    db: Database, best: Sequence[tuple[float, int]], near: Mapping[str, str | None]
) -> Iterator[tuple[float, Memory]]:
    """Those of the *best* that are near; looked up by their numbers alone, as no index does it."""
    scores = {number: score for score, number in best}
    statement = f"SELECT number, {_NAMES} FROM memories WHERE number IN ({', '.join(map(str, scores))})"  # noqa: S608 -- our names
    for number, *row in db.execute(statement, {}).fetchall():
        one = _memory(tuple(row))
        if all(value is None or getattr(one, name) in (value, "") for name, value in near.items()):
            yield scores[number], one


def _surest(db: Database, near: Mapping[str, str | None], most: int) -> Iterator[Memory]:
    """Of each project by itself, because so the index has them in their order."""
    project = near["project"]
    for one in (None,) if project is None else dict.fromkeys((project, "")):
        where, values = _where({**near, "project": None})
        if one is not None:
            where = f"{where} AND project = :project" if where else " WHERE project = :project"
            values["project"] = written(one)
        statement = f"SELECT {_NAMES} FROM memories{where} {_SUREST}"  # noqa: S608 -- our names
        for row in db.execute(statement, values | {"most": most}).fetchall():
            yield _memory(row)


def _where(near: Mapping[str, str | None]) -> tuple[str, dict[str, Any]]:
    values = {name: written(value) for name, value in near.items() if value is not None}
    where = " AND ".join(f"({name} = :{name} OR {name} = '')" for name in values)
    return (f" WHERE {where}" if where else ""), {**values}


def known(db: Database, ids: Sequence[str]) -> list[Memory]:
    statement = f"SELECT {_NAMES} FROM memories WHERE id = :id"  # noqa: S608 -- our names
    rows = (row for one in ids for row in db.execute(statement, {"id": written(one)}).fetchall())
    return [_memory(row) for row in rows]


def use(db: Database, ids: Sequence[str], at: float) -> None:
    for one in sorted(set(ids)):
        values = {"id": written(one), "at": at}
        db.execute("UPDATE memories SET used = :at, uses = uses + 1 WHERE id = :id", values)


def forget(db: Database, ids: Sequence[str]) -> int:
    related = "SELECT id, relations FROM memories WHERE relations <> '[]'"
    for other, relations in db.execute(related, {}).fetchall():
        left = [one for one in from_json(relations) if one[1] not in ids]
        if len(left) < len(from_json(relations)):
            values = {"id": other, "relations": as_json(left)}
            db.execute("UPDATE memories SET relations = :relations WHERE id = :id", values)
    gone = "DELETE FROM memories WHERE id = :id"
    return sum(db.execute(gone, {"id": written(one)}).rowcount for one in ids)


def _items(text: str) -> Any:
    return () if text == "[]" else from_json(text)


def _memory(row: Row) -> Memory:
    values = dict(zip(_COLUMNS, row, strict=True))
    values |= {name: read(values[name]) for name in _TEXTS}
    values |= {name: _items(values[name]) for name in ("tags", "relations")}
    return Memory(**{**values, "pinned": bool(values["pinned"])})
