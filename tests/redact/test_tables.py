"""Test redaction of secrets in the cells of tables; other cells stay."""

from pathlib import Path

import pytest

from hookline.redact import redact

VALUE = "e3b3f8a94e6b1c3005f13ec9"
TABLES = {
    "names and values": (
        "NAME            VALUE\nAPP_ENV         production\nDB_PASSWORD     {}\n",
        "password",
    ),
    "one line": ("API_TOKEN    {}", "token"),
    "a tab": ("DB_PASSWORD\t{}\n", "password"),
    "more columns": ("secret_key      {}   config-file   ~/.x/config\n", "secret"),
    "an indented row": ("  Data\n    clientSecret    {}\n", "secret"),
    "borders": ("| Name | Value |\n|---|---|\n| API_TOKEN | {} |\n", "token"),
    "borders of boxes": ("│ DB_PASSWORD │ {} │\n", "password"),
    "an expanded record": ("-[ RECORD 1 ]\nuser     | ann\npassword | {}\n", "password"),
    "a quoted row": ('{{"out": "DB_PASSWORD    {}"}}', "password"),
    "a column": ("NAME      PASSWORD                   AGE\nmain-db   {}   3d\n", "password"),
    "the last column": ("NAME      TYPE    PASSWORD\nmain-db   main    {}\n", "password"),
    "a column with borders": (
        "+----+---------+\n| id | api_key |\n+----+---------+\n|  1 | {} |\n",
        "api-key",
    ),
    "a column of a query": (" id | password\n----+----------\n  1 | {}\n(1 row)\n", "password"),
    "a column of CSV": ("name,url,username,password\nx,https://x.test,ann,{}\n", "password"),
    "a column of quoted CSV": ('"name","password"\n"x","{}"\n', "password"),
    "a column of TSV": ("user\tpassword\nann\t{}\n", "password"),
    "a table after another": (
        "Key         Value\nuser        ann\nNAME      PASSWORD    AGE\nmain-db   {}   3d\n",
        "password",
    ),
    "a column in a string": ("echo 'NAME      PASSWORD\nmain-db   {}'\n", "password"),
}
KEPT = {
    name: text
    for part in (Path(__file__).parents[1] / "corpus" / "kept_tables.txt").read_text().split("== ")[1:]
    for name, text in [part.split("\n", 1)]
}


@pytest.mark.parametrize("table", TABLES)
def test_a_secret_in_a_table_goes(table):
    text, kind = TABLES[table]

    assert redact(text.format(VALUE)) == text.format(f"[redacted:{kind}]")


@pytest.mark.parametrize("table", KEPT)
def test_tables_of_everyday_programs_stay(table):
    assert redact(KEPT[table]) == KEPT[table]
