"""Calls that wait for a person: whether a call may wait, for how long, and the reply to the decision."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hookline.core.approval import Decision, Question, apply_decision, build_question
from hookline.core.host import Host, ReplyContext
from hookline.core.values import replace
from hookline.install.installed_timeout import find_timeout
from hookline.policy import grants
from hookline.runtime.facts import is_headless
from hookline.runtime.runtime import Judged, Runtime
from hookline.runtime.setup import Setup

WAIT_SECONDS = 300.0
"""Default of the option `approvals_within`, in seconds."""
SPARE_SECONDS = 10.0
"""Seconds before the host's own timeout at which a call ends to wait."""
Sign = Callable[[grants.Grant], grants.Grant]


def find_wait(runtime: Runtime, host: Host, judged: Judged | None) -> float:
    """Return the seconds that a call may wait for a person; 0 if it is answered at once."""
    setup = runtime.setup
    seconds = configured_wait(setup)
    if judged is None or not seconds or not _asks(judged[0]) or not _lacks_user(setup, host):
        return 0.0
    installed = find_timeout(host, judged[0].name, setup.places, setup.env)
    return max(0.0, min(seconds, (installed or host.timeout) - SPARE_SECONDS))


def configured_wait(setup: Setup) -> float:
    """Return the seconds that a call waits for a person by the user's settings; 0 if it does not wait."""
    options = setup.config.options
    approvals, within = options.get("approvals"), options.get("approvals_within")
    if approvals is None or approvals.value != "wait":
        return 0.0
    return float(within.value) if within else WAIT_SECONDS


def _asks(context: ReplyContext) -> bool:
    outcome = context.outcome
    return outcome.asked is not None and outcome.blocked is None and context.event.block_prevents


def _lacks_user(setup: Setup, host: Host) -> bool:
    profile = setup.config.options.get("profile")
    is_unattended = profile is not None and profile.value == "unattended"
    return is_unattended or is_headless(host.name, setup.env)


class WaitingCall(Struct, frozen=True, kw_only=True):
    """A call whose reply depends on a person's decision."""

    runtime: Runtime
    question: Question
    judged: Judged

    def decide(self, decision: Decision | None, sign: Sign) -> Judged:
        """Return the moment as the person decided, and issue grants that *sign* signs; None for no answer."""
        if decision is not None and decision.choice == "session":
            self._grant_session(sign)
        context, outcomes = self.judged
        return replace(context, outcome=apply_decision(context.outcome, decision)), outcomes

    def _grant_session(self, sign: Sign) -> None:
        question, places, now = self.question, self.runtime.setup.places, self.runtime.now()
        for rule in question.rules:
            grant = grants.new_grant(
                places.root, "rule", rule, now=now, seconds=grants.MAX_SECONDS, session=question.session
            )
            grants.add_grant(places.grants, sign(grant), now)


def hold_call(runtime: Runtime, judged: Judged, *, seconds: float, id: str) -> WaitingCall:  # noqa: A002 -- it is the question's id
    """Return the call of *judged*, which waits so many *seconds*."""
    question = build_question(
        id, judged[0].outcome, root=runtime.setup.places.root, at=runtime.now(), seconds=seconds
    )
    return WaitingCall(runtime=runtime, question=question, judged=judged)
