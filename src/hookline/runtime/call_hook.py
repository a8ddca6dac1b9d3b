"""Carry out one hook within its time: built-ins here, code in a thread, what is configured by its kind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any

from hookline.core.events import Event
from hookline.core.hook import Hook
from hookline.core.state import State


def call(hook: Hook, event: Event, state: State, limit: float) -> Any:
    """The hook's answer; raises what the hook raises, and `TimeoutError` when it takes too long."""
    if hook.kind == "built-in":
        return hook(event, state)
    if hook.kind == "code":
        return in_time(lambda: _awaited(hook(event, state)), limit)
    return hook.judge(event, state, limit)


def _awaited(answer: Any) -> Any:
    """Hooks may be `async def`."""
    if not hasattr(answer, "__await__"):
        return answer

    async def wait() -> Any:
        return await answer

    return asyncio.run(wait())


def in_time(work: Callable[[], Any], limit: float) -> Any:
    """*work*'s result; a thread that takes too long is left behind, since it cannot be ended."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 -- carried over to who waits
            errors.append(error)

    thread = Thread(target=run, daemon=True, name="hookline-hook")
    thread.start()
    thread.join(limit)
    if errors:
        raise _plain(errors[0])
    if not results:
        raise TimeoutError
    return results[0]


def _plain(error: BaseException) -> Exception:
    """A hook that exits has failed; it does not end the program."""
    return error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
