"""A person's passes, applied where they hold: a stop becomes a warning, once, and is in the trail."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from hookline.core.events import Event
from hookline.core.hook import Hook
from hookline.core.response import Response
from hookline.core.state import State
from hookline.policy import grants
from hookline.runtime.call_hook import call

LET_PAST = "let past once by a person"


class Passes(Struct, frozen=True, kw_only=True):
    """The passes of one project, read anew at every look."""

    file: str
    """Empty: none hold here, as when something is only tried out."""
    root: str
    now: Callable[[], float]

    def off_until(self) -> float | None:
        """Until when a person switched the guards off."""
        return max((one.until for one in self._granted() if one.what == grants.OFF), default=None)

    def notices(self, until: float | None) -> tuple[str, ...]:
        """What a person is told while the guards are off *until* then."""
        if until is None:
            return ()
        return (f"the built-in guards are off until {_clock(until)}, by `hookline off`",)

    def call(self, hook: Hook, event: Event, state: State, limit: float) -> Any:
        """Carry out *hook*; what a person allowed once, it does not stop."""
        if hook.kind == "built-in":  # as `call` has it, for the many that only pass
            settings = hook.settings
            said = hook.judge(event, state, **settings) if settings else hook.judge(event, state)
            if said is None:
                return None
        else:
            said = call(hook, event, state, limit)
        stops = isinstance(said, Response) and said.verdict in ("block", "ask")
        return self._let_past(hook, said) if stops and hook.source == "built-in" else said

    def _let_past(self, hook: Hook, said: Response) -> Response:
        rule = f"{hook.name}:{said.rule}"
        for one in self._granted():
            if one.what in (rule, said.rule) and grants.use(self.file, one):
                told = f"{rule} was let past once, as a person allowed; it would have said: {said.reason}"
                return Response(warnings=(told,), reason=LET_PAST, rule=said.rule, span=said.span)
        return said

    def _granted(self) -> tuple[grants.Pass, ...]:
        return grants.granted(self.file, self.root, self.now()) if self.file else ()


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))
