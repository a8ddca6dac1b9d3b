"""Conversion of reports to spans by the generative-AI conventions: session → turn → tool → event → hooks.

Each hook call is a separate process, so a span's id is derived from its subject: all processes compute the
same ids for a session, a turn and a call, and their spans form one trace.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from hookline import __version__
from hookline.core.sink import EndedSpan, HookRun, Report
from hookline.core.values import replace

NANOSECONDS = 1_000_000_000
SCOPE = InstrumentationScope("hookline", __version__)
_CONTENT_NAMES = {
    "prompt": "gen_ai.input.messages",
    "messages": "gen_ai.input.messages",
    "response": "gen_ai.output.messages",
    "input": "gen_ai.tool.call.arguments",
    "output": "gen_ai.tool.call.result",
}
"""Attribute names of the conventions; other content gets a name of hookline's own."""
_USAGE_NAMES = {"tokens.input": "gen_ai.usage.input_tokens", "tokens.output": "gen_ai.usage.output_tokens"}


def make_spans(report: Report, service: str, *, content: bool) -> Iterator[ReadableSpan]:
    """Yield the spans that end with *report*."""
    content_attributes = _content_attributes(report) if content else {}
    for ended in report.ended:
        yield _make_ended_span(report, ended, service, content_attributes)
    yield _make_event_span(report, service, content_attributes)
    start = report.at
    for number, run in enumerate(report.hooks):
        yield _make_hook_span(report, run, number, start, service)
        start += run.ms / 1000


@lru_cache(maxsize=4)
def make_resource(service: str) -> Resource:
    return Resource({"service.name": service, "service.version": __version__})


def _make_ended_span(
    report: Report, ended: EndedSpan, service: str, content: Mapping[str, str]
) -> ReadableSpan:
    name, parent, attributes = _DESCRIBERS[ended.of](report, ended)
    attributes = {**_common_attributes(report), **attributes}
    if ended.of == "tool":
        attributes |= content
    if not ended.end_reported:
        attributes["hookline.interrupted"] = True
    return _make_span(
        report,
        service,
        name=name,
        key=(ended.of, ended.name),
        above=parent,
        times=(ended.began, ended.at),
        attributes=attributes,
        error=str(attributes.get("error.type", "")),
    )


def _describe_session(report: Report, ended: EndedSpan) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    totals = {
        f"gen_ai.usage.{direction}_tokens": report.figures.get(f"session.tokens.{direction}")
        for direction in ("input", "output")
    }
    blocks = {"hookline.session.blocks": report.figures.get("session.blocks")}
    return f"session {report.host}", None, {**totals, **blocks}


def _describe_turn(report: Report, ended: EndedSpan) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": report.host,
        "hookline.turn": int(ended.name),
    }
    return f"invoke_agent {report.host}", ("session", str(report.run)), attributes


def _describe_tool(report: Report, ended: EndedSpan) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    tool = ended.tool or report.tool
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": ended.name,
        "gen_ai.tool.type": "function",
    }
    if not ended.end_reported:
        return f"execute_tool {tool}", _parent_key(replace(report, turn=ended.turn)), attributes
    attributes |= {"hookline.tool.kind": report.figures.get("tool.kind"), "hookline.decision": report.action}
    if report.action == "block" and report.event == "PreToolUse":
        attributes["error.type"] = "blocked"
    elif report.figures.get("tool.success") is False:
        attributes["error.type"] = "failed"
    return f"execute_tool {tool}", _parent_key(report), attributes


_DESCRIBERS = {"session": _describe_session, "turn": _describe_turn, "tool": _describe_tool}


def _make_event_span(report: Report, service: str, content: Mapping[str, str]) -> ReadableSpan:
    figures = {_USAGE_NAMES.get(name, f"hookline.{name}"): value for name, value in report.figures.items()}
    more = {
        "hookline.decision": report.action,
        "hookline.rules": list(report.rules),
        "hookline.report": report.id,
    }
    parent = ("tool", report.call) if report.call else _parent_key(report)
    return _make_span(
        report,
        service,
        name=report.event,
        key=("event", report.id),
        above=parent,
        times=(report.at, report.at + report.ms / 1000),
        attributes={
            **_common_attributes(report),
            **figures,
            **more,
            "gen_ai.request.model": report.model or None,
            **content,
        },
    )


def _make_hook_span(report: Report, run: HookRun, number: int, start: float, service: str) -> ReadableSpan:
    attributes = {
        **_common_attributes(report),
        "hookline.hook.name": run.hook,
        "hookline.hook.outcome": run.action,
        "hookline.hook.nature": run.nature,
        "hookline.rule": run.rule or None,
        "error.type": run.failure or None,
    }
    return _make_span(
        report,
        service,
        name=f"hook {run.hook}",
        key=("hook", f"{report.id}:{number}"),
        above=("event", report.id),
        times=(start, start + run.ms / 1000),
        attributes=attributes,
        error=run.failure,
    )


def _common_attributes(report: Report) -> dict[str, Any]:
    return {
        "gen_ai.conversation.id": report.session,
        "gen_ai.agent.name": report.agent or report.host,
        "hookline.host": report.host,
        "hookline.event": report.event,
        "hookline.cwd": report.cwd or None,
    }


def _parent_key(report: Report) -> tuple[str, str]:
    return ("turn", str(report.turn)) if report.turn else ("session", str(report.run))


def _content_attributes(report: Report) -> dict[str, str]:
    return {
        _CONTENT_NAMES.get(name, f"hookline.content.{name}"): text for name, text in report.content.items()
    }


def _make_span(
    report: Report,
    service: str,
    *,
    name: str,
    key: tuple[str, str],
    above: tuple[str, str] | None,
    times: tuple[float, float],
    attributes: Mapping[str, Any],
    error: str = "",
) -> ReadableSpan:
    return ReadableSpan(
        name=name,
        context=_make_context(report, key),
        parent=_make_context(report, above) if above else None,
        resource=make_resource(service),
        attributes={name: value for name, value in attributes.items() if value not in (None, [], "")},
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR, error) if error else Status(StatusCode.UNSET),
        start_time=int(times[0] * NANOSECONDS),
        end_time=int(times[1] * NANOSECONDS),
        instrumentation_scope=SCOPE,
    )


def _make_context(report: Report, key: tuple[str, str]) -> SpanContext:
    return SpanContext(
        trace_id=_make_id(16, report.host, report.session),
        span_id=_make_id(8, report.host, report.session, *key),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _make_id(size: int, *parts: str) -> int:
    digest = hashlib.sha256("\0".join(parts).encode()).digest()[:size]
    return int.from_bytes(digest) or 1
