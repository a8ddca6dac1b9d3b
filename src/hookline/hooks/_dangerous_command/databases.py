"""Pack databases: data dropped, emptied or cleared by database clients."""

import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.tables import table
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

LONGEST = 100_000
"""Maximum number of characters of SQL that are examined; a longer dump is not an accident."""
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
    """Return whether a statement of *text* drops, empties or clears a whole table."""
    plain = _NOISE.sub(" ", text[:LONGEST])
    return any(_statement(one) for one in plain.split(";"))


def _statement(one: str) -> bool:
    if _DROP.match(one):
        return True
    return (_DELETE.match(one) or _UPDATE.match(one)) is not None and _WHERE.search(one) is None


def destroys_documents(code: str) -> bool:
    """Return whether code for a document store drops something, or deletes without a filter."""
    return _DOCUMENTS.search(code[:LONGEST]) is not None


def destroys_keys(words: list[str]) -> bool:
    """Return whether a command for a key-value store clears all of it."""
    low = [word.lower() for word in words]
    return bool(low) and (low[0] in _KEYS or low[:2] in (["script", "flush"], ["function", "flush"]))


DATABASES = Pack(
    "databases",
    {
        "sql-destroy": (
            "This drops, empties or overwrites data without saying which rows.",
            "Look at the rows first, and say which; keep a dump: `pg_dump NAME -f backup.sql`.",
        ),
        "database-drop": (
            "This deletes a whole database, or brings it back to its beginning.",
            "Make a new one under another name: `createdb NAME`.",
        ),
        "store-flush": (
            "This clears a whole store.",
            "Look with `redis-cli dbsize`, and delete single keys.",
        ),
    },
)
_SQL_OPTIONS = word_set(
    """-c -e -q -Q --command --execute --query --sql -s --statement -f --eval --cmd --input-query --text
    -cmd --query-string"""
)
_VALUES = (
    word_set(
        """-h -H -p -P -U -d -D -u -n -o -L -F -v --host --port --user --username --dbname --database --set
    --url --file -nullvalue -newline -separator --password"""
    )
    | _SQL_OPTIONS
)
_READ_ONLY = word_set("-readonly --readonly --read-only")


def _sql(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if any(word.text in _READ_ONLY or word.text == ":memory:" for word in words):
        return
    split = parse_options(words, _VALUES, mixed=True)
    given = [value for name, value in split.options if name in _SQL_OPTIONS and value is not None]
    pieces = [word.text for word in (*given, *split.operands)] + [command.stdin]
    if any(destroys(text) for text in pieces if " " in text.strip()):
        yield DATABASES.find("sql-destroy", command)


def _documents(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if any(map(destroys_documents, [*(word.text for word in words), command.stdin])):
        yield DATABASES.find("sql-destroy", command)


def _keys(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = parse_options(words, word_set("-h -p -a -n -u -s -r -i --user --pass --cacert")).operands
    lines = [line.split() for line in command.stdin.splitlines()[:100]]
    if any(map(destroys_keys, [[word.text for word in operands], *lines])):
        yield DATABASES.find("store-flush", command)


_CLIENTS = """psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb sqlcmd usql snowsql clickhouse
    clickhouse-client cockroach bq cqlsh trino presto beeline hive impala-shell isql sqlplus
    litecli turso libsql"""
JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(_CLIENTS.split(), _sql),
    **dict.fromkeys(("mongo", "mongosh"), _documents),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), _keys),
}


DROP_JUDGES: Mapping[str, Judge] = table(
    DATABASES,
    """
    dropdb|dropuser|pg_dropcluster *                                   database-drop
    mysqladmin ...drop|shutdown                                        database-drop
    createdb|pg_restore -c|--clean                                     database-drop
    mongorestore --drop                                                database-drop
    supabase db reset                                                  database-drop
    prisma migrate reset                                               database-drop
    prisma db push --force-reset|--accept-data-loss                    database-drop
    rails|rake ...db:drop*|db:reset*|db:purge*|db:schema:load*|db:truncate_all database-drop
    sequelize|sequelize-cli|typeorm|mikro-orm ...db:drop|schema:drop   database-drop
    knex ...migrate:rollback --all                                     database-drop
    artisan|sail migrate:fresh|migrate:reset|migrate:refresh|db:wipe   database-drop
    manage.py|django-admin flush|reset_db|sqlflush                     database-drop
    alembic downgrade base                                             database-drop
    flyway clean                                                       database-drop
    liquibase drop-all|dropAll                                         database-drop
    hasura|influx|etcdctl|dolt|pscale|neonctl|atlas @delete            database-drop
    nodetool decommission|removenode|drain                             database-drop
    """,
    values="-u --user -h --host -p --port -P --password",
)
