"""Who really calls: hosts run each other's files, and each is to be answered once, in its own words."""

import os
from collections.abc import Mapping
from typing import Any

from hookline import foreign, hosts
from hookline.events import Event
from hookline.host import GUEST, Host

Payload = Mapping[str, Any]
Env = Mapping[str, str]


def true_caller(called: Host, payload: Any, env: Env) -> Host:
    """The host that sent the *payload*: nearly always the one that was *called*; then nothing is loaded."""
    if not called.run_by or not isinstance(payload, Mapping) or sends(called, payload, env):
        return called
    for name, marks in called.run_by.items():
        if name != called.name and any(mark in payload or mark in env for mark in marks):
            other = hosts.load(name)
            if sends(other, payload, env) and not _planted(called, marks, payload, env):
                return other
    return called


def sends(host: Host, payload: Payload, env: Env) -> bool:
    """Whether a payload is the *host*'s."""
    if host.sent is not None:
        return host.sent(payload, env)
    return any(env.get(name) for name in host.telltales)


def _planted(called: Host, marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    """Whether the marks may be the repository's, whose settings could make one host look like another."""
    if any(mark in payload for mark in marks):
        return False
    cwd = payload.get(called.common.get("cwd", ""))
    return foreign.sets(called, env, cwd if isinstance(cwd, str) else os.curdir, marks)


def as_guest(payload: Payload, caller: Host, name: str) -> tuple[Payload, str]:
    """The payload as it is to be decoded, and the moment where the payload does not say it."""
    names = isinstance(payload.get(caller.names_event), str)
    return {**payload, GUEST: True}, name if name in caller.moments and not names else ""


def answers_itself(caller: Host, called: Host, event: Event, env: Env) -> bool:
    """Whether the *caller*'s own files call us for this event as well, so that this call is one too many."""
    from hookline import installing  # noqa: PLC0415 -- only where one host runs the files of another
    from hookline.system.places import find  # noqa: PLC0415 -- ditto

    own = foreign.find(env, event.cwd, called).without(env)
    places = find(own, foreign.started(own, event.cwd, caller))
    if _covers(caller, installing.standing(caller, "user", places, own), event):
        return True
    wired = _covers(caller, installing.standing(caller, "project", places, own), event)
    # A repository may speak for its own files, not against what its user wired for every project.
    return wired and (
        not installing.standing(called, "user", places, own)
        or installing.untouched(caller, "project", places, own)
    )


def _covers(host: Host, names: tuple[str, ...], event: Event) -> bool:
    return any(host.moments[name].event is type(event) for name in names if name in host.moments)
