"""A chart of a run: the metric of each experiment, which were kept, and the best so far.

Experiments without a measurement are not drawn; the axis label counts them.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hookline.core.install_commands import describe_missing
from hookline.engine.journal import Row
from hookline.engine.target import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg")
SIZE, DPI = (9.0, 5.0), 120
KEPT, DISCARDED, LINE = "#1a7f37", "#8c959f", "#0969da"
_STYLES = {
    "baseline": ("D", LINE, "baseline"),
    "keep": ("o", KEPT, "kept"),
    "keep_reworked": ("o", KEPT, "kept"),
    "discard_noise": ("v", "#bf8700", "noise"),
    "guard_failed": ("X", "#cf222e", "guard failed"),
}
_DEFAULT_STYLE = ("o", DISCARDED, "discarded")


class ChartError(Exception):
    """A chart that cannot be drawn; the message says why and how to fix it."""


def draw(rows: Sequence[Row], metric: Metric, path: str, *, title: str = "") -> None:
    """Write the chart to *path*, whose extension selects the format."""
    kind = os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in FORMATS:
        raise ChartError(
            f"unknown chart format {path!r}: expected a name that ends in {' or '.join(FORMATS)}"
        )
    if not any(row.metric is not None for row in rows):
        raise ChartError("this run has no measurements yet, so there is nothing to draw")
    try:
        import matplotlib as mpl  # noqa: PLC0415 -- heavy, and part of an extra
    except ImportError:
        raise ChartError(describe_missing("engine", "a chart")) from None
    # Text keeps an SVG searchable; a fixed salt gives the same file for the same run.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "hookline", "text.usetex": False}):
        _write_chart(rows, metric, title, path, kind)


def _write_chart(rows: Sequence[Row], metric: Metric, title: str, path: str, kind: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 -- as above
    from matplotlib.figure import Figure  # noqa: PLC0415 -- as above

    figure = Figure(figsize=SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _plot_points(axes, rows)
    _plot_best(axes, rows)
    _add_labels(axes, rows, metric, title)
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {}
    figure.savefig(path, format=kind, dpi=DPI, metadata=metadata)


def _x_positions(rows: Sequence[Row]) -> dict[int, int]:
    """Number experiments in the order in which they ended: parallel ones overlap."""
    first = min((row.iteration for row in rows), default=0)
    return {row.iteration: first + index for index, row in enumerate(rows)}


def _plot_points(axes: "Axes", rows: Sequence[Row]) -> None:
    positions = _x_positions(rows)
    for style in dict.fromkeys(_style(row) for row in rows if row.metric is not None):
        mark, colour, label = style
        points = [row for row in rows if row.metric is not None and _style(row) == style]
        x, values = [positions[row.iteration] for row in points], [row.metric or 0.0 for row in points]
        axes.errorbar(
            x,
            values,
            yerr=[row.mad or 0.0 for row in points] if any(row.mad for row in points) else None,
            fmt=mark,
            color=colour,
            markersize=7,
            linestyle="none",
            label=label,
            zorder=3,
        )


def _style(row: Row) -> tuple[str, str, str]:
    return _STYLES.get(row.status, _DEFAULT_STYLE)


def _plot_best(axes: "Axes", rows: Sequence[Row]) -> None:
    positions = _x_positions(rows)
    points = [(positions[row.iteration], row.best) for row in rows if row.best is not None]
    if points:
        x, best = zip(*points, strict=True)
        axes.step(x, best, where="post", color=LINE, linewidth=1.5, label="best", zorder=2)


def _add_labels(axes: "Axes", rows: Sequence[Row], metric: Metric, title: str) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 -- as above

    unit = f" ({metric.unit})" if metric.unit else ""
    unmeasured = sum(row.metric is None for row in rows)
    x_label = f"experiment — {unmeasured} not measured" if unmeasured else "experiment"
    if metric.target is not None:
        axes.axhline(metric.target, color=KEPT, linestyle=":", linewidth=1, label="target")
    axes.set_ylabel(_escape_dollars(f"{metric.name}{unit}, {metric.direction} is better"))
    axes.set_xlabel(x_label)
    axes.set_title(_escape_dollars(title))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(loc="best", fontsize="small")


def _escape_dollars(text: str) -> str:
    """Escape dollar signs, which would start a formula."""
    return text.replace("$", r"\$")
