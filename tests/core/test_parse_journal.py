"""Test parsing an engine's journal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.parse_journal import Journal, is_number, parse_journal

HEAD = "iteration\tcommit\tmetric\tstatus\tdescription"
LOWER = "# metric_direction: lower val_loss (nats)"


def journal(*rows, head=HEAD, remark=LOWER):
    return parse_journal("/r/a.tsv", "\n".join(filter(None, (remark, head, *rows))) + "\n")


ROWS = (
    "0\tabc\t0.90\tbaseline\tas it was",
    "1\tbcd\t0.80\tkeep\tsmaller steps",
    "2\t-\t0.70\tdiscard\ttoo lucky",
    "3\t12345678\t\tcrash\tbroke",
    "4\tcde\t0.85\tkeep_reworked\tmended",
)


def test_everything_is_read_by_the_names_of_the_header():
    assert journal(*ROWS) == Journal(
        path="/r/a.tsv",
        header=tuple(HEAD.split("\t")),
        last=tuple(tuple(row.split("\t")) for row in ROWS[-3:]),
        count=4,
        metric="0.85",
        best="0.80",
        direction="lower",
        about="val_loss (nats)",
    )


def test_a_commit_of_digits_is_no_metric():
    assert journal(*ROWS[:4]).metric == "0.70"


@pytest.mark.parametrize(
    ("remark", "direction", "best"),
    [
        (LOWER, "lower", "0.80"),
        ("# metric_direction: higher", "higher", "0.90"),
        ("# metric_direction: maximize", "higher", "0.90"),
        ("# metric_direction: sideways", "", ""),
        ("", "", ""),
    ],
)
def test_the_best_goes_by_the_direction(remark, direction, best):
    found = journal(*ROWS, remark=remark)

    assert (found.direction, found.best) == (direction, best)


def test_what_the_journal_says_of_the_best_holds():
    assert journal("1\t0.5\t0.4", head="iteration\tmetric\tbest").best == "0.4"


@pytest.mark.parametrize("rows", [(), ("", "  ")])
def test_without_a_row_there_is_none(rows):
    assert journal(*rows) is None


def test_without_a_header_rows_are_counted():
    found = parse_journal("/r/a.tsv", "x\ty\nz\tw\n")

    assert (found.count, found.metric, found.summary) == (2, "", "2 iterations")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS, "4 iterations, metric 0.85, best 0.80 (lower is better)"),
        (ROWS[:2], "1 iteration, metric 0.80, best 0.80 (lower is better)"),
        (("0\tabc\t-\tcrash\tx",), "0 iterations"),
    ],
)
def test_it_fits_in_a_line(rows, said):
    assert journal(*rows).summary == said


@pytest.mark.parametrize(
    ("text", "whether"),
    [
        ("1", True),
        ("-0.5", True),
        ("1e-3", True),
        ("inf", False),
        ("nan", False),
        ("-", False),
        ("1_0", False),
        ("", False),
    ],
)
def test_numbers_are_told_from_words(text, whether):
    assert is_number(text) is whether


@given(st.text())
def test_whatever_stands_there_is_read(text):
    found = parse_journal("/r/a.tsv", text)

    assert found is None or (found.count >= 0 and len(found.last) <= 3 and found.summary)
