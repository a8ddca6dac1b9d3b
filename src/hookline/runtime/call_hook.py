"""Selection of the hooks for an event, the call of one hook within its timeout, and a person's grants."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import Any, NamedTuple

from msgspec import Struct

from hookline.core.events import Event
from hookline.core.hook import Hook, find_hook
from hookline.core.outcome import Step
from hookline.core.registry import describe_unknown
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.values import replace
from hookline.policy import grants


def call(hook: Hook, event: Event, state: State, limit: float) -> Any:
    """Return the hook's response; raise the hook's exceptions, and `TimeoutError` after *limit* seconds."""
    if hook.kind == "built-in":
        return hook(event, state)
    if hook.kind == "code":
        return run_in_time(lambda: _await(hook(event, state)), limit)
    return hook.judge(event, state, limit)


def _await(answer: Any) -> Any:
    if not hasattr(answer, "__await__"):
        return answer

    import asyncio  # noqa: PLC0415 -- only for asynchronous hooks

    async def wait() -> Any:
        return await answer

    return asyncio.run(wait())


def run_in_time(work: Callable[[], Any], limit: float) -> Any:
    """Return the result of *work*; a thread that exceeds the limit is abandoned, as it cannot be stopped."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 -- raised again in the waiting thread
            errors.append(error)

    thread = Thread(target=run, daemon=True, name="hookline-hook")
    thread.start()
    thread.join(limit)
    if errors:
        raise _as_exception(errors[0])
    if not results:
        raise TimeoutError
    return results[0]


def _as_exception(error: BaseException) -> Exception:
    """Return *error* as an `Exception`, so that a hook that calls `sys.exit` does not end the program."""
    return error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")


DEPTH_VARIABLE = "HOOKLINE_DEPTH"
"""The variable with the names of the hooks in whose process tree this process runs."""
MAX_DEPTH = 8
"""Nested hooks after which only built-ins run."""


def select_hooks(
    hooks: Sequence[Hook], event: Event, off: Sequence[Hook], env: Mapping[str, str]
) -> tuple[list[Hook], list[Hook]]:
    """Return the hooks that may run, and those that are skipped because this process tree is inside them."""
    outer_names = [name for name in env.get(DEPTH_VARIABLE, "").split(":") if name]
    enabled = [hook for hook in hooks if hook.enabled and hook not in off]
    if not outer_names:
        return enabled, []
    reentrant = [
        h
        for h in enabled
        if h.kind != "built-in" and (h.name in outer_names or len(outer_names) >= MAX_DEPTH)
    ]
    return [hook for hook in enabled if hook not in reentrant], [
        hook for hook in reentrant if hook.listens(event)
    ]


def find_switchable(hooks: Sequence[Hook], event: Event) -> list[Hook]:
    """Return the guards for *event* that a person may switch off temporarily."""
    guards = [h for h in hooks if h.enabled and h.source == "built-in" and h.nature == "policy"]
    return [hook for hook in guards if hook.listens(event)]


def limit_hooks(hooks: Sequence[Hook], only: Sequence[str], without: Sequence[str]) -> list[Hook]:
    """Return the hooks of *only*, except those of *without*, with their parts; raise `LookupError`."""
    included = {_require_hook(hooks, name).name for name in only} or {hook.name for hook in hooks}
    excluded = {_require_hook(hooks, name).name for name in without}
    hooks_with_names = [(hook, {hook.name, hook.part_of}) for hook in hooks]
    return [hook for hook, names in hooks_with_names if names & included and not names & excluded]


def _require_hook(hooks: Sequence[Hook], name: str) -> Hook:
    found = find_hook(hooks, name)
    if found is None:
        raise LookupError(describe_unknown("hook", name, sorted(hook.name for hook in hooks)))
    return found


LET_PAST = "allowed once by a person"
LET_PAST_SESSION = "allowed for this session by a person"


