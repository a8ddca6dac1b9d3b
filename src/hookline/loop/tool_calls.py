"""Use tools: judge each call, ask a person where a hook wants it, run it in its time, judge its result."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from hookline.core.events import Notification, OnError, PermissionRequest, PostToolUse, PreToolUse
from hookline.core.frozen import frozen, thawed
from hookline.core.outcome import Outcome
from hookline.core.values import replace
from hookline.loop.call_any import called
from hookline.loop.messages import (
    Called,
    Calling,
    Message,
    Question,
    ToolCall,
    is_object,
    result,
    with_context,
)
from hookline.loop.session import Session, stands
from hookline.loop.tools import Failed, Tool
from hookline.redact import redact

Ask = Callable[[Question], Any]
"""Whether a person wants it: only True is a yes; may be `async`."""
NOBODY = "a person would have to decide this, and nobody can be asked here"
ABORTED = "it was aborted"


class Toolbox(Struct, frozen=True, kw_only=True):
    """Which tools there are, in whose session, and who can be asked about them."""

    session: Session
    tools: Mapping[str, Tool]
    ask: Ask | None = None


async def use(box: Toolbox, calls: Sequence[ToolCall], results: list[Message]) -> None:
    """Judge the *calls* in their order and run together what may run; *results* has a place for each."""
    async with asyncio.TaskGroup() as together:
        for place, call in enumerate(calls):
            judged = await _judged(box, call)
            if isinstance(judged, str):
                results[place] = _told(box, call, judged, success=False)
            else:
                together.create_task(_carried_out(box, call, judged, partial(results.__setitem__, place)))


async def _judged(box: Toolbox, call: ToolCall) -> Outcome | str:
    """The outcome that lets the call run; or why it does not."""
    wrong = _unusable(box, call)
    if wrong:
        said = await box.session.fire(OnError, error=wrong, tool=call.tool, call=call.id)
        return with_context(wrong, said.context)
    judged = await box.session.fire(PreToolUse, partial(_never_ran, box, call), **_of(box, call))
    reason, context = judged.blocked, judged.context
    if reason is None and judged.asked is not None:
        reason, more = await _asked(box, replace(call, input=stands(judged)), judged.asked)
        context += more
    return (
        replace(judged, context=context) if reason is None else with_context(f"[blocked] {reason}", context)
    )


def _unusable(box: Toolbox, call: ToolCall) -> str:
    if call.tool not in box.tools:
        return f"there is no tool called {call.tool!r}; there are: {', '.join(box.tools) or 'none'}"
    return "" if is_object(call.input) else "the input is no JSON object"


async def _never_ran(box: Toolbox, call: ToolCall, judged: Outcome) -> None:
    """What was let through has its end, also where the turn was aborted before it began."""
    if judged.blocked is None and judged.asked is None:
        await _after(box, replace(call, input=stands(judged)), ABORTED, ABORTED, 0.0, ())


async def _asked(box: Toolbox, call: ToolCall, why: str) -> tuple[str | None, tuple[str, ...]]:
    """What speaks against the call, None for nothing, and what hooks say to it."""
    said = await box.session.fire(PermissionRequest, **_of(box, call))
    if said.blocked is not None or said.allowed is not None:
        return said.blocked, said.context
    if box.ask is None:
        return f"{why} ({NOBODY})", said.context
    await box.session.mention(Notification, kind="permission", text=why)
    try:
        yes = await called(partial(box.ask, Question(tool=call.tool, input=call.input, reason=why)))
    except Exception as error:  # noqa: BLE001 -- a question that fails is no yes
        return f"{why} (nobody could be asked: {described(error)})", said.context
    return (None if yes is True else f"{why} (a person said no)"), said.context


async def _carried_out(box: Toolbox, call: ToolCall, judged: Outcome, put: Callable[[Message], None]) -> None:
    call, wanted = replace(call, input=stands(judged)), box.tools[call.tool]
    box.session.tell(Calling(call=call))
    began = time.monotonic()
    output, wrong = await _output(wanted, call)
    text = await _after(box, call, output, wrong, (time.monotonic() - began) * 1000, judged.context)
    put(_told(box, call, text, success=not wrong))


async def _output(wanted: Tool, call: ToolCall) -> tuple[Any, str]:
    """What the tool gave, and what went wrong; of one that failed both are the same, so that hooks see it."""
    try:
        async with asyncio.timeout(wanted.seconds) as limit:
            return _as_json(await called(partial(wanted.run, **thawed(call.input)))), ""
    except asyncio.CancelledError:  # whoever wanted it is told by what runs the tools
        wrong = ABORTED
    except Exception as error:  # noqa: BLE001 -- it is the caller's tool: whatever it raises is its result
        wrong = f"it gave no answer within {wanted.seconds:g} s" if limit.expired() else described(error)
    return wrong, wrong


async def _after(
    box: Toolbox, call: ToolCall, output: Any, wrong: str, took: float, context: tuple[str, ...]
) -> str:
    """What the model reads of a call that ran, as hooks let it stand."""
    seen = {"output": frozen(output), "success": not wrong, "error": wrong, "duration_ms": took}
    after = await box.session.fire(PostToolUse, **_of(box, call), **seen)
    said = [*context, *filter(None, [after.blocked]), *after.context]
    if wrong:
        what = {name: value for name, value in _of(box, call).items() if name != "places"}
        said += (await box.session.fire(OnError, error=wrong, **what)).context
    return with_context(_as_text(stands(after)), said)


def _of(box: Toolbox, call: ToolCall) -> dict[str, Any]:
    wanted, given = box.tools[call.tool], frozen(call.input)
    return {"tool": call.tool, "kind": wanted.kind, "input": given, "call": call.id, "places": wanted.places}


def _told(box: Toolbox, call: ToolCall, text: str, *, success: bool) -> Message:
    box.session.tell(Called(call=call, text=text, success=success))
    return result(call, text, success=success)


def described(error: Exception) -> str:
    """What went wrong, as the model and hooks may read it."""
    return redact(str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}")


def _as_json(output: Any) -> Any:
    """The output as hooks can read it: JSON, else what it looks like as text."""
    try:
        return json.loads(json.dumps(output))
    except (TypeError, ValueError, RecursionError):
        return str(output)


def _as_text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(thawed(output), ensure_ascii=False)
