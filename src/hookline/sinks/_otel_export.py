"""Export of reports as spans and metrics, with the libraries of the extra `otel`."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from hookline.core.sink import Report, SinkFailed
from hookline.sinks import _otel_metrics, _otel_spans


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
        self._check_result(
            self._metrics.export(_otel_metrics.make_metrics(reports, self._service)), "metrics"
        )

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
