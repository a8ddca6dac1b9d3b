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
from hookline.core.host import GUEST_KEY, Host, Reply, ReplyContext
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.response import Notify
from hookline.policy import repository_env
from hookline.redact import redact
from hookline.runtime import dedupe
from hookline.runtime.call_claims import Claim
from hookline.runtime.dedupe import repeat_reply
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

Payload = Mapping[str, "Any"]
Env = Mapping[str, str]


def find_caller(called: Host, payload: Any, env: Env, event: str = "") -> Host:
    """Return the host that sent the *payload*; usually the *called* one, and then no other is loaded.

    The *event* is the moment if the payload does not name it.
    """
    if not called.run_by or not isinstance(payload, Mapping) or is_payload_of(called, payload, env):
        return called
    for name, marks in called.run_by.items():
        if name != called.name and _has_mark(marks, payload, env):
            other = hosts.load(name)
            if is_payload_of(other, payload, env) and not _lacks_moment(other, called, payload, event):
                return called if _is_planted(called, marks, payload, env) else other
    return called


def _has_mark(marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    for mark in marks:  # noqa: SIM110 -- asked at every call: a generator takes twice as long
        if mark in env or _contains_mark(payload, mark):
            return True
    return False


def _lacks_moment(host: Host, called: Host, payload: Payload, event: str) -> bool:
    """Return whether *host* lacks a moment that *called* has; a wrong guess must leave no event unjudged."""
    value = payload.get(called.event_key)
    name = value if isinstance(value, str) else event
    return name in called.moments and name not in host.moments


def is_payload_of(host: Host, payload: Payload, env: Env) -> bool:
    """Return whether the *host* sent a payload."""
    if host.recognises is not None:
        return host.recognises(payload, env)
    return any(env.get(name) for name in host.env_markers)


def _is_planted(called: Host, marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    """Return whether the repository's settings may have set the marks, to make one host look like another."""
    if any(_contains_mark(payload, mark) for mark in marks):
        return False
    cwd = payload.get(called.common_paths.get("cwd", ""))
    return repository_env.may_set(called, env, cwd if isinstance(cwd, str) else os.curdir, marks)


def _contains_mark(payload: Payload, mark: str) -> bool:
    if ":" not in mark:
        return mark in payload
    name, _, part = mark.partition(":")
    return name in payload and part in str(payload[name])


def mark_as_guest(payload: Payload, caller: Host, name: str) -> tuple[Payload, str]:
    """Return the payload to decode, and the moment if the payload does not name it."""
    names_moment = isinstance(payload.get(caller.event_key), str)
    return {**payload, GUEST_KEY: True}, name if name in caller.moments and not names_moment else ""


MAX_ERROR_LENGTH = 200
"""Characters of an error in a reply."""


class HostCall(Struct, frozen=True, kw_only=True):
    """One call of a host."""

    host: str
    payload: bytes
    env: Mapping[str, str]
    cwd: str
    """The folder of the calling process; empty if it no longer exists."""
    event: str = ""
    """The moment, if the payload does not name it."""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    name: str = ""
    """Unique call id; a retry after a crash is recorded once."""
    last: bool = False
    """True if the answering process ends with this call."""
    start_time: Callable[[], float] = identity.start_time
    """Return the time of the call, by `identity.now`."""
    on_timeout_known: Callable[[float], None] = lambda seconds: None
    """Called with the host's timeout in seconds, once it is known."""


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
    begun: Callable[[], float] = identity.start_time,
    due: Callable[[float], None] = lambda seconds: None,
) -> HostCall:
    """Return the call that a client made with these arguments; raise `ValueError` if they are wrong.

    The daemon and the process of a single call both create their calls here.
    """
    arguments = parse_arguments(tuple(words))
    return HostCall(
        host=arguments.host,
        event=arguments.event,
        only=arguments.only,
        without=arguments.without,
        payload=payload,
        env=env,
        cwd=cwd,
        name=arguments.call or name,
        last=last,
        start_time=begun,
        on_timeout_known=due,
    )


class Answer(NamedTuple):
    reply: Reply
    notices: tuple[Notify, ...] = ()
    """Notices for the caller's terminal."""
    after: Callable[[], tuple[str, ...]] = tuple
    """Called once the reply is written: does the remaining work and returns its problems."""


def streams(reply: Reply) -> tuple[bytes, bytes]:
    """Return the bytes for stdout and stderr."""
    text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
    return text.encode("utf-8", "backslashreplace"), reply.stderr.encode("utf-8", "backslashreplace")


OpenRuntime = Callable[[str, Mapping[str, str], Host], Runtime]


def load(cwd: str, env: Mapping[str, str], host: Host) -> Runtime:
    """Return the runtime for one call, with the present configuration."""
    return Runtime.load(cwd, env, host=host)


def answer(call: HostCall, opened: OpenRuntime = load) -> Answer:
    """Return the answer to any input; problems are reported in the reply."""
    try:
        host = hosts.load(call.host)
    except LookupError as error:
        return Answer(Reply(stderr=f"hookline: {error}\n"))
    try:
        return _answer(host, call, opened)
    except Exception as error:  # noqa: BLE001 -- a host never sees a traceback
        problem = redact(f"{type(error).__name__}: {error}")[:MAX_ERROR_LENGTH]
        return Answer(_warning_reply(host, f"could not answer, so nothing judged this call: {problem}"))


def _answer(host: Host, call: HostCall, opened: OpenRuntime) -> Answer:
    if call.event and call.event not in host.moments:
        names = ", ".join(host.moments)
        return Answer(_warning_reply(host, f"{host.name} has no event {call.event!r}; there are: {names}"))
    caller, name = host, call.event
    try:
        payload = _parse_payload(call.payload)
        caller = find_caller(host, payload, call.env, name)
        if caller is not host:
            payload, name = mark_as_guest(payload, caller, name)
        decoded = decode(caller, payload, name)
    except Unreadable as error:
        return Answer(_warning_reply(caller, f"a payload could not be read, so nothing judged it: {error}"))
    if decoded is None:
        return Answer(Reply(stdout=caller.encode_empty_reply(name or str(payload.get(caller.event_key)))))
    return _judge(caller, *decoded, call, opened)


def _parse_payload(data: bytes) -> Any:
    if not data.strip():
        raise Unreadable("stdin was empty")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable(f"stdin is no JSON ({len(data):,} bytes)") from None


def _judge(host: Host, name: str, event: Event, call: HostCall, opened: OpenRuntime) -> Answer:
    runtime = opened(_existing_folder(event.cwd, call.cwd), call.env, host)
    try:
        runtime.limit_to(call.only, call.without)
    except LookupError as error:
        runtime.problems.append(f"{error}; every hook looked")
    if call.name:
        runtime.call_id, runtime.new_id = call.name, _id_sequence(call.name)
    flags = [f"+{hook}" for hook in call.only] + [f"-{hook}" for hook in call.without]
    within = min(host.moments[name].timeout or host.timeout, host.timeout)
    call.on_timeout_known(within)
    claim = dedupe.claim_call(runtime, host, event, flags, within=within, begun=call.start_time)
    if isinstance(claim, Claim):
        reply = repeat_reply(runtime, host, name, event, claim.answer)
        record_repeat = partial(dedupe.record_repeat, runtime, event)
        return Answer(reply, after=partial(_close, runtime, record_repeat, last=call.last))
    try:
        reply = runtime.answer(host, name, event)
    except Exception:
        claim.abandon()
        raise
    save_answer = partial(claim.save_answer, identity.now())
    return Answer(
        reply, runtime.effects.take_notices(), partial(_close, runtime, save_answer, last=call.last)
    )


def _id_sequence(call: str) -> Callable[[], str]:
    """Return the function that names the records of one call; a retry of the call has the same names."""
    return (f"{call}.{number}" for number in count()).__next__


def _existing_folder(cwd: str, default: str) -> str:
    return cwd if cwd and os.path.isdir(cwd) else default or "/"


def _close(runtime: Runtime, finish: Callable[[], None], *, last: bool) -> tuple[str, ...]:
    try:
        finish()
        runtime.close(last=last)
    except Exception as error:  # noqa: BLE001 -- the answer is out already
        return (*runtime.problems, f"{type(error).__name__} after answering: {error}")
    return tuple(runtime.problems)


def _warning_reply(host: Host, text: str) -> Reply:
    """Return a reply that only warns, for any moment."""
    event = Notification(host=host.name)
    return host.encode(ReplyContext(name="", event=event, outcome=Outcome(event=event, warnings=(text,))))
