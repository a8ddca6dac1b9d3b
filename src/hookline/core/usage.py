"""Token usage of a session: tokens in the context now, tokens spent by session and by turn.

Each line of a host's transcript yields usage entries, which are added up in a `Tally`; a later call continues
from it. The same lines always give the same tally, so any process may read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from msgspec import Struct, field

from hookline.core.values import replace

_T = TypeVar("_T")

MAX_TOKENS = 10**12
"""Maximum tokens that are plausible; other numbers are ignored."""
MAX_RECENT_CALLS = 32
"""Maximum recent model calls that are remembered, because a later line may update them."""
MAX_MODELS = 16
"""Maximum models that are counted separately."""
MAX_NAME_CHARS = 200


class TokenCounts(NamedTuple):
    """Numbers of tokens: input without the cache, output, read from the cache, and written to it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


class Usage(Struct, frozen=True, kw_only=True):
    """Token usage of a session; a value is None if the host does not report it."""

    used: int | None = None
    """Tokens in the context window now."""
    window: int | None = None
    effective_limit: int | None = None
    """The window without the reserve for the answer."""
    output: int | None = None
    """Output tokens of the whole session, as are input and cache; without subagents."""
    turn_output: int | None = None
    """Output tokens of this turn; without subagents."""
    input: int | None = None
    """Input tokens that were neither read from the cache nor written to it."""
    cache_read: int | None = None
    cache_write: int | None = None
    cost: float | None = None
    """US dollars; None if the price of a model that was used is unknown."""
    model: str = ""
    turn: int | None = None
    """Number of the turn in the session, from 1."""
    reported_percent: float | None = None
    """Percentage in use as the host reports it."""

    @property
    def percent(self) -> float | None:
        """Percentage of the effective limit that is used."""
        if self.reported_percent is not None:
            return self.reported_percent
        if self.used is None or not self.effective_limit:
            return None
        return self.used / self.effective_limit * 100


UNKNOWN = Usage()


class Turn(NamedTuple):
    """A usage entry that names the current turn; a new name begins a new turn."""

    name: str


class ContextUpdate(NamedTuple):
    """A usage entry with new values from here on; empty fields do not change."""

    model: str = ""
    window: int | None = None
    used: int | None = None


class ModelCall(NamedTuple):
    """A usage entry of one model call; several entries with the same *call* count once."""

    spent: TokenCounts
    call: str = ""
    model: str = ""
    used: int | None = None
    """Tokens in the context after the call; None means all tokens of the call."""


class Total(NamedTuple):
    """A usage entry with the sum of all calls so far, for transcripts that contain sums."""

    spent: TokenCounts
    used: int | None = None


class Answer(NamedTuple):
    """A usage entry with the text of an answer, whose tokens the next entry counts."""

    text: str


UsageEntry = Turn | ContextUpdate | Answer | ModelCall | Total


class UsageReader(Struct, frozen=True, kw_only=True):
    """The reader of token usage in the transcripts of a host."""

    read: Callable[[Mapping[str, Any]], Iterable[UsageEntry]]
    """Returns the usage entries in one line of the transcript, which is passed as the decoded object."""
    line_markers: tuple[bytes, ...]
    """Substrings, of which every line with usage contains at least one; other lines are skipped."""
    read_answer: Callable[[Mapping[str, Any]], str] = lambda line: ""
    """Returns the text of the model's answer in one line; empty if it has none."""


class Tally(Struct, frozen=True, kw_only=True):
    """The sums of a transcript so far."""

    spent: Mapping[str, TokenCounts] = field(default_factory=dict)
    """Tokens by model."""
    model: str = ""
    used: int | None = None
    window: int | None = None
    turn: int = 0
    turn_name: str = ""
    turn_output: int = 0
    total: TokenCounts = TokenCounts()
    """The last sum that the transcript itself contains."""
    recent: tuple[tuple[str, str, int, TokenCounts], ...] = ()
    """The last calls: id, model, turn, and the tokens counted for them."""
    pending: str = ""
    """Mark of the last answer, if its tokens are not counted yet."""
    answer: str = ""
    """Mark of the last answer whose tokens are counted."""
    answers: int = 0
    """Number of answers whose tokens are counted."""


def update_tally(tally: Tally, entries: Iterable[UsageEntry]) -> Tally:
    """Return *tally* with further usage entries added."""
    for item in entries:
        tally = _UPDATERS[type(item)](tally, item)
    return tally


def mark_answer(text: str) -> str:
    """Return a mark of an answer's last line: hosts report an answer as a whole or only its last part."""
    line = text.strip().rpartition("\n")[2].strip()
    return f"{len(line)}:{crc32(line.encode('utf-8', 'replace')):08x}" if line else ""


def _add_answer(tally: Tally, answer: Answer) -> Tally:
    return replace(tally, pending=mark_answer(answer.text))


def _finish_answer(tally: Tally) -> Tally:
    if not tally.pending:
        return tally
    return replace(tally, answer=tally.pending, pending="", answers=tally.answers + 1)


