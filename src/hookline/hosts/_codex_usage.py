"""What Codex's rollouts tell of tokens: they add up by themselves; newer ones at once, older ones afterwards.

Cached input is part of its input, and reasoning of its output. Helper agents have rollouts of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._recorded import words
from hookline.usage import Around, Recording, Spent, Told, Total, Turn, tokens


def read(line: Mapping[str, Any]) -> Iterator[Told]:
    payload = line.get("payload")
    if not isinstance(payload, Mapping):
        return
    kind = line.get("type")
    if kind == "turn_context":
        yield Around(model=words(payload.get("model")))
        yield from _turn(payload)
    elif kind == "token_usage_record":
        yield from _turn(payload)
        yield from _total(payload.get("thread_token_usage"), payload.get("usage"))
    elif kind == "event_msg" and payload.get("type") == "task_started":
        yield from _turn(payload)
        yield from _window(payload)
    elif kind == "event_msg" and payload.get("type") == "token_count":
        info = payload.get("info")
        if isinstance(info, Mapping):
            yield from _total(info.get("total_token_usage"), info.get("last_token_usage"))
            yield from _window(info)


def _turn(payload: Mapping[str, Any]) -> Iterator[Told]:
    name = words(payload.get("turn_id"))
    if name:
        yield Turn(name)


def _window(told: Mapping[str, Any]) -> Iterator[Told]:
    window = tokens(told.get("model_context_window"))
    if window:
        yield Around(window=window)


def _total(total: Any, last: Any) -> Iterator[Told]:
    if not isinstance(total, Mapping):
        return
    cached, written = tokens(total.get("cached_input_tokens")), tokens(total.get("cache_write_input_tokens"))
    spent = Spent(
        input=max(tokens(total.get("input_tokens")) - cached - written, 0),
        output=tokens(total.get("output_tokens")),
        cache_read=cached,
        cache_write=written,
    )
    used = tokens(last.get("total_tokens")) if isinstance(last, Mapping) else None
    yield Total(spent, used)


RECORDING = Recording(
    read=read, marks=(b'"token_usage_record"', b'"token_count"', b'"turn_context"', b'"task_started"')
)
