"""Payloads for configured hooks: the portable envelope, the host's own payload, or that of another host."""

import json
from collections.abc import Callable

from msgspec import Struct

from hookline.core.envelope import encode_event
from hookline.core.events import Event
from hookline.core.frozen import thaw
from hookline.core.host import Dialect
from hookline.core.kind import Declaration, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.translate import translate_event, translate_response

PayloadEncoder = Callable[[Event, State], bytes]


class PayloadTranslator(Struct, frozen=True, kw_only=True):
    """Encoding of events for a hook, and translation of its answers."""

    encode: PayloadEncoder
    dialect: Dialect | None = None
    """The dialect that the hook requires; None for the portable or the native payload."""
    moment: str = ""
    """The only moment of that host at which the hook runs; empty means every moment."""

    def translate_event(self, event: Event) -> tuple[Event, ...]:
        """Return the events to send: several if the host has several for it, none at another moment."""
        if self.dialect is None or self.dialect.host is None:
            return (event,)
        host = self.dialect.host()
        if self.moment and self.dialect.payload(event).get(host.event_key) != self.moment:
            return ()
        return translate_event(host, event)

    def translate_answer(self, event: Event, call: Event, answer: Response) -> Response:
        """Return the *answer* to *call* as an answer to *event*."""
        if call is event:
            return answer
        return translate_response(event, call, answer)


def make_delivery(declaration: Declaration, machine: Machine) -> PayloadTranslator:
    """Return the delivery for *declaration*; raise `ValueError` for an unknown payload or moment."""
    name, moment = declaration.spec.get("payload", "portable"), declaration.spec.get("moment", "")
    dialect = next((candidate for candidate in machine.dialects if candidate.name == name), None)
    moments = [*dialect.host().moments] if dialect and dialect.host else []
    if moment and moment not in moments:
        hint = f"available: {', '.join(moments)}" if moments else "its payload must be that of a host"
        raise ValueError(f"hook {declaration.name!r} has an unknown moment {moment!r}; {hint}")
    return PayloadTranslator(encode=make_encoder(declaration, machine), dialect=dialect, moment=moment)


def make_encoder(declaration: Declaration, machine: Machine) -> PayloadEncoder:
    """Return the encoder for *declaration*; raise `ValueError` for an unknown payload."""
    name = declaration.spec.get("payload", "portable")
    if name == "portable":
        return _encode_portable
    if name == "native":
        return lambda event, state: to_json(thaw(event.native))
    for dialect in machine.dialects:
        if dialect.name == name:
            return lambda event, state: to_json(thaw(dialect.payload(event)))
    available = ", ".join(["portable", "native", *(dialect.name for dialect in machine.dialects)])
    raise ValueError(f"hook {declaration.name!r} has an unknown payload {name!r}; available: {available}")


def _encode_portable(event: Event, state: State) -> bytes:
    return to_json(encode_event(event, state))


def to_json(data: object) -> bytes:
    """Return one line of JSON; a lone surrogate becomes its JSON escape."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
