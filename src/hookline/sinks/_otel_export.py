"""Export of reports as spans and metrics, with the libraries of the extra `otel`.

The metrics are the table of figures, and the durations and outcomes of hooks. Counters are sent as
differences, because no process runs long enough to send totals.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from opentelemetry.metrics import Meter
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader, MetricsData

from hookline.core.metrics import FIGURES
from hookline.core.sink import Report, SinkFailed
from hookline.sinks import _otel_spans
from hookline.sinks._otel_spans import make_resource


class Exporter(Protocol):
    def export(self, data: Any, /) -> Any: ...
    def shutdown(self) -> Any: ...


class _LastMessage(logging.Handler):
    """Handler that keeps the library's last log message: its exporters report only that something failed."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


class OtelSink:
    """Sink that converts reports to spans and metrics and passes them to two exporters."""

    def __init__(self, traces: Exporter, metrics: Exporter, service: str, *, content: bool) -> None:
        self._traces, self._metrics = traces, metrics
        self._service, self._content = service, content
        self._last_message = _LastMessage()
        self._logger = logging.getLogger("opentelemetry.exporter")
        self._logger.addHandler(self._last_message)
        self._logger.propagate = False

    def export(self, reports: Sequence[Report]) -> None:
        if not reports:
            return
        spans = [
            span
            for report in reports
            for span in _otel_spans.make_spans(report, self._service, content=self._content)
        ]
        # Spans first: a span that is sent again has the same id, but a repeated count is added twice.
        self._check_result(self._traces.export(spans), "traces")
        self._check_result(self._metrics.export(make_metrics(reports, self._service)), "metrics")

    def close(self) -> None:
        self._logger.removeHandler(self._last_message)
        for exporter in (self._traces, self._metrics):
            exporter.shutdown()

    def _check_result(self, result: Any, what: str) -> None:
        if result.name != "SUCCESS":
            raise SinkFailed(f"the receiver rejected {what}: {self._last_message.last or 'no reason given'}")


def http_exporters(endpoint: str, headers: dict[str, str], timeout: float) -> tuple[Exporter, Exporter]:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: PLC0415 -- an extra
        OTLPMetricExporter,
    )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 -- ditto
        OTLPSpanExporter,
    )

    traces = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", headers=headers, timeout=timeout)
    return traces, OTLPMetricExporter(endpoint=f"{endpoint}/v1/metrics", headers=headers, timeout=timeout)


def grpc_exporters(endpoint: str, headers: dict[str, str], timeout: float) -> tuple[Exporter, Exporter]:
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (  # noqa: PLC0415 -- an extra
        OTLPMetricExporter,
    )
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415 -- ditto
        OTLPSpanExporter,
    )

    metadata = {key.lower(): value for key, value in headers.items()}  # gRPC metadata keys must be lower-case
    traces = OTLPSpanExporter(endpoint=endpoint, headers=metadata, timeout=timeout)
    return traces, OTLPMetricExporter(endpoint=endpoint, headers=metadata, timeout=timeout)


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
