"""Kind python: functions with `@hook` in users' files and modules, run in a separate warm process.

Users' code is never imported in this process, so that an endless loop, a crash or an exit is only a failed
hook. The limit of a call includes the start of the worker and the import of the code.
"""

import base64
import pickle
from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError, convert

from hookline.core.events import Event
from hookline.core.explanation import Branch
from hookline.core.frozen import Frozen, thaw
from hookline.core.hook import Explainer
from hookline.core.kind import BoundHook, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.values import replace
from hookline.kinds._discover import Discovery, find_hooks
from hookline.kinds._response_json import response_from_json
from hookline.kinds._sources import Source
from hookline.kinds._worker_pool import ask

__all__ = ["KIND", "Discovery", "Source", "bind", "find_hooks", "make_explainer"]

SENT_FACTS = ("root", "home", "branch", "usage")
"""Facts that are sent to the worker; the others are not available in another process."""


def bind(declaration: Declaration, machine: Machine) -> BoundHook:
    source, request = _make_request(declaration, machine)

    def run_hook(event: Event, state: State, limit: float) -> Response | None:
        call = _pack_call(event, state, machine.env)
        return _parse_response(ask(machine, source, {**request, "do": "judge", "call": call}, limit))

    return run_hook


def make_explainer(declaration: Declaration, machine: Machine) -> Explainer | None:
    """Return a function that explains the hook's decision, if its author wrote one."""
    if not declaration.spec.get("why"):
        return None
    source, request = _make_request(declaration, machine)

    def explain(event: Event, state: State, **settings: Any) -> list["Branch"]:
        full_request = {**request, "do": "why", "settings": thaw(settings)}
        full_request["call"] = _pack_call(event, state, machine.env)
        return _parse_explanation(ask(machine, source, full_request, declaration.timeout or event.timeout))

    return explain


def _make_request(declaration: Declaration, machine: Machine) -> tuple[Source, Mapping[str, Any]]:
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
        "source": source.to_request(),
        "hook": spec.get("function", ""),
        "settings": thaw(spec.get("settings", {})),
        "depth": f"{machine.env.get('HOOKLINE_DEPTH', '')}:{declaration.name}".lstrip(":"),
    }


def _pack_call(event: Event, state: State, env: Mapping[str, str]) -> str:
    facts = Frozen({name: state.facts.get(name, "") for name in SENT_FACTS})
    memory, counters = Frozen(state.memory), Frozen(state.counters)
    sent_state = replace(state, facts=facts, env=Frozen(state.env), memory=memory, counters=counters)
    return base64.b64encode(pickle.dumps((event, sent_state, Frozen(env)))).decode()


def _parse_response(reply: Mapping[str, Any]) -> Response | None:
    if "response" in reply:
        return None if reply["response"] is None else response_from_json(reply["response"])
    raise HookFailed(str(reply.get("failed", "returned an invalid answer")))


def _parse_explanation(reply: Mapping[str, Any]) -> list["Branch"]:
    if "why" not in reply:
        raise HookFailed(str(reply.get("failed", "returned an invalid answer")))
    try:
        return convert(reply["why"], list[Branch])
    except ValidationError as error:
        raise HookFailed(f"returned an explanation that is not a tree of branches: {error}") from None


KIND = Kind(
    name="python",
    key="python",
    fields={"python": (str,)},
    bind=bind,
    about="Call a function made with @hook, in its own process.",
)
