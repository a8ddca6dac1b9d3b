"""Store in a PostgreSQL database, shared by several machines; requires `hookline[postgres]` and an address.

It raises `StoreFailed` if the server is unreachable or refuses; a server that comes back is used again.
"""

from collections.abc import Sequence

from hookline.core.install_commands import describe_missing
from hookline.core.store import Store, StoreFailed
from hookline.stores._sql import SqlDialect
from hookline.stores._sql_store import SqlStore

SCHEMES = ("postgresql://", "postgres://")


def open_store(place: str) -> Store:
    """Return the store in the database at the address *place*; create missing tables."""
    if not place.startswith(SCHEMES):
        raise StoreFailed(
            "the store 'postgres' requires an address: set "
            'store_address = "postgresql://user@host/database" '
            "in your own hookline.toml, or set HOOKLINE_STORE_ADDRESS"
        )
    try:
        from hookline.stores._postgres_pool import Server  # noqa: PLC0415 -- the extra postgres
    except ImportError as error:
        raise StoreFailed(describe_missing("postgres", "the store 'postgres'")) from error
    return SqlStore(Server(place, DIALECT))


def _format_words(words: Sequence[str], project: str | None) -> str:
    return " | ".join(f"'{word}'" for word in words)


DIALECT = SqlDialect(
    has_rule="jsonb_exists(CAST(rules AS jsonb), :rule)",
    find_text="strpos",
    match_query="""
        SELECT memories.*, ts_rank(found_by, CAST(:words AS tsquery)) AS score FROM memories
        WHERE found_by @@ CAST(:words AS tsquery)
    """,
    format_words=_format_words,
    lock_statement="SELECT pg_advisory_xact_lock(7205759404)",
)
