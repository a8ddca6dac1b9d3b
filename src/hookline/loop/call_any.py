"""Call what people bring, whether it waits or not: the loop goes on meanwhile, and no thread holds it up."""

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from inspect import isawaitable, iscoroutinefunction
from typing import Any


async def called(function: Callable[[], Any]) -> Any:
    """What *function* returns: awaited where it can be, else found in a thread of its own.

    Not in the threads of the event loop: one that hangs would be waited for when the program ends.
    """
    found = await _started(function) if not iscoroutinefunction(function) else function()
    return await found if isawaitable(found) else found


async def pieces(given: Any) -> AsyncGenerator[Any, None]:
    """What *given* yields as it comes, by a generator of either sort; anything else is one piece."""
    if hasattr(given, "__aiter__"):
        async with aclosing(given):
            async for one in given:
                yield one
    elif isinstance(given, Iterator):
        async with aclosing(_drawn(given)) as drawn:
            async for one in drawn:
                yield one
    else:
        yield given


def _started(function: Callable[[], Any]) -> asyncio.Future[Any]:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def run() -> None:
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 -- carried over to who waits
            _later(loop, _settle, ended.set_exception, _plain(error))
        else:
            _later(loop, _settle, ended.set_result, value)

    def _settle(how: Callable[[Any], None], value: Any) -> None:
        if not ended.done():
            how(value)

    _begin(run)
    return ended


async def _drawn(given: Iterator[Any]) -> AsyncGenerator[Any, None]:
    """The pieces of a generator that does not wait, drawn in a thread; it is closed when nobody listens."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
    gone = threading.Event()

    def draw() -> None:
        try:
            for one in given:
                if gone.is_set():
                    break
                _later(loop, heard.put_nowait, ("piece", one))
        except BaseException as error:  # noqa: BLE001 -- carried over to who waits
            _later(loop, heard.put_nowait, ("error", _plain(error)))
        else:
            _later(loop, heard.put_nowait, ("end", None))
        finally:
            getattr(given, "close", bool)()

    _begin(draw)
    try:
        while (came := await heard.get())[0] == "piece":
            yield came[1]
        if came[0] == "error":
            raise came[1]
    finally:
        gone.set()


def _begin(work: Callable[[], None]) -> None:
    around = contextvars.copy_context()
    threading.Thread(target=around.run, args=(work,), daemon=True, name="hookline-loop").start()


def _later(loop: asyncio.AbstractEventLoop, work: Callable[..., None], *given: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(work, *given)


def _plain(error: BaseException) -> Exception:
    """What exits or interrupts a thread has failed there; it does not end the program."""
    fits = isinstance(error, Exception) and not isinstance(error, StopIteration)  # which a future refuses
    return error if fits else RuntimeError(f"{type(error).__name__}: {error}")  # type: ignore[return-value]
