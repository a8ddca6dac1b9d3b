"""What is to be said apart from any host: configuration, trust, places, daemon, store, sinks, machine."""

import time
from collections.abc import Iterator, Mapping

from hookline import telemetry
from hookline.assembly import Setup
from hookline.cli._doctor_daemon import daemon
from hookline.cli._doctor_machine import clock
from hookline.cli._doctor_places import places
from hookline.cli._doctor_store import store
from hookline.cli._finding import Finding, attention, note, well
from hookline.hook import Hook
from hookline.layers import SET
from hookline.past import Passes

USUAL = "off by default"


def around(setup: Setup, env: Mapping[str, str]) -> Iterator[Finding]:
    """Everything."""
    yield from _configured(setup)
    yield from _guards(setup)
    yield from places(setup.places)
    yield from daemon(env)
    yield from store(setup)
    for one in telemetry.standing(setup.places, setup.settled.sinks):
        say = attention if one.failed or one.dropped else well
        yield say("sink", f"sink {one.name!r}: {one}")
    yield from clock(setup.places)


def _configured(setup: Setup) -> Iterator[Finding]:
    problems = setup.settled.problems
    for one in problems:
        yield attention("trust.file" if one.file == setup.places.trust else "config", str(one))
    for text in setup.complaints[len(problems) :]:
        yield attention("trust.waits", text)


def _guards(setup: Setup) -> Iterator[Finding]:
    """What is off, by whom, and how it is had again."""
    passes = Passes(file=setup.places.passes, root=setup.places.root, now=time.time)
    for text in passes.notices(passes.off_until()):
        yield attention("guards.off-for-now", f"{text}: `hookline off --end` has them again")
    for hook in setup.hooks:
        if not hook.enabled and hook.off != USUAL:
            yield note("guards.off", f"hook {hook.name!r} is off: {hook.off}; {_mend(hook)}")


def _mend(hook: Hook) -> str:
    variable = hook.off.removesuffix(SET)
    return f"unset {variable} to have it" if hook.off.endswith(SET) else "take that out to have it"
