"""Pack databases: data dropped, emptied or cleared by database clients."""

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.scratch import (
    LOCAL_URL,
    are_created,
    is_inside_created,
    is_local,
    is_temporary,
    uses_created_port,
)
from hookline.hooks._dangerous_command.tables import Split, table
from hookline.lazy import re
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

LONGEST = 100_000
"""Maximum number of characters of SQL that are examined; a longer dump is not an accident."""
_NOISE = re.compile(r"'(?:[^'\\]|\\.|'')*+'?|--[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_DROP = re.compile(
    r"(?i)\s*(?:DROP\s+[A-Z]{4,}\b|TRUNCATE\b|REMOVE\s+(?:TABLE|DATABASE|NAMESPACE)\b"
    r"|ALTER\s+(?:TABLE|DATABASE)\s.*\bDROP\s+(?:COLUMN|PARTITION|CONSTRAINT)\b)",
    re.DOTALL,
)
_DELETE = re.compile(
    r"(?i)\s*(?:(?:WITH|EXPLAIN\s+(?:\(\s*)?ANALY[SZ]E)\b.*)?DELETE\s+FROM\b|\s*ALTER\s+TABLE\s.*\bDELETE\b",
    re.DOTALL,
)
_UPDATE = re.compile(r"(?i)\s*UPDATE\s+\S+\s+SET\b", re.DOTALL)
_WHERE = re.compile(
    r"(?i)\b(?:WHERE(?!\s+(?:1\s*=\s*1|true|1|id\s+IS\s+NOT\s+NULL|id\s*>\s*0)\s*\Z)|LIMIT)\b"
)
_ROLLED_BACK = re.compile(
    r"(?i)\s*(?:BEGIN|START\s+TRANSACTION)\b(?:(?!\bCOMMIT\b|\bEND\b).)*\bROLLBACK\s*;?\s*\Z", re.DOTALL
)
_DOCUMENTS = re.compile(
    r"\.\s*(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsers|deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?[),]"
)
_SCRIPTED = re.compile(r"flushall|flushdb|call\(\s*['\"](?:del|unlink)['\"]")
"""Calls in a script for a key-value store that delete."""
_JOINED = re.compile(r"['\"]\s*\.\.\s*['\"]")
_COMPUTED = re.compile(r"call\(\s*[^'\"\s]")
"""Call in such a script of a command that is an argument of the script."""
_KEYS = frozenset({"flushall", "flushdb", "shutdown", "debug", "swapdb"})
_DELETING = _KEYS | {"del", "unlink"}
_KEY_PAIRS = frozenset({("script", "flush"), ("function", "flush")})
_KEY_PATHS = frozenset({("config", "set", "dir"), ("config", "set", "dbfilename")})
"""Settings with which a store overwrites any file."""


_CREATED = re.compile(
    r"(?i)\bCREATE\s+(?:(?:GLOBAL|LOCAL|OR\s+REPLACE|TEMP|TEMPORARY|UNLOGGED)\s+)*(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX"
    r"|TYPE|USER|ROLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"`]+)"
)
_NAMED = re.compile(
    r"(?i)\s*(?:DROP\s+\w+\s+(?:IF\s+EXISTS\s+)?|TRUNCATE\s+(?:TABLE\s+)?|DELETE\s+FROM\s+|UPDATE\s+)([\w.\"`]+)\s*"
    r"(?!\s*,)"
)


def destroys(text: str, before: str = "") -> bool:
    """Return whether a statement of *text* destroys a table that neither it nor *before* created."""
    plain = _NOISE.sub(" ", text[:LONGEST])
    if _ROLLED_BACK.match(plain):
        return False
    created = {name.lower() for name in _CREATED.findall(before[:LONGEST])}
    for statement in plain.split(";"):
        named = _NAMED.match(statement)
        if _destroys_table(statement) and not (named is not None and named[1].lower() in created):
            return True
        created.update(name.lower() for name in _CREATED.findall(statement))
    return False


def _destroys_table(statement: str) -> bool:
    if _DROP.match(statement):
        return True
    changes = _DELETE.match(statement) or _UPDATE.match(statement)
    return changes is not None and _WHERE.search(statement) is None


def destroys_documents(code: str) -> bool:
    """Return whether code for a document store drops something, or deletes without a filter."""
    return _DOCUMENTS.search(code[:LONGEST]) is not None


def destroys_keys(words: list[str]) -> bool:
    """Return whether a command for a key-value store clears all of it."""
    low = [word.lower() for word in words]
    if low[:1] in (["eval"], ["eval_ro"]) and len(low) > 1:
        computed = _COMPUTED.search(low[1]) is not None
        return is_deleting_script(low[1]) or (computed and not _DELETING.isdisjoint(low[2:]))
    return bool(low) and (low[0] in _KEYS or tuple(low[:2]) in _KEY_PAIRS or tuple(low[:3]) in _KEY_PATHS)


