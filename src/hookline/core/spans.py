"""Spans of telemetry: the sessions, turns and tool calls that events begin and end.

Each event may be handled by another process, so the start of a span is a counter in the store, in
microseconds: counters are atomic and can be removed by prefix.
"""

from collections.abc import Mapping

from msgspec import Struct

from hookline.core.events import (
    Event,
    OnError,
    PermissionRequest,
    PostModelCall,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    Stop,
    TurnStart,
)
from hookline.core.metrics import TOKENS, History, count_tokens, fingerprint
from hookline.core.outcome import Outcome
from hookline.core.sink import EndedSpan, SpanKind
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.redact import redact

RUNS, TURNS = "telemetry:runs", "telemetry:turns"
SESSION_PREFIX, TURN_PREFIX = "telemetry:session:", "telemetry:turn:"
"""Prefixes of the counters that are removed at the end of a session and of a turn."""
SESSION_BEGAN, ERROR_PREFIX = f"{SESSION_PREFIX}began", f"{SESSION_PREFIX}seen:"
TURN_BEGAN, CALL_PREFIX, REPEAT_PREFIX = f"{TURN_PREFIX}began", f"{TURN_PREFIX}call:", f"{TURN_PREFIX}made:"
MICROS_PER_SECOND = 1_000_000
MAX_CALL_CHARS = 100
SEPARATOR = "\t"
"""Separates a call from its tool in the name of a counter."""


class SessionPosition(Struct, frozen=True, kw_only=True):
    """The position of an event in its session, and the spans that it ends."""

    run: int
    turn: int
    call: str = ""
    ended: tuple[EndedSpan, ...] = ()
    past: History


def locate_event(store: Store, outcome: Outcome) -> SessionPosition:
    """Return the position of an event in its session, and update the counters of spans in *store*."""
    event, counters = outcome.event, dict(store.counters(outcome.event.session))
    run = counters.get(RUNS, 0)
    if SESSION_BEGAN not in counters:
        run = store.count(event.session, RUNS)
        _begin(store, event, SESSION_BEGAN, counters)
    ended = _end_turn(store, outcome, counters) if event.subagent is None else ()
    call = identify_call(event)
    ended += _track_call(store, outcome, counters, call)
    if isinstance(event, SessionEnd):
        ended += (_end_span(event, "session", str(run), counters[SESSION_BEGAN]),)
        store.reset_counters(event.session, SESSION_PREFIX)
    return SessionPosition(
        run=run,
        turn=counters.get(TURNS, 0) if _is_in_turn(event, counters, ended) else 0,
        call=call,
        ended=ended,
        past=_build_history(store, outcome, ended, counters),
    )


def identify_call(event: Event) -> str:
    """Return the host's id of the tool call, else a hash of the call; empty if *event* has no call."""
    if not isinstance(event, PreToolUse | PostToolUse | PermissionRequest | OnError) or not event.tool:
        return ""
    return _clean_name(event.call) or fingerprint(event.tool, event.input)


def _clean_name(text: str) -> str:
    cleaned = redact(text[: MAX_CALL_CHARS * 40])[:MAX_CALL_CHARS].replace(SEPARATOR, " ")
    return cleaned.encode("utf-8", "replace").decode()


def _begin(store: Store, event: Event, name: str, counters: dict[str, int]) -> None:
    counters[name] = store.count(event.session, name, int(event.at * MICROS_PER_SECOND))


def _end_span(event: Event, kind: SpanKind, name: str, began: int, *, end_reported: bool = True) -> EndedSpan:
    # After the clock was set back, a span must not end before it began.
    return EndedSpan(
        of=kind,
        name=name,
        began=min(began / MICROS_PER_SECOND, event.at),
        at=event.at,
        end_reported=end_reported,
    )


def _is_in_turn(event: Event, counters: Mapping[str, int], ended: tuple[EndedSpan, ...]) -> bool:
    return TURN_BEGAN in counters or any(span.of == "turn" and span.end_reported for span in ended)


def _end_turn(store: Store, outcome: Outcome, counters: dict[str, int]) -> tuple[EndedSpan, ...]:
    """Return the turn that *outcome* ends and its open calls; a `TurnStart` begins a new turn."""
    event = outcome.event
    is_over = isinstance(event, Stop) and outcome.blocked is None
    if not is_over and not isinstance(event, TurnStart | SessionEnd):
        return ()
    began = counters.pop(TURN_BEGAN, None)
    turn = counters.get(TURNS, 0) if began is not None else 0
    ended = tuple(
        _end_open_call(event, name, counters[name], turn) for name in counters if name.startswith(CALL_PREFIX)
    )
    if began is not None:
        ended += (_end_span(event, "turn", str(turn), began, end_reported=is_over),)
    if any(name.startswith(TURN_PREFIX) for name in (*counters, *([TURN_BEGAN] if turn else ()))):
        store.reset_counters(event.session, TURN_PREFIX)
    if isinstance(event, TurnStart):
        counters[TURNS] = store.count(event.session, TURNS)
        _begin(store, event, TURN_BEGAN, counters)
    return ended


def _end_open_call(event: Event, name: str, began: int, turn: int) -> EndedSpan:
    # The end of a call is not reported if, for example, a person denied it.
    call, _, tool = name.removeprefix(CALL_PREFIX).partition(SEPARATOR)
    return replace(_end_span(event, "tool", call, began, end_reported=False), tool=tool, turn=turn)


def _track_call(store: Store, outcome: Outcome, counters: dict[str, int], call: str) -> tuple[EndedSpan, ...]:
    event = outcome.event
    name = f"{CALL_PREFIX}{call}{SEPARATOR}{_clean_name(getattr(event, 'tool', ''))}"
    if isinstance(event, PreToolUse):
        if outcome.blocked is not None:
            return (_end_span(event, "tool", call, int(event.at * MICROS_PER_SECOND)),)
        if name not in counters:
            _begin(store, event, name, counters)
    if not isinstance(event, PostToolUse):
        return ()
    began = counters.pop(name, None)
    if began is not None:
        store.reset_counters(event.session, name)
    if event.duration_ms is not None:  # the host's measurement is more accurate than ours
        began = int((event.at - event.duration_ms / 1000) * MICROS_PER_SECOND)
    return (_end_span(event, "tool", call, int(event.at * MICROS_PER_SECOND) if began is None else began),)


def _build_history(
    store: Store, outcome: Outcome, ended: tuple[EndedSpan, ...], counters: Mapping[str, int]
) -> History:
    event, repeated_calls, repeated_errors = outcome.event, 0, 0
    kind = "session" if isinstance(event, SessionEnd) else "tool"
    seconds = next((span.at - span.began for span in ended if span.of == kind), None)
    if isinstance(event, PostToolUse):
        repeated_calls = (
            store.count(event.session, f"{REPEAT_PREFIX}{fingerprint(event.tool, event.input)}") - 1
        )
    if isinstance(event, OnError):
        repeated_errors = (
            store.count(event.session, f"{ERROR_PREFIX}{fingerprint(event.tool, event.error[:4000])}") - 1
        )
    if isinstance(event, PostModelCall):
        for direction, name in TOKENS.items():
            store.count(event.session, name, count_tokens(outcome, direction) or 0)
    return History(
        seconds=seconds, repeated_calls=repeated_calls, repeated_errors=repeated_errors, counters=counters
    )
