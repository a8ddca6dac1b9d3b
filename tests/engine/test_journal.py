import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core import parse_journal as seen_by_sessions
from hookline.core.values import replace
from hookline.engine import journal
from hookline.engine.journal import Journal, Row
from hookline.engine.target import Metric

METRIC = Metric(command="x", direction="lower", name="time", unit="ms")
BASE = Row(iteration=0, timestamp=1_700_000_000.0, status="baseline", commit="a" * 40, metric=3.5, best=3.5)
FULL = Row(
    iteration=1,
    timestamp=1_700_000_060.125,
    status="keep",
    commit="b" * 40,
    metric=0.1,
    delta=-3.4,
    guard="pass",
    guard_metric=97.0,
    best=0.1,
    samples=(0.1, 0.25),
    mad=0.05,
    p_value=0.0286,
    seconds=12.5,
    tokens_in=10,
    tokens_out=20,
    cost=0.5,
    tool_calls=3,
    worker="w1",
    base="a" * 40,
    description="sort in place",
)
SECRET = "a1B2" * 9
texts = st.text(max_size=40)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32)
rows = st.builds(
    Row,
    iteration=st.integers(0, 10**6),
    timestamp=st.integers(0, 4 * 10**9).map(float),
    status=st.sampled_from(journal.STATUSES),
    metric=numbers,
    delta=numbers,
    samples=st.lists(st.floats(-1e6, 1e6, width=32), max_size=4).map(tuple),
    tokens_in=st.none() | st.integers(0, 1 << 53),
    description=texts,
)


def test_the_table_says_first_which_way_is_better():
    first, second, *rest = (journal.format_header(METRIC) + journal.format_row(BASE)).splitlines()

    assert first == "# metric_direction: lower time (ms)"
    assert second.split("\t") == [
        "iteration",
        "timestamp",
        "commit",
        "metric",
        "delta",
        "guard",
        "guard-metric",
        "status",
        "best",
        "samples",
        "mad",
        "p-value",
        "seconds",
        "tokens-in",
        "tokens-out",
        "cost",
        "tool-calls",
        "worker",
        "base",
        "description",
    ]
    assert rest == [f"0\t2023-11-14T22:13:20.000Z\t{'a' * 40}\t3.5\t\t\t\tbaseline\t3.5" + "\t" * 11]


def test_a_row_is_read_as_it_was_written():
    text = journal.format_header(METRIC) + journal.format_row(BASE) + journal.format_row(FULL)

    assert journal.parse_table(text) == [BASE, FULL]


def test_sessions_are_told_of_the_same_table():
    told = seen_by_sessions.parse_journal(
        "p", journal.format_header(METRIC) + journal.format_row(BASE) + journal.format_row(FULL)
    )

    assert told
    assert (told.count, told.metric, told.best, told.direction) == (1, "0.1", "0.1", "lower")


def test_readers_go_by_names_and_pass_over_what_they_do_not_know():
    text = "# x\nmetric\tfuture\titeration\tstatus\ttimestamp\n2\tzz\t7\tkeep\t2023-11-14T22:13:20Z\tmore\n"

    assert journal.parse_table(text) == [
        Row(iteration=7, timestamp=1_700_000_000.0, status="keep", metric=2.0)
    ]


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_torn_last_line_is_no_row(cut):
    text = journal.format_header(METRIC) + journal.format_row(BASE) + journal.format_row(FULL)

    assert journal.parse_table(text[:-cut]) == [BASE]


@given(rows)
def test_whatever_a_row_holds_it_takes_one_line(row):
    text = journal.format_header(METRIC) + journal.format_row(row)
    (found,) = journal.parse_table(text)

    assert text.count("\n") == 3
    assert (found.iteration, found.status, found.tokens_in) == (row.iteration, row.status, row.tokens_in)
    assert (found.metric is None) == (row.metric is None)


@given(rows)
def test_nothing_is_lost_on_the_way_through_json_and_the_store(row):
    assert journal.from_json(journal.to_json(row)) == row
    assert journal.from_experiment(journal.to_experiment(row, "run")) == row


@pytest.mark.parametrize("harm", ["", "remove", "empty", "tear", "overwrite", "folder"])
def test_the_next_row_mends_what_an_agent_did_to_the_files(tmp_path, harm):
    folder = tmp_path / "run"
    book = Journal(str(folder), METRIC)
    book.append(BASE, ())
    for path in map(os.path.realpath, (book.table, book.jsonl)):
        if harm == "remove":
            os.unlink(path)
        elif harm:
            text = Path(path).read_text()
            changed = {"empty": "", "tear": text[:-5], "overwrite": "9\t9\n", "folder": text}[harm]
            Path(path).write_text(changed)
    if harm == "folder":
        for name in os.listdir(folder):
            os.unlink(folder / name)
        folder.rmdir()
    book.append(FULL, [BASE])
    book.append(FULL, [BASE])

    assert book.rows() == [BASE, FULL]
    assert Path(book.table).read_text() == journal.format_header(METRIC) + journal.format_row(
        BASE
    ) + journal.format_row(FULL)


WRONG = [
    *("5", "[]", '"x"', "null", "{", "[" * 9999, "{}", '{"iteration": 3}'),
    '{"iteration": 3, "timestamp": "2026-11-16T05:50:00Z", "status": "keep"}',
    '{"iteration": "3", "timestamp": 1800000000, "status": "keep"}',
    '{"iteration": true, "timestamp": 1800000000, "status": "keep"}',
    '{"iteration": -3, "timestamp": 1800000000, "status": "keep"}',
    '{"iteration": 3, "timestamp": 1e300, "status": "keep"}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "won"}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "keep", "metric": "7"}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "keep", "metric": NaN}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "keep", "description": 7}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "keep", "samples": 7}',
    '{"iteration": 3, "timestamp": 1800000000, "status": "keep", "details": []}',
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_row_is_passed_over(tmp_path, wrong):
    book = Journal(str(tmp_path), METRIC)
    book.append(BASE, ())
    Path(book.jsonl).write_text(f"{Path(book.jsonl).read_text()}{wrong}\n")

    assert book.rows() == [BASE]


def test_ends_of_lines_that_an_agent_writes_end_no_row(tmp_path):
    book, row = Journal(str(tmp_path), METRIC), replace(FULL, details={"reason": "a\u2028b\x85c\x0bd"})
    book.append(row, ())

    assert book.rows() == [row]


def test_a_status_that_is_none_is_refused():
    with pytest.raises(ValueError, match="invalid status 'won': expected one of baseline, keep"):
        Row(iteration=1, timestamp=0.0, status="won")


def test_a_description_is_one_line_without_secrets():
    told = journal.redact_row(
        Row(iteration=1, timestamp=0.0, status="keep", description=f"a\tb\nwith ghp_{SECRET}")
    )

    assert told.description.startswith("a b ")
    assert SECRET not in told.description
