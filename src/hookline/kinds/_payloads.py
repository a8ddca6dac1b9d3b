"""What a configured hook is sent: the portable envelope, the host's own payload, or another host's words."""

import json
from collections.abc import Callable

from hookline.events import Event
from hookline.frozen import thawed
from hookline.kind import Declaration, Machine
from hookline.state import State

Payload = Callable[[Event, State], bytes]


def payload(declaration: Declaration, machine: Machine) -> Payload:
    """How the payload that *declaration* wants is made; raises `ValueError` where it is unknown."""
    wanted = declaration.spec.get("payload", "portable")
    if wanted == "portable":
        return _portable
    if wanted == "native":
        return lambda event, state: encode(thawed(event.native))
    for dialect in machine.dialects:
        if dialect.name == wanted:
            return lambda event, state: encode(thawed(dialect.payload(event)))
    there = ", ".join(["portable", "native", *(dialect.name for dialect in machine.dialects)])
    raise ValueError(f"hook {declaration.name!r} wants the payload {wanted!r}; there are: {there}")


def _portable(event: Event, state: State) -> bytes:
    from hookline.envelope import event_out  # noqa: PLC0415 -- only where such a hook runs

    return encode(event_out(event, state))


def encode(data: object) -> bytes:
    """One line of JSON; half a surrogate pair becomes the escape that JSON has for it."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
