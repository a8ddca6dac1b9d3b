"""Answer a call once, even if several entries of a host's settings ask for it.

Two processes are asked the same thing if the second began before the first had answered, because a host goes
on when its hooks have answered. A host that runs its hooks one after another asks again right after the
answer. The second process waits for the first and repeats its answer, because the host may read either; it
takes over if the first ends without an answer. Counters, records, effects and the countdown are the first's.

Calls are the same only if their content, environment and settings are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

from msgspec import Struct

from hookline.core.audit import recorded
from hookline.core.events import (
    Event,
    PermissionRequest,
    PostCompact,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.hook import named
from hookline.core.host import Host
from hookline.core.outcome import Outcome, Step
from hookline.core.store import StoreFailed
from hookline.core.values import replace
from hookline.runtime import repeat_answer
from hookline.runtime.claim_table import Claim
from hookline.runtime.runtime import Runtime
from hookline.runtime.select_hooks import DEPTH
from hookline.runtime.setup import Setup
from hookline.system.process import identity as lives

_T = TypeVar("_T")

ASIDE = {"at", "duration_ms", "host", "lies_at", "native", "odd", "places", "subagent", "transcript", "turn"}
"""Fields of an event that do not tell what it is about, or that two dialects tell differently."""
PASSING = {"_", "SHLVL", "PWD", "OLDPWD"}
"""Variables that differ from process to process."""
CALLS = (PreToolUse, PermissionRequest, PostToolUse)
HELPERS = (SubagentStart, SubagentStop)
ALONE = (SessionStart, UserPromptSubmit, TurnStart, PreCompact, PostCompact, Stop, SessionEnd)
"""What a session is told of one at a time: two that are alike, at once, are one."""
MOST_POLICIES = 256
_policies: dict[tuple[int, str | None], tuple[Setup, str]] = {}
"""What each setup comes to: one that stays is asked at every call."""
AFTERWARDS = 0.5
"""Seconds in which a host that asks one entry after another asks the next."""
LOOK, SELDOM = 0.01, 0.1
"""Seconds between two looks at whether the first has answered, at the beginning and later."""
PATIENCE = 0.6
"""The part of the time for an answer in which the first one's is waited for; the rest is for our own."""
NOTE = "arrived twice, because several entries call hookline for it; answered once (see `hookline doctor`)"


class Held(Struct, frozen=True, kw_only=True):
    """The right to answer a call; without a name there is nothing to hold."""

    runtime: Runtime
    name: str
    by: str

    def answered(self, at: float) -> None:
        """Note the answer, which was ready *at* that time by `lives.now`."""
        if self.name:
            said = repeat_answer.spoken(self.runtime)
            _use(self.runtime, lambda: self.runtime.claims.answered(self.name, by=self.by, at=at, said=said))

    def abandon(self) -> None:
        """Leave the answer to another that was asked."""
        if self.name:
            _use(self.runtime, lambda: self.runtime.claims.release(self.name, by=self.by))


def held(
    runtime: Runtime,
    host: Host,
    event: Event,
    words: Sequence[str] = (),
    *,
    within: float = 55.0,
    begun: Callable[[], float] = lives.started,
) -> Held | Claim:
    """Return the right to answer *event*, asked with *words*, or the answer of another that was asked."""
    # A call that a hook makes must not wait for the answer that waits for the hook.
    name = "" if runtime.setup.env.get(DEPTH) else identity(event, (*words, policy(runtime, host)))
    mine = Held(runtime=runtime, name=name, by=lives.own() if name else "")
    last, pause = time.monotonic() + within * PATIENCE, LOOK
    known = _claimed(mine) if name else None
    while known is not None:
        if known.answered is not None and _the_same(known, host, event, begun()):
            return known
        if known.answered is None and lives.alive(known.by) and time.monotonic() < last:
            time.sleep(pause)
            pause = min(pause * 2, SELDOM)
            known = _claimed(mine)
        else:  # it will not answer any more, or answered something else
            known = _claimed(mine, instead=known.by)
    return mine


def _claimed(mine: Held, instead: str = "") -> Claim | None:
    claims, at = mine.runtime.claims, mine.runtime.now()
    return _use(mine.runtime, lambda: claims.claim(mine.name, by=mine.by, at=at, instead=instead))


def _the_same(known: Claim, host: Host, event: Event, begun: float) -> bool:
    if not known.said:
        return False
    answered = known.answered or 0.0
    if begun < answered:
        return True
    if not host.one_by_one or not isinstance(event, CALLS) or begun - answered >= AFTERWARDS:
        return False
    return not repeat_answer.stopped(known.said)  # a call that was stopped and comes again is a new attempt


def identity(event: Event, words: Sequence[str] = ()) -> str:
    """What tells *event*, asked with these *words*, from all others of its session; empty: nothing does."""
    helper = event.subagent.id if event.subagent else ""
    if not event.session or (isinstance(event, HELPERS) and not helper):
        return ""
    if not isinstance(event, (*CALLS, *HELPERS, *ALONE)):
        return ""
    return _digest(event, words, f"{helper}\x1f{_content(event)}")


def _content(event: Event) -> str:
    """What it is about, in our words: one host may tell of it in two dialects."""
    told = {name: getattr(event, name) for name in _telling(type(event))}  # type: ignore[arg-type]  # as in `host`
    if isinstance(event, CALLS):
        told["tool"] = event.tool if event.kind == "other" else ""
    return json.dumps(told, sort_keys=True, default=_plain)


@cache
def _telling(event: type[Event]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(event) if field.name not in ASIDE)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def policy(runtime: Runtime, host: Host | None = None) -> str:
    """By what is judged: who has another environment, or other settings, is asked something else."""
    setup = runtime.setup
    key = id(setup), host.name if host else None
    known = _policies.get(key)
    if known is None or known[0] is not setup:
        while len(_policies) >= MOST_POLICIES:
            _policies.pop(next(iter(_policies)), None)
        known = _policies[key] = setup, _policy(setup, host)
    return known[1]


def _policy(setup: Setup, host: Host | None) -> str:
    aside = PASSING.union(host.passing if host else ())
    hooks = [(h.name, h.enabled, h.source, h.origin, h.priority, repr(h.settings)) for h in setup.hooks]
    env = sorted(item for item in setup.env.items() if item[0] not in aside)
    whole = repr((hooks, env, setup.places)).encode(errors="surrogatepass")
    return blake2b(whole, digest_size=20).hexdigest()


def _digest(event: Event, words: Sequence[str], what: str) -> str:
    """What is claimed, in short: nothing that anybody wrote is kept, not even as the name of a call."""
    text = "\x1f".join((event.host, event.name, what, lives.boot(), *words))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=20).hexdigest()


def note(runtime: Runtime, event: Event) -> None:
    """Keep in the trail that it came again, if a trail is kept; nothing is counted."""
    keeper = named(runtime.hooks, "audit")
    if keeper is None or not keeper.enabled:
        return
    outcome = Outcome(event=event).noting(Step(hook="hookline", said="repeated", note=NOTE))
    kept = replace(recorded(lives.fresh(), outcome, at=event.at or runtime.now(), ms=0.0), counts={})
    _use(runtime, lambda: runtime.recorder.keep(kept))


def _use(runtime: Runtime, use: Callable[[], _T]) -> _T | None:
    """Where claims cannot be kept, everybody answers: rather twice than not at all."""
    try:
        return use()
    except (StoreFailed, OSError) as error:
        trouble = f"the store could not be used: {error}"
        if trouble not in runtime.troubles:
            runtime.troubles.append(trouble)
        return None
