"""Export reports as spans and metrics, with the libraries of the extra `otel`."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from hookline.core.sink import Report, SinkFailed
from hookline.sinks import _otel_metrics, _otel_spans


class Exporter(Protocol):
    def export(self, data: Any, /) -> Any: ...
    def shutdown(self) -> Any: ...


class _Said(logging.Handler):
    """What the library said last: its exporters answer only that something failed."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


class Otel:
    """Two exporters, and what makes spans and metrics of reports."""

    def __init__(self, traces: Exporter, metrics: Exporter, service: str, *, content: bool) -> None:
        self._traces, self._metrics = traces, metrics
        self._service, self._content = service, content
        self._said = _Said()
        self._logger = logging.getLogger("opentelemetry.exporter")
        self._logger.addHandler(self._said)
        self._logger.propagate = False

    def export(self, reports: Sequence[Report]) -> None:
        if not reports:
            return
        spans = [
            span for one in reports for span in _otel_spans.spans(one, self._service, content=self._content)
        ]
        # Spans first: those that are sent again are known by their ids, what was counted twice is not.
        self._sent(self._traces.export(spans), "traces")
        self._sent(self._metrics.export(_otel_metrics.metrics(reports, self._service)), "metrics")

    def close(self) -> None:
        self._logger.removeHandler(self._said)
        for one in (self._traces, self._metrics):
            one.shutdown()

    def _sent(self, result: Any, what: str) -> None:
        if result.name != "SUCCESS":
            raise SinkFailed(f"the receiver did not take {what}: {self._said.last or 'it did not say why'}")


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

    small = {key.lower(): value for key, value in headers.items()}  # the protocol knows no capitals
    traces = OTLPSpanExporter(endpoint=endpoint, headers=small, timeout=timeout)
    return traces, OTLPMetricExporter(endpoint=endpoint, headers=small, timeout=timeout)
