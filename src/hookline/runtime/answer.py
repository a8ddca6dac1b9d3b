"""The answer to one call of a host, in its own process as well as in the daemon."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple

from msgspec import Struct

from hookline import hosts
from hookline.core.events import Event, Notification, Unreadable
from hookline.core.host import GUEST_KEY, Host, Reply, ReplyContext
from hookline.core.outcome import Outcome
from hookline.core.payload import MAX_VALUES, decode, remove_deep, remove_rest
from hookline.core.response import Notify
from hookline.core.values import replace
from hookline.policy import repository_env
from hookline.redact import redact
from hookline.runtime import dedupe
from hookline.runtime.call_claims import Claim
from hookline.runtime.dedupe import ClaimedCall, repeat_reply
from hookline.runtime.find_agent import find_starting_agent
from hookline.runtime.runtime import Judged, Runtime
from hookline.runtime.wait_for_person import WaitingCall, find_wait, hold_call
from hookline.system import notify
from hookline.system.process import identity
from hookline.system.read_script import read_script
from hookline.system.session_record import CallingSession, read_variables

Payload = Mapping[str, "Any"]
Env = Mapping[str, str]


def find_caller(called: Host, payload: Any, env: Env, event: str = "", process: int = 0) -> Host:
    """Return the host that sent the *payload*; usually the *called* one, and then no other is loaded.

    The *event* is the moment if the payload does not name it; the host started the *process*.
    """
    if not called.run_by or not isinstance(payload, Mapping) or is_payload_of(called, payload, env):
        return called
    for name, marks in called.run_by.items():
        if name != called.name and _has_mark(marks, payload, env):
            other = hosts.load(name)
            if is_payload_of(other, payload, env) and not _lacks_moment(other, called, payload, event):
                return called if _is_planted(called, marks, payload, env, process) else other
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


def _is_planted(called: Host, marks: tuple[str, ...], payload: Payload, env: Env, process: int) -> bool:
    """Return whether the repository's settings may have set the marks, to make one host look like another."""
    if any(_contains_mark(payload, mark) for mark in marks):
        return False
    values = [payload.get(called.common_paths.get(field, "")) for field in ("session", "cwd")]
    session, cwd = (value if isinstance(value, str) else "" for value in values)
    start = repository_env.start_folder(env, cwd or os.curdir, called)
    recorded = read_variables(CallingSession(id=session, process=process), start)
    return repository_env.may_set(called, env, cwd or os.curdir, marks, recorded)


def _contains_mark(payload: Payload, mark: str) -> bool:
    if ":" not in mark:
        return mark in payload
    name, _, part = mark.partition(":")
    return name in payload and part in str(payload[name])


def mark_as_guest(payload: Payload, caller: Host, name: str) -> tuple[Payload, str]:
    """Return the payload to decode, and the moment if the payload does not name it."""
    names_moment = isinstance(payload.get(caller.event_key), str)
    return {**payload, GUEST_KEY: True}, name if name in caller.moments and not names_moment else ""


MAX_MARK_OFFSET = 2000
"""Characters of a transcript in which `Host.silent_mark` is searched."""
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
    unknown: tuple[str, ...] = ()
    """Arguments that this release does not know."""
    name: str = ""
    """Unique call id; a retry after a crash is recorded once."""
    process: int = 0
    """Id of the process that the host started; 0 for this process."""
    last: bool = False
    """True if the answering process ends with this call."""
    start_time: Callable[[], float] = identity.start_time
    """Return the time of the call, by `identity.now`."""
    on_timeout_known: Callable[[float], None] = lambda seconds: None
    """Called with the host's timeout in seconds, once it is known."""
    can_wait: bool = False
    """True if the answering process can let this call wait for a person."""


class Arguments(NamedTuple):
    """The arguments of `hookline hook`."""

    host: str
    event: str = ""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    call: str = ""
    unknown: tuple[str, ...] = ()
    """Other words: an entry of a newer release may have options that this release does not know."""