def is_deleting_script(code: str) -> bool:
    return _SCRIPTED.search(_JOINED.sub("", code.lower())) is not None


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
_VALUES = _SQL_OPTIONS | word_set(
    """-h -H -p -P -U -d -D -u -n -o -L -F -v --host --port --user --username --dbname --database --set
    --url --file -nullvalue -newline -separator --password"""
)
_GENERATED = re.compile(r"(?i)['\"](?:drop|truncate|delete\s+from)\b")
_SCRIPT = re.compile(r"(?i)(?:^|[/_.\s-])(?:drop|wipe|nuke|truncate|purge)[\w-]*\.sql\Z")
_READ_ONLY = word_set("-readonly --readonly --read-only --dry_run --dry-run --dry_run=true")


def _sql(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if any(word.text in _READ_ONLY or word.text == ":memory:" for word in words):
        return
    split = parse_options(words, _VALUES, mixed=True)
    values = [value for name, value in split.options if name in _SQL_OPTIONS and value is not None]
    pieces = [word.text for word in (*values, *split.operands)] + [command.stdin, command.script]
    before = "\n".join(_statements(earlier) for earlier in place.earlier())
    destructive = any(destroys(text, before) for text in pieces if " " in text.strip())
    if destructive or _is_generated(command, place) or _runs_script(command, place):
        database = split.value("-d", "--dbname", "--database", "-D")
        names = (*([database] if database is not None else []), *split.operands[:1])
        if not _is_scratch(command, names, place):
            yield DATABASES.find("sql-destroy", command)


def _is_generated(command: SimpleCommand, place: Place) -> bool:
    """Return whether another query prints the statements, and their text destroys something."""
    queries = (one for one in place.sources(command.stdin_origins) if one.name in _SQL)
    return any(_GENERATED.search(word.text) for query in queries for word in query.words)


def _runs_script(command: SimpleCommand, place: Place) -> bool:
    """Return whether a script is executed whose name announces a deletion: `psql -f drop_all.sql`."""
    sources = [word for source in place.sources(command.stdin_origins) for word in source.words]
    inputs = [redirect.target for redirect in command.redirects if redirect.op == "<"]
    return any(_SCRIPT.search(word.text) for word in (*command.words, *sources, *inputs))


def _statements(command: SimpleCommand) -> str:
    """Return the statements that an earlier command of the line executes."""
    return "\n".join((*(word.text for word in command.words), command.stdin)) if command.name in _SQL else ""


_TEST_NAME = re.compile(r"(?i)(?:.*_)?(?:tests?|testing|scratch|tmp)(?:_.*|\d*)")


def _is_test_database(names: tuple[Word, ...]) -> bool:
    texts = [name.text.partition("?")[0].rpartition("/")[2] for name in names]
    return bool(texts) and all(map(_TEST_NAME.fullmatch, texts))


def _is_scratch(command: SimpleCommand, names: tuple[Word, ...], place: Place) -> bool:
    """Return whether the database is a temporary file, or was created by the line."""
    if is_inside_created(command, place) or any(are_created(command, [name], place) for name in names):
        return True
    if uses_created_port(command, place) or (is_local(command) and _is_test_database(names[:1])):
        return True
    is_file = command.name.startswith(("sqlite", "duckdb", "litecli"))
    return is_file and bool(names) and is_temporary(names[0], command.cwd, place)


def _documents(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    pieces = [*(word.text for word in words), command.stdin, command.script]
    if any(map(destroys_documents, pieces)) and not is_inside_created(command, place):
        yield DATABASES.find("sql-destroy", command)


def _keys(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = parse_options(words, word_set("-h -p -a -n -u -s -r -i --user --pass --cacert")).operands
    lines = [line.split() for line in command.stdin.splitlines()[:100]]
    deletes = any(map(destroys_keys, [[word.text for word in operands], *lines]))
    deletes = deletes or is_deleting_script(command.script + command.stdin)
    created = is_inside_created(command, place) or uses_created_port(command, place)
    if (deletes or _deletes_all_keys(operands, place)) and not created:
        yield DATABASES.find("store-flush", command)


def _deletes_all_keys(operands: tuple[Word, ...], place: Place) -> bool:
    """Return whether the keys to delete come from a list of all keys."""
    if not operands or operands[0].text.lower() not in ("del", "unlink"):
        return False
    for source in place.sources(at for word in operands for at in word.origins):
        texts = [word.text.lower() for word in source.words]
        if source.name.endswith("-cli") and {"--scan", "keys"} & set(texts):
            return "*" in texts or ("--pattern" not in texts and texts[-1] in ("--scan", "*"))
    return False


_CLIENTS = """psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb sqlcmd usql snowsql clickhouse
    clickhouse-client cockroach bq cqlsh trino presto beeline hive impala-shell isql sqlplus
    litecli turso libsql snow spark-sql mssql-cli osql vsql ksql ysqlsh heroku fly flyctl aws gcloud supabase
    pscale railway databricks neonctl"""
_SQL = word_set(_CLIENTS)
_CLIENT_JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(_SQL, _sql),
    "invoke-sqlcmd": _sql,
    **dict.fromkeys(("mongo", "mongosh"), _documents),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), _keys),
}


