"""Conversion of reports to metrics: the table of figures, and the durations and outcomes of hooks.

Counters are sent as differences, because no process runs long enough to send totals.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader, MetricsData

from hookline.core.metrics import FIGURES
from hookline.core.sink import Report
from hookline.sinks._otel_spans import make_resource

TEMPORALITY: dict[type, AggregationTemporality] = {
    Counter: AggregationTemporality.DELTA,
    Histogram: AggregationTemporality.DELTA,
}
WORD_FIGURES = {figure.name for figure in FIGURES if figure.sort == "word"}
"""Figures whose values are attributes of the others."""


def make_metrics(reports: Sequence[Report], service: str) -> MetricsData | None:
    """Return the metrics that *reports* add."""
    reader = InMemoryMetricReader(preferred_temporality=TEMPORALITY)
    provider = MeterProvider([reader], resource=make_resource(service), shutdown_on_exit=False)
    meter = provider.get_meter("hookline")
    instruments = dict(_make_instruments(meter))
    for report in reports:
        for name, value, attributes in _measure(report):
            instrument = instruments[name]
            (instrument.add if hasattr(instrument, "add") else instrument.record)(value, attributes)
    data = reader.get_metrics_data()
    provider.shutdown()
    return data


def _make_instruments(meter: Meter) -> Iterator[tuple[str, Any]]:
    for figure in FIGURES:
        name = f"hookline.{figure.name}"
        if figure.sort == "count":
            yield name, meter.create_counter(name, figure.unit, figure.about)
        elif figure.sort == "amount":
            yield name, meter.create_histogram(name, figure.unit, figure.about)
    for name, about in COUNTERS.items():
        yield name, meter.create_counter(name, "1", about)
    yield (
        "hookline.hook.duration",
        meter.create_histogram("hookline.hook.duration", "s", "duration of a hook"),
    )
    yield (
        "gen_ai.client.token.usage",
        meter.create_histogram("gen_ai.client.token.usage", "{token}", "tokens of a model call"),
    )


COUNTERS = {
    "hookline.events": "judged events",
    "hookline.hook.outcomes": "verdicts of hooks",
    "hookline.hook.failures": "hooks that failed or timed out",
}


def _measure(report: Report) -> Iterator[tuple[str, float, dict[str, Any]]]:
    common = {"hookline.host": report.host, "hookline.event": report.event}
    words = {f"hookline.{name}": value for name, value in report.figures.items() if name in WORD_FIGURES}
    yield "hookline.events", 1, {**common, "hookline.decision": report.action}
    measured = {figure.name for figure in FIGURES if report.event in figure.on and figure.sort != "word"}
    for name, value in report.figures.items():
        if name in measured:
            yield f"hookline.{name}", value, {**common, **words}
    yield from _measure_tokens(report)
    for run in report.hooks:
        hook = {**common, "hookline.hook.name": run.hook}
        yield "hookline.hook.duration", run.ms / 1000, hook
        yield "hookline.hook.outcomes", 1, {**hook, "hookline.hook.outcome": run.action}
        if run.failure:
            yield "hookline.hook.failures", 1, {**hook, "error.type": run.failure}


def _measure_tokens(report: Report) -> Iterator[tuple[str, float, dict[str, Any]]]:
    for direction in ("input", "output"):
        value = report.figures.get(f"tokens.{direction}")
        if value is not None:
            model = {"gen_ai.request.model": report.model} if report.model else {}
            attributes = {"gen_ai.operation.name": "chat", "gen_ai.token.type": direction, **model}
            yield "gen_ai.client.token.usage", value, {**attributes, "gen_ai.provider.name": report.host}