@lru_cache(maxsize=64)
def parse_arguments(words: tuple[str, ...]) -> Arguments:
    """Parse the arguments of `hookline hook`; raise `ValueError` that says what is wrong with them."""
    options: dict[str, list[str]] = {"--event": [], "--only": [], "--without": [], "--call": []}
    others, rest = list[str](), list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in options:
            others.append(f"{name}{equals}{value}")
            continue
        if not equals and not rest:
            raise ValueError(f"{name} requires a value")
        options[name].append(value if equals else rest.pop(0))
    host = next((word for word in others if not word.startswith("-")), None)
    if host is None:
        raise ValueError("expected one host, and optionally --event, --only and --without")
    others.remove(host)
    event, call = (options[name][-1] if options[name] else "" for name in ("--event", "--call"))
    return Arguments(host, event, tuple(options["--only"]), tuple(options["--without"]), call, tuple(others))


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
        unknown=arguments.unknown,
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
    waiting: WaitingCall | None = None
    """The call that waits for a person's decision; its reply is then empty."""
    resume: Callable[[Judged], Answer] | None = None
    """Called with the moment as the person decided: returns the final answer."""


def streams(reply: Reply) -> tuple[bytes, bytes]:
    """Return the bytes for stdout and stderr."""
    text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
    return text.encode("utf-8", "backslashreplace"), reply.stderr.encode("utf-8", "backslashreplace")


OpenRuntime = Callable[[str, Mapping[str, str], Host, CallingSession], Runtime]


def load(cwd: str, env: Mapping[str, str], host: Host, session: CallingSession) -> Runtime:
    """Return the runtime for one call, with the present configuration."""
    return Runtime.load(cwd, env, host=host, session=session)


def answer(call: HostCall, opened: OpenRuntime = load) -> Answer:
    """Return the answer to any input; problems are reported in the reply."""
    try:
        host = hosts.load(call.host)
    except LookupError as error:
        return Answer(Reply(stderr=f"hookline: {error}\n"))
    try:
        return _answer(host, call, opened)
    except Exception as error:  # noqa: BLE001 -- a host never sees a traceback
        return Answer(_failure_reply(host, error))


def _answer(host: Host, call: HostCall, opened: OpenRuntime) -> Answer:
    if call.event and call.event not in host.moments:
        names = ", ".join(host.moments)
        return Answer(_warning_reply(host, f"{host.name} has no event {call.event!r}; available: {names}"))
    caller, name = host, call.event
    try:
        payload, left_out = _parse_payload(call.payload)
        caller = find_caller(host, payload, call.env, name, call.process)
        if caller is not host:
            payload, name = mark_as_guest(payload, caller, name)
        decoded = decode(caller, payload, name, now=time.time())
    except Unreadable as error:
        return Answer(_warning_reply(caller, f"invalid payload, so no hook judged it: {error}"))
    if decoded is None:
        return Answer(Reply(stdout=caller.encode_empty_reply(name or str(payload.get(caller.event_key)))))
    name, event = decoded
    return _judge(caller, name, replace(event, left_out=left_out) if left_out else event, call, opened)


def _parse_payload(data: bytes) -> tuple[Any, int]:
    """Return the payload, and the number of values that were left out of it."""
    if not data.strip():
        raise Unreadable("stdin was empty")
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        return _parse_odd_payload(data)
    return payload, remove_rest(payload) if len(data) > MAX_VALUES and isinstance(payload, dict) else 0


def _parse_odd_payload(data: bytes) -> tuple[Any, int]:
    """Return the same for invalid UTF-8, numbers with thousands of digits, and deeply nested values."""
    text, left_out = remove_deep(data.decode(errors="replace"))
    try:
        payload = json.loads(text, parse_int=_parse_integer)
    except (ValueError, RecursionError):
        raise Unreadable(f"stdin is not JSON ({len(data):,} bytes)") from None
    return payload, left_out + (remove_rest(payload) if isinstance(payload, dict) else 0)


