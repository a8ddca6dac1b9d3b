"""Schema of the postgres store as migration steps: version n is the result of the first n steps.

A released step is never edited; a schema change is a new step at the end.
"""

from typing import Any

SCHEMA = "hookline"
LOCK = 7_205_759_403  # an arbitrary number that no other program uses

STEPS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            session text PRIMARY KEY, host text NOT NULL, cwd text NOT NULL, at double precision NOT NULL
        )
        """,
        """
        CREATE TABLE records (
            position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL UNIQUE, at double precision NOT NULL, session text NOT NULL, host text NOT NULL,
            event text NOT NULL, cwd text NOT NULL, tool text NOT NULL, summary text NOT NULL,
            action text NOT NULL, rules text NOT NULL, reason text NOT NULL, warnings text NOT NULL,
            trail text NOT NULL, ms double precision NOT NULL, counts text NOT NULL
        )
        """,
        "CREATE INDEX records_of_session ON records (session, position)",
        "CREATE INDEX records_by_age ON records (at)",
        """
        CREATE TABLE counters (
            session text NOT NULL, name text NOT NULL, value bigint NOT NULL, PRIMARY KEY (session, name)
        )
        """,
        """
        CREATE TABLE notes (
            session text NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (session, name)
        )
        """,
        """
        CREATE TABLE held (
            position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session text NOT NULL,
            text text NOT NULL
        )
        """,
        "CREATE INDEX held_of_session ON held (session)",
        # hookline has split the words already; the parser of the database would split them again.
        """
        CREATE TABLE memories (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
            at double precision NOT NULL, text text NOT NULL, kind text NOT NULL, tags text NOT NULL,
            project text NOT NULL, importance double precision NOT NULL, used double precision,
            uses bigint NOT NULL, words text NOT NULL,
            found_by tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED
        )
        """,
        "CREATE INDEX memories_by_words ON memories USING gin (found_by)",
        "CREATE INDEX memories_by_importance ON memories (importance, at)",
        """
        CREATE TABLE signatures (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, project text NOT NULL, key text NOT NULL,
            text text NOT NULL, seen bigint NOT NULL, first_seen double precision NOT NULL,
            last_seen double precision NOT NULL, fix text NOT NULL, UNIQUE (project, key)
        )
        """,
        "CREATE INDEX signatures_by_age ON signatures (last_seen)",
        "CREATE INDEX signatures_by_key ON signatures (key)",
        """
        CREATE TABLE handoffs (
            position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
            at double precision NOT NULL, session text NOT NULL, text text NOT NULL, project text NOT NULL,
            details text NOT NULL
        )
        """,
        "CREATE INDEX handoffs_of_project ON handoffs (project, at)",
        """
        CREATE TABLE experiments (
            run text NOT NULL, number bigint NOT NULL, at double precision NOT NULL, status text NOT NULL,
            revision text NOT NULL, metric double precision, description text NOT NULL, details text NOT NULL,
            PRIMARY KEY (run, number)
        )
        """,
    ),
    (
        "ALTER TABLE signatures ADD COLUMN command text NOT NULL DEFAULT ''",
        "ALTER TABLE signatures ADD COLUMN weight double precision NOT NULL DEFAULT 0",
        "CREATE INDEX signatures_with_fix ON signatures (project, last_seen) WHERE fix <> ''",
        "ALTER TABLE memories RENAME COLUMN importance TO confidence",
        """
        ALTER TABLE memories ADD COLUMN branch text NOT NULL DEFAULT '',
            ADD COLUMN issue text NOT NULL DEFAULT '', ADD COLUMN half_life double precision DEFAULT 90.0,
            ADD COLUMN pinned integer NOT NULL DEFAULT 0, ADD COLUMN relations text NOT NULL DEFAULT '[]',
            ADD COLUMN source text NOT NULL DEFAULT ''
        """,
        "DROP INDEX memories_by_importance",
        "CREATE INDEX memories_by_worth ON memories (pinned, confidence, at)",
        "CREATE INDEX memories_of_project ON memories (project, pinned, confidence, at)",
    ),
    ("ALTER TABLE sessions ADD COLUMN call text NOT NULL DEFAULT ''",),
    (
        """
        CREATE INDEX records_with_decision ON records (position) WHERE (action <> 'pass' OR warnings <> '[]')
        """,
    ),
    (
        "ALTER TABLE records ADD COLUMN subagent text NOT NULL DEFAULT ''",
        "ALTER TABLE records ADD COLUMN subagent_type text NOT NULL DEFAULT ''",
        """
        CREATE INDEX records_of_subagent ON records (session, subagent, position) WHERE subagent <> ''
        """,
    ),
)

LATEST_VERSION = len(STEPS)


def read_version(db: Any) -> int:
    """Return the version of the schema; 0 if it does not exist."""
    exists = db.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.version",)).fetchone()[0]
    return int(db.execute(f"SELECT number FROM {SCHEMA}.version").fetchone()[0]) if exists else 0


def migrate(db: Any) -> None:
    """Migrate the schema to `LATEST_VERSION` in one transaction; concurrent callers wait."""
    # Locked before the transaction starts, so that it sees what other processes have committed.
    db.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
    try:
        _run_steps(db)
    finally:
        db.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _run_steps(db: Any) -> None:
    with db.transaction():
        current = read_version(db)
        if not current:
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            db.execute(f"CREATE TABLE {SCHEMA}.version (number integer NOT NULL)")
            db.execute(f"INSERT INTO {SCHEMA}.version VALUES (0)")
        for statement in (statement for step in STEPS[current:] for statement in step):
            db.execute(statement)
        db.execute(f"UPDATE {SCHEMA}.version SET number = %s", (max(current, LATEST_VERSION),))
