"""Run tool calls: judge each, ask a person if required, run it within its time limit, judge its result."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from hookline.core.events import Notification, OnError, PermissionRequest, PostToolUse, PreToolUse
from hookline.core.frozen import freeze, thaw
from hookline.core.outcome import Outcome
from hookline.core.values import replace
from hookline.loop.call_any import call_any
from hookline.loop.messages import (
    Called,
    Calling,
    Message,
    Question,
    ToolCall,
    append_context,
    is_object,
    tool_message,
)
from hookline.loop.session import Session, changed_value
from hookline.loop.tools import Failed, Tool
from hookline.redact import redact

Ask = Callable[[Question], Any]
"""Function that asks a person; only True is an approval; may be `async`."""
NOBODY_TO_ASK = "this requires a person's approval, and no person can be asked here"
ABORTED = "aborted"


class Toolbox(Struct, frozen=True, kw_only=True):
    """The tools of a session, and the function that asks a person about them."""

    session: Session
    tools: Mapping[str, Tool]
    ask: Ask | None = None


async def run_tool_calls(box: Toolbox, calls: Sequence[ToolCall], results: list[Message]) -> None:
    """Judge the *calls* in order and run the allowed ones concurrently; *results* has a place for each."""
    async with asyncio.TaskGroup() as tasks:
        for index, call in enumerate(calls):
            judged = await _judge_call(box, call)
            if isinstance(judged, str):
                results[index] = _report_result(box, call, judged, success=False)
            else:
                tasks.create_task(_run_call(box, call, judged, partial(results.__setitem__, index)))


async def _judge_call(box: Toolbox, call: ToolCall) -> Outcome | str:
    """Return the outcome that lets the call run, or the text of its refusal."""
    problem = _find_call_error(box, call)
    if problem:
        outcome = await box.session.fire(OnError, error=problem, tool=call.tool, call=call.id)
        return append_context(problem, outcome.context)
    outcome = await box.session.fire(
        PreToolUse, partial(_report_aborted, box, call), **_event_fields(box, call)
    )
    reason, context = outcome.blocked, outcome.context
    if reason is None and outcome.asked is not None:
        reason, more = await _ask_person(box, replace(call, input=changed_value(outcome)), outcome.asked)
        context += more
    return (
        replace(outcome, context=context)
        if reason is None
        else append_context(f"[blocked] {reason}", context)
    )


def _find_call_error(box: Toolbox, call: ToolCall) -> str:
    if call.tool not in box.tools:
        return f"no tool named {call.tool!r}; available: {', '.join(box.tools) or 'none'}"
    return "" if is_object(call.input) else "the input is not a JSON object"


async def _report_aborted(box: Toolbox, call: ToolCall, outcome: Outcome) -> None:
    """Fire the result event of an allowed call whose turn was aborted before it began."""
    if outcome.blocked is None and outcome.asked is None:
        await _judge_result(box, replace(call, input=changed_value(outcome)), ABORTED, ABORTED, 0.0, ())


async def _ask_person(box: Toolbox, call: ToolCall, why: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the reason against the call, None if there is none, and the context of hooks."""
    outcome = await box.session.fire(PermissionRequest, **_event_fields(box, call))
    if outcome.blocked is not None or outcome.allowed is not None:
        return outcome.blocked, outcome.context
    if box.ask is None:
        return f"{why} ({NOBODY_TO_ASK})", outcome.context
    await box.session.fire_deferred(Notification, kind="permission", text=why)
    try:
        reply = await call_any(partial(box.ask, Question(tool=call.tool, input=call.input, reason=why)))
    except Exception as error:  # noqa: BLE001 -- a question that fails is not an approval
        return f"{why} (asking a person failed: {describe_error(error)})", outcome.context
    return (None if reply is True else f"{why} (a person denied it)"), outcome.context


async def _run_call(
    box: Toolbox, call: ToolCall, outcome: Outcome, set_result: Callable[[Message], None]
) -> None:
    call, tool = replace(call, input=changed_value(outcome)), box.tools[call.tool]
    box.session.report(Calling(call=call))
    started = time.monotonic()
    output, problem = await _run_tool(tool, call)
    text = await _judge_result(
        box, call, output, problem, (time.monotonic() - started) * 1000, outcome.context
    )
    set_result(_report_result(box, call, text, success=not problem))


async def _run_tool(tool: Tool, call: ToolCall) -> tuple[Any, str]:
    """Return the tool's output and an error; if it failed, both are the error, so that hooks see it."""
    try:
        async with asyncio.timeout(tool.seconds) as limit:
            return _to_json_value(await call_any(partial(tool.run, **thaw(call.input)))), ""
    except asyncio.CancelledError:  # the task group raises it again for the turn
        problem = ABORTED
    except Exception as error:  # noqa: BLE001 -- any exception of the caller's tool is its result
        problem = f"no result within {tool.seconds:g} s" if limit.expired() else describe_error(error)
    return problem, problem


async def _judge_result(
    box: Toolbox, call: ToolCall, output: Any, problem: str, duration_ms: float, context: tuple[str, ...]
) -> str:
    """Return the text of a finished call for the model, as hooks changed it."""
    result_fields = {
        "output": freeze(output),
        "success": not problem,
        "error": problem,
        "duration_ms": duration_ms,
    }
    outcome = await box.session.fire(PostToolUse, **_event_fields(box, call), **result_fields)
    context_parts = [*context, *filter(None, [outcome.blocked]), *outcome.context]
    if problem:
        fields = {name: value for name, value in _event_fields(box, call).items() if name != "input_keys"}
        context_parts += (await box.session.fire(OnError, error=problem, **fields)).context
    return append_context(_to_text(changed_value(outcome)), context_parts)


def _event_fields(box: Toolbox, call: ToolCall) -> dict[str, Any]:
    tool, arguments = box.tools[call.tool], freeze(call.input)
    return {
        "tool": call.tool,
        "kind": tool.kind,
        "input": arguments,
        "call": call.id,
        "input_keys": tool.input_keys,
    }


def _report_result(box: Toolbox, call: ToolCall, text: str, *, success: bool) -> Message:
    box.session.report(Called(call=call, text=text, success=success))
    return tool_message(call, text, success=success)


def describe_error(error: Exception) -> str:
    """Return the redacted error text for the model and hooks."""
    return redact(str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}")


def _to_json_value(output: Any) -> Any:
    """Return the output as a JSON value for hooks; as text if it is not JSON."""
    try:
        return json.loads(json.dumps(output))
    except (TypeError, ValueError, RecursionError):
        return str(output)


def _to_text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(thaw(output), ensure_ascii=False)