def _parse_integer(digits: str) -> float:
    return int(digits) if len(digits) <= sys.int_info.default_max_str_digits else float(digits)


def _judge(host: Host, name: str, event: Event, call: HostCall, opened: OpenRuntime) -> Answer:
    session = CallingSession(id=event.session, process=call.process)
    runtime = opened(_existing_folder(event.cwd, call.cwd), call.env, host, session)
    runtime.find_author = partial(find_starting_agent, call.process)
    _apply_arguments(runtime, call)
    flags = [f"+{hook}" for hook in call.only] + [f"-{hook}" for hook in call.without]
    within = min(host.moments[name].timeout or host.timeout, host.timeout)
    call.on_timeout_known(within)
    claim = dedupe.claim_call(runtime, host, event, flags, within=within, begun=call.start_time)
    if isinstance(claim, Claim):
        reply = repeat_reply(runtime, host, name, event, claim.answer)
        record_repeat = partial(dedupe.record_repeat, runtime, event)
        return Answer(reply, after=partial(_close, runtime, record_repeat, last=call.last))
    finish = partial(_finish, runtime, host, name, event, claim, call)
    try:
        judged = runtime.judge_moment(host, name, event)
        seconds = find_wait(runtime, host, judged) if call.can_wait else 0.0
        if judged and seconds:
            waiting = hold_call(runtime, judged, seconds=seconds, id=runtime.new_id())
            return Answer(Reply(), waiting=waiting, resume=partial(_resume, host, finish))
        return finish(judged)
    except Exception:
        claim.abandon()
        raise


def _apply_arguments(runtime: Runtime, call: HostCall) -> None:
    try:
        runtime.limit_to(call.only, call.without)
    except LookupError as error:
        runtime.problems.append(f"{error}; all hooks ran")
    if call.unknown:
        words = ", ".join(map(repr, call.unknown))
        runtime.problems.append(f"`hookline hook` ignored {words}: upgrade hookline, or run `hookline init`")
    if call.name:
        runtime.call_id, runtime.new_id = call.name, _id_sequence(call.name)


def _resume(host: Host, finish: Callable[[Judged], Answer], judged: Judged) -> Answer:
    try:
        return finish(judged)
    except Exception as error:  # noqa: BLE001 -- as in `answer`
        return Answer(_failure_reply(host, error))


def _finish(
    runtime: Runtime,
    host: Host,
    name: str,
    event: Event,
    claim: ClaimedCall,
    call: HostCall,
    judged: Judged | None,
) -> Answer:
    """Return the answer to a call that was judged; None for a repeated end of a session."""
    reply = runtime.reply(host, *judged) if judged else Reply(stdout=host.encode_empty_reply(name))
    _show_hidden_warnings(host, event, runtime.last_outcome, call.process)
    save_answer = partial(claim.save_answer, identity.now())
    return Answer(
        reply, runtime.effects.take_notices(), partial(_close, runtime, save_answer, last=call.last)
    )


def _show_hidden_warnings(host: Host, event: Event, outcome: Outcome | None, process: int) -> None:
    """Write warnings to the host's own standard error, if it does not show them in this run."""
    warnings = outcome.warnings if outcome and host.silent_mark else ()
    if warnings and host.silent_mark in read_script(event.transcript)[:MAX_MARK_OFFSET]:
        notify.write_to_host(process, warnings)


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


def _failure_reply(host: Host, error: Exception) -> Reply:
    problem = redact(f"{type(error).__name__}: {error}")[:MAX_ERROR_LENGTH]
    return _warning_reply(host, f"hookline failed, so no hook judged this call: {problem}")


def _warning_reply(host: Host, text: str) -> Reply:
    """Return a reply that only warns, for any moment."""
    event = Notification(host=host.name)
    return host.encode(ReplyContext(name="", event=event, outcome=Outcome(event=event, warnings=(text,))))