def _is_test_setting(name: str, value: str) -> bool:
    """Return whether a variable or option selects test data: `RAILS_ENV=test`, `DATABASE_URL=…/app_test`."""
    if name.endswith(("_ENV", "_SETTINGS_MODULE")) or name in ("--env", "--settings"):
        return value.rpartition(".")[2].startswith("test")
    if _SCRATCH_URL.match(value):
        return True
    database = value.partition("?")[0].rpartition("/")[2]
    return LOCAL_URL.match(value) is not None and _TEST_NAME.fullmatch(database) is not None


_SCRATCH_URL = re.compile(r"(?:sqlite3?|file|duckdb):/{0,4}(?:tmp/|:memory:)|/tmp/|:memory:")


def _spares_created(command: SimpleCommand, split: Split, place: Place) -> bool:
    around = place.commands[max(0, place.index - len(command.via)) : place.index + 1]
    settings = [setting for one in around for setting in one.assignments]
    operands = (("", word.text) for word in split.operands)
    tests = any(_is_test_setting(*one) for one in (*settings, *split.given.items(), *operands))
    if tests or (command.name == "dropdb" and _is_test_database(split.operands[-1:])):
        return True
    return are_created(command, split.operands[-1:], place) or is_inside_created(command, place)


_DROP_JUDGES: Mapping[str, Judge] = table(
    DATABASES,
    """
    dropdb|dropuser|pg_dropcluster *                                   database-drop
    mysqladmin ...drop|shutdown                                        database-drop
    createdb|pg_restore -c|--clean                                     database-drop
    mongorestore --drop                                                database-drop
    supabase db reset --linked|--db-url                                database-drop
    prisma migrate reset                                               database-drop
    prisma db push --force-reset|--accept-data-loss                    database-drop
    prisma db execute <*drop*|*truncate*|*delete*                      database-drop
    drizzle-kit drop                                                   database-drop
    drizzle-kit push --force                                           database-drop
    wrangler d1 execute --command=*DROP*|--command=*TRUNCATE*|--command=*DELETE?FROM* !--local database-drop
    mix ecto.drop|ecto.reset                                           database-drop
    rails|rake ...db:drop*|db:reset*|db:migrate:reset*|db:purge*|db:schema:load*|db:truncate_all database-drop
    sequelize|sequelize-cli|typeorm|typeorm-ts-node-commonjs|typeorm-ts-node-esm @reset database-drop
    mikro-orm|db-migrate|console|spark|cake|phinx @reset database-drop
    wp|drush @reset                                                    database-drop
    sequelize|sequelize-cli ...*:undo:all                              database-drop
    knex ...migrate:rollback --all                                     database-drop
    phinx ...rollback -t=0                                             database-drop
    artisan|sail ...migrate:fresh|migrate:reset|migrate:refresh|db:wipe   database-drop
    manage.py|django-admin migrate * zero                              database-drop
    manage.py|django-admin flush|reset_db                              database-drop
    flask|alembic|aerich ...downgrade base                             database-drop
    migrate|goose|dbmate|rambler|diesel|sqlx|sea-orm-cli|atlas|flyway|liquibase|yoyo @reset database-drop
    migrate ...down -a|--all                                         database-drop
    goose|geni|sql-migrate ...reset|down-to                            database-drop
    dotnet ef database drop                                            database-drop
    dotnet ef database update 0                                        database-drop
    liquibase drop-all|dropAll|rollback-to-date|rollbackToDate         database-drop
    mvn|mvnw|gradle|gradlew ...flyway:clean|flywayClean|liquibase:dropAll|dropAll database-drop
    hasura migrate apply --down                                        database-drop
    airflow db reset|clean                                             database-drop
    nc|ncat|netcat|telnet * <flushall*|flushdb*|flush_all*             store-flush
    hasura|influx|etcdctl|dolt|pscale|neonctl|turso|edgedb|gel|xata|surreal|convex|fauna @delete database-drop
    edgedb|gel database|branch wipe                                    database-drop
    nodetool decommission|removenode|drain                             database-drop
    """,
    values="-u --user -h --host -p --port -P --password --schema --file --command --execute --down -t",
    spares=_spares_created,
)
TABLES = (_CLIENT_JUDGES, _DROP_JUDGES)
