"""SQL for memories that all supported databases understand: rows in, values out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.ranking import find_search_words, rank, sort_by_confidence
from hookline.core.records import Memory, find_index_words
from hookline.stores._sql import Database, Row, SqlDialect, decode_text, encode_text, from_json, to_json

MAX_RANKED = 100
"""Maximum number of memories to rank: the best matches, or the most confident without a query."""

_TEXT_COLUMNS = ("id", "text", "kind", "project", "branch", "issue", "source")
_NUMBER_COLUMNS = ("at", "confidence", "half_life", "used", "uses")
_COLUMNS = (*_TEXT_COLUMNS, *_NUMBER_COLUMNS, "pinned", "tags", "relations")
_COLUMN_LIST = ", ".join(_COLUMNS)
_PRESERVED = ("id", "used", "uses")
"""Columns that do not change when a memory is written again."""
_REMEMBER = f"""
INSERT INTO memories ({_COLUMN_LIST}, words) VALUES ({", ".join(f":{name}" for name in _COLUMNS)}, :words)
ON CONFLICT (id) DO UPDATE SET words = excluded.words,
    {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in _PRESERVED)}
"""
_BY_CONFIDENCE = "ORDER BY pinned DESC, confidence DESC, at DESC LIMIT :most"


def write_memory(db: Database, memory: Memory) -> None:
    values: dict[str, Any] = {name: encode_text(getattr(memory, name)) for name in _TEXT_COLUMNS}
    values |= {name: getattr(memory, name) for name in _NUMBER_COLUMNS}
    values |= {"tags": to_json(memory.tags), "relations": to_json(memory.relations)}
    db.execute(
        _REMEMBER, {**values, "pinned": int(memory.pinned), "words": " ".join(find_index_words(memory))}
    )


def find_memories(
    db: Database,
    text: str,
    scope: Mapping[str, str | None],
    at: float | None,
    limit: int,
    dialect: SqlDialect,
) -> list[Memory]:
    words, max_rows = find_search_words(text), max(limit, MAX_RANKED)
    if not words:
        return sort_by_confidence(_most_confident(db, scope, max_rows), at)[:limit]
    if dialect.find_best and limit <= MAX_RANKED:
        project = scope["project"]
        stored_project = None if project is None else encode_text(project)
        best = dialect.find_best(db, words, stored_project, max(limit, MAX_RANKED // 2))
        if best is not None:
            return rank(_read_best(db, best, scope), at)[:limit]
    return rank(_match_words(db, words, scope, max_rows, dialect), at)[:limit]


def _match_words(
    db: Database, words: Sequence[str], scope: Mapping[str, str | None], max_rows: int, dialect: SqlDialect
) -> Iterator[tuple[float, Memory]]:
    where, values = _build_filter(scope)
    values |= {"most": max_rows, "words": dialect.format_words(words, values.get("project"))}
    # Rank before reading: of a hundred thousand matches only the best are read.
    statement = (
        f"SELECT score, {_COLUMN_LIST} FROM ({dialect.match_query}) AS found{where} "
        "ORDER BY score DESC LIMIT :most"
    )
    for score, *row in db.execute(statement, values).fetchall():
        yield score, _row_to_memory(tuple(row))


def _read_best(
    db: Database, best: Sequence[tuple[float, int]], scope: Mapping[str, str | None]
) -> Iterator[tuple[float, Memory]]:
    """Yield the *best* memories within *scope*; they are read by number alone, which is fastest."""
    scores = {number: score for score, number in best}
    statement = f"SELECT number, {_COLUMN_LIST} FROM memories WHERE number IN ({', '.join(map(str, scores))})"
    for number, *row in db.execute(statement, {}).fetchall():
        memory = _row_to_memory(tuple(row))
        if all(value is None or getattr(memory, name) in (value, "") for name, value in scope.items()):
            yield scores[number], memory


def _most_confident(db: Database, scope: Mapping[str, str | None], max_rows: int) -> Iterator[Memory]:
    """Yield the most confident memories, per project, because the index has them in that order."""
    project = scope["project"]
    for owner in (None,) if project is None else dict.fromkeys((project, "")):
        where, values = _build_filter({**scope, "project": None})
        if owner is not None:
            where = f"{where} AND project = :project" if where else " WHERE project = :project"
            values["project"] = encode_text(owner)
        statement = f"SELECT {_COLUMN_LIST} FROM memories{where} {_BY_CONFIDENCE}"
        for row in db.execute(statement, values | {"most": max_rows}).fetchall():
            yield _row_to_memory(row)


def _build_filter(scope: Mapping[str, str | None]) -> tuple[str, dict[str, Any]]:
    values = {name: encode_text(value) for name, value in scope.items() if value is not None}
    where = " AND ".join(f"({name} = :{name} OR {name} = '')" for name in values)
    return (f" WHERE {where}" if where else ""), {**values}


def read_memories(db: Database, ids: Sequence[str]) -> list[Memory]:
    statement = f"SELECT {_COLUMN_LIST} FROM memories WHERE id = :id"
    rows = (
        row for memory_id in ids for row in db.execute(statement, {"id": encode_text(memory_id)}).fetchall()
    )
    return [_row_to_memory(row) for row in rows]


def mark_used(db: Database, ids: Sequence[str], at: float) -> None:
    for memory_id in sorted(set(ids)):
        values = {"id": encode_text(memory_id), "at": at}
        db.execute("UPDATE memories SET used = :at, uses = uses + 1 WHERE id = :id", values)


def delete_memories(db: Database, ids: Sequence[str]) -> int:
    related = "SELECT id, relations FROM memories WHERE relations <> '[]'"
    for other, relations in db.execute(related, {}).fetchall():
        remaining = [item for item in from_json(relations) if item[1] not in ids]
        if len(remaining) < len(from_json(relations)):
            values = {"id": other, "relations": to_json(remaining)}
            db.execute("UPDATE memories SET relations = :relations WHERE id = :id", values)
    statement = "DELETE FROM memories WHERE id = :id"
    return sum(db.execute(statement, {"id": encode_text(item)}).rowcount for item in ids)


def _parse_list(text: str) -> Any:
    return () if text == "[]" else from_json(text)


def _row_to_memory(row: Row) -> Memory:
    values = dict(zip(_COLUMNS, row, strict=True))
    values |= {name: decode_text(values[name]) for name in _TEXT_COLUMNS}
    values |= {name: _parse_list(values[name]) for name in ("tags", "relations")}
    return Memory(**{**values, "pinned": bool(values["pinned"])})
