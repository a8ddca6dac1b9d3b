"""Test the chart of a run."""

import re

import pytest

from hookline.engine.journal import Row
from hookline.engine.plot import ChartError, draw
from hookline.engine.target import Metric

METRIC = Metric(command="x", direction="lower", name="time $", unit="ms", target=2.0)


def row(number, status, metric=None, **more):
    return Row(iteration=number, timestamp=float(number), status=status, metric=metric, **more)


ROWS = [
    row(0, "baseline", 10.0, best=10.0),
    row(1, "keep", 8.0, best=8.0, mad=0.2),
    row(2, "discard", 9.0, best=8.0),
    row(3, "crash", None, best=8.0),
    row(4, "guard_failed", 1.0, best=8.0),
    row(5, "discard_noise", 7.9, best=8.0),
]


def test_a_chart_is_a_png_by_its_ending(tmp_path):
    draw(ROWS, METRIC, str(tmp_path / "a.png"), title="sort")

    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_a_chart_as_svg_says_what_it_shows_and_is_always_the_same(tmp_path):
    for name in ("a.svg", "b.svg"):
        draw(ROWS, METRIC, str(tmp_path / name), title="sort-261115-1200")

    text = (tmp_path / "a.svg").read_text()
    said = set(re.findall(r">([^<>\n]+)</text>", text))
    assert {"sort-261115-1200", "kept", "discarded", "guard failed", "noise", "baseline", "best"} <= said
    assert {"time $ (ms), lower is better", "experiment — 1 not measured", "target"} <= said
    assert (tmp_path / "b.svg").read_text() == text


def test_what_was_not_measured_is_no_point(tmp_path):
    draw([*ROWS[:2], *(row(n, "crash") for n in range(2, 9))], METRIC, str(tmp_path / "a.svg"))
    few = (tmp_path / "a.svg").read_text().count("<use ")
    draw(ROWS[:2], METRIC, str(tmp_path / "b.svg"))

    assert "7 not measured" in (tmp_path / "a.svg").read_text()
    assert few - (tmp_path / "b.svg").read_text().count("<use ") == 0


@pytest.mark.parametrize(
    ("rows", "name", "said"),
    [
        (ROWS, "a.gif", "expected a name that ends in png or svg"),
        (ROWS, "chart", "expected a name that ends in png or svg"),
        ([row(0, "crash")], "a.png", "this run has no measurements yet"),
        ([], "a.png", "this run has no measurements yet"),
    ],
)
def test_what_cannot_be_drawn_says_why(tmp_path, rows, name, said):
    with pytest.raises(ChartError) as error:
        draw(rows, METRIC, str(tmp_path / name))

    assert said in str(error.value)
    assert list(tmp_path.iterdir()) == []
