"""The contract of a kind of configured hook, and its interface to the machine.

`bind` turns a declaration into the function that the chain calls. A kind uses the machine only through the
`Machine` that it gets, or through its own library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar

from msgspec import Struct, field

from hookline.core.events import Event
from hookline.core.frozen import EMPTY
from hookline.core.host import Dialect
from hookline.core.response import Response
from hookline.core.state import State

MAX_OUTPUT_BYTES = 256 * 1024
"""Maximum bytes kept of a hook's output; the rest is drained, and the result says so."""


class Declaration(Struct, frozen=True, kw_only=True):
    """One hook as declared in a configuration file."""

    kind: str
    name: str
    on: tuple[type[Event], ...]
    spec: Mapping[str, Any] = EMPTY
    """The keys of this kind: the command and its environment, the url, the tool."""
    priority: int = 50
    match: str = ""
    timeout: float | None = None
    on_failure: Literal["warn", "block"] = "warn"
    on_timeout: Literal["warn", "block"] | None = None
    observer: bool = False
    hosts: tuple[str, ...] = ()
    """The hosts under which it runs; empty is all."""
    source: str = "user"
    origin: str = ""
    root: str = ""
    """The folder that the declaration belongs to: the project's root, or the user's configuration folder."""


class ProcessResult(Struct, frozen=True, kw_only=True):
    """The result of a process."""

    code: int | None
    """Exit code; negative: killed by that signal; None: never started, or reaped by another caller."""
    stdout: str = ""
    stderr: str = ""
    cut: tuple[str, ...] = ()
    """The names of the streams, stdout or stderr, that were truncated."""
    timed_out: bool = False
    problem: str = ""
    """The reason why it could not be started."""
    leftover: int = 0
    """Number of processes that outlived the command and were killed."""


class Child(Protocol):
    """A long-lived process that exchanges lines with us."""

    @property
    def alive(self) -> bool: ...
    @property
    def tail(self) -> str: ...
    def send(self, line: bytes) -> None: ...
    def receive(self, timeout: float) -> bytes | None: ...
    def close(self) -> None: ...


class RunCommand(Protocol):
    """Runs a command to its end, or kills it at the timeout."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cwd: str,
        env: Mapping[str, str],
        timeout: float,
        max_bytes: int = MAX_OUTPUT_BYTES,
    ) -> ProcessResult: ...


class StartProcess(Protocol):
    """Starts a long-lived process."""

    def __call__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> Child: ...


class Closable(Protocol):
    """A resource that must be closed."""

    def close(self) -> None: ...


_Resource = TypeVar("_Resource", bound=Closable)


class Resources:
    """Resources that outlive a call, such as a warm worker: created once per key, closed with the runtime."""

    def __init__(self) -> None:
        self._held: dict[object, Closable] = {}
        self._lock = Lock()

    def obtain(self, key: object, make: Callable[[], _Resource]) -> _Resource:
        with self._lock:
            if key not in self._held:
                self._held[key] = make()
            return self._held[key]  # type: ignore[return-value]  # a key always has the same type

    def close(self) -> None:
        with self._lock:
            held, self._held = list(self._held.values()), {}
        for resource in held:
            resource.close()


class Machine(Struct, frozen=True, kw_only=True):
    """The interface to the machine that a kind may use."""

    run: RunCommand
    start: StartProcess
    env: Mapping[str, str]
    """The environment of the call, to which a hook adds its own variables."""
    clock: Callable[[], float]
    """A monotonic clock, in seconds."""
    resources: Resources = field(default_factory=Resources)
    dialects: Sequence[Dialect] = ()
    servers: Mapping[str, Mapping[str, Any]] = EMPTY
    """The declared MCP servers by name."""
    scratch: str = ""
    """A folder of the user for disposable files; empty if there is none."""


BoundHook = Callable[[Event, State, float], Response | None]
"""Runs a hook on an event with a timeout in seconds; raises `TimeoutError` or `HookFailed`."""


class HookFailed(Exception):
    """A configured hook failed or gave an invalid answer; the message is for the hook's author."""


class Kind(Struct, frozen=True, kw_only=True):
    """One way to run a configured hook."""

    name: str
    key: str
    """The key by which an entry of this kind is recognised."""
    fields: Mapping[str, tuple[type, ...]]
    """The keys of this kind, with the types that each accepts."""
    bind: Callable[[Declaration, Machine], BoundHook]
    about: str = ""
