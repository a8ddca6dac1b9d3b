"""Who really calls: hosts run each other's files, and each is to be answered once, in its own words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hookline import foreign, hosts
from hookline.host import GUEST, Host

Payload = Mapping[str, "Any"]
Env = Mapping[str, str]


def true_caller(called: Host, payload: Any, env: Env, event: str = "") -> Host:
    """The host that sent the *payload*: nearly always the one that was *called*; then nothing is loaded.

    The *event* is the moment, where the payload does not say it.
    """
    if not called.run_by or not isinstance(payload, Mapping) or sends(called, payload, env):
        return called
    for name, marks in called.run_by.items():
        if name != called.name and _marked(marks, payload, env):
            other = hosts.load(name)
            if sends(other, payload, env) and not _misses(other, called, payload, event):
                return called if _planted(called, marks, payload, env) else other
    return called


def _marked(marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    for mark in marks:  # noqa: SIM110 -- asked at every call: a generator takes twice as long
        if mark in env or _bears(payload, mark):
            return True
    return False


def _misses(host: Host, called: Host, payload: Payload, event: str) -> bool:
    """Whether the *host* lacks a moment that was *called* knows: a guess must leave nothing unjudged."""
    told = payload.get(called.names_event)
    name = told if isinstance(told, str) else event
    return name in called.moments and name not in host.moments


def sends(host: Host, payload: Payload, env: Env) -> bool:
    """Whether a payload is the *host*'s."""
    if host.sent is not None:
        return host.sent(payload, env)
    return any(env.get(name) for name in host.telltales)


def _planted(called: Host, marks: tuple[str, ...], payload: Payload, env: Env) -> bool:
    """Whether the marks may be the repository's, whose settings could make one host look like another."""
    if any(_bears(payload, mark) for mark in marks):
        return False
    cwd = payload.get(called.common.get("cwd", ""))
    return foreign.sets(called, env, cwd if isinstance(cwd, str) else os.curdir, marks)


def _bears(payload: Payload, mark: str) -> bool:
    if ":" not in mark:
        return mark in payload
    name, _, part = mark.partition(":")
    return name in payload and part in str(payload[name])


def as_guest(payload: Payload, caller: Host, name: str) -> tuple[Payload, str]:
    """The payload as it is to be decoded, and the moment where the payload does not say it."""
    names = isinstance(payload.get(caller.names_event), str)
    return {**payload, GUEST: True}, name if name in caller.moments and not names else ""
