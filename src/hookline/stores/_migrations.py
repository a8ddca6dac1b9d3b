"""The schema of the sqlite store as steps: version n is what the first n steps make.

A step that was released is never edited; a change of the schema is a new step at the end.
"""

import sqlite3

STEPS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            session TEXT PRIMARY KEY, host TEXT NOT NULL, cwd TEXT NOT NULL, at REAL NOT NULL
        ) WITHOUT ROWID
        """,
        # AUTOINCREMENT: a reader that follows the trail by position must never see one twice.
        """
        CREATE TABLE records (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE, at REAL NOT NULL, session TEXT NOT NULL, host TEXT NOT NULL,
            event TEXT NOT NULL, cwd TEXT NOT NULL, tool TEXT NOT NULL, summary TEXT NOT NULL,
            action TEXT NOT NULL, rules TEXT NOT NULL, reason TEXT NOT NULL, warnings TEXT NOT NULL,
            trail TEXT NOT NULL, ms REAL NOT NULL, counts TEXT NOT NULL
        )
        """,
        "CREATE INDEX records_of_session ON records (session)",
        """
        CREATE TABLE counters (
            session TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (session, name)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE notes (
            session TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, name)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE held (
            position INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, text TEXT NOT NULL
        )
        """,
        "CREATE INDEX held_of_session ON held (session)",
    ),
    (
        """
        CREATE TABLE claims (
            session TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, at REAL NOT NULL, answered REAL,
            said TEXT NOT NULL DEFAULT '', PRIMARY KEY (session, name)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX claims_by_age ON claims (at)",
    ),
)

KNOWN = len(STEPS)


def version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection) -> None:
    """Bring the database up to `KNOWN`, each step whole or not at all."""
    for reached in range(version(db), KNOWN):
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in STEPS[reached]:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {reached + 1}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
