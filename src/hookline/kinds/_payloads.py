"""What a configured hook is sent: the portable envelope, the host's own payload, or another host's words."""

import json
from collections.abc import Callable

from msgspec import Struct

from hookline.core.envelope import event_out
from hookline.core.events import Event
from hookline.core.frozen import thawed
from hookline.core.host import Dialect
from hookline.core.kind import Declaration, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.translate import returned, reworded

Payload = Callable[[Event, State], bytes]


class Telling(Struct, frozen=True, kw_only=True):
    """How a hook is told of an event, and how its answer is understood."""

    send: Payload
    dialect: Dialect | None = None
    """The host's words that it wants; None where they are ours, or the sender's own."""
    moment: str = ""
    """The only moment of that host at which it runs; empty is every one."""

    def calls(self, event: Event) -> tuple[Event, ...]:
        """The event as it is told: several where it is several there, none where it is another moment."""
        if self.dialect is None or self.dialect.host is None:
            return (event,)
        host = self.dialect.host()
        if self.moment and self.dialect.payload(event).get(host.names_event) != self.moment:
            return ()
        return reworded(host, event)

    def heard(self, event: Event, call: Event, answer: Response) -> Response:
        """An *answer* to what was told, as one to what happened."""
        if call is event:
            return answer
        return returned(event, call, answer)


def telling(declaration: Declaration, machine: Machine) -> Telling:
    """How *declaration* wants to be told; raises `ValueError` where that is unknown."""
    wanted, moment = declaration.spec.get("payload", "portable"), declaration.spec.get("moment", "")
    dialect = next((one for one in machine.dialects if one.name == wanted), None)
    there = [*dialect.host().moments] if dialect and dialect.host else []
    if moment and moment not in there:
        said = f"there are: {', '.join(there)}" if there else "its payload must be that of a host"
        raise ValueError(f"hook {declaration.name!r} wants the moment {moment!r}; {said}")
    return Telling(send=payload(declaration, machine), dialect=dialect, moment=moment)


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
    return encode(event_out(event, state))


def encode(data: object) -> bytes:
    """One line of JSON; half a surrogate pair becomes the escape that JSON has for it."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
