"""Summary of an ended turn for the user: each part has its own timeout, and none is sent to the model.

A part is a function of the turn and its setting; `PARTS` lists them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from hookline.core import outcome
from hookline.core.events import Stop
from hookline.core.frozen import Frozen
from hookline.core.outcome import PRIVATE_PLACEHOLDER, Outcome, Step
from hookline.core.records import Memory
from hookline.core.response import SummaryPart
from hookline.core.store import Query, Record, Store, StoreFailed
from hookline.core.todos import find_open
from hookline.core.values import replace
from hookline.handoff.next_steps import find_steps, reports_done
from hookline.memory.forget import load_replaced
from hookline.memory.learn import REFUSED_NOTE, take_unreported
from hookline.memory.read_transcript import find_host
from hookline.redact import redact
from hookline.runtime.call_hook import run_in_time
from hookline.runtime.memory_helper import FAILED_NOTE

SEEN_NOTE = "turn-summary.seen"
"""Name of the note with the session's counters at the end of the last turn."""
MAX_SHOWN = 3
"""Items of a list that are shown."""
MAX_LENGTH, ID_LENGTH = 160, 8
"""Characters of an item, and of the id of a memory."""
MAX_RECORDS = 400
"""Latest records of a turn that are read."""
REFUSED_MESSAGE = (
    "not remembered: a statement that may contain personal data; your own `hookline memory add` stores it"
)
PRIVATE_PARTS = ("memory",)
"""Parts that are not recorded in the trail, because a person may want to delete their content."""


class Turn(Struct, frozen=True, kw_only=True):
    """A turn that has ended: its final outcome, and the store with the rest of it."""

    end: Outcome
    store: Store
    root: str
    """The folder of the project."""
    figures: Mapping[str, int]
    """The counters of hooks in this turn, as `count_outcome` names them."""

    def last(self, event: str, *, after: int = 0) -> tuple[int, Record] | None:
        query = Query(session=self.end.event.session, event=event, after=after, last=1)
        return next(iter(self.store.records(query)), None)


Part = Callable[[Turn, str], str]


def add_summary(
    end: Outcome, outcomes: Sequence[Outcome], store: Store, root: str, *, over: bool = False
) -> Outcome:
    """Return *end*, the merged result of *outcomes*, with the summary of the turn if it has really ended."""
    stages = [stage for stage in end.effects if isinstance(stage, SummaryPart)]
    continues = end.blocked is not None and not over
    if not stages or continues or not isinstance(end.event, Stop):
        return end
    session = end.event.session
    counters = _sum_counters((store.counters(session), *map(outcome.count_outcome, outcomes)))
    turn = Turn(
        end=end,
        store=store,
        root=root,
        figures=_subtract_counters(counters, store.notes(session).get(SEEN_NOTE) or {}),
    )
    result = replace(end, memory=Frozen({**end.memory, SEEN_NOTE: counters}))
    for stage in stages:
        result = _add_part(result, stage, turn)
    return result


def _add_part(outcome: Outcome, stage: SummaryPart, turn: Turn) -> Outcome:
    started, verdict, text = time.monotonic(), "shown", ""
    try:
        text = note = redact(run_in_time(lambda: PARTS[stage.part](turn, stage.text), stage.timeout))
    except TimeoutError:
        verdict, note = "timed-out", f"timed out after {stage.timeout:g} s"
    except (StoreFailed, OSError) as error:
        verdict, note = "failed", str(error)
    if not note:
        return outcome
    ms = (time.monotonic() - started) * 1000
    private = (text,) if text and stage.part in PRIVATE_PARTS else ()
    note = PRIVATE_PLACEHOLDER if private else note
    step = Step(hook=f"turn-summary.{stage.part}", action=verdict, note=note, ms=ms, nature="observer")
    warnings = (*outcome.warnings, *filter(None, [text]))
    return replace(outcome.with_steps(step), warnings=warnings, private=(*outcome.private, *private))


def summarize_turn(turn: Turn, how: str) -> str:
    """Return what the agent did in the turn, and the hooks that failed, blocked or continued it."""
    failed, blocked, continued = (
        _format_counts(_select_counters(turn.figures, what))
        for what in (outcome.FAILED, outcome.BLOCKED, outcome.CONTINUED)
    )
    if how != "always" and not failed and not blocked:
        return ""
    labelled = (("blocked", blocked), ("failed hooks", failed), ("continued by", continued))
    parts = [*_describe_work(turn), *(f"{label}: {names}" for label, names in labelled if names)]
    return f"this turn: {'; '.join(parts)}" if parts else ""


