"""The kinds of loops, told from the calls that were seen, the newest last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hookline.hooks._loops.calls import Seen

PATIENT = 10
"""Times that the same failure is no loop, if something waited in between each time."""


def repeated(calls: Sequence[Seen], times: int, seconds: float) -> bool:
    """Whether the newest call failed as it did before, so many *times* in so many *seconds*."""
    last = calls[-1]
    if not last.failed:
        return False
    same = [number for number, one in enumerate(calls) if _again(one, last) and last.at - one.at <= seconds]
    pairs = pairwise(same)
    hasty = 1 + sum(not _waited(calls[one : other + 1]) for one, other in pairs)
    changed = any(one.changes for one in calls[same[-times] :]) if len(same) >= times else False
    return not changed and (hasty >= times or len(same) >= PATIENT)


def _again(one: Seen, last: Seen) -> bool:
    return one.failed and (one.call, one.result, one.place) == (last.call, last.result, last.place)


def _waited(between: Sequence[Seen]) -> bool:
    return any(one.waits for one in between)


def alternating(calls: Sequence[Seen], times: int, seconds: float) -> bool:
    """Whether two calls took turns so many *times*, and neither told anything new."""
    turns = calls[-2 * times :]
    ours, others = turns[1::2], turns[::2]
    if len(turns) < 2 * times or turns[-1].at - turns[0].at > seconds or _waited(turns):
        return False
    if ours[0].call == others[0].call or any(one.changes for one in turns):
        return False
    places = {one.place for one in turns if one.place}
    return len({(one.call, one.result) for one in ours}) == 1 == len(
        {(o.call, o.result) for o in others}
    ) and (len(places) <= 1)


def returned(states: Sequence[str], times: int) -> bool:
    """Whether a file was brought back, so many *times*, to what it had been before the last edit."""
    back = sum(state in states[:number] for number, state in enumerate(states))
    return back >= times - 1 and states[-1] in states[:-1]
