"""Turn loop of an agent: call the model and run its tools until the turn is done; every step fires an event.

The model and the tools are callables. The loop applies the responses of hooks to each event.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from math import inf
from typing import Any, Self

from hookline.core.events import (
    Event,
    Notification,
    OnBudgetExceeded,
    OnError,
    PostCompact,
    PreCompact,
    PreModelCall,
    SessionEnd,
    SessionStart,
    Stop,
    Subagent,
    SubagentStart,
    SubagentStop,
    TurnEnd,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.frozen import freeze
from hookline.core.host import MAX_CONTINUATIONS
from hookline.core.outcome import Outcome
from hookline.loop.call_any import call_any
from hookline.loop.messages import (
    Done,
    Ended,
    Message,
    Request,
    TurnItem,
    Warned,
    are_messages,
    assistant_message,
    drop_stale_raw,
    tool_message,
    user_message,
)
from hookline.loop.model_call import Model, call_model
from hookline.loop.session import Session, changed_value, format_session_context, ignore
from hookline.loop.tool_calls import ABORTED, Ask, Toolbox, describe_error, run_tool_calls
from hookline.loop.tools import Failed, Tool, tool
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

Compact = Callable[[Sequence[Message], str], Any]
"""Function from messages and guidance to a summary or to replacement messages; may be `async`."""


class Agent:
    """One session with a model and its tools; use it with `async with`, or call `close()`."""

    def __init__(  # noqa: PLR0913 -- each is a separate option
        self,
        model: Model,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        *,
        system: str = "",
        name: str = "loop",
        runtime: Runtime | None = None,
        ask: Ask | None = None,
        compact: Compact | None = None,
        compact_at: float = inf,
        ends_at: float | None = None,
        steps: int = 200,
        model_seconds: float | None = 600.0,
        messages: Sequence[Message] = (),
        session: str = "",
        cwd: str = "",
        subagent: Subagent | None = None,
    ) -> None:
        self.model, self.system, self.ask = model, system, ask
        self.tools: dict[str, Tool] = {}
        for item in tools:
            self._add_tool(item)
        self.messages: list[Message] = list(messages)
        self.steps, self.model_seconds = steps, model_seconds
        self.compactor, self.compact_at = compact, compact_at if compact else inf
        self.session = Session(
            runtime or Runtime.load(cwd),
            session=session or identity.random_id(),
            host=name,
            cwd=cwd or os.getcwd(),
            subagent=subagent,
            ends_at=ends_at,
        )
        self._owns_runtime = runtime is None
        self._end_events: tuple[type[Event], ...] = (SubagentStop,) if subagent else (TurnEnd, Stop)
        self._started = False
        self._close_reason: str | None = None
        """Reason for the session's end, once it was closed."""
        self._running: asyncio.Task[Any] | None = None
        self._busy = False
        """True while a turn runs or its deferred work is not done."""
        self._abort_reason: str | None = None
        self._continuations = 0
        self._tokens_used = 0
        """Tokens in the context window, according to the last answer."""
        self._failed_compaction_turn = -1
        """Number of the turn in which compaction failed."""
        self._last_text, self._last_model = "", ""
        """The last answer's text, and the name of the model that gave it."""

    # The session.

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Begin the session once; context that hooks inject becomes part of the system prompt."""
        if self._started:
            return
        if not self.session.is_subagent:
            await self.session.register()
        if self._started:  # by another task, meanwhile
            return
        self._started = True
        source = {} if self.session.is_subagent else {"source": "resume" if self.messages else "startup"}
        moment = SubagentStart if self.session.is_subagent else SessionStart
        await self._add_session_context(await self.session.fire(moment, self._add_session_context, **source))

    async def _add_session_context(self, outcome: Outcome) -> None:
        """Add the context of session-start hooks, even if the first turn was aborted meanwhile."""
        self.system = "\n\n".join(filter(None, (self.system, format_session_context(outcome))))

    async def close(self, reason: str = "exit") -> None:
        """End the session once; abort a running turn first."""
        if self._close_reason is not None:
            return
        self._close_reason = reason
        if self._running is not None:
            self.abort("the session ends")
        elif not self._busy:
            await self._end_session()

    async def _end_session(self) -> None:
        if self._started:
            await self.session.fire(SessionEnd, reason=self._close_reason)
        if self._owns_runtime:
            await asyncio.to_thread(self.session.runtime.close)

    def abort(self, reason: str = ABORTED) -> None:
        """Abort the running turn, from any thread; it ends with a `Done` that reports the abort."""
        if self._running is not None and self._abort_reason is None:
            self._abort_reason = reason
            self._running.get_loop().call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._running is not None:  # the turn may have ended meanwhile
            self._running.cancel()

    # The turn.

    async def run(self, prompt: str, tell: Callable[[TurnItem], Any] = ignore) -> Done:
        """Run one turn; call *tell* with each item, and last with its `Done`."""
        if self._close_reason is not None or self._busy:
            why = "another turn is running" if self._close_reason is None else "its session has ended"
            raise RuntimeError(f"this agent cannot run a turn: {why}")
        self._running, self._abort_reason, self._busy = asyncio.current_task(), None, True
        self._continuations, self._last_text = 0, ""
        self.session.report = tell
        try:
            done = await self._run_turn(prompt)
            await self._end_helper(done.ended)
        except asyncio.CancelledError:
            await self._end_helper("aborted")
            if self._abort_reason is None or self._running is None or self._running.uncancel():
                raise
            done = self._make_done("aborted", self._abort_reason)
        finally:
            await self._settle()
        tell(done)
        return done

    async def _settle(self) -> None:
        """Do the deferred work of a turn; end the session if it was closed meanwhile."""
        self._running = None
        try:
            await self.session.settle()
        finally:
            self._busy = False
            if self._close_reason is not None:
                await self._end_session()

    async def stream(self, prompt: str) -> AsyncGenerator[TurnItem, None]:
        """Run one turn and yield its items: pieces of text, tool calls, warnings, and last `Done`."""
        queue: asyncio.Queue[TurnItem | None] = asyncio.Queue()
        turn = asyncio.ensure_future(self.run(prompt, queue.put_nowait))
        turn.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (item := await queue.get()) is not None:
                yield item
            await turn
        finally:
            turn.cancel()
            await asyncio.wait([turn])

    async def _run_turn(self, prompt: str) -> Done:
        await self.start()
        self.session.turn += 1
        context: tuple[str, ...] = ()
        for moment in () if self.session.is_subagent else (UserPromptSubmit, TurnStart):
            outcome = await self.session.fire(moment, prompt=prompt)
            if outcome.blocked is not None:
                return self._make_done("blocked", outcome.blocked)
            context += outcome.context
        self.messages.append(user_message(prompt, context))
        for _ in range(self.steps):
            done = await self._run_step()
            if done is not None:
                return done
        return await self._end_early("steps", f"the model was called {self.steps} times in one turn")

    async def _run_step(self) -> Done | None:
        """Call the model once and run its tool calls; return None while the turn continues."""
        reason = await self._find_blocking_budget()
        if reason:
            return await self._end_early("budget", reason)
        if self._tokens_used >= self.compact_at and self._failed_compaction_turn != self.session.turn:
            await self.compact(trigger="auto")
        messages = await self._prepare_messages()
        if isinstance(messages, str):
            return await self._end_early("capped", messages)
        request = Request(system=self.system, messages=messages, tools=tuple(self.tools.values()))
        answer = await call_model(self.session, self.model, request, self.model_seconds)
        if isinstance(answer, str):
            return self._make_done("error", answer)
        self.messages.append(assistant_message(answer))
        self._last_text, self._last_model, self._tokens_used = (
            answer.text,
            answer.model,
            answer.used or self._tokens_used,
        )
        if not answer.calls:
            return await self._end_turn()
        results = [tool_message(call, ABORTED, success=False) for call in answer.calls]
        try:
            box = Toolbox(session=self.session, tools=self.tools, ask=self.ask)
            await run_tool_calls(box, answer.calls, results)
        finally:  # models reject a conversation in which a call has no result
            self.messages += results
        return None

    async def _find_blocking_budget(self) -> str:
        """Return the reason why a budget ends the turn, or an empty string."""
        for threshold, percent in (await self.session.find_exceeded_budgets()).items():
            outcome = await self.session.fire_deferred(OnBudgetExceeded, threshold=threshold, percent=percent)
            if outcome.blocked is not None:
                return outcome.blocked
        return ""

    async def _prepare_messages(self) -> Sequence[Message] | str:
        """Return the messages for the model, or the reason why it is not called after the third block."""
        while True:
            self._append_waiting()
            outcome = await self.session.fire_deferred(
                PreModelCall, model=self._last_model, messages=freeze(self.messages)
            )
            if outcome.capped:
                return next(step.note for step in reversed(outcome.trail) if step.action == "capped")
            added = self._append_waiting()
            if outcome.blocked is None:
                return [*self._apply_changes(changed_value(outcome), len(self.messages) - len(added)), *added]
            self.session.warn(f"the model was not called: {outcome.blocked}")

    def _apply_changes(self, changed: Any, count: int) -> list[Message]:
        """Return the first *count* messages as hooks changed them, if a model can read those."""
        original = self.messages[:count]
        if are_messages(changed):
            return drop_stale_raw(changed, original)
        self.session.warn("a hook returned invalid messages; the original messages are used")
        return original

    def _append_waiting(self) -> list[Message]:
        """Append the waiting context to the conversation, and return the added messages."""
        added = [user_message("", self.session.waiting)] if self.session.waiting else []
        self.messages += added
        self.session.waiting = []
        return added

    async def _end_turn(self) -> Done | None:
        """End the turn, unless a hook continues it; the number of continuations is limited."""
        ended: Ended = "done"
        for moment in self._end_events:
            outcome = await self.session.fire(
                moment, again=self._continuations > 0, last_text=self._last_text
            )
            ended = "capped" if outcome.capped else ended
            if outcome.blocked is None:
                self.session.waiting += outcome.context
            elif ended == "capped" or self._continuations >= MAX_CONTINUATIONS:
                ended = "capped"
                self.session.warn(f"capped: the turn ends although a hook blocked it: {outcome.blocked}")
            else:
                self._continuations += 1
                self.messages.append(user_message(outcome.blocked, outcome.context))
                return None
        return self._make_done(ended, "hooks continued the turn too often" if ended == "capped" else "")

    async def _end_early(self, ended: Ended, reason: str) -> Done:
        """End a turn that cannot continue, even if hooks block its end."""
        outcome = await self.session.fire_deferred(
            self._end_events[-1], again=True, last_text=self._last_text
        )
        if outcome.blocked is not None:
            self.session.warn(f"the turn ends although a hook blocked it: {outcome.blocked}")
        return self._make_done(ended, reason)

    def _make_done(self, ended: Ended, reason: str = "") -> Done:
        return Done(ended=ended, text=self._last_text, reason=reason, continuations=self._continuations)

    # Outside the turn.

    async def compact(self, instructions: str = "", *, trigger: str = "manual") -> None:
        """Compact the conversation with the caller's function; if that fails, keep it as it is."""
        if self.compactor is None:
            raise RuntimeError("this agent has no `compact` function; pass one to `Agent`")
        before = await self.session.fire(PreCompact, trigger=trigger, instructions=instructions)
        guidance = "\n".join(filter(None, (instructions, *before.context)))
        try:
            result = await call_any(partial(self.compactor, tuple(self.messages), guidance))
            messages = (
                [user_message(result)] if isinstance(result, str) else [dict(message) for message in result]
            )
        except Exception as error:  # noqa: BLE001 -- it is the caller's function
            problem = f"the conversation could not be compacted: {describe_error(error)}"
            self.session.warn(problem)
            await self.session.fire_deferred(OnError, error=problem)
            self._failed_compaction_turn = self.session.turn
            return
        self.messages, self._tokens_used = messages, 0
        summary = str(messages[0].get("text", "")) if messages else ""
        await self.session.fire_deferred(PostCompact, trigger=trigger, summary=summary)

    async def notify(self, text: str, kind: str = "") -> None:
        """Show the user a message."""
        self.session.warn(text)
        await self.session.fire_deferred(Notification, kind=kind, text=text)

    def helper(
        self,
        name: str,
        about: str,
        *,
        model: Model | None = None,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        system: str = "",
        seconds: float | None = None,
    ) -> Tool:
        """Add a tool that is an agent itself; its events name it as their subagent."""

        async def run(prompt: str) -> str:
            nested = Agent(
                model or self.model,
                tools,
                system=system,
                name=self.session.common["host"],
                runtime=self.session.runtime,
                ask=self.ask,
                steps=self.steps,
                model_seconds=self.model_seconds,
                session=self.session.id,
                cwd=self.session.common["cwd"],
                ends_at=self.session.common["ends_at"],
                subagent=Subagent(id=identity.random_id(), type=name),
            )
            nested.session.turn = self.session.turn - 1
            report = self.session.report
            done = await nested.run(prompt, lambda item: isinstance(item, Warned) and report(item))
            if done.ended in ("error", "aborted", "budget"):
                raise Failed(f"the subagent did not finish: {done.reason}")
            return done.text

        run.__doc__ = about
        return self._add_tool(tool(run, name=name, kind="agent", seconds=seconds))

    def _add_tool(self, function: Tool | Callable[..., Any]) -> Tool:
        added = function if isinstance(function, Tool) else tool(function)
        if added.name in self.tools:
            raise ValueError(f"duplicate tool name {added.name!r}; rename one of the tools")
        self.tools[added.name] = added
        return added

    async def _end_helper(self, ended: Ended) -> None:
        """Fire `SubagentStop` for a subagent that failed or was aborted."""
        if self.session.is_subagent and ended in ("error", "aborted"):
            await self.session.fire_deferred(SubagentStop, again=True, last_text=self._last_text)
