"""A run as a chart: its metric over the experiments, what was kept, and the best so far.

What was not measured is not drawn: it is counted below.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hookline.core.extras import missing
from hookline.engine.journal import Row
from hookline.engine.target import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg")
SIZE, DPI = (9.0, 5.0), 120
KEPT, LEFT, LINE = "#1a7f37", "#8c959f", "#0969da"
_LOOKS = {
    "baseline": ("D", LINE, "baseline"),
    "keep": ("o", KEPT, "kept"),
    "keep_reworked": ("o", KEPT, "kept"),
    "discard_noise": ("v", "#bf8700", "noise"),
    "guard_failed": ("X", "#cf222e", "guard failed"),
}
_OTHER = ("o", LEFT, "discarded")


class NotDrawn(Exception):
    """A chart that cannot be drawn; the message says why, and what to do."""


def draw(rows: Sequence[Row], metric: Metric, path: str, *, title: str = "") -> None:
    """Write the chart to *path*, whose ending says in which format."""
    kind = os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in FORMATS:
        raise NotDrawn(f"{path!r} does not say what to draw; let it end in {' or '.join(FORMATS)}")
    if not any(row.metric is not None for row in rows):
        raise NotDrawn("nothing has been measured in this run yet, so there is nothing to draw")
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- heavy, and of an extra
    except ImportError:
        raise NotDrawn(missing("engine", "a chart")) from None
    # As text an SVG can be searched, and the same run always gives the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "hookline", "text.usetex": False}):
        _drawn(rows, metric, title, path, kind)


def _drawn(rows: Sequence[Row], metric: Metric, title: str, path: str, kind: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 -- as above
    from matplotlib.figure import Figure  # noqa: PLC0415 -- as above

    figure = Figure(figsize=SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _points(axes, rows)
    _best(axes, rows)
    _labels(axes, rows, metric, title)
    about: dict[str, Any] = {"Date": None} if kind == "svg" else {}
    figure.savefig(path, format=kind, dpi=DPI, metadata=about)


def _places(rows: Sequence[Row]) -> dict[int, int]:
    """Experiments that were at work at once stand in the order in which they ended."""
    first = min((row.iteration for row in rows), default=0)
    return {row.iteration: first + at for at, row in enumerate(rows)}


def _points(axes: "Axes", rows: Sequence[Row]) -> None:
    places = _places(rows)
    for look in dict.fromkeys(_look(row) for row in rows if row.metric is not None):
        mark, colour, label = look
        these = [row for row in rows if row.metric is not None and _look(row) == look]
        at, values = [places[row.iteration] for row in these], [row.metric or 0.0 for row in these]
        axes.errorbar(
            at,
            values,
            yerr=[row.mad or 0.0 for row in these] if any(row.mad for row in these) else None,
            fmt=mark,
            color=colour,
            markersize=7,
            linestyle="none",
            label=label,
            zorder=3,
        )


def _look(row: Row) -> tuple[str, str, str]:
    return _LOOKS.get(row.status, _OTHER)


def _best(axes: "Axes", rows: Sequence[Row]) -> None:
    places = _places(rows)
    known = [(places[row.iteration], row.best) for row in rows if row.best is not None]
    if known:
        at, best = zip(*known, strict=True)
        axes.step(at, best, where="post", color=LINE, linewidth=1.5, label="best", zorder=2)


def _labels(axes: "Axes", rows: Sequence[Row], metric: Metric, title: str) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 -- as above

    unit = f" ({metric.unit})" if metric.unit else ""
    unmeasured = sum(row.metric is None for row in rows)
    below = f"experiment — {unmeasured} not measured" if unmeasured else "experiment"
    if metric.target is not None:
        axes.axhline(metric.target, color=KEPT, linestyle=":", linewidth=1, label="target")
    axes.set_ylabel(_plain(f"{metric.name}{unit}, {metric.direction} is better"))
    axes.set_xlabel(below)
    axes.set_title(_plain(title))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="best", fontsize="small")


def _plain(text: str) -> str:
    """A dollar sign would begin a formula."""
    return text.replace("$", r"\$")
