"""Schema of the sqlite store as migration steps: version n is the result of the first n steps.

A released step is never edited; a schema change is a new step at the end.
"""

from __future__ import annotations

import sqlite3

STEPS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            session TEXT PRIMARY KEY, host TEXT NOT NULL, cwd TEXT NOT NULL, at REAL NOT NULL
        ) WITHOUT ROWID
        """,
        # AUTOINCREMENT: a reader that follows the records by position must never see a position twice.
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
    (),  # created a table that is no longer used
    (
        "CREATE INDEX records_by_age ON records (at)",
        """
        CREATE TABLE memories (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at REAL NOT NULL, text TEXT NOT NULL,
            kind TEXT NOT NULL, tags TEXT NOT NULL, project TEXT NOT NULL, importance REAL NOT NULL,
            used REAL, uses INTEGER NOT NULL, words TEXT NOT NULL
        )
        """,
        "CREATE INDEX memories_by_importance ON memories (importance, at)",
        # hookline has split the words already; this tokenizer treats all non-ASCII characters as letters.
        """
        CREATE VIRTUAL TABLE memory_words USING fts5 (
            words, content = 'memories', content_rowid = 'number', tokenize = 'ascii'
        )
        """,
        """
        CREATE TRIGGER memory_remembered AFTER INSERT ON memories BEGIN
            INSERT INTO memory_words (rowid, words) VALUES (new.number, new.words);
        END
        """,
        """
        CREATE TRIGGER memory_forgotten AFTER DELETE ON memories BEGIN
            INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', old.number, old.words);
        END
        """,
        """
        CREATE TRIGGER memory_reworded AFTER UPDATE OF words ON memories BEGIN
            INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', old.number, old.words);
            INSERT INTO memory_words (rowid, words) VALUES (new.number, new.words);
        END
        """,
        """
        CREATE TABLE signatures (
            number INTEGER PRIMARY KEY, project TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL,
            seen INTEGER NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL, fix TEXT NOT NULL,
            UNIQUE (project, key)
        )
        """,
        "CREATE INDEX signatures_by_age ON signatures (last_seen)",
        "CREATE INDEX signatures_by_key ON signatures (key)",
        """
        CREATE TABLE handoffs (
            position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at REAL NOT NULL,
            session TEXT NOT NULL, text TEXT NOT NULL, project TEXT NOT NULL, details TEXT NOT NULL
        )
        """,
        "CREATE INDEX handoffs_of_project ON handoffs (project, at)",
        """
        CREATE TABLE experiments (
            run TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, status TEXT NOT NULL,
            revision TEXT NOT NULL, metric REAL, description TEXT NOT NULL, details TEXT NOT NULL,
            PRIMARY KEY (run, number)
        ) WITHOUT ROWID
        """,
    ),
    (
        "ALTER TABLE signatures ADD COLUMN command TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE signatures ADD COLUMN weight REAL NOT NULL DEFAULT 0",
        "CREATE INDEX signatures_with_fix ON signatures (project, last_seen) WHERE fix <> ''",
        "ALTER TABLE memories RENAME COLUMN importance TO confidence",
        "ALTER TABLE memories ADD COLUMN branch TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN issue TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE memories ADD COLUMN half_life REAL DEFAULT 90.0",
        "ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE memories ADD COLUMN relations TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE memories ADD COLUMN source TEXT NOT NULL DEFAULT ''",
        # The project as one indexed word, so that memories of other projects do not slow a search.
        "ALTER TABLE memories ADD COLUMN whose TEXT GENERATED ALWAYS AS ('p' || hex(project)) VIRTUAL",
        "DROP INDEX memories_by_importance",
        "CREATE INDEX memories_by_worth ON memories (pinned, confidence, at)",
        "CREATE INDEX memories_of_project ON memories (project, pinned, confidence, at)",
        "DROP TRIGGER memory_remembered",
        "DROP TRIGGER memory_forgotten",
        "DROP TRIGGER memory_reworded",
        "DROP TABLE memory_words",
        """
        CREATE VIRTUAL TABLE memory_words USING fts5 (
            words, whose, content = 'memories', content_rowid = 'number', tokenize = 'ascii'
        )
        """,
        "INSERT INTO memory_words (memory_words) VALUES ('rebuild')",
        """
        CREATE TRIGGER memory_remembered AFTER INSERT ON memories BEGIN
            INSERT INTO memory_words (rowid, words, whose) VALUES (new.number, new.words, new.whose);
        END
        """,
        """
        CREATE TRIGGER memory_forgotten AFTER DELETE ON memories BEGIN
            INSERT INTO memory_words (memory_words, rowid, words, whose)
            VALUES ('delete', old.number, old.words, old.whose);
        END
        """,
        """
        CREATE TRIGGER memory_reworded AFTER UPDATE OF words, project ON memories BEGIN
            INSERT INTO memory_words (memory_words, rowid, words, whose)
            VALUES ('delete', old.number, old.words, old.whose);
            INSERT INTO memory_words (rowid, words, whose) VALUES (new.number, new.words, new.whose);
        END
        """,
    ),
    ("ALTER TABLE sessions ADD COLUMN call TEXT NOT NULL DEFAULT ''",),
    (
        """
        CREATE INDEX records_with_decision ON records (position) WHERE (action <> 'pass' OR warnings <> '[]')
        """,
    ),
    (
        "ALTER TABLE records ADD COLUMN subagent TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE records ADD COLUMN subagent_type TEXT NOT NULL DEFAULT ''",
        """
        CREATE INDEX records_of_subagent ON records (session, subagent, position) WHERE subagent <> ''
        """,
    ),
)

LATEST_VERSION = len(STEPS)


def read_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection) -> None:
    """Migrate the database to `LATEST_VERSION`, each step in one transaction."""
    for current in range(read_version(db), LATEST_VERSION):
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in STEPS[current]:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {current + 1}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
