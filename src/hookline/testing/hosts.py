"""What every host must keep: a new one joins by existing. Each function takes a host, a payload it sent, and
raises `AssertionError` where the host breaks its word."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from hookline.core.degrade import answer
from hookline.core.derive import derive
from hookline.core.events import BLOCK, MODIFY, Event
from hookline.core.frozen import frozen
from hookline.core.host import Host, Reply, changed
from hookline.core.outcome import Outcome, Step
from hookline.core.payload import compose, decode
from hookline.core.values import replace

Heard = tuple[Host, Mapping[str, Any]]


def passing_is_silent(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, _ = answer(host, name, event, Outcome(event=event))
    assert reply in (Reply(), Reply(stdout=host.silence(name))), reply


def no_reason_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, said = answer(host, name, event, Outcome(event=event, blocked="because-0815"))
    assert "because-0815" in _all(reply, said)
    assert reply.code in (0, host.blocking_code, host.warning_code)


def no_ask_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, said = answer(host, name, event, Outcome(event=event, asked="asked-0815"))
    assert "asked-0815" in _all(reply, said)


def no_context_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, said = answer(host, name, event, Outcome(event=event, context=("first-0815", "second-0816")))
    assert "first-0815" in _all(reply, said)
    assert "second-0816" in _all(reply, said)


def a_block_keeps_its_context(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, said = answer(
        host, name, event, Outcome(event=event, blocked="because-0815", context=("fix-0816",))
    )
    assert "because-0815" in _all(reply, said)
    assert "fix-0816" in _all(reply, said)


def no_warning_is_lost(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    reply, _ = answer(host, name, event, Outcome(event=event, warnings=("mind-0815",)))
    assert "mind-0815" in reply.stdout + reply.stderr


def a_change_is_made_or_said(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    if not event.changes or MODIFY not in event.may:
        return
    new = _another(getattr(event, event.changes))
    after = replace(event, **{event.changes: new})
    step = Step(hook="changer", said="modify", nature="policy")
    reply, said = answer(host, name, event, Outcome(event=after, trail=(step,)))
    made = changed(event, said.event)
    if made is not None:
        assert "new-0815" in reply.stdout
    else:
        assert said.blocked is not None or any("changer" in warning for warning in said.warnings)
        assert BLOCK not in host.moments[name].can or not event.prevents or said.blocked is not None


def what_it_sent_can_be_composed_again(host: Host, payload: Mapping[str, Any]) -> None:
    name, event = _decoded(host, payload)
    again = decode(host, json.loads(json.dumps(compose(host, event, name))))
    assert again == (name, event)


def it_means_at_least_itself(host: Host, payload: Mapping[str, Any]) -> None:
    _, event = _decoded(host, payload)
    assert event in derive(host, event)


SUITE: tuple[Callable[[Host, Mapping[str, Any]], None], ...] = (
    passing_is_silent,
    no_reason_is_lost,
    no_ask_is_lost,
    no_context_is_lost,
    a_block_keeps_its_context,
    no_warning_is_lost,
    a_change_is_made_or_said,
    what_it_sent_can_be_composed_again,
    it_means_at_least_itself,
)


def _decoded(host: Host, payload: Mapping[str, Any]) -> tuple[str, Event]:
    found = decode(host, payload)
    assert found is not None, "the payload is none of this host's moments"
    return found


def _all(reply: Reply, said: Outcome) -> str:
    return "\n".join((reply.stdout, reply.stderr, *said.kept))


def _another(value: Any) -> Any:
    """A changed value of the same shape."""
    if isinstance(value, str) or value is None:
        return "new-0815"
    if isinstance(value, tuple):
        return (*value, frozen({"text": "new-0815"}))
    return frozen({**value, "new-0815": "new-0815"})
