"""One answer to a call, even if several entries of a host's settings ask for it.

Two processes are asked the same if the second began before the first had answered, because a host continues
when its hooks have answered. A host that runs its hooks one after another asks again right after the answer.
The second process waits for the first and repeats its answer, because the host may read either; it
takes over if the first ends without an answer. Only the first counts, records and runs effects.

Calls are the same only if their content, environment and settings are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

from msgspec import Struct

from hookline.core import chain
from hookline.core.audit import build_record
from hookline.core.degrade import build_reply
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
from hookline.core.frozen import freeze, thaw
from hookline.core.hook import Hook, find_hook
from hookline.core.host import Host, Reply
from hookline.core.outcome import Outcome, Step
from hookline.core.store import StoreFailed
from hookline.core.values import replace
from hookline.redact import redact, redact_json
from hookline.runtime.call_claims import Claim
from hookline.runtime.call_hook import DEPTH_VARIABLE
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import Setup
from hookline.system.process import identity

UNRELIABLE_STEPS = {"failed", "timed-out", "skipped"}
"""Steps that may have another result when the hook is tried again."""
MAX_LENGTH = 100_000
"""Characters of an encoded answer."""


def encode_answer(runtime: Runtime) -> str:
    """Return the last answer as JSON; empty if it cannot be repeated without running hooks."""
    outcome = runtime.last_outcome
    if outcome is not None and outcome.silent:
        return "{}"
    if (
        outcome is None
        or outcome.capped
        or any(step.action in UNRELIABLE_STEPS and _is_gap(step) for step in outcome.trail)
    ):
        return ""
    warnings = [redact(warning) for warning in outcome.warnings if warning not in outcome.private]
    answer: dict[str, Any] = {"warnings": warnings, "context": _policy_context(runtime, outcome)}
    for name in ("blocked", "asked", "allowed"):
        reason = getattr(outcome, name)
        answer |= {} if reason is None else {name: redact(reason)}
    changers = sorted({step.hook for step in outcome.trail if step.action == "modify"})
    if changers and isinstance(outcome.event, PreToolUse):
        answer["input"] = thaw(outcome.event.input)
        if redact_json(answer["input"], max_chars=MAX_LENGTH) != answer["input"]:
            return ""  # secrets must not be stored
    elif changers:
        answer["again"] = changers
        if any(hook.source != "built-in" for hook in runtime.hooks if hook.name in changers):
            return ""
    text = json.dumps({key: value for key, value in answer.items() if value or value == ""})
    return text if len(text) <= MAX_LENGTH else ""


def _is_gap(step: Step) -> bool:
    """Return whether a hook may be missing in the answer; a skip after a block is not a gap."""
    return step.action != "skipped" or "blocked" not in step.note


def _policy_context(runtime: Runtime, outcome: Outcome) -> list[str]:
    """Return the context from policies; advice such as the countdown has no rule and is not repeated."""
    policies = {hook.name: hook.source for hook in runtime.hooks if hook.nature == "policy"}
    steps = (step for step in outcome.trail if step.rule or policies.get(step.hook, "built-in") != "built-in")
    texts = [text for step in steps if step.hook in policies for text in step.injected]
    return [redact(text) for text in texts]


def is_stop(answer: str) -> bool:
    """Return whether an encoded answer blocks or asks."""
    return not json.loads(answer).keys().isdisjoint({"blocked", "asked"})


def repeat_reply(runtime: Runtime, host: Host, name: str, event: Event, text: str) -> Reply:
    """Return the reply of an encoded answer, without counting anything."""
    answer = json.loads(text)
    outcome = Outcome(
        event=event,
        blocked=answer.get("blocked"),
        asked=answer.get("asked"),
        allowed=answer.get("allowed"),
        context=tuple(answer.get("context", ())),
        warnings=tuple(answer.get("warnings", ())),
    )
    if "input" in answer and isinstance(event, PreToolUse):
        step = Step(hook="hookline", action="modify")
        outcome = replace(outcome, event=replace(event, input=freeze(answer["input"])), trail=(step,))
    elif "again" in answer and isinstance(event, PostToolUse):
        judged = chain.run(
            event,
            runtime.state(event),
            _select_hooks(runtime, answer["again"]),
            runtime.run_options(runtime.deadline(host.timeout)),
        )
        outcome = replace(outcome, event=judged.event, trail=judged.trail)
    return build_reply(host, name, event, outcome, runtime.limit_context(host.context_cap))[0]


def _select_hooks(runtime: Runtime, names: list[str]) -> list[Hook]:
    return [hook for hook in runtime.hooks if hook.enabled and hook.name in names]


_T = TypeVar("_T")

IGNORED_FIELDS = {
    "at",
    "duration_ms",
    "host",
    "native_paths",
    "native",
    "payload_problems",
    "input_keys",
    "subagent",
    "transcript",
    "turn",
}
"""Fields of an event that do not identify it, or that differ between two dialects of a host."""
IGNORED_VARIABLES = {"_", "SHLVL", "PWD", "OLDPWD"}
"""Variables that differ from process to process."""
TOOL_EVENTS = (PreToolUse, PermissionRequest, PostToolUse)
SUBAGENT_EVENTS = (SubagentStart, SubagentStop)
SEQUENTIAL_EVENTS = (SessionStart, UserPromptSubmit, TurnStart, PreCompact, PostCompact, Stop, SessionEnd)
"""Events that a session has one at a time: two equal ones at the same time are duplicates."""
MAX_POLICIES = 256
_policies: dict[tuple[int, str | None], tuple[Setup, str]] = {}
"""Hashes by setup, because a daemon needs the hash of the same setup at every call."""
REPEAT_SECONDS = 0.5
"""Seconds within which a sequential host runs its next entry."""
POLL_SECONDS, MAX_POLL_SECONDS = 0.01, 0.1
"""Seconds between two checks for the first answer, at the start and at most."""
WAIT_FRACTION = 0.6
"""Fraction of the host's timeout to wait for the first answer; the rest is for an own answer."""
REPEAT_NOTE = "received twice, because several entries call hookline; answered once (see `hookline doctor`)"


