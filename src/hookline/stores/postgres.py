"""The store in a PostgreSQL database, for machines that share one: needs `hookline[postgres]` and an address.

It raises `StoreFailed` where the server cannot be reached or refuses; a server that comes back is used again.
"""

from collections.abc import Sequence

from hookline.core.extras import missing
from hookline.core.store import Store, StoreFailed
from hookline.stores._sql import Dialect
from hookline.stores._sql_store import SqlStore

SCHEMES = ("postgresql://", "postgres://")


def open_store(place: str) -> Store:
    """The store in the database at the address *place*, whose tables are made where they are missing."""
    if not place.startswith(SCHEMES):
        raise StoreFailed(
            "the store 'postgres' needs an address: say store_address = \"postgresql://user@host/database\" "
            "in your own hookline.toml, or set HOOKLINE_STORE_ADDRESS"
        )
    try:
        from hookline.stores._postgres_pool import Server  # noqa: PLC0415 -- the extra postgres
    except ImportError as error:
        raise StoreFailed(missing("postgres", "the store 'postgres'")) from error
    return SqlStore(Server(place, DIALECT))


def _matching(words: Sequence[str], project: str | None) -> str:
    return " | ".join(f"'{word}'" for word in words)


DIALECT = Dialect(
    has_rule="jsonb_exists(CAST(rules AS jsonb), :rule)",
    found="""
        SELECT memories.*, ts_rank(found_by, CAST(:words AS tsquery)) AS score FROM memories
        WHERE found_by @@ CAST(:words AS tsquery)
    """,
    matching=_matching,
    alone="SELECT pg_advisory_xact_lock(7205759404)",
)
