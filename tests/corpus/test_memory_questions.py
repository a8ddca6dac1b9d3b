"""Test recall with a hundred questions: in 90 of them, the right memory must be among the first three.

The hundred memories are in one project, among a thousand ordinary ones about its components. Another project
has the same memories. The questions do not intentionally use the words of the answers.
"""

import json
import random
from contextlib import closing
from pathlib import Path

import pytest

from hookline.core.records import Memory
from hookline.stores import memory, sqlite

ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "memory_questions.jsonl").read_text().splitlines()
]
FIRST, NEEDED = 3, 90
COMPONENTS = """
catalogue checkout basket shipping returns reviews loyalty wishlist newsletter pricing stock supplier sitemap
warehouse courier refunds coupons accounts address gifts banners recommendations analytics consent chat
""".split()
ORDINARY = """
The {c} service reads its settings from config/{c}.toml and reloads them on SIGHUP
Decided to split {c} into two packages because builds took too long
Tests of {c} need a running database and are skipped in CI
Logs of {c} are rotated weekly and kept on the host
The {c} team reviews pull requests on Tuesdays
{c} was rewritten in Rust last year; the old branch is kept for reference
Never call the {c} API from the frontend, go through the gateway
The {c} endpoint returns 409 when two requests come at once
The {c} worker needs 2 GB of memory or it is killed
Run `make {c}` to build only that component
The {c} migration takes ten minutes in production, announce it first
We decided to cache {c} responses for five minutes
Errors of {c} are reported to the on-call channel
{c} depends on an old version of lxml, upgrade it together with the parser
The {c} page has its own stylesheet and does not use the design tokens
The schema of {c} is documented in docs/{c}.md
Use the fixture {c}_factory in tests instead of creating rows by hand
{c} sends one message a day to the queue at midnight
The {c} container is restarted every night because of a slow leak
The timeout of {c} was raised to 30 seconds after the incident in May
Metrics of {c} begin with {c}_ and are scraped every 15 seconds
Feature work on {c} is on hold until the next quarter
The {c} import must be run twice, the second time fixes the references
Only the nightly job may write to the {c} table
{c} uses its own user for the database with read access only
The {c} tests are slow because every one of them starts a browser
In {c} the names of files are lower case with dashes
Deploy {c} before checkout, never the other way round
The documentation of {c} is built by mkdocs and published on merge
Old {c} records are archived to object storage after a year
The {c} client retries three times and then gives up
Local development of {c} needs the environment variable {c}_DEBUG=1
The release of {c} is done by hand with the script in tools/release
Issue templates for {c} are in .github and ask for the version
The customer of {c} wants CSV exports with a header row
{c} runs on port 80 inside of the cluster and has no TLS of its own
The translation of {c} is missing for French
Passwords of {c} test accounts are in the vault under qa
The cursor of {c} is opaque to clients
The API version of {c} is in the path, not in a header
""".strip().splitlines()
NOW = 1_800_000_000.0


def fill(store):
    chance = random.Random(7)
    for number, row in enumerate(ROWS):
        at = NOW - chance.uniform(0, 30) * 86_400
        store.remember(Memory(id=f"m{number}", at=at, text=row["memory"], kind=row["kind"], project="/p"))
    ordinary = (text.replace("{c}", one) for text in ORDINARY for one in COMPONENTS)
    for number, text in enumerate(ordinary):
        at = NOW - chance.uniform(0, 30) * 86_400
        store.remember(Memory(id=f"x{number}", at=at, text=text, project="/p"))
    for number, row in enumerate(ROWS):
        store.remember(Memory(id=f"o{number}", at=NOW, text=row["memory"], project="/other"))


def missed(store):
    wrong = []
    for number, row in enumerate(ROWS):
        found = [one.id for one in store.recall(row["question"], project="/p", at=NOW, limit=FIRST)]
        if f"m{number}" not in found:
            wrong.append(row["question"])
    return wrong


def test_there_are_a_hundred():
    assert len({row["question"] for row in ROWS}) == len({row["memory"] for row in ROWS}) == 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sqlite", "memory"])
def test_the_right_memory_is_among_the_first_three(name, tmp_path):
    opened = sqlite.open_store(str(tmp_path / "db")) if name == "sqlite" else memory.open_store()
    with closing(opened) as store:
        fill(store)
        wrong = missed(store)
    print(f"{name}: {100 - len(wrong)} of 100; missed: {wrong}")

    assert 100 - len(wrong) >= NEEDED