def _add_turn(tally: Tally, turn_entry: Turn) -> Tally:
    name = turn_entry.name[:MAX_NAME_CHARS]
    if name == tally.turn_name:
        return tally
    return replace(tally, turn=tally.turn + 1, turn_name=name, turn_output=0)


def _apply_update(tally: Tally, update: ContextUpdate) -> Tally:
    return replace(
        tally,
        model=update.model[:MAX_NAME_CHARS] or tally.model,
        window=tally.window if update.window is None else update.window,
        used=tally.used if update.used is None else update.used,
    )


def _add_call(tally: Tally, model_call: ModelCall) -> Tally:
    model, call = model_call.model[:MAX_NAME_CHARS] or tally.model, model_call.call[:MAX_NAME_CHARS]
    previous = next((recent_call for recent_call in tally.recent if call and recent_call[0] == call), None)
    old = previous[3] if previous else TokenCounts()
    total = TokenCounts(*map(max, model_call.spent, old))  # a streamed call is reported before it is complete
    added = TokenCounts(*(new - before for new, before in zip(total, old, strict=True)))
    turn = previous[2] if previous else tally.turn
    others = tuple(recent_call for recent_call in tally.recent if recent_call is not previous)
    recent = (*others, (call, model, turn, total)) if call else others
    return replace(
        _add_tokens(_finish_answer(tally), model, added, turn),
        model=model,
        used=model_call.used if model_call.used is not None else total.total,
        recent=recent[-MAX_RECENT_CALLS:],
    )


def _add_total(tally: Tally, total_entry: Total) -> Tally:
    restarted = total_entry.spent.total < tally.total.total or total_entry.spent.output < tally.total.output
    base = TokenCounts() if restarted else tally.total
    # Input may later be reported as read from the cache; that alone does not mean that the sums restarted.
    added = TokenCounts(*(max(new - old, 0) for new, old in zip(total_entry.spent, base, strict=True)))
    used = tally.used if total_entry.used is None else total_entry.used
    counted = _add_tokens(_finish_answer(tally), tally.model, added, tally.turn)
    return replace(counted, total=total_entry.spent, used=used)


def _add_tokens(tally: Tally, model: str, added: TokenCounts, turn: int) -> Tally:
    if not any(added):
        return tally
    name = model if model in tally.spent or len(tally.spent) < MAX_MODELS else ""
    previous = tally.spent.get(name, TokenCounts())
    spent = {**tally.spent, name: TokenCounts(*map(sum, zip(previous, added, strict=True)))}
    in_turn = added.output if turn == tally.turn else 0
    return replace(tally, spent=spent, turn_output=tally.turn_output + in_turn)


_UPDATERS: Mapping[type, Callable[[Tally, Any], Tally]] = {
    Turn: _add_turn,
    ContextUpdate: _apply_update,
    Answer: _add_answer,
    ModelCall: _add_call,
    Total: _add_total,
}


def parse_tokens(value: Any) -> int:
    """Return *value* if it is a plausible number of tokens, else 0."""
    return value if type(value) is int and 0 <= value <= MAX_TOKENS else 0


def sum_tokens(tally: Tally) -> TokenCounts:
    """Return the tokens of all models together."""
    return TokenCounts(*map(sum, zip(*tally.spent.values(), strict=True))) if tally.spent else TokenCounts()


def tally_to_json(tally: Tally) -> dict[str, Any]:
    """Return *tally* as a JSON object."""
    return {
        **{name: getattr(tally, name) for name in _PLAIN_FIELDS},
        "spent": {model: list(spent) for model, spent in tally.spent.items()},
        "total": list(tally.total),
        "recent": [[call, model, turn, *spent] for call, model, turn, spent in tally.recent],
    }


_PLAIN_FIELDS = (
    "model", "used", "window", "turn", "turn_name", "turn_output", "pending", "answer", "answers",
)  # fmt: skip


def tally_from_json(data: Any) -> Tally:
    """Return the tally in a JSON object, or an empty tally if it is invalid."""
    try:
        return Tally(
            model=_check_type(str, data["model"]),
            used=None if data["used"] is None else _check_type(int, data["used"]),
            window=None if data["window"] is None else _check_type(int, data["window"]),
            turn=_check_type(int, data["turn"]),
            turn_name=_check_type(str, data["turn_name"]),
            turn_output=_check_type(int, data["turn_output"]),
            spent={model: _parse_counts(spent) for model, spent in data["spent"].items()},
            total=_parse_counts(data["total"]),
            recent=tuple(_parse_recent(data["recent"])),
            pending=_check_type(str, data.get("pending", "")),
            answer=_check_type(str, data.get("answer", "")),
            answers=_check_type(int, data.get("answers", 0)),
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return Tally()


def _parse_recent(rows: Iterable[Any]) -> Iterator[tuple[str, str, int, TokenCounts]]:
    for call, model, turn, *spent in rows:
        yield _check_type(str, call), _check_type(str, model), _check_type(int, turn), _parse_counts(spent)


def _parse_counts(counts: Iterable[Any]) -> TokenCounts:
    return TokenCounts(*(_check_type(int, count) for count in counts))


def _check_type(kind: type[_T], value: Any) -> _T:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, not {type(value).__name__}")
    return value
