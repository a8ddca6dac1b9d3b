"""An agent's turn loop: ask the model, run its tools, until it is done; every moment of it is an event.

The model is a callable, tools are callables. What hooks answer is honoured where it is given.
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
from hookline.core.frozen import frozen
from hookline.core.host import CONTINUATIONS
from hookline.core.outcome import Outcome
from hookline.loop.call_any import called
from hookline.loop.messages import (
    Done,
    Ended,
    Message,
    Request,
    Told,
    Warned,
    are_messages,
    assistant,
    result,
    user,
    without_stale,
)
from hookline.loop.model_call import Model, asked
from hookline.loop.session import Session, nobody, session_context, stands
from hookline.loop.tool_calls import ABORTED, Ask, Toolbox, described, use
from hookline.loop.tools import Failed, Tool, tool
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

Compact = Callable[[Sequence[Message], str], Any]
"""From the messages and guidance to a summary, or to the messages to stand instead; may be `async`."""


class Agent:
    """One session with a model and its tools: use it by `async with`, or `close()` it."""

    def __init__(  # noqa: PLR0913 -- each is one thing that an agent has
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
        for one in tools:
            self._add(one)
        self.messages: list[Message] = list(messages)
        self.steps, self.model_seconds = steps, model_seconds
        self.compactor, self.compact_at = compact, compact_at if compact else inf
        self.session = Session(
            runtime or Runtime.load(cwd),
            session=session or identity.fresh(),
            host=name,
            cwd=cwd or os.getcwd(),
            subagent=subagent,
            ends_at=ends_at,
        )
        self._owns_runtime = runtime is None
        self._ends: tuple[type[Event], ...] = (SubagentStop,) if subagent else (TurnEnd, Stop)
        self._started = False
        self._closed: str | None = None
        """Why the session ends, once somebody ended it."""
        self._running: asyncio.Task[Any] | None = None
        self._busy = False
        """Whether a turn runs, or leaves something to be done."""
        self._aborted: str | None = None
        self._went_on = 0
        self._used = 0
        """Tokens of the context window, by the last answer."""
        self._gave_up = -1
        """The turn in which the conversation could not be made short."""
        self._last_text = ""
        self._asked = ""
        """The model that answered last."""

    # The session.

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Begin the session, once: what hooks say then becomes part of the system prompt."""
        if self._started:
            return
        if not self.session.helps:
            await self.session.introduce()
        if self._started:  # by somebody else, meanwhile
            return
        self._started = True
        source = {} if self.session.helps else {"source": "resume" if self.messages else "startup"}
        moment = SubagentStart if self.session.helps else SessionStart
        await self._informed(await self.session.fire(moment, self._informed, **source))

    async def _informed(self, began: Outcome) -> None:
        """Also where the first turn was aborted meanwhile: there is only one beginning."""
        self.system = "\n\n".join(filter(None, (self.system, session_context(began))))

    async def close(self, reason: str = "exit") -> None:
        """End the session, once, however often it is called; a turn that runs is aborted before."""
        if self._closed is not None:
            return
        self._closed = reason
        if self._running is not None:
            self.abort("the session ends")
        elif not self._busy:
            await self._end_session()

    async def _end_session(self) -> None:
        if self._started:
            await self.session.fire(SessionEnd, reason=self._closed)
        if self._owns_runtime:
            await asyncio.to_thread(self.session.runtime.close)

    def abort(self, reason: str = ABORTED) -> None:
        """End the turn that runs, from any thread: it ends with a `Done` that says so."""
        if self._running is not None and self._aborted is None:
            self._aborted = reason
            self._running.get_loop().call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._running is not None:  # it may have ended by itself meanwhile
            self._running.cancel()

    # The turn.

    async def run(self, prompt: str, tell: Callable[[Told], Any] = nobody) -> Done:
        """One turn, from a prompt to its end; *tell* is called with all that happens, its end at last."""
        if self._closed is not None or self._busy:
            why = "a turn of it is running already" if self._closed is None else "its session has ended"
            raise RuntimeError(f"this agent cannot be asked now: {why}")
        self._running, self._aborted, self._busy = asyncio.current_task(), None, True
        self._went_on, self._last_text = 0, ""
        self.session.tell = tell
        try:
            done = await self._turn(prompt)
            await self._end_helper(done.ended)
        except asyncio.CancelledError:
            await self._end_helper("aborted")
            if self._aborted is None or self._running is None or self._running.uncancel():
                raise
            done = self._done("aborted", self._aborted)
        finally:
            await self._settle()
        tell(done)
        return done

    async def _settle(self) -> None:
        """What is left to do behind a turn; who closes the session meanwhile leaves its end to this."""
        self._running = None
        try:
            await self.session.settle()
        finally:
            self._busy = False
            if self._closed is not None:
                await self._end_session()

    async def stream(self, prompt: str) -> AsyncGenerator[Told, None]:
        """One turn as it happens: words of the model, tools, warnings, and at last `Done`."""
        heard: asyncio.Queue[Told | None] = asyncio.Queue()
        turn = asyncio.ensure_future(self.run(prompt, heard.put_nowait))
        turn.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (told := await heard.get()) is not None:
                yield told
            await turn
        finally:
            turn.cancel()
            await asyncio.wait([turn])

    async def _turn(self, prompt: str) -> Done:
        await self.start()
        self.session.turn += 1
        context: tuple[str, ...] = ()
        for moment in () if self.session.helps else (UserPromptSubmit, TurnStart):
            judged = await self.session.fire(moment, prompt=prompt)
            if judged.blocked is not None:
                return self._done("blocked", judged.blocked)
            context += judged.context
        self.messages.append(user(prompt, context))
        for _ in range(self.steps):
            done = await self._step()
            if done is not None:
                return done
        return await self._cut_short("steps", f"the model was asked {self.steps} times in one turn")

    async def _step(self) -> Done | None:
        """Ask the model once and do what it says; None while the turn goes on."""
        spent = await self._spent()
        if spent:
            return await self._cut_short("budget", spent)
        if self._used >= self.compact_at and self._gave_up != self.session.turn:
            await self.compact(trigger="auto")
        messages = await self._let_through()
        if isinstance(messages, str):
            return await self._cut_short("capped", messages)
        request = Request(system=self.system, messages=messages, tools=tuple(self.tools.values()))
        answer = await asked(self.session, self.model, request, self.model_seconds)
        if isinstance(answer, str):
            return self._done("error", answer)
        self.messages.append(assistant(answer))
        self._last_text, self._asked, self._used = answer.text, answer.model, answer.used or self._used
        if not answer.calls:
            return await self._end()
        results = [result(call, ABORTED, success=False) for call in answer.calls]
        try:
            box = Toolbox(session=self.session, tools=self.tools, ask=self.ask)
            await use(box, answer.calls, results)
        finally:  # no model takes a conversation in which a call has no result
            self.messages += results
        return None

    async def _spent(self) -> str:
        """Why a budget ends the turn; empty while none does."""
        for threshold, percent in (await self.session.spent()).items():
            judged = await self.session.mention(OnBudgetExceeded, threshold=threshold, percent=percent)
            if judged.blocked is not None:
                return judged.blocked
        return ""

    async def _let_through(self) -> Sequence[Message] | str:
        """The messages for the model to read; or, after the third strike, why it is not to be called."""
        while True:
            self._deliver()
            judged = await self.session.mention(
                PreModelCall, model=self._asked, messages=frozen(self.messages)
            )
            if judged.capped:
                return next(step.note for step in reversed(judged.trail) if step.said == "capped")
            more = self._deliver()
            if judged.blocked is None:
                return [*self._as_changed(stands(judged), len(self.messages) - len(more)), *more]
            self.session.warn(f"the model was not called: {judged.blocked}")

    def _as_changed(self, new: Any, many: int) -> list[Message]:
        """The first so many messages as hooks want them, where that is what a model can read."""
        old = self.messages[:many]
        if are_messages(new):
            return without_stale(new, old)
        self.session.warn("a hook made of the messages what are none, so they stay as they were")
        return old

    def _deliver(self) -> list[Message]:
        """Put what waits into the conversation."""
        more = [user("", self.session.waiting)] if self.session.waiting else []
        self.messages += more
        self.session.waiting = []
        return more

    async def _end(self) -> Done | None:
        """The turn's end, at which hooks may make it go on, so often and no more; None where one does."""
        ended: Ended = "done"
        for moment in self._ends:
            judged = await self.session.fire(moment, again=self._went_on > 0, last_text=self._last_text)
            ended = "capped" if judged.capped else ended
            if judged.blocked is None:
                self.session.waiting += judged.context
            elif ended == "capped" or self._went_on >= CONTINUATIONS:
                ended = "capped"
                self.session.warn(f"capped: the turn ends, though a hook said: {judged.blocked}")
            else:
                self._went_on += 1
                self.messages.append(user(judged.blocked, judged.context))
                return None
        return self._done(ended, "hooks made it go on too often" if ended == "capped" else "")

    async def _cut_short(self, ended: Ended, reason: str) -> Done:
        """The end of a turn that cannot go on, whatever hooks say to it."""
        judged = await self.session.mention(self._ends[-1], again=True, last_text=self._last_text)
        if judged.blocked is not None:
            self.session.warn(f"the turn ends, though a hook said: {judged.blocked}")
        return self._done(ended, reason)

    def _done(self, ended: Ended, reason: str = "") -> Done:
        return Done(ended=ended, text=self._last_text, reason=reason, continuations=self._went_on)

    # Beside the turn.

    async def compact(self, instructions: str = "", *, trigger: str = "manual") -> None:
        """Have the caller's function make the conversation short; where it fails, it stays as it is."""
        if self.compactor is None:
            raise RuntimeError("this agent was given no `compact` function")
        before = await self.session.fire(PreCompact, trigger=trigger, instructions=instructions)
        guidance = "\n".join(filter(None, (instructions, *before.context)))
        try:
            made = await called(partial(self.compactor, tuple(self.messages), guidance))
            messages = [user(made)] if isinstance(made, str) else [dict(one) for one in made]
        except Exception as error:  # noqa: BLE001 -- it is the caller's function
            wrong = f"the conversation could not be compacted: {described(error)}"
            self.session.warn(wrong)
            await self.session.mention(OnError, error=wrong)
            self._gave_up = self.session.turn
            return
        self.messages, self._used = messages, 0
        summary = str(messages[0].get("text", "")) if messages else ""
        await self.session.mention(PostCompact, trigger=trigger, summary=summary)

    async def notify(self, text: str, kind: str = "") -> None:
        """Tell the user something."""
        self.session.warn(text)
        await self.session.mention(Notification, kind=kind, text=text)

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
        """Give this agent a tool that is an agent itself; each event in it says that it is a helper's."""

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
                subagent=Subagent(id=identity.fresh(), type=name),
            )
            nested.session.turn = self.session.turn - 1
            done = await nested.run(prompt, lambda told: isinstance(told, Warned) and self.session.tell(told))
            if done.ended in ("error", "aborted", "budget"):
                raise Failed(f"the helper did not get to its end: {done.reason}")
            return done.text

        run.__doc__ = about
        return self._add(tool(run, name=name, kind="agent", seconds=seconds))

    def _add(self, given: Tool | Callable[..., Any]) -> Tool:
        one = given if isinstance(given, Tool) else tool(given)
        if one.name in self.tools:
            raise ValueError(f"two tools are called {one.name!r}; give one of them another name")
        self.tools[one.name] = one
        return one

    async def _end_helper(self, ended: Ended) -> None:
        """However a helper ends, that is said once."""
        if self.session.helps and ended in ("error", "aborted"):
            await self.session.mention(SubagentStop, again=True, last_text=self._last_text)
