"""Ask the model, in its time, and have its answer judged."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from hookline.core.events import OnError, PostModelCall
from hookline.core.frozen import frozen
from hookline.core.values import replace
from hookline.loop.call_any import called, pieces
from hookline.loop.messages import Answer, Piece, Request, ToolCall, assistant, changed
from hookline.loop.session import Session, stands
from hookline.loop.tool_calls import described
from hookline.loop.tools import Failed

Model = Callable[[Request], Any]
"""Returns an `Answer`, or yields words and then an `Answer`; may be `async`."""


async def asked(session: Session, model: Model, request: Request, seconds: float | None) -> Answer | str:
    """What the model says, as hooks let it stand; or what went wrong."""
    try:
        async with asyncio.timeout(seconds) as limit:
            answer = await _heard(session, model, request)
    except Exception as error:  # noqa: BLE001 -- it is the caller's model: whatever it raises ends the turn
        late = f"no answer within {seconds:g} s" if limit.expired() else described(error)
        await session.mention(OnError, error=f"the model failed: {late}")
        return f"the model failed: {late}"
    return await _let_stand(session, answer)


async def _heard(session: Session, model: Model, request: Request) -> Answer:
    words, answer = "", Answer()
    async for one in pieces(await called(partial(model, request))):
        if isinstance(one, str):
            words += one
            session.tell(Piece(text=one))
        elif isinstance(one, Answer):
            answer = one
        else:
            raise Failed(f"a model gives words or an Answer, and this one gave {type(one).__name__}")
    calls: Any = answer.calls
    if not isinstance(calls, list | tuple) or not all(isinstance(one, ToolCall) for one in calls):
        raise Failed("the `calls` of an Answer are ToolCalls, and these are not")
    return answer if answer.text else replace(answer, text=words)


async def _let_stand(session: Session, answer: Answer) -> Answer:
    said, usage = frozen(assistant(replace(answer, raw=None))), frozen(answer.usage)
    judged = await session.mention(PostModelCall, model=answer.model, response=said, usage=usage)
    if stands(judged) == said:
        return answer
    new = changed(answer, stands(judged))
    if new is None:
        session.warn("a hook made of the model's answer what is none, so it stays as it was")
    return new or answer
