"""What the user is shown once a turn has really ended: each part within its own limit, none to the model.

A part is a function of the ended turn and how it is wanted; a new one is a row of `PARTS`.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from hookline.core import hook_counters
from hookline.core.events import Stop
from hookline.core.frozen import Frozen
from hookline.core.outcome import PRIVATE, Outcome, Step
from hookline.core.response import Stage
from hookline.core.store import Query, Record, Store, StoreFailed
from hookline.core.todos import open_ones
from hookline.core.values import replace
from hookline.memory.learn import LATELY
from hookline.redact import redact
from hookline.runtime.call_hook import in_time
from hookline.runtime.memory_helper import FAILED

SEEN = "turn-summary.seen"
"""The note of the session's figures when the last turn ended."""
MOST_SHOWN = 3
LONGEST = 160
PRIVATE_PARTS = ("memory",)
"""Those that are shown and not kept in the trail, because a person may want them forgotten."""


class Turn(Struct, frozen=True, kw_only=True):
    """A turn that has ended: its end, and where the rest of it is kept."""

    end: Outcome
    store: Store
    figures: Mapping[str, int]
    """What hooks did in it, by `runs`."""

    def last(self, event: str, *, after: int = 0) -> tuple[int, Record] | None:
        wanted = Query(session=self.end.event.session, event=event, after=after, last=1)
        return next(iter(self.store.records(wanted)), None)


Part = Callable[[Turn, str], str]


def staged(end: Outcome, outcomes: Sequence[Outcome], store: Store, *, over: bool = False) -> Outcome:
    """*end*, which the *outcomes* came to, with what is to be shown of the turn if that has ended indeed."""
    wanted = [one for one in end.effects if isinstance(one, Stage)]
    goes_on = end.blocked is not None and not over
    if not wanted or goes_on or not isinstance(end.event, Stop):
        return end
    session = end.event.session
    known = hook_counters.together((store.counters(session), *map(hook_counters.counted, outcomes)))
    turn = Turn(
        end=end, store=store, figures=hook_counters.since(known, store.notes(session).get(SEEN) or {})
    )
    whole = replace(end, memory=Frozen({**end.memory, SEEN: known}))
    for one in wanted:
        whole = _with(whole, one, turn)
    return whole


def _with(whole: Outcome, wanted: Stage, turn: Turn) -> Outcome:
    began, said, text = time.monotonic(), "shown", ""
    try:
        text = note = redact(in_time(lambda: PARTS[wanted.part](turn, wanted.how), wanted.within))
    except TimeoutError:
        said, note = "timed-out", f"gave no answer within {wanted.within:g} s"
    except (StoreFailed, OSError) as error:
        said, note = "failed", str(error)
    if not note:
        return whole
    ms = (time.monotonic() - began) * 1000
    private = (text,) if text and wanted.part in PRIVATE_PARTS else ()
    note = PRIVATE if private else note
    step = Step(hook=f"turn-summary.{wanted.part}", said=said, note=note, ms=ms, nature="observer")
    shown = (*whole.warnings, *filter(None, [text]))
    return replace(whole.noting(step), warnings=shown, private=(*whole.private, *private))


def summary(turn: Turn, how: str) -> str:
    """How many hooks ran in how long, which of them failed, and which blocked or made the turn go on."""
    failed, blocked, went_on = (
        hook_counters.named(turn.figures, what)
        for what in (hook_counters.FAILED, hook_counters.BLOCKED, hook_counters.WENT_ON)
    )
    if how != "always" and not failed and not blocked:
        return ""
    ms = turn.figures.get(hook_counters.TIME, 0) / 1000
    told = f"this turn: hooks ran {turn.figures.get(hook_counters.RUNS, 0):,} times, in {ms:,.0f} ms"
    more = f"; made to go on by: {_counted(went_on)}" if went_on else ""
    return f"{told}; failed: {_counted(failed)}; blocked: {_counted(blocked)}{more}"


def _counted(names: Mapping[str, int]) -> str:
    most = sorted(names.items(), key=lambda one: (-one[1], one[0]))
    shown = [f"{name} ({times})" if times > 1 else name for name, times in most[:MOST_SHOWN]]
    more = len(most) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "") or "none"


def next_prompt(turn: Turn, how: str) -> str:
    """What is still open on the agent's list, and what stands in its way."""
    todos = open_ones(turn.store.notes(turn.end.event.session))
    ways = [*(one.text for one in todos if one.blocked), *_stopped(turn)]
    open_texts = [one.text for one in todos if not one.blocked]
    parts = [_said("clear what is in the way", ways), _said("go on with", open_texts)]
    told = "; then ".join(filter(None, parts))
    return f"suggested next prompt: {told}" if told else ""


def _said(what: str, texts: list[str]) -> str:
    more = f" (and {len(texts) - MOST_SHOWN} more)" if len(texts) > MOST_SHOWN else ""
    return f"{what}: {'; '.join(texts[:MOST_SHOWN])}{more}" if texts else ""


def _stopped(turn: Turn) -> list[str]:
    """The call of this turn that was stopped, if none ran after it; and the gate that was overruled."""
    capped = [_line(step.note) for step in turn.end.trail if step.said == "capped"]
    if not hook_counters.named(turn.figures, hook_counters.BLOCKED):
        return capped
    began = turn.last("UserPromptSubmit")
    call = turn.last("PreToolUse", after=began[0] if began else 0)
    stopped = call is not None and call[1].action in ("block", "ask")
    if call is None or not stopped or turn.last("PostToolUse", after=call[0]):
        return capped
    return [_line(call[1].reason), *capped]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def remembered(turn: Turn, how: str) -> str:
    """What was learnt from the turns before; by now some of it may be forgotten."""
    session = turn.end.event.session
    notes = turn.store.notes(session)
    lately, failed = notes.get(LATELY) or (), notes.get(FAILED) or ""
    if not lately and not failed:
        return ""
    turn.store.note(session, {LATELY: None, FAILED: None})
    texts = [_line(one.text) for one in turn.store.memories(lately)]
    told = f"{_said('remembered', texts)}; `hookline memory forget` takes it back" if texts else ""
    return "; ".join(filter(None, (told, failed)))


PARTS: Mapping[str, Part] = {"summary": summary, "next-prompt": next_prompt, "memory": remembered}
