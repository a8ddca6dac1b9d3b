"""Call the model within its time limit, and let hooks judge its answer."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from hookline.core.events import OnError, PostModelCall
from hookline.core.frozen import freeze
from hookline.core.values import replace
from hookline.loop.call_any import call_any, iterate
from hookline.loop.messages import Answer, Piece, Request, ToolCall, apply_change, assistant_message
from hookline.loop.session import Session, changed_value
from hookline.loop.tool_calls import describe_error
from hookline.loop.tools import Failed

Model = Callable[[Request], Any]
"""Function that returns an `Answer`, or yields text and then an `Answer`; may be `async`."""


async def call_model(session: Session, model: Model, request: Request, seconds: float | None) -> Answer | str:
    """Return the model's answer as hooks changed it, or an error message."""
    try:
        async with asyncio.timeout(seconds) as limit:
            answer = await _collect_answer(session, model, request)
    except Exception as error:  # noqa: BLE001 -- any exception of the caller's model ends the turn
        problem = f"no answer within {seconds:g} s" if limit.expired() else describe_error(error)
        await session.fire_deferred(OnError, error=f"the model failed: {problem}")
        return f"the model failed: {problem}"
    return await _judge_answer(session, answer)


async def _collect_answer(session: Session, model: Model, request: Request) -> Answer:
    words, answer = "", Answer()
    async for item in iterate(await call_any(partial(model, request))):
        if isinstance(item, str):
            words += item
            session.report(Piece(text=item))
        elif isinstance(item, Answer):
            answer = item
        else:
            raise Failed(f"expected text or an Answer from the model, got {type(item).__name__}")
    calls: Any = answer.calls
    if not isinstance(calls, list | tuple) or not all(isinstance(call, ToolCall) for call in calls):
        raise Failed("invalid `calls` in the Answer: expected a list of ToolCall")
    return answer if answer.text else replace(answer, text=words)


async def _judge_answer(session: Session, answer: Answer) -> Answer:
    message, usage = freeze(assistant_message(replace(answer, raw=None))), freeze(answer.usage)
    outcome = await session.fire_deferred(PostModelCall, model=answer.model, response=message, usage=usage)
    if changed_value(outcome) == message:
        return answer
    changed_answer = apply_change(answer, changed_value(outcome))
    if changed_answer is None:
        session.warn("a hook returned an invalid answer; the model's answer is used")
    return changed_answer or answer
