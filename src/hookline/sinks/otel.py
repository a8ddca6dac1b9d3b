"""Traces and metrics by OpenTelemetry's protocol, over HTTP or gRPC; needs the extra `hookline[otel]`."""

from collections.abc import Mapping
from typing import Literal

from hookline.core.install_commands import describe_missing
from hookline.core.sink import Sink, SinkFailed


def open_sink(
    place: str,
    *,
    endpoint: str = "",
    protocol: Literal["http", "grpc"] = "http",
    headers: Mapping[str, str] = {},
    timeout: float = 10.0,
    service: str = "hookline",
    content: bool = False,
) -> Sink:
    """Return a sink for the receiver at *endpoint*, which for HTTP is the base URL without `/v1/traces`."""
    url = endpoint or {"http": "http://localhost:4318", "grpc": "http://localhost:4317"}[protocol]
    try:
        from hookline.sinks import _otel_export as export  # noqa: PLC0415 -- the extra otel

        exporters = export.http_exporters if protocol == "http" else export.grpc_exporters
        traces, metrics = exporters(url.rstrip("/"), dict(headers), timeout)
    except ImportError as error:
        raise SinkFailed(describe_missing("otel", "the sink 'otel'")) from error
    return export.OtelSink(traces, metrics, service, content=content)
