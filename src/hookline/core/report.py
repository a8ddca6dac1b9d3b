"""An outcome as the report that sinks are sent: redacted, short, and without what anybody wrote.

What was written and read is added apart, for a user who wants it, and redacted like the rest.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import to_builtins

from hookline.core.frozen import thawed
from hookline.core.metrics import figures
from hookline.core.outcome import Outcome, Step
from hookline.core.sink import Ran, Report
from hookline.core.spans import Where
from hookline.redact import redact, redact_json

NAME = 200
CONTENT = 8_000
_WRITTEN = (
    "prompt",
    "input",
    "output",
    "error",
    "messages",
    "response",
    "instructions",
    "summary",
    "last_text",
    "text",
)
"""The fields of events that hold what somebody wrote or read."""
_ALWAYS = ("id", "at", "session", "host", "event")
_FAILURES = ("failed", "timed-out")


def report(id: str, outcome: Outcome, where: Where, *, content: bool = False) -> Report:  # noqa: A002 -- its id
    """What is told of *outcome*; with *content* also what was written and read."""
    event = outcome.event
    return Report(
        id=id,
        at=event.at,
        session=_name(event.session),
        host=event.host,
        event=event.name,
        cwd=_name(event.cwd),
        run=where.run,
        turn=where.turn,
        call=where.call,
        tool=_name(getattr(event, "tool", "")),
        agent=_name(event.subagent.type or event.subagent.id) if event.subagent else "",
        model=_name(getattr(event, "model", "")),
        action=outcome.action,
        rules=tuple(map(_name, outcome.rules)),
        ms=round(sum(step.ms for step in outcome.trail), 3),
        hooks=tuple(map(_ran, outcome.trail)),
        figures={_name(key): _figure(value) for key, value in figures(outcome, where.past).items()},
        ended=where.ended,
        content=_content(outcome) if content else {},
    )


def to_json(one: Report) -> bytes:
    """The report as one line of JSON, without what says nothing."""
    plain = {key: value for key, value in to_builtins(one).items() if value or key in _ALWAYS}
    return msgspec.json.encode(plain)


def from_json(line: bytes) -> Report:
    """The report in *line*; raises `ValueError` where there is none."""
    return msgspec.json.decode(line, type=Report)


def _ran(step: Step) -> Ran:
    return Ran(
        hook=_name(step.hook),
        said=step.said,
        ms=round(step.ms, 3),
        rule=_name(step.rule),
        nature=step.nature,
        failure=step.said if step.said in _FAILURES else "",
    )


def _figure(value: Any) -> Any:
    return _name(value) if isinstance(value, str) else value


def _name(text: str) -> str:
    return _cut(text, NAME)


def _cut(text: str, most: int) -> str:
    # Of more than is kept: what a cut leaves of a secret is not always told for one.
    kept = redact(text[: most * 40])
    return _sayable(kept if len(kept) <= most else f"{kept[:most]}… ({len(text):,} characters)")


def _sayable(text: str) -> str:
    """Without what cannot be told in UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _content(outcome: Outcome) -> Mapping[str, str]:
    told = {name: getattr(outcome.event, name, None) for name in _WRITTEN}
    told |= {
        "reason": outcome.blocked or outcome.asked or outcome.allowed,
        "warnings": "\n".join(outcome.warnings),
        "context": "\n".join(outcome.context),
    }
    return {name: _written(value) for name, value in told.items() if value}


def _written(value: Any) -> str:
    if isinstance(value, str):
        return _cut(value, CONTENT)
    whole = json.dumps(redact_json(thawed(value)), ensure_ascii=False, default=str)
    return _cut(whole, CONTENT)
