"""Conformance suite of hosts: each check takes a host and a captured payload, and raises `AssertionError`."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import BLOCK, MODIFY, Event, PostToolUse
from hookline.core.frozen import freeze
from hookline.core.host import Host, Reply, find_change, value_at
from hookline.core.outcome import Outcome, Step
from hookline.core.payload import compose, decode
from hookline.core.values import replace

CapturedPayload = tuple[Host, Mapping[str, Any]]


def passing_is_silent(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, _ = build_reply(host, name, event, Outcome(event=event))
    assert reply in (Reply(), Reply(stdout=host.encode_empty_reply(name))), reply


def no_reason_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, outcome = build_reply(host, name, event, Outcome(event=event, blocked="because-0815"))
    assert "because-0815" in _all_text(reply, outcome)
    assert reply.code in (0, host.blocking_code, host.warning_code)


def no_ask_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, outcome = build_reply(host, name, event, Outcome(event=event, asked="asked-0815"))
    assert "asked-0815" in _all_text(reply, outcome)


def no_context_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, outcome = build_reply(
        host, name, event, Outcome(event=event, context=("first-0815", "second-0816"))
    )
    assert "first-0815" in _all_text(reply, outcome)
    assert "second-0816" in _all_text(reply, outcome)


def a_block_keeps_its_context(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, outcome = build_reply(
        host, name, event, Outcome(event=event, blocked="because-0815", context=("fix-0816",))
    )
    assert "because-0815" in _all_text(reply, outcome)
    assert "fix-0816" in _all_text(reply, outcome)


def no_warning_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    reply, _ = build_reply(host, name, event, Outcome(event=event, warnings=("mind-0815",)))
    assert "mind-0815" in reply.stdout + reply.stderr


def a_change_is_made_or_reported(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    if not event.changeable_field or MODIFY not in event.abilities:
        return
    new = _change_value(getattr(event, event.changeable_field))
    after = replace(event, **{event.changeable_field: new})
    step = Step(hook="changer", action="modify", nature="policy")
    reply, outcome = build_reply(host, name, event, Outcome(event=after, trail=(step,)))
    change = find_change(event, outcome.event)
    if change is not None:
        assert "new-0815" in reply.stdout
    else:
        assert outcome.blocked is not None or any("changer" in warning for warning in outcome.warnings)
        assert (
            BLOCK not in host.moments[name].abilities
            or not event.block_prevents
            or outcome.blocked is not None
        )


def an_object_replaces_the_output_or_is_reported(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    if not isinstance(event, PostToolUse):
        return
    after = replace(event, output=freeze({"summary": "new-0815", "redacted": True}))
    step = Step(hook="changer", action="modify", nature="policy")
    reply, outcome = build_reply(host, name, event, Outcome(event=after, trail=(step,)))
    if find_change(event, outcome.event) is None:
        assert any("changer" in warning for warning in outcome.warnings)
        return
    assert "new-0815" in reply.stdout
    assert not [text for text in _raw_texts(event) if json.dumps(text)[1:-1] in reply.stdout]


def payloads_can_be_composed_again(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decode(host, payload)
    again = decode(host, json.loads(json.dumps(compose(host, event, name))))
    assert again == (name, event)


def events_derive_themselves(host: Host, payload: Mapping[str, Any]) -> None:
    _, event = _decode(host, payload)
    assert event in derive(host, event)


SUITE: tuple[Callable[[Host, Mapping[str, Any]], None], ...] = (
    passing_is_silent,
    no_reason_is_lost,
    no_ask_is_lost,
    no_context_is_lost,
    a_block_keeps_its_context,
    no_warning_is_lost,
    a_change_is_made_or_reported,
    an_object_replaces_the_output_or_is_reported,
    payloads_can_be_composed_again,
    events_derive_themselves,
)


def _decode(host: Host, payload: Mapping[str, Any]) -> tuple[str, Event]:
    decoded = decode(host, payload)
    assert decoded is not None, "the payload is not from a moment of this host"
    return decoded


def _all_text(reply: Reply, outcome: Outcome) -> str:
    return "\n".join((reply.stdout, reply.stderr, *outcome.held_context))


def _raw_texts(event: PostToolUse) -> list[str]:
    """Return the texts of the tool's output, where the host's table says that they are."""
    places = (event.input_keys.get(name, "") for name in ("output", "errors"))
    found = [value_at(event.output, place) for place in places if place]
    return [text for text in (*found, event.output) if isinstance(text, str) and len(text) > 1]


def _change_value(value: Any) -> Any:
    """Return a changed value of the same shape."""
    if isinstance(value, str) or value is None:
        return "new-0815"
    if isinstance(value, tuple):
        return (*value, freeze({"text": "new-0815"}))
    return freeze({**value, "new-0815": "new-0815"})
