"""What the user is shown once a turn has really ended: each part within its own limit, none to the model.

A part is a function of the ended turn and how it is wanted; a new one is a row of `PARTS`.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from hookline.events import Stop
from hookline.outcome import Outcome, Step
from hookline.record import record, replace
from hookline.response import Stage
from hookline.store import Query, Record, Store, StoreFailed
from hookline.todos import open_ones
from hookline.trail import recorded

MOST_SHOWN = 3
LONGEST = 160


@record
class Turn:
    """A turn that has ended: its end, and where the rest of it is kept."""

    end: Outcome
    store: Store
    until: float
    """When whoever looks at it has to be done, by the steady clock."""

    def records(self) -> Iterator[Record]:
        """Everything since the person's prompt, as far as there is time to read it, and the end itself."""
        session = self.end.event.session
        prompts = Query(session=session, event="UserPromptSubmit", last=1)
        start = next((position for position, _ in self.store.records(prompts)), 1)
        for _, one in self.store.records(Query(session=session, after=start - 1)):
            if time.monotonic() > self.until:
                raise TimeoutError
            yield one
        yield recorded("", self.end, at=0.0, ms=sum(step.ms for step in self.end.trail))


Part = Callable[[Turn, str], str]


def staged(end: Outcome, store: Store) -> Outcome:
    """*end* with what is to be shown of the turn, where it has ended indeed."""
    wanted = [one for one in end.effects if isinstance(one, Stage)]
    if not wanted or end.blocked is not None or not isinstance(end.event, Stop):
        return end
    whole = end
    for one in wanted:
        whole = _with(whole, one, Turn(end=end, store=store, until=time.monotonic() + one.within))
    return whole


def _with(whole: Outcome, wanted: Stage, turn: Turn) -> Outcome:
    began, said, note = time.monotonic(), "shown", ""
    try:
        text = PARTS[wanted.part](turn, wanted.how)
    except (StoreFailed, OSError, TimeoutError) as error:
        late = isinstance(error, TimeoutError)
        said, text = "timed-out" if late else "failed", ""
        note = f"gave no answer within {wanted.within:g} s" if late else str(error)
    if not text and not note:
        return whole
    ms = (time.monotonic() - began) * 1000
    step = Step(hook=f"stop-stage.{wanted.part}", said=said, note=text or note, ms=ms, nature="observer")
    return replace(whole.noting(step), warnings=(*whole.warnings, *filter(None, [text])))


def summary(turn: Turn, how: str) -> str:
    """How many hooks ran in how long, which of them failed and which blocked."""
    runs, events, ms = 0, 0, 0.0
    failed, blocked = Counter[str](), Counter[str]()
    for one in turn.records():
        steps = [step for step in one.trail if step["hook"] != "hookline" and step["said"] != "skipped"]
        runs, events, ms = runs + len(steps), events + 1, ms + one.ms
        failed.update(step["hook"] for step in steps if step["said"] in ("failed", "timed-out"))
        blocked.update(step["hook"] for step in steps if step["said"] == "block")
    if how != "always" and not failed and not blocked:
        return ""
    told = f"this turn: {runs:,} runs of hooks at {events:,} events in {ms:,.0f} ms"
    return f"{told}; failed: {_counted(failed)}; blocked: {_counted(blocked)}"


def _counted(names: Counter[str]) -> str:
    shown = [f"{name} ({times})" if times > 1 else name for name, times in names.most_common(MOST_SHOWN)]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "") or "none"


def next_prompt(turn: Turn, how: str) -> str:
    """What is still open on the agent's list, and what stands in its way."""
    todos = open_ones(turn.store.notes(turn.end.event.session))
    open_texts = [one.text for one in todos if not one.blocked]
    ways = [*(one.text for one in todos if one.blocked), *_stopped(turn)]
    parts = [_said("clear what is in the way", ways), _said("go on with", open_texts)]
    told = "; then ".join(filter(None, parts))
    return f"suggested next prompt: {told}" if told else ""


def _said(what: str, texts: list[str]) -> str:
    more = f" (and {len(texts) - MOST_SHOWN} more)" if len(texts) > MOST_SHOWN else ""
    return f"{what}: {'; '.join(texts[:MOST_SHOWN])}{more}" if texts else ""


def _stopped(turn: Turn) -> list[str]:
    """The tool call that was stopped, if none came after it, and the gate that was overruled at the end."""
    last = ""
    for one in turn.records():
        if one.event == "PreToolUse" and one.action in ("block", "ask"):
            last = one.reason
        elif one.event == "PostToolUse":
            last = ""
    capped = [_line(step.note) for step in turn.end.trail if step.said == "capped"]
    return [*([_line(last)] if last else []), *capped]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


PARTS: Mapping[str, Part] = {"summary": summary, "next-prompt": next_prompt}
