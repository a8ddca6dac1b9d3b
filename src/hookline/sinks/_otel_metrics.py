"""Reports as metrics: the table of figures, and what every hook took and said.

What is counted is sent as the difference to what was sent before: no process lives long enough for a sum.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader, MetricsData

from hookline.core.metrics import FIGURES
from hookline.core.sink import Report
from hookline.sinks._otel_spans import resource

DELTA: dict[type, AggregationTemporality] = {
    Counter: AggregationTemporality.DELTA,
    Histogram: AggregationTemporality.DELTA,
}
WORDS = {one.name for one in FIGURES if one.sort == "word"}
"""The figures that say of which sort the others are."""


def metrics(reports: Sequence[Report], service: str) -> MetricsData | None:
    """What the *reports* add."""
    reader = InMemoryMetricReader(preferred_temporality=DELTA)
    provider = MeterProvider([reader], resource=resource(service), shutdown_on_exit=False)
    meter = provider.get_meter("hookline")
    instruments = dict(_instruments(meter))
    for one in reports:
        for name, value, attributes in _measured(one):
            instrument = instruments[name]
            (instrument.add if hasattr(instrument, "add") else instrument.record)(value, attributes)
    data = reader.get_metrics_data()
    provider.shutdown()
    return data


def _instruments(meter: Meter) -> Iterator[tuple[str, Any]]:
    for one in FIGURES:
        name = f"hookline.{one.name}"
        if one.sort == "count":
            yield name, meter.create_counter(name, one.unit, one.about)
        elif one.sort == "amount":
            yield name, meter.create_histogram(name, one.unit, one.about)
    for name, about in OURS.items():
        yield name, meter.create_counter(name, "1", about)
    yield (
        "hookline.hook.duration",
        meter.create_histogram("hookline.hook.duration", "s", "how long a hook took"),
    )
    yield (
        "gen_ai.client.token.usage",
        meter.create_histogram("gen_ai.client.token.usage", "{token}", "tokens of a call of the model"),
    )


OURS = {
    "hookline.events": "events that were judged",
    "hookline.hook.outcomes": "what hooks said",
    "hookline.hook.failures": "hooks that failed or took too long",
}


def _measured(one: Report) -> Iterator[tuple[str, float, dict[str, Any]]]:
    common = {"hookline.host": one.host, "hookline.event": one.event}
    sorts = {f"hookline.{name}": value for name, value in one.figures.items() if name in WORDS}
    yield "hookline.events", 1, {**common, "hookline.decision": one.action}
    known = {figure.name for figure in FIGURES if one.event in figure.on and figure.sort != "word"}
    for name, value in one.figures.items():
        if name in known:
            yield f"hookline.{name}", value, {**common, **sorts}
    yield from _tokens(one)
    for ran in one.hooks:
        hook = {**common, "hookline.hook.name": ran.hook}
        yield "hookline.hook.duration", ran.ms / 1000, hook
        yield "hookline.hook.outcomes", 1, {**hook, "hookline.hook.outcome": ran.said}
        if ran.failure:
            yield "hookline.hook.failures", 1, {**hook, "error.type": ran.failure}


def _tokens(one: Report) -> Iterator[tuple[str, float, dict[str, Any]]]:
    for way in ("input", "output"):
        value = one.figures.get(f"tokens.{way}")
        if value is not None:
            model = {"gen_ai.request.model": one.model} if one.model else {}
            attributes = {"gen_ai.operation.name": "chat", "gen_ai.token.type": way, **model}
            yield "gen_ai.client.token.usage", value, {**attributes, "gen_ai.provider.name": one.host}
