"""Call functions and generators of the caller, synchronous or not, without blocking the event loop."""

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from inspect import isawaitable, iscoroutinefunction
from typing import Any


async def call_any(function: Callable[[], Any]) -> Any:
    """Return the result of *function*, awaited if it is awaitable.

    A synchronous function runs in its own thread. A hanging thread of the event loop's executor would
    delay the end of the program.
    """
    result = await _run_in_thread(function) if not iscoroutinefunction(function) else function()
    return await result if isawaitable(result) else result


async def iterate(source: Any) -> AsyncGenerator[Any, None]:
    """Yield the items of a synchronous or asynchronous iterator as they come; any other value is one item."""
    if hasattr(source, "__aiter__"):
        async with aclosing(source):
            async for item in source:
                yield item
    elif isinstance(source, Iterator):
        async with aclosing(_iterate_in_thread(source)) as items:
            async for item in items:
                yield item
    else:
        yield source


def _run_in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def run() -> None:
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 -- passed on to the awaiting task
            _call_soon(loop, _settle, future.set_exception, _as_exception(error))
        else:
            _call_soon(loop, _settle, future.set_result, value)

    def _settle(set_outcome: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_outcome(value)

    _start_thread(run)
    return future


async def _iterate_in_thread(source: Iterator[Any]) -> AsyncGenerator[Any, None]:
    """Yield the items of a synchronous iterator that a thread reads, and close it at the end."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
    stopped = threading.Event()

    def draw() -> None:
        try:
            for item in source:
                if stopped.is_set():
                    break
                _call_soon(loop, queue.put_nowait, ("piece", item))
        except BaseException as error:  # noqa: BLE001 -- passed on to the awaiting task
            _call_soon(loop, queue.put_nowait, ("error", _as_exception(error)))
        else:
            _call_soon(loop, queue.put_nowait, ("end", None))
        finally:
            getattr(source, "close", bool)()

    _start_thread(draw)
    try:
        while (message := await queue.get())[0] == "piece":
            yield message[1]
        if message[0] == "error":
            raise message[1]
    finally:
        stopped.set()


def _start_thread(work: Callable[[], None]) -> None:
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True, name="hookline-loop").start()


def _call_soon(loop: asyncio.AbstractEventLoop, work: Callable[..., None], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed, so no task waits any more
        loop.call_soon_threadsafe(work, *arguments)


def _as_exception(error: BaseException) -> Exception:
    """Return *error* for the awaiting task; an exit or interrupt in the thread must not end the program."""
    is_usable = isinstance(error, Exception) and not isinstance(error, StopIteration)  # futures refuse it
    return error if is_usable else RuntimeError(f"{type(error).__name__}: {error}")  # type: ignore[return-value]
