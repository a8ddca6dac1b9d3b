"""Reports as spans: session → turn → tool call → event → hooks, by the generative-AI conventions.

Each hook call is a process of its own, so a span's id is made of what it is about: all processes name a
session, a turn and a call alike, and what they send joins into one trace.
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
from hookline.core.sink import Ended, Ran, Report
from hookline.core.values import replace

NANOS = 1_000_000_000
SCOPE = InstrumentationScope("hookline", __version__)
_CONTENT = {
    "prompt": "gen_ai.input.messages",
    "messages": "gen_ai.input.messages",
    "response": "gen_ai.output.messages",
    "input": "gen_ai.tool.call.arguments",
    "output": "gen_ai.tool.call.result",
}
"""What the conventions call content; the rest is called after us."""
_USAGE = {"tokens.input": "gen_ai.usage.input_tokens", "tokens.output": "gen_ai.usage.output_tokens"}


def spans(one: Report, service: str, *, content: bool) -> Iterator[ReadableSpan]:
    """The spans that end with the report *one*."""
    written = _written(one) if content else {}
    for ended in one.ended:
        yield _stretch(one, ended, service, written)
    yield _event(one, service, written)
    began = one.at
    for number, ran in enumerate(one.hooks):
        yield _hook(one, ran, number, began, service)
        began += ran.ms / 1000


@lru_cache(maxsize=4)
def resource(service: str) -> Resource:
    return Resource({"service.name": service, "service.version": __version__})


def _stretch(one: Report, ended: Ended, service: str, written: Mapping[str, str]) -> ReadableSpan:
    name, above, attributes = _SORTS[ended.of](one, ended)
    attributes = {**_common(one), **attributes}
    if ended.of == "tool":
        attributes |= written
    if not ended.told:
        attributes["hookline.interrupted"] = True
    return _span(
        one,
        service,
        name=name,
        key=(ended.of, ended.name),
        above=above,
        times=(ended.began, ended.at),
        attributes=attributes,
        error=str(attributes.get("error.type", "")),
    )


def _session(one: Report, ended: Ended) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    totals = {
        f"gen_ai.usage.{way}_tokens": one.figures.get(f"session.tokens.{way}") for way in ("input", "output")
    }
    blocks = {"hookline.session.blocks": one.figures.get("session.blocks")}
    return f"session {one.host}", None, {**totals, **blocks}


def _turn(one: Report, ended: Ended) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": one.host,
        "hookline.turn": int(ended.name),
    }
    return f"invoke_agent {one.host}", ("session", str(one.run)), attributes


def _tool(one: Report, ended: Ended) -> tuple[str, tuple[str, str] | None, dict[str, Any]]:
    tool = ended.tool or one.tool
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": ended.name,
        "gen_ai.tool.type": "function",
    }
    if not ended.told:
        return f"execute_tool {tool}", _around(replace(one, turn=ended.turn)), attributes
    attributes |= {"hookline.tool.kind": one.figures.get("tool.kind"), "hookline.decision": one.action}
    if one.action == "block" and one.event == "PreToolUse":
        attributes["error.type"] = "blocked"
    elif one.figures.get("tool.success") is False:
        attributes["error.type"] = "failed"
    return f"execute_tool {tool}", _around(one), attributes


_SORTS = {"session": _session, "turn": _turn, "tool": _tool}


def _event(one: Report, service: str, written: Mapping[str, str]) -> ReadableSpan:
    figures = {_USAGE.get(name, f"hookline.{name}"): value for name, value in one.figures.items()}
    more = {"hookline.decision": one.action, "hookline.rules": list(one.rules), "hookline.report": one.id}
    above = ("tool", one.call) if one.call else _around(one)
    return _span(
        one,
        service,
        name=one.event,
        key=("event", one.id),
        above=above,
        times=(one.at, one.at + one.ms / 1000),
        attributes={**_common(one), **figures, **more, "gen_ai.request.model": one.model or None, **written},
    )


def _hook(one: Report, ran: Ran, number: int, began: float, service: str) -> ReadableSpan:
    attributes = {
        **_common(one),
        "hookline.hook.name": ran.hook,
        "hookline.hook.outcome": ran.said,
        "hookline.hook.nature": ran.nature,
        "hookline.rule": ran.rule or None,
        "error.type": ran.failure or None,
    }
    return _span(
        one,
        service,
        name=f"hook {ran.hook}",
        key=("hook", f"{one.id}:{number}"),
        above=("event", one.id),
        times=(began, began + ran.ms / 1000),
        attributes=attributes,
        error=ran.failure,
    )


def _common(one: Report) -> dict[str, Any]:
    return {
        "gen_ai.conversation.id": one.session,
        "gen_ai.agent.name": one.agent or one.host,
        "hookline.host": one.host,
        "hookline.event": one.event,
        "hookline.cwd": one.cwd or None,
    }


def _around(one: Report) -> tuple[str, str]:
    return ("turn", str(one.turn)) if one.turn else ("session", str(one.run))


def _written(one: Report) -> dict[str, str]:
    return {_CONTENT.get(name, f"hookline.content.{name}"): text for name, text in one.content.items()}


def _span(
    one: Report,
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
        context=_context(one, key),
        parent=_context(one, above) if above else None,
        resource=resource(service),
        attributes={name: value for name, value in attributes.items() if value not in (None, [], "")},
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR, error) if error else Status(StatusCode.UNSET),
        start_time=int(times[0] * NANOS),
        end_time=int(times[1] * NANOS),
        instrumentation_scope=SCOPE,
    )


def _context(one: Report, key: tuple[str, str]) -> SpanContext:
    return SpanContext(
        trace_id=_number(16, one.host, one.session),
        span_id=_number(8, one.host, one.session, *key),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _number(size: int, *parts: str) -> int:
    digest = hashlib.sha256("\0".join(parts).encode()).digest()[:size]
    return int.from_bytes(digest) or 1
