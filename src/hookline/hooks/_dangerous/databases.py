"""Pack databases: data dropped, emptied or cleared, by the tools that reach it."""

from collections.abc import Iterator, Mapping

from hookline.bash import Simple, Word
from hookline.bash.options import options, spelled
from hookline.hooks._dangerous.finding import Finding, Judge, Pack, Place
from hookline.hooks._dangerous.sql import destroys, destroys_documents, destroys_keys

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
_SQL_OPTIONS = spelled(
    """-c -e -q -Q --command --execute --query --sql -s --statement -f --eval --cmd --input-query --text
    -cmd --query-string"""
)
_VALUES = (
    spelled(
        """-h -H -p -P -U -d -D -u -n -o -L -F -v --host --port --user --username --dbname --database --set
    --url --file -nullvalue -newline -separator --password"""
    )
    | _SQL_OPTIONS
)
_READ_ONLY = spelled("-readonly --readonly --read-only")


def _sql(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if any(word.text in _READ_ONLY or word.text == ":memory:" for word in words):
        return
    split = options(words, _VALUES, mixed=True)
    given = [value for name, value in split.given if name in _SQL_OPTIONS and value is not None]
    pieces = [word.text for word in (*given, *split.operands)] + [command.stdin]
    if any(destroys(text) for text in pieces if " " in text.strip()):
        yield DATABASES.find("sql-destroy", command)


def _documents(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if any(map(destroys_documents, [*(word.text for word in words), command.stdin])):
        yield DATABASES.find("sql-destroy", command)


def _keys(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = options(words, spelled("-h -p -a -n -u -s -r -i --user --pass --cacert")).operands
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
