"""Calls in code that delete data: queries, models of database libraries, and requests to clouds."""

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.databases import DATABASES, destroys, destroys_keys
from hookline.hooks._dangerous_command.machine import find_code
from hookline.hooks._dangerous_command.rule import Finding, Judge, Place
from hookline.lazy import re
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import word_set

_QUERY = re.compile(
    r"(?i)(?:execute\w*|query\w*|raw|exec|run|prepare|text|statement|unprepared|sql)\W{1,4}"
    r"[frbu]{0,2}([\"'`]{1,3})(.{5,2000}?)\1",
    re.DOTALL,
)
_VARIABLE_QUERY = re.compile(r"(?i)(?:execute\w*|query|raw|exec)\(\s*[a-z_]")
_DATABASE_LIBRARY = re.compile(
    r"(?i)\b(?:psycopg2?|sqlite3|pymysql|mysql2?|mysqlclient|mariadb|asyncpg|sqlalchemy|pg|knex|sequelize|typeorm"
    r"|prisma|PDO|DBI|ActiveRecord|Sequel|cx_Oracle|oracledb|pyodbc|duckdb)\b|database/sql|DATABASE_URL"
)
_LITERAL = re.compile(
    r"\"{3}.*?\"{3}|'{3}.*?'{3}|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`"
    r"|(?:^|(?<=\s))(?:\#|//)[^\n]*",
    re.DOTALL | re.MULTILINE,
)
"""A string or a comment."""
_NOTHING = r"\(\s*(?:\{\s*\})?\s*\)"
"""Arguments that select nothing."""
_DELETES_ALL = re.compile(
    "|".join(
        (
            rf"(?<!\))\.(?:(?:delete|destroy|truncate)_all|deleteMany|deleteAll\w*)\b(?:{_NOTHING}|(?![\w(!?]))",
            rf"(?<=\.all)(?:\(\))?\.(?:delete|destroy)(?:_all)?\b(?:{_NOTHING}|(?!\w|\())",
            rf"\.(?:dropDatabase|drop|(?:delete|remove)_many|flush_?(?:all|db))\s*{_NOTHING}",
            r"\.drop_all\(|\.FlushA(?:ll|LL)\(|\.FlushD[Bb]\(|\bsequelize\.drop\(|\bRepo\.delete_all\b",
            r"\.(?:drop_?(?:database|collection|tables?|schema)|truncate_table|indices\.delete|delete_by_query)\b",
            r"\.(?:objects|query)(?:\([\w., ]*\))?(?:\.all\(\))?\.delete\(\s*\)",
            r"\bexecute\(\s*(?:\w+\.)?delete\(\s*\w+\s*\)\s*\)|\b[A-Z]\w+\.delete\(\s*\)\.exec",
            r"\bDB\[:\w+\]\.(?:delete|truncate)\b|\b(?:knex|db|trx|table)\(\s*\)(?:\.|->)(?:del|delete|truncate)\(\s*\)",
            r"\bdb\.(?:drop|delete)\(\s*\w+\s*\)(?!\s*\.where)|\bAllowGlobalUpdate\b",
            r"\bgetRepository\(\w+\)\.(?:clear|delete)\(\s*(?:\{\s*\})?\s*\)|\.destroy\(\s*\{\s*(?:truncate|where:\s*\{\s*\})",
            r"\b[A-Z]\w+::(?:query\(\)->)?(?:truncate|delete)\(\s*\)|\bSchema::drop\w*\(|\.schema\.drop",
            r"\.sync(?:hronize)?\(\s*(?:\{\s*force:\s*)?true|\bobject(?:_version)?s\.(?:all\(\)\.)?delete\(",
        )
    ),
    re.IGNORECASE,
)
"""Calls of database libraries that delete all records, in code without its strings."""
_CLOUD_LIBRARY = re.compile(
    r"\b(?:boto3|botocore|google\.cloud|googleapiclient|azure\.\w+|kubernetes|docker|github|gitlab|stripe|hcloud|octokit"
    r"|digitalocean|cloudflare|openstack|linode_api4|hvac|aws-sdk)\b|@(?:google-cloud|azure|octokit|kubernetes)/|\bAws::"
)
_CLOUD_CALL = re.compile(
    r"\.(?:begin_|batch_)?(?:delete|terminate|destroy|purge|deregister|prune|empty|stop)(?:_\w+|[A-Z]\w*)?\("
    r"|\bnew\s+(?:Batch)?(?:Delete|Terminate|Purge|Deregister)\w*Command\("
)
_SCRATCH = re.compile(
    r":memory:|connect\(\s*['\"]/tmp/|tempfile|mkdtemp|\bmoto\b|mock_aws|sqlite:/+tmp"
    r"|://[^/\s'\"]*(?:localhost|127\.0\.0\.1)[^/\s'\"]*/\w*(?:test|scratch|tmp)"
)
_LOCAL = re.compile(r"://(?:localhost|127\.0\.0\.1)")


_STORE_LIBRARY = re.compile(r"(?i)\b(?:io)?redis\b|\bvalkey\b")
_STORE_CALL = re.compile(
    r"(?i)\.(?:eval\w*|execute_command|send_?command|register_script|call|do|script_load)\b"
)
"""Call that sends any command or script to a key-value store."""


def _clears_store(text: str, bare: str) -> bool:
    if _STORE_LIBRARY.search(text) is None or _STORE_CALL.search(bare) is None:
        return False
    literals = [literal.strip("\"'`").replace("\\", "") for literal in _LITERAL.findall(text)]
    return any(destroys_keys(one.split()) or destroys_keys(["eval", one, *literals]) for one in literals)


def _code(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    text = find_code(command)
    if not text.strip() or _SCRATCH.search(text):
        return
    bare = _LITERAL.sub("", text)
    queries = "\n;".join(match[1] for match in _QUERY.findall(text))
    if _VARIABLE_QUERY.search(bare) and _DATABASE_LIBRARY.search(text):
        queries += "\n;" + "\n;".join(literal.strip("\"'`") for literal in _LITERAL.findall(text))
    uses_cloud = _CLOUD_LIBRARY.search(text) and not _LOCAL.search(text)
    calls_cloud = uses_cloud and _CLOUD_CALL.search(bare)
    if _DELETES_ALL.search(bare) or (queries and destroys(queries)) or calls_cloud:
        yield DATABASES.find("sql-destroy", command)
    elif _clears_store(text, bare):
        yield DATABASES.find("store-flush", command)


JUDGES: Mapping[str, Judge] = dict.fromkeys(
    word_set(
        """python pypy perl ruby node nodejs deno bun php rails manage.py tsx ts-node elixir iex mix go java
        groovy julia Rscript jshell kotlin scala artisan console irb ipython flask pry"""
    ),
    _code,
)
