"""The report of an outcome for sinks: redacted, shortened, and without the texts of the session.

Those texts are added as `content` if the user enables it, and are redacted too.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import to_builtins

from hookline.core.frozen import thaw
from hookline.core.metrics import compute_figures
from hookline.core.outcome import Outcome, Step
from hookline.core.sink import HookRun, Report
from hookline.core.spans import SessionPosition
from hookline.redact import redact, redact_json

MAX_NAME_CHARS = 200
MAX_CONTENT_CHARS = 8_000
_CONTENT_FIELDS = (
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
"""The fields of events with texts that a person, an agent or a tool wrote."""
_REQUIRED_FIELDS = ("id", "at", "session", "host", "event")
_FAILED_ACTIONS = ("failed", "timed-out")


def build_report(id: str, outcome: Outcome, position: SessionPosition, *, content: bool = False) -> Report:  # noqa: A002 -- its id
    """Return the report of *outcome*; with *content*, including the texts of the session."""
    event = outcome.event
    return Report(
        id=id,
        at=event.at,
        session=_shorten_name(event.session),
        host=event.host,
        event=event.name,
        cwd=_shorten_name(event.cwd),
        run=position.run,
        turn=position.turn,
        call=position.call,
        tool=_shorten_name(getattr(event, "tool", "")),
        agent=_shorten_name(event.subagent.type or event.subagent.id) if event.subagent else "",
        model=_shorten_name(getattr(event, "model", "")),
        action=outcome.action,
        rules=tuple(map(_shorten_name, outcome.rules)),
        ms=round(sum(step.ms for step in outcome.trail), 3),
        hooks=tuple(map(_encode_step, outcome.trail)),
        figures={
            _shorten_name(key): _shorten_figure(value)
            for key, value in compute_figures(outcome, position.past).items()
        },
        ended=position.ended,
        content=_collect_content(outcome) if content else {},
    )


def to_json(report: Report) -> bytes:
    """Return the report as one line of JSON without empty values."""
    plain = {key: value for key, value in to_builtins(report).items() if value or key in _REQUIRED_FIELDS}
    return msgspec.json.encode(plain)


def from_json(line: bytes) -> Report:
    """Return the report in *line*; raise `ValueError` if it is not a report."""
    return msgspec.json.decode(line, type=Report)


def _encode_step(step: Step) -> HookRun:
    return HookRun(
        hook=_shorten_name(step.hook),
        action=step.action,
        ms=round(step.ms, 3),
        rule=_shorten_name(step.rule),
        nature=step.nature,
        failure=step.action if step.action in _FAILED_ACTIONS else "",
    )


def _shorten_figure(value: Any) -> Any:
    return _shorten_name(value) if isinstance(value, str) else value


def _shorten_name(text: str) -> str:
    return _redact_and_truncate(text, MAX_NAME_CHARS)


def _redact_and_truncate(text: str, max_chars: int) -> str:
    # Redact more text than is kept: a secret that is cut in half may no longer be recognised.
    kept = redact(text[: max_chars * 40])
    return _replace_surrogates(
        kept if len(kept) <= max_chars else f"{kept[:max_chars]}… ({len(text):,} characters)"
    )


def _replace_surrogates(text: str) -> str:
    # Surrogates cannot be encoded.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _collect_content(outcome: Outcome) -> Mapping[str, str]:
    texts = {name: getattr(outcome.event, name, None) for name in _CONTENT_FIELDS}
    texts |= {
        "reason": outcome.blocked or outcome.asked or outcome.allowed,
        "warnings": "\n".join(outcome.warnings),
        "context": "\n".join(outcome.context),
    }
    return {name: _format_content(value) for name, value in texts.items() if value}


def _format_content(value: Any) -> str:
    if isinstance(value, str):
        return _redact_and_truncate(value, MAX_CONTENT_CHARS)
    text = json.dumps(
        redact_json(thaw(value), max_chars=MAX_CONTENT_CHARS * 40), ensure_ascii=False, default=str
    )
    return _redact_and_truncate(text, MAX_CONTENT_CHARS)