class ClaimedCall(Struct, frozen=True, kw_only=True):
    """The right to answer a call; an empty name stands for a call that cannot be claimed."""

    runtime: Runtime
    name: str
    by: str

    def save_answer(self, at: float) -> None:
        """Save the answer, which was ready *at* that time by `identity.now`."""
        if self.name:
            answer = encode_answer(self.runtime)
            _use_claims(
                self.runtime,
                lambda: self.runtime.claims.save_answer(self.name, by=self.by, at=at, answer=answer),
            )

    def abandon(self) -> None:
        """Release the claim, so that another process answers."""
        if self.name:
            _use_claims(self.runtime, lambda: self.runtime.claims.release(self.name, by=self.by))


def claim_call(
    runtime: Runtime,
    host: Host,
    event: Event,
    words: Sequence[str] = (),
    *,
    within: float = 55.0,
    begun: Callable[[], float] = identity.start_time,
) -> ClaimedCall | Claim:
    """Return the right to answer *event*, asked with *words*, or the answer of another process."""
    # A call that a hook makes must not wait for the answer that waits for the hook.
    name = (
        ""
        if runtime.setup.env.get(DEPTH_VARIABLE)
        else identify_event(event, (*words, hash_policy(runtime, host)))
    )
    claimed = ClaimedCall(runtime=runtime, name=name, by=identity.new_name() if name else "")
    give_up_at, pause = time.monotonic() + within * WAIT_FRACTION, POLL_SECONDS
    existing = _try_claim(claimed) if name else None
    while existing is not None:
        if existing.answered is not None and _is_repeat(existing, host, event, begun()):
            return existing
        if existing.answered is None and identity.is_alive(existing.by) and time.monotonic() < give_up_at:
            time.sleep(pause)
            pause = min(pause * 2, MAX_POLL_SECONDS)
            existing = _try_claim(claimed)
        else:  # the other process has ended, or answered another call
            existing = _try_claim(claimed, instead=existing.by)
    return claimed