class SwitchedOff(NamedTuple):
    """The state of `hookline off` in one project."""

    until: float | None = None
    """The time until which the guards are off; None if they are on."""
    ignored: str = ""
    """The reason why a grant to switch them off does not count; empty without such a grant."""

    def notices(self) -> tuple[str, ...]:
        if self.until is not None:
            return (f"the built-in guards are off until {_format_time(self.until)}, by `hookline off`",)
        if not self.ignored:
            return ()
        return (f"the built-in guards are on, because `hookline off` is ignored: {self.ignored}",)

    def steps(self, guards: Sequence[Hook]) -> list[Step]:
        """Return the steps for the trail; *guards* are those that did not run."""
        steps = [Step(hook=hook.name, action="skipped", note="disabled by a person") for hook in guards]
        if self.ignored:
            note = f"`hookline off` is ignored: {self.ignored}"
            steps.append(Step(hook="hookline", action="skipped", note=note))
        return steps


_ON = SwitchedOff()


class Grants(Struct, frozen=True, kw_only=True):
    """The grants of one project, read again at every use."""

    file: str
    """The file of the grants; empty if no grant applies."""
    root: str
    now: Callable[[], float]
    check: Callable[[grants.Grant], str] = lambda grant: grants.WITHOUT_DAEMON
    """Return why a grant does not count; empty if it does."""
    spend: Callable[[grants.Grant], bool] = lambda grant: False
    """Use a grant up; return whether it counted until then."""
    kinds: tuple[str, ...] = ("off", "path", "rule")
    """The kinds of grants that apply; those with one use do not apply to a dry run."""

    def find_off(self) -> SwitchedOff:
        found = self._find("off")
        if not found:
            return _ON
        reasons = [self.check(grant) for grant in found]
        valid = [grant.until for grant, reason in zip(found, reasons, strict=True) if not reason]
        return SwitchedOff(until=max(valid)) if valid else SwitchedOff(ignored=reasons[-1])

    def find_approvals(self) -> tuple[dict[str, Any], ...]:
        """Return the paths that a person approved: id, path, and time of expiry."""
        found = [grant for grant in self._find("path") if not self.check(grant)]
        return tuple({"id": grant.id, "path": grant.subject, "until": grant.until} for grant in found)

    def find_ignored(self) -> list[tuple[grants.Grant, str]]:
        """Return the grants that do not count although they have not expired, each with the reason."""
        active = grants.find_active(self.file, self.root, self.now()) if self.file else ()
        return [(grant, reason) for grant in active if (reason := self.check(grant))]

    def call(self, hook: Hook, event: Event, state: State, limit: float) -> Any:
        """Run *hook*; a block that a person has allowed once becomes a warning."""
        if hook.kind == "built-in":  # like `call`, but faster for hooks that only pass
            settings = hook.settings
            response = hook.judge(event, state, **settings) if settings else hook.judge(event, state)
            if response is None:
                return None
        else:
            response = call(hook, event, state, limit)
        stops = isinstance(response, Response) and response.verdict in ("block", "ask")
        return (
            self._let_past(hook, response, event.session) if stops and hook.source == "built-in" else response
        )

    def _let_past(self, hook: Hook, response: Response, session: str) -> Response:
        rule = f"{hook.name}:{response.rule}"
        for grant in self._find("rule"):
            if grant.subject not in (rule, response.rule) or not self._use(grant, session):
                continue
            allowed = LET_PAST_SESSION if grant.session else LET_PAST
            warning = f"{rule} was {allowed}; its reason was: {response.reason}"
            return Response(warnings=(warning,), reason=allowed, rule=response.rule, span=response.span)
        ignored = [
            f"{grant} is ignored: {reason}"
            for grant, reason in self.find_ignored()
            if grant.kind == "path" or grant.subject in (rule, response.rule)
        ]
        if not ignored:
            return response
        note = "; ".join((*filter(None, [response.note]), *ignored))
        return replace(response, note=note, warnings=(*response.warnings, *ignored))

    def _use(self, grant: grants.Grant, session: str) -> bool:
        """Return whether *grant* counts in *session*; one without a session is used up."""
        if grant.session:
            return grant.session == session and not self.check(grant)
        used = self.spend(grant)
        if used:
            grants.remove_grants(self.file, [grant])
        return used

    def _find(self, kind: str) -> list[grants.Grant]:
        if not self.file or kind not in self.kinds:
            return []
        active = grants.find_active(self.file, self.root, self.now())
        return [grant for grant in active if grant.kind == kind]


def _format_time(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))
