"""What an event begins and ends: a session, its turns, their tool calls; remembered in the store's counters.

Hook calls are processes that know nothing of each other, so beginnings lie in the store, in microseconds:
counters are atomic there, and can be forgotten again.
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
from hookline.core.metrics import TOKENS, Past, fingerprint, tokens
from hookline.core.outcome import Outcome
from hookline.core.sink import Ended, Stretch
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.redact import redact

RUNS, TURNS = "telemetry:runs", "telemetry:turns"
OF_SESSION, OF_TURN = "telemetry:session:", "telemetry:turn:"
"""What is forgotten with a session, and with a turn."""
SESSION, SEEN = f"{OF_SESSION}began", f"{OF_SESSION}seen:"
TURN, CALL, MADE = f"{OF_TURN}began", f"{OF_TURN}call:", f"{OF_TURN}made:"
MICROS = 1_000_000
LONGEST_CALL = 100
BETWEEN = "\t"
"""Between a call and its tool, in the name of a counter."""


class Where(Struct, frozen=True, kw_only=True):
    """Where in its session's life an event is, what is over with it, and what came before."""

    run: int
    turn: int
    call: str = ""
    ended: tuple[Ended, ...] = ()
    past: Past


def where(store: Store, outcome: Outcome) -> Where:
    """Where the event of *outcome* is; what it begins is remembered, what it ends is forgotten."""
    event, known = outcome.event, dict(store.counters(outcome.event.session))
    run = known.get(RUNS, 0)
    if SESSION not in known:
        run = store.count(event.session, RUNS)
        _begin(store, event, SESSION, known)
    ended = _turned(store, outcome, known) if event.subagent is None else ()
    call = call_of(event)
    ended += _called(store, outcome, known, call)
    if isinstance(event, SessionEnd):
        ended += (_ended(event, "session", str(run), known[SESSION]),)
        store.reset(event.session, OF_SESSION)
    return Where(
        run=run,
        turn=known.get(TURNS, 0) if _in_turn(event, known, ended) else 0,
        call=call,
        ended=ended,
        past=_past(store, outcome, ended, known),
    )


def call_of(event: Event) -> str:
    """The host's own name of the tool call, else one by what the call is; empty where there is none."""
    if not isinstance(event, PreToolUse | PostToolUse | PermissionRequest | OnError) or not event.tool:
        return ""
    return _name(event.call) or fingerprint(event.tool, event.input)


def _name(text: str) -> str:
    """Redacted, short, and such that every store and every sink can say it."""
    named = redact(text[: LONGEST_CALL * 40])[:LONGEST_CALL].replace(BETWEEN, " ")
    return named.encode("utf-8", "replace").decode()


def _begin(store: Store, event: Event, name: str, known: dict[str, int]) -> None:
    known[name] = store.count(event.session, name, int(event.at * MICROS))


def _ended(event: Event, of: Stretch, name: str, began: int, *, told: bool = True) -> Ended:
    # A clock that was set back must not make it end before it began.
    return Ended(of=of, name=name, began=min(began / MICROS, event.at), at=event.at, told=told)


def _in_turn(event: Event, known: Mapping[str, int], ended: tuple[Ended, ...]) -> bool:
    return TURN in known or any(one.of == "turn" and one.told for one in ended)


def _turned(store: Store, outcome: Outcome, known: dict[str, int]) -> tuple[Ended, ...]:
    """The turn that is over, if any; a new one begins where the event says so."""
    event = outcome.event
    over = isinstance(event, Stop) and outcome.blocked is None
    if not over and not isinstance(event, TurnStart | SessionEnd):
        return ()
    began = known.pop(TURN, None)
    turn = known.get(TURNS, 0) if began is not None else 0
    ended = tuple(_left(event, name, known[name], turn) for name in known if name.startswith(CALL))
    if began is not None:
        ended += (_ended(event, "turn", str(turn), began, told=over),)
    if any(name.startswith(OF_TURN) for name in (*known, *([TURN] if turn else ()))):
        store.reset(event.session, OF_TURN)
    if isinstance(event, TurnStart):
        known[TURNS] = store.count(event.session, TURNS)
        _begin(store, event, TURN, known)
    return ended


def _left(event: Event, name: str, began: int, turn: int) -> Ended:
    """A call of which nobody said how it ended, as when a person did not allow it."""
    call, _, tool = name.removeprefix(CALL).partition(BETWEEN)
    return replace(_ended(event, "tool", call, began, told=False), tool=tool, turn=turn)


def _called(store: Store, outcome: Outcome, known: dict[str, int], call: str) -> tuple[Ended, ...]:
    event = outcome.event
    name = f"{CALL}{call}{BETWEEN}{_name(getattr(event, 'tool', ''))}"
    if isinstance(event, PreToolUse):
        if outcome.blocked is not None:
            return (_ended(event, "tool", call, int(event.at * MICROS)),)
        if name not in known:
            _begin(store, event, name, known)
    if not isinstance(event, PostToolUse):
        return ()
    began = known.pop(name, None)
    if began is not None:
        store.reset(event.session, name)
    if event.duration_ms is not None:  # the host knows it better than we who were told afterwards
        began = int((event.at - event.duration_ms / 1000) * MICROS)
    return (_ended(event, "tool", call, int(event.at * MICROS) if began is None else began),)


def _past(store: Store, outcome: Outcome, ended: tuple[Ended, ...], known: Mapping[str, int]) -> Past:
    event, made, seen = outcome.event, 0, 0
    wanted = "session" if isinstance(event, SessionEnd) else "tool"
    seconds = next((one.at - one.began for one in ended if one.of == wanted), None)
    if isinstance(event, PostToolUse):
        made = store.count(event.session, f"{MADE}{fingerprint(event.tool, event.input)}") - 1
    if isinstance(event, OnError):
        seen = store.count(event.session, f"{SEEN}{fingerprint(event.tool, event.error[:4000])}") - 1
    if isinstance(event, PostModelCall):
        for direction, name in TOKENS.items():
            store.count(event.session, name, tokens(outcome, direction) or 0)
    return Past(seconds=seconds, made=made, seen=seen, counters=known)
