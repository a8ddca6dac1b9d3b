"""Kind python: functions with `@hook` in users' files and modules, run in a warm process of their own.

A user's code is never imported in this process, so that an endless loop, a crash or an exit in it is only a
hook that failed. The limit of a call holds from its first moment: where the worker has to be started and the
code imported for it, that counts.
"""

import base64
import pickle
from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError, convert

from hookline.core.events import Event
from hookline.core.explanation import Branch
from hookline.core.frozen import Frozen, thawed
from hookline.core.hook import Why
from hookline.core.kind import Carry, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.values import replace
from hookline.kinds._discover import Found, find
from hookline.kinds._response_json import response_from_json
from hookline.kinds._sources import Source
from hookline.kinds._workers import ask

__all__ = ["KIND", "Found", "Source", "bind", "find", "why"]

FACTS = ("root", "home", "branch", "usage")
"""The facts that are sent along; the others are not to be had in another process."""


def bind(declaration: Declaration, machine: Machine) -> Carry:
    source, request = _request(declaration, machine)

    def carry(event: Event, state: State, limit: float) -> Response | None:
        call = _packed(event, state, machine.env)
        return _response(ask(machine, source, {**request, "do": "judge", "call": call}, limit))

    return carry


def why(declaration: Declaration, machine: Machine) -> Why | None:
    """What tells why the hook said what it said, if its author wrote that."""
    if not declaration.spec.get("why"):
        return None
    source, request = _request(declaration, machine)

    def tell(event: Event, state: State, **settings: Any) -> list["Branch"]:
        asked = {**request, "do": "why", "settings": thawed(settings)}
        asked["call"] = _packed(event, state, machine.env)
        return _tree(ask(machine, source, asked, declaration.timeout or event.limit))

    return tell


def _request(declaration: Declaration, machine: Machine) -> tuple[Source, Mapping[str, Any]]:
    spec = declaration.spec
    source = Source(
        path=spec.get("path", ""),
        module=spec.get("module") or spec.get("python", ""),
        digest=spec.get("digest", ""),
        source=declaration.source,
        root=declaration.root,
        trusted=spec.get("trusted"),
    )
    return source, {
        "source": source.asked(),
        "hook": spec.get("function", ""),
        "settings": thawed(spec.get("settings", {})),
        "depth": f"{machine.env.get('HOOKLINE_DEPTH', '')}:{declaration.name}".lstrip(":"),
    }


def _packed(event: Event, state: State, env: Mapping[str, str]) -> str:
    facts = Frozen({name: state.facts.get(name, "") for name in FACTS})
    memory, counters = Frozen(state.memory), Frozen(state.counters)
    sent = replace(state, facts=facts, env=Frozen(state.env), memory=memory, counters=counters)
    return base64.b64encode(pickle.dumps((event, sent, Frozen(env)))).decode()


def _response(reply: Mapping[str, Any]) -> Response | None:
    if "response" in reply:
        return None if reply["response"] is None else response_from_json(reply["response"])
    raise HookFailed(str(reply.get("failed", "gave no answer that can be read")))


def _tree(reply: Mapping[str, Any]) -> list["Branch"]:
    if "why" not in reply:
        raise HookFailed(str(reply.get("failed", "gave no answer that can be read")))
    try:
        return convert(reply["why"], list[Branch])
    except ValidationError as error:
        raise HookFailed(f"told why with what is no tree of branches: {error}") from None


KIND = Kind(
    name="python",
    key="python",
    fields={"python": (str,)},
    bind=bind,
    about="Call a function made with @hook, in a process of its own.",
)
