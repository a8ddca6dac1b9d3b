"""What a text of SQL, or of a document store's shell, would destroy."""

import re

LONGEST = 100_000
"""Characters of SQL that are looked at; a dump that long is no slip of the hand."""
_NOISE = re.compile(r"'(?:[^'\\]|\\.|'')*+'?|--[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_DROP = re.compile(
    r"(?i)\s*(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX|COLLECTION|KEYSPACE|USER|ROLE|SEQUENCE|TYPE|FUNCTION"
    r"|PROCEDURE|TRIGGER|EXTENSION|MATERIALIZED|TABLESPACE|OWNED|STREAM|WAREHOUSE|STAGE|PARTITION)\b|TRUNCATE\b"
    r"|ALTER\s+(?:TABLE|DATABASE)\s.*\bDROP\s+(?:COLUMN|PARTITION|CONSTRAINT)\b)",
    re.DOTALL,
)
_DELETE = re.compile(r"(?i)\s*(?:WITH\s.*)?DELETE\s+FROM\b", re.DOTALL)
_UPDATE = re.compile(r"(?i)\s*UPDATE\s+\S+\s+SET\b", re.DOTALL)
_WHERE = re.compile(r"(?i)\b(?:WHERE|LIMIT)\b")
_DOCUMENTS = re.compile(
    r"\.\s*(?:dropDatabase|drop|dropIndexes|dropUser|deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)"
)
_KEYS = frozenset({"flushall", "flushdb", "shutdown", "debug", "swapdb"})


def destroys(text: str) -> bool:
    """Whether a statement of *text* drops, empties or clears a whole table."""
    plain = _NOISE.sub(" ", text[:LONGEST])
    return any(_statement(one) for one in plain.split(";"))


def _statement(one: str) -> bool:
    if _DROP.match(one):
        return True
    return (_DELETE.match(one) or _UPDATE.match(one)) is not None and _WHERE.search(one) is None


def destroys_documents(code: str) -> bool:
    """Whether code for a document store drops something, or deletes without saying which."""
    return _DOCUMENTS.search(code[:LONGEST]) is not None


def destroys_keys(words: list[str]) -> bool:
    """Whether words for a key store clear all of it."""
    low = [word.lower() for word in words]
    return bool(low) and (low[0] in _KEYS or low[:2] in (["script", "flush"], ["function", "flush"]))
