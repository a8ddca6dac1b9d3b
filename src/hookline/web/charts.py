"""Charts as SVG: the experiments of a run, runs compared, and bars. Styles come from the stylesheet."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from markupsafe import Markup, escape

from hookline.engine.journal import Row

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 34
TICKS = 4


class Scale:
    """Maps values to pixels."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self.low, self.high = _widen(min(ys), max(ys))
        self.first, self.last = min(xs), max(*xs, min(xs) + 1)

    def x(self, value: float) -> float:
        return LEFT + (value - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _widen(low: float, high: float) -> tuple[float, float]:
    margin = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    return low - margin, high + margin


def draw_run(rows: Sequence[Row], title: str) -> Markup:
    """Draw the metric of each experiment, the best so far, and the noise of the best as a band.

    An experiment without a metric is drawn at the bottom.
    """
    values = [row.metric for row in rows if row.metric is not None]
    if not values:
        return Markup("")
    best = [
        (float(index), row.best, _noise(rows, index))
        for index, row in enumerate(rows)
        if row.best is not None
    ]
    edges = [edge for _, value, noise in best for edge in (value - noise, value + noise)]
    scale = Scale([0.0, float(len(rows) - 1)], [*values, *edges])
    marks = [_mark(scale, index, row) for index, row in enumerate(rows)]
    band = _band(scale, best)
    line = _step_line(scale, [(x, value) for x, value, _ in best], "best")
    return _frame(scale, title, "experiment", [band, line, *marks])


def _noise(rows: Sequence[Row], index: int) -> float:
    """Return the noise of the best result at *index*: the deviation of the samples of that experiment."""
    kept = [row for row in rows[: index + 1] if row.kept and row.mad is not None]
    return kept[-1].mad or 0.0 if kept else 0.0


def _mark(scale: Scale, index: int, row: Row) -> str:
    metric = "no metric" if row.metric is None else f"{row.metric:g}"
    text = f"{row.iteration}: {row.status}, {metric} {row.description}"
    kind = (
        "kept"
        if row.kept
        else "crashed"
        if row.metric is None or row.status in ("crash", "timeout", "guard_failed")
        else "discarded"
    )
    x, y = scale.x(index), scale.y(scale.low if row.metric is None else row.metric)
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(text)}</title></circle>'


def _band(scale: Scale, best: Sequence[tuple[float, float, float]]) -> str:
    if not any(noise for *_, noise in best):
        return ""
    upper = _corners([(x, value + noise) for x, value, noise in best])
    lower = _corners([(x, value - noise) for x, value, noise in best])
    points = " ".join(f"{scale.x(x):.1f},{scale.y(value):.1f}" for x, value in (*upper, *reversed(lower)))
    return f'<polygon class="band" points="{points}"/>'


def _corners(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points of a line that keeps each value until the next."""
    corners = list[tuple[float, float]]()
    for x, value in points:
        corners += [(x, corners[-1][1] if corners else value), (x, value)]
    return corners


def _step_line(scale: Scale, points: Sequence[tuple[float, float]], kind: str) -> str:
    corners = [f"{scale.x(x):.1f},{scale.y(value):.1f}" for x, value in _corners(points)]
    return f'<polyline class="line {kind}" points="{" ".join(corners)}"/>' if corners else ""


def draw_comparison(runs: Mapping[str, Sequence[float]]) -> Markup:
    """Draw the best results of several runs, in percent of each run's baseline."""
    series = {name: values for name, values in runs.items() if values}
    if not series:
        return Markup("")
    longest = max(len(values) for values in series.values())
    scale = Scale([0.0, float(longest - 1)], [value for values in series.values() for value in values])
    lines = [
        _step_line(scale, [*enumerate(map(float, values))], f"series{number % 6}")
        for number, values in enumerate(series.values())
    ]
    return _frame(scale, "best, in percent of the baseline", "experiment", lines)


def _frame(scale: Scale, title: str, x_label: str, parts: Iterable[str]) -> Markup:
    ticks = [scale.low + (scale.high - scale.low) * step / TICKS for step in range(TICKS + 1)]
    grid = [
        f'<path class="grid" d="M{LEFT},{scale.y(tick):.1f}H{WIDTH - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{scale.y(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
        for tick in ticks
    ]
    label = (
        f'<text class="tick" x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    )
    return _svg(title, [*grid, label, *parts])


def draw_bars(bars: Sequence[tuple[str, float]], unit: str) -> Markup:
    """Draw one bar for each name."""
    shown = [(name, value) for name, value in bars if isfinite(value)]
    if not any(value for _, value in shown):
        return Markup("")
    top = max(value for _, value in shown)
    step = (WIDTH - LEFT - RIGHT) / len(shown)
    room = HEIGHT - TOP - BOTTOM
    parts = [
        f'<rect class="bar" x="{LEFT + index * step + step * 0.1:.1f}" width="{step * 0.8:.1f}" '
        f'y="{HEIGHT - BOTTOM - value / top * room:.1f}" height="{value / top * room:.1f}">'
        f"<title>{escape(name)}: {value:,.2f} {escape(unit)}</title></rect>"
        for index, (name, value) in enumerate(shown)
    ]
    right = f'x="{WIDTH - RIGHT}" text-anchor="end"'
    edge = f'x="{LEFT - 6}" text-anchor="end"'
    labels = [
        f'<text class="tick" x="{LEFT}" y="{TOP - 3}">{top:,.4g} {escape(unit)}</text>',
        f'<text class="tick" {edge} y="{HEIGHT - BOTTOM}">0</text>',
        f'<text class="tick" x="{LEFT}" y="{HEIGHT - 10}">{escape(shown[0][0])}</text>',
        f'<text class="tick" {right} y="{HEIGHT - 10}">{escape(shown[-1][0])}</text>',
    ]
    return _svg(unit, [*parts, *(labels if len(shown) > 1 else labels[:3])])


def _svg(title: str, parts: Iterable[str]) -> Markup:
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
    return Markup(f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>")  # noqa: S704 -- escaped above
