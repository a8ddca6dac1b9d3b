"""The answer to one call of a host, in a process of its own as well as in the daemon."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple

from msgspec import Struct

from hookline import hosts
from hookline.core.events import Event, Notification, Unreadable
from hookline.core.host import GUEST, Host, Reply, Said
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.response import Notify
from hookline.policy import repository_env
from hookline.redact import redact
from hookline.runtime import dedupe
from hookline.runtime.claim_table import Claim
from hookline.runtime.repeat_answer import repeat
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

Payload = Mapping[str, "Any"]
Env = Mapping[str, str]


def true_caller(called: Host, payload: Any, env: Env, event: str = "") -> Host:
    """The host that sent the *payload*: nearly always the one that was *called*; then nothing is loaded.

    The *event* is the moment, where the payload does not say it.
    """
    if not called.run_by or not isinstance(payload, Mapping) or sends(called, payload, env):
        return called
    for name, marks in called.run_by.items():
        if name != called.name and _marked(marks, payload, env):
            other = hosts.load(name)
            if sends(other, payload, env) and not _misses(other, called, payload, event):
                return called if _planted(called, marks, payload, env) else other
    return called


def _marked(marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    for mark in marks:  # noqa: SIM110 -- asked at every call: a generator takes twice as long
        if mark in env or _bears(payload, mark):
            return True
    return False


def _misses(host: Host, called: Host, payload: Payload, event: str) -> bool:
    """Whether the *host* lacks a moment that was *called* knows: a guess must leave nothing unjudged."""
    told = payload.get(called.names_event)
    name = told if isinstance(told, str) else event
    return name in called.moments and name not in host.moments


def sends(host: Host, payload: Payload, env: Env) -> bool:
    """Whether a payload is the *host*'s."""
    if host.sent is not None:
        return host.sent(payload, env)
    return any(env.get(name) for name in host.telltales)