def _try_claim(claimed: ClaimedCall, instead: str = "") -> Claim | None:
    claims, at = claimed.runtime.claims, identity.now()
    return _use_claims(
        claimed.runtime, lambda: claims.claim(claimed.name, by=claimed.by, at=at, instead=instead)
    )


def _is_repeat(existing: Claim, host: Host, event: Event, begun: float) -> bool:
    if not existing.answer:
        return False
    answered = existing.answered or 0.0
    if begun < answered:
        return True
    if not host.sequential_hooks or not isinstance(event, TOOL_EVENTS) or begun - answered >= REPEAT_SECONDS:
        return False
    return not is_stop(existing.answer)  # a call that was stopped and comes again is a new attempt


def identify_event(event: Event, words: Sequence[str] = ()) -> str:
    """Return a hash that identifies *event*, asked with *words*, in its session; empty if nothing does."""
    helper = event.subagent.id if event.subagent else ""
    if not event.session or (isinstance(event, SUBAGENT_EVENTS) and not helper):
        return ""
    if not isinstance(event, (*TOOL_EVENTS, *SUBAGENT_EVENTS, *SEQUENTIAL_EVENTS)):
        return ""
    return _hash_call(event, words, f"{helper}\x1f{_describe_event(event)}")


def _describe_event(event: Event) -> str:
    """Return the content of *event* in hookline's terms, which are the same in all dialects of a host."""
    content = {name: getattr(event, name) for name in _identifying_fields(type(event))}
    if isinstance(event, TOOL_EVENTS):
        content["tool"] = event.tool if event.kind == "other" else ""
    return json.dumps(content, sort_keys=True, default=_to_json_value)


@cache
def _identifying_fields(event: type[Event]) -> tuple[str, ...]:
    return tuple(name for name in event.__struct_fields__ if name not in IGNORED_FIELDS)


def _to_json_value(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def hash_policy(runtime: Runtime, host: Host | None = None) -> str:
    """Return a hash of settings and environment: calls are the same only if both are."""
    setup = runtime.setup
    key = id(setup), host.name if host else None
    cached = _policies.get(key)
    if cached is None or cached[0] is not setup:
        while len(_policies) >= MAX_POLICIES:
            _policies.pop(next(iter(_policies)), None)
        cached = _policies[key] = setup, _compute_hash(setup, host)
    return cached[1]


def _compute_hash(setup: Setup, host: Host | None) -> str:
    ignored = IGNORED_VARIABLES.union(host.transient_env if host else ())
    hooks = [(h.name, h.enabled, h.source, h.origin, h.priority, repr(h.settings)) for h in setup.hooks]
    env = sorted(item for item in setup.env.items() if item[0] not in ignored)
    data = repr((hooks, env, setup.places)).encode(errors="surrogatepass")
    return blake2b(data, digest_size=20).hexdigest()


def _hash_call(event: Event, words: Sequence[str], what: str) -> str:
    """Return a hash of the call, so that no content of it is stored."""
    text = "\x1f".join((event.host, event.name, what, identity.boot_id(), *words))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=20).hexdigest()


def record_repeat(runtime: Runtime, event: Event) -> None:
    """Record the repetition in the trail, if the audit is enabled; nothing is counted."""
    audit = find_hook(runtime.hooks, "audit")
    if audit is None or not audit.enabled:
        return
    outcome = Outcome(event=event).with_steps(Step(hook="hookline", action="repeated", note=REPEAT_NOTE))
    record = replace(build_record(identity.random_id(), outcome, at=event.at or runtime.now()), counts={})
    _use_claims(runtime, lambda: runtime.recorder.record(record))


def _use_claims(runtime: Runtime, use: Callable[[], _T]) -> _T | None:
    """Call *use*; if claims cannot be stored, each process answers, because twice is better than never."""
    try:
        return use()
    except (StoreFailed, OSError) as error:
        trouble = f"a duplicate call could not be ruled out or recorded: {error}"
        if trouble not in runtime.problems:
            runtime.problems.append(trouble)
        return None