def _describe_work(turn: Turn) -> Iterator[str]:
    """Yield the changed files and the number of commands of the turn, by its audit records."""
    prompt = turn.last("UserPromptSubmit")
    query = Query(session=turn.end.event.session, after=prompt[0] if prompt else 0, last=MAX_RECORDS)
    records = [record for _, record in turn.store.records(query)]
    host = find_host(turn.end.event.host)
    kinds = {name: row.kind for name, row in host.tools.items()} if host else {}
    calls = [record for record in records if record.event == "PostToolUse"]
    edited = [
        record.summary for record in calls if record.summary and kinds.get(record.tool) in ("edit", "write")
    ]
    commands = sum(kinds.get(record.tool) == "shell" for record in calls)
    errors = sum(record.event == "OnError" and record.tool in kinds for record in records)
    if edited:
        yield _format_list("changed", list(dict.fromkeys(map(_shorten, edited))))
    if commands:
        yield f"{commands:,} {'command' if commands == 1 else 'commands'}"
    if errors:
        yield f"{errors:,} failed"


def _format_counts(names: Mapping[str, int]) -> str:
    ranked = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{name} ({times})" if times > 1 else name for name, times in ranked[:MAX_SHOWN]]
    more = len(ranked) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def suggest_prompt(turn: Turn, how: str) -> str:
    """Return the obstacles, and the steps that the agent named last, else the open items of its list."""
    end = turn.end.event
    todos = find_open(turn.store.notes(end.session))
    obstacles = [*(todo.text for todo in todos if todo.blocked), *_find_obstacles(turn)]
    last_text = redact(end.last_text) if isinstance(end, Stop) else ""  # a sentence may be part of a secret
    named = [_shorten(step) for step in find_steps(last_text) if not step.endswith("?")]
    listed = [todo.text for todo in todos if not todo.blocked and not reports_done(todo.text, last_text)]
    parts = [_format_list("resolve the obstacles", obstacles), _format_list("continue with", named or listed)]
    text = "; then ".join(filter(None, parts))
    return f"suggested next prompt: {text}" if text else ""


def _format_list(label: str, texts: list[str]) -> str:
    more = f" (and {len(texts) - MAX_SHOWN} more)" if len(texts) > MAX_SHOWN else ""
    return f"{label}: {'; '.join(texts[:MAX_SHOWN])}{more}" if texts else ""


def _find_obstacles(turn: Turn) -> list[str]:
    """Return the last stopped call of this turn, if no call ran after it, and any gate that was overruled."""
    capped = [_shorten(step.note) for step in turn.end.trail if step.action == "capped"]
    if not _select_counters(turn.figures, outcome.BLOCKED):
        return capped
    prompt = turn.last("UserPromptSubmit")
    call = turn.last("PreToolUse", after=prompt[0] if prompt else 0)
    was_stopped = call is not None and call[1].action in ("block", "ask")
    if call is None or not was_stopped or turn.last("PostToolUse", after=call[0]):
        return capped
    return [_shorten(call[1].reason), *capped]


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LENGTH else f"{line[:MAX_LENGTH]}…"


def summarize_memories(turn: Turn, how: str) -> str:
    """Return the project's new memories, each with the command that deletes it, and what was not stored."""
    session = turn.end.event.session
    memories = take_unreported(turn.store, turn.root)
    notes = turn.store.notes(session)
    failed, refused = notes.get(FAILED_NOTE), notes.get(REFUSED_NOTE)
    if failed or refused:
        turn.store.set_notes(session, {FAILED_NOTE: None, REFUSED_NOTE: None})
    replaced = load_replaced(turn.store) if memories else {}
    lines = (
        _describe(memory, [old.memory.text for old in replaced.values() if old.by == memory.id])
        for memory in memories
    )
    return "\n".join(filter(None, (*lines, refused and REFUSED_MESSAGE, failed)))


def _describe(memory: Memory, replaced: Sequence[str]) -> str:
    kind = memory.kind if memory.by_user else f"{memory.kind}, by an agent"
    also = "".join(f", replaces “{_shorten(text)}”" for text in replaced)
    undo = f"undo: `hookline memory forget {memory.id[:ID_LENGTH]}`"
    return f"remembered: {_shorten(memory.text)} ({kind}{also}); {undo}"


PARTS: Mapping[str, Part] = {
    "summary": summarize_turn,
    "next-prompt": suggest_prompt,
    "memory": summarize_memories,
}


def _sum_counters(sets: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of the hook counters in several sets of counters."""
    totals: dict[str, int] = {}
    for counts in sets:
        for name, count in counts.items():
            if name.startswith(outcome.COUNTER_PREFIX):
                totals[name] = totals.get(name, 0) + count
    return totals


def _subtract_counters(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in now.items() if count > before.get(name, 0)}


def _select_counters(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    """Return the counters that start with *prefix*, keyed by the rest of their names: the hook."""
    return {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