def _planted(called: Host, marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    """Whether the marks may be the repository's, whose settings could make one host look like another."""
    if any(_bears(payload, mark) for mark in marks):
        return False
    cwd = payload.get(called.common.get("cwd", ""))
    return repository_env.sets(called, env, cwd if isinstance(cwd, str) else os.curdir, marks)


def _bears(payload: Payload, mark: str) -> bool:
    if ":" not in mark:
        return mark in payload
    name, _, part = mark.partition(":")
    return name in payload and part in str(payload[name])


def as_guest(payload: Payload, caller: Host, name: str) -> tuple[Payload, str]:
    """The payload as it is to be decoded, and the moment where the payload does not say it."""
    names = isinstance(payload.get(caller.names_event), str)
    return {**payload, GUEST: True}, name if name in caller.moments and not names else ""


LONGEST_ERROR = 200


class Call(Struct, frozen=True, kw_only=True):
    """What a host asks, and who asks it."""

    host: str
    payload: bytes
    env: Mapping[str, str]
    cwd: str
    """Where the host called from; empty where that folder is gone."""
    event: str = ""
    """The moment, where the payload does not say it."""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    name: str = ""
    """What nobody else calls theirs: whoever answers it again, after another died over it, keeps it once."""
    last: bool = False
    """Whether the process that answers ends with it."""
    begun: Callable[[], float] = identity.started
    """When the host asked, by `lives.now`."""
    due: Callable[[float], None] = lambda seconds: None
    """Told within how many seconds the host wants its answer, once that is known."""


class Arguments(NamedTuple):
    """The arguments of `hookline hook`."""

    host: str
    event: str = ""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    call: str = ""


@lru_cache(maxsize=64)
def parse_arguments(words: tuple[str, ...]) -> Arguments:
    """Parse the arguments of `hookline hook`; raise `ValueError` that says what is wrong with them."""
    options: dict[str, list[str]] = {"--event": [], "--only": [], "--without": [], "--call": []}
    hosts_named, rest = list[str](), list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in options:
            hosts_named.append(f"{name}{equals}{value}")
            continue
        if not equals and not rest:
            raise ValueError(f"{name} needs a value")
        options[name].append(value if equals else rest.pop(0))
    if len(hosts_named) != 1 or hosts_named[0].startswith("-"):
        raise ValueError("there must be one host, and only --event, --only and --without besides")
    event, call = (options[name][-1] if options[name] else "" for name in ("--event", "--call"))
    return Arguments(hosts_named[0], event, tuple(options["--only"]), tuple(options["--without"]), call)


def parse_call(
    words: Sequence[str],
    *,
    payload: bytes,
    env: Mapping[str, str],
    cwd: str,
    name: str = "",
    last: bool = False,
    begun: Callable[[], float] = identity.started,
    due: Callable[[float], None] = lambda seconds: None,
) -> Call:
    """Return the call that a client made with these arguments; raise `ValueError` if they are wrong.

    Both ways of answering, in the daemon and in a process of its own, make their calls here.
    """
    given = parse_arguments(tuple(words))
    return Call(
        host=given.host,
        event=given.event,
        only=given.only,
        without=given.without,
        payload=payload,
        env=env,
        cwd=cwd,
        name=given.call or name,
        last=last,
        begun=begun,
        due=due,
    )


class Answer(NamedTuple):
    reply: Reply
    notices: tuple[Notify, ...] = ()
    """What is to be shown on the terminal of whoever asked."""
    after: Callable[[], tuple[str, ...]] = tuple
    """To be called once the reply is out: it does what can wait, and says what went wrong with that."""


def streams(reply: Reply) -> tuple[bytes, bytes]:
    """Return the bytes for stdout and stderr."""
    text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
    return text.encode("utf-8", "backslashreplace"), reply.stderr.encode("utf-8", "backslashreplace")


Open = Callable[[str, Mapping[str, str], Host], Runtime]


def load(cwd: str, env: Mapping[str, str], host: Host) -> Runtime:
    """The runtime for one call, of whatever is configured now."""
    return Runtime.load(cwd, env, host=host)


def answer(call: Call, opened: Open = load) -> Answer:
    """The answer, whatever comes in: what could not be done is said in it."""
    try:
        host = hosts.load(call.host)
    except LookupError as error:
        return Answer(Reply(stderr=f"hookline: {error}\n"))
    try:
        return _answer(host, call, opened)
    except Exception as error:  # noqa: BLE001 -- a host never sees a traceback
        what = redact(f"{type(error).__name__}: {error}")[:LONGEST_ERROR]
        return Answer(_diagnosis(host, f"could not answer, so nothing judged this call: {what}"))


def _answer(host: Host, call: Call, opened: Open) -> Answer:
    if call.event and call.event not in host.moments:
        there = ", ".join(host.moments)
        return Answer(_diagnosis(host, f"{host.name} has no event {call.event!r}; there are: {there}"))
    caller, name = host, call.event
    try:
        payload = _parsed(call.payload)
        caller = true_caller(host, payload, call.env, name)
        if caller is not host:
            payload, name = as_guest(payload, caller, name)
        found = decode(caller, payload, name)
    except Unreadable as error:
        return Answer(_diagnosis(caller, f"a payload could not be read, so nothing judged it: {error}"))
    if found is None:
        return Answer(Reply(stdout=caller.silence(name or str(payload.get(caller.names_event)))))
    return _judged(caller, *found, call, opened)


def _parsed(data: bytes) -> Any:
    if not data.strip():
        raise Unreadable("stdin was empty")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable(f"stdin is no JSON ({len(data):,} bytes)") from None


def _judged(host: Host, name: str, event: Event, call: Call, opened: Open) -> Answer:
    runtime = opened(_existing(event.cwd, call.cwd), call.env, host)
    try:
        runtime.limit_to(call.only, call.without)
    except LookupError as error:
        runtime.troubles.append(f"{error}; every hook looked")
    if call.name:
        runtime.call, runtime.naming = call.name, _names(call.name)
    words = [f"+{one}" for one in call.only] + [f"-{one}" for one in call.without]
    within = min(host.moments[name].within or host.within, host.within)
    call.due(within)
    held = dedupe.held(runtime, host, event, words, within=within, begun=call.begun)
    if isinstance(held, Claim):
        reply = repeat(runtime, host, name, event, held.said)
        again = partial(dedupe.note, runtime, event)
        return Answer(reply, after=partial(_closed, runtime, again, last=call.last))
    try:
        reply = runtime.answer(host, name, event)
    except Exception:
        held.abandon()
        raise
    answered = partial(held.answered, identity.now())
    return Answer(reply, runtime.wanted.notices(), partial(_closed, runtime, answered, last=call.last))


def _names(call: str) -> Callable[[], str]:
    """Names of the records of one call, the same whoever answers it."""
    return (f"{call}.{number}" for number in count()).__next__


def _existing(cwd: str, usual: str) -> str:
    return cwd if cwd and os.path.isdir(cwd) else usual or "/"


def _closed(runtime: Runtime, first: Callable[[], None], *, last: bool) -> tuple[str, ...]:
    try:
        first()
        runtime.close(last=last)
    except Exception as error:  # noqa: BLE001 -- the answer is out already
        return (*runtime.troubles, f"{type(error).__name__} after answering: {error}")
    return tuple(runtime.troubles)


def _diagnosis(host: Host, text: str) -> Reply:
    """A reply that only warns, at whichever moment it is."""
    event = Notification(host=host.name)
    return host.encode(Said(name="", event=event, outcome=Outcome(event=event, warnings=(text,))))
