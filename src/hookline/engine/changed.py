"""What a user has changed of a target since its run began: who works and how long may change on the way.

What is measured may not: rows of one journal are only good for comparing while they mean the same.
"""

from msgspec import Struct

from hookline.engine import targets
from hookline.engine.runs import Run
from hookline.engine.target import Target
from hookline.values import replace

FREE = ("goal", "agent", "limits", "escalation")
"""Parts of a target that a run which goes on takes as they are now."""


class Changed(Struct, frozen=True, kw_only=True):
    """The run to go on with, and what its user should know."""

    run: Run
    says: str = ""


def by_now(run: Run) -> Changed:
    """The *run*, with what its target says by now where that may change; one that is gone changes nothing."""
    try:
        now, text = targets.load(run.root, run.name)
    except LookupError:
        return Changed(run=run)
    except ValueError as error:
        return Changed(run=run, says=f"{error}; the run goes on with what it began with")
    was = run.target
    if now == was:
        return Changed(run=run)
    if not _measures_the_same(now, was):
        return Changed(
            run=run,
            says=f"target {run.name!r} measures something else by now, so the run goes on with what it "
            f"began with; `hookline run {run.name}` begins one with the change",
        )
    parts = " and ".join(name for name in FREE if getattr(now, name) != getattr(was, name))
    return Changed(
        run=replace(run, text=text), says=f"the run goes on with the {parts} of its target as of now"
    )


def _measures_the_same(now: Target, was: Target) -> bool:
    return replace(now, **{name: getattr(was, name) for name in FREE}) == was
