"""What a kind of configured hook is, and what of the machine it is handed.

A kind is told how to carry out one declaration: `bind` makes the function that the chain will call. It
touches the machine only through the `Machine` it is given, except where its library does so for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct, field

from hookline.core.events import Event
from hookline.core.frozen import NOTHING
from hookline.core.host import Dialect
from hookline.core.response import Response
from hookline.core.state import State

KEEP = 256 * 1024
"""How many bytes of a hook's answer are read; the rest is drained, and the cut is said."""


class Declaration(Struct, frozen=True, kw_only=True):
    """One configured hook, as a file declared it."""

    kind: str
    name: str
    on: tuple[type[Event], ...]
    spec: Mapping[str, Any] = NOTHING
    """What is this kind's own: the command and its environment, the url, the tool."""
    priority: int = 50
    match: str = ""
    timeout: float | None = None
    on_failure: Literal["warn", "block"] = "warn"
    on_timeout: Literal["warn", "block"] | None = None
    observer: bool = False
    hosts: tuple[str, ...] = ()
    """The hosts under which it runs; none named is all."""
    source: str = "user"
    origin: str = ""
    root: str = ""
    """The folder that the declaration belongs to: the project's root, or the user's configuration folder."""


class Finished(Struct, frozen=True, kw_only=True):
    """How a process ended."""

    code: int | None
    """Exit status; negative: ended by that signal; None: never started, or taken by something else."""
    stdout: str = ""
    stderr: str = ""
    cut: tuple[str, ...] = ()
    """Which of stdout and stderr were longer than what was kept."""
    timed_out: bool = False
    problem: str = ""
    """Why it could not be started."""
    leftover: int = 0
    """How many processes outlived the command and were ended."""


class Child(Protocol):
    """A process that is kept, and spoken to in lines."""

    @property
    def alive(self) -> bool: ...
    @property
    def tail(self) -> str: ...
    def send(self, line: bytes) -> None: ...
    def receive(self, limit: float) -> bytes | None: ...
    def close(self) -> None: ...


class Run(Protocol):
    """Run a command to its end, or end it."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cwd: str,
        env: Mapping[str, str],
        limit: float,
        keep: int = KEEP,
    ) -> Finished: ...


class Start(Protocol):
    """Start a process that is kept."""

    def __call__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Child: ...


class Closable(Protocol):
    """Something that must be closed."""

    def close(self) -> None: ...


_Resource = TypeVar("_Resource", bound=Closable)


class Kept:
    """Resources that outlive one call, such as a warm worker: made once a key, closed with the runtime."""

    def __init__(self) -> None:
        self._held: dict[object, Closable] = {}
        self._lock = Lock()

    def of(self, key: object, make: Callable[[], _Resource]) -> _Resource:
        with self._lock:
            if key not in self._held:
                self._held[key] = make()
            return self._held[key]  # type: ignore[return-value]  # a key belongs to one make

    def close(self) -> None:
        with self._lock:
            held, self._held = list(self._held.values()), {}
        for resource in held:
            resource.close()


class Machine(Struct, frozen=True, kw_only=True):
    """What a kind may use of the machine."""

    run: Run
    start: Start
    env: Mapping[str, str]
    """The environment of the call, which a hook's own additions are laid over."""
    clock: Callable[[], float]
    """A steady clock, for measuring; not the time of day."""
    kept: Kept = field(default_factory=Kept)
    dialects: Sequence[Dialect] = ()
    servers: Mapping[str, Mapping[str, Any]] = NOTHING
    """The MCP servers that were declared, by name."""
    scratch: str = ""
    """A folder of the user's for what may be thrown away; empty where there is none."""


Carry = Callable[[Event, State, float], Response | None]
"""Carry out a hook for an event within so many seconds; raises `TimeoutError` or `HookFailed`."""


class HookFailed(Exception):
    """A configured hook did not answer as it should; the message says how, to the hook's author."""


class Kind(Struct, frozen=True, kw_only=True):
    """One way to carry out a configured hook."""

    name: str
    key: str
    """The key of an entry that tells it is of this kind."""
    fields: Mapping[str, tuple[type, ...]]
    """Every key that is this kind's own, and the types it may have."""
    bind: Callable[[Declaration, Machine], Carry]
    about: str = ""
