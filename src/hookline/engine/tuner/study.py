"""Which values are worth trying next, after what was tried before: an Optuna study, made anew each time.

Every other time one value alone is changed of those that stand. The journal is the memory, so that a run that
goes on after a crash, and workers beside each other, know the same.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hookline.engine.tuner.marks import Choice, Mark, Range, Value

if TYPE_CHECKING:
    import optuna

STARTUP = 4
"""Trials before the study believes what it has seen."""
HALF, NEAR = 0.5, 0.15
"""How many of the small changes stay near, and how near: a part of the whole range."""
TURNS = 20
"""How often one mark is asked for a value that was not tried before."""
TWICE, LIKE = 2, 0.05
"""How often a value must have failed to be left alone, and what counts as the same: a part of the range."""
PATIENCE = 200
"""How often it is asked for values that were not tried before."""
DIGITS = 4
"""Of a proposed number that is not whole: more only make a diff hard to read."""


class Tried(Struct, frozen=True, kw_only=True):
    """Values that were tried, and what they came to."""

    values: Mapping[str, Value]
    metric: float | None
    """None where they did not work."""


def propose(
    marks: Sequence[Mark], tried: Sequence[Tried], *, direction: str, seed: int, turn: int | None = None
) -> dict[str, Value] | None:
    """Values for *marks* that nobody has tried; None where there are none, or none are found.

    Workers beside each other know the same, and have each its *turn*.
    """
    turn = len(tried) if turn is None else turn
    known = {_key(marks, one.values) for one in tried} | {_key(marks, {m.name: m.value for m in marks})}
    if len(known) >= _size(marks):
        return None
    rng = Random(seed)  # noqa: S311 -- no secret, but the same for the same seed
    doomed = _doomed(tried)
    if turn % 2 and (near := _nearby(marks, known, turn // 2, rng, doomed)):
        return near
    study = _study(marks, tried, direction, seed)
    spaces = {mark.name: _distribution(mark.space) for mark in marks}
    for asked in range(PATIENCE):
        trial = study.ask(spaces)
        values = {mark.name: _proposed(mark.space, trial.params[mark.name]) for mark in marks}
        hopeless = asked < TURNS and any(doomed(mark, values[mark.name]) for mark in marks)
        if _key(marks, values) not in known and not hopeless:
            return values
        _put_aside(study, trial)
    return _first_untried(marks, known)


def _doomed(tried: Sequence[Tried]) -> Callable[[Mark, Value], bool]:
    """Whether a value like this was tried before, more than once, and never worked."""

    def doomed(mark: Mark, value: Value) -> bool:
        like = [one for one in tried if _alike(mark.space, one.values.get(mark.name), value)]
        return len(like) >= TWICE and all(one.metric is None for one in like)

    return doomed


def _alike(space: Range | Choice, one: Value | None, other: Value) -> bool:
    if isinstance(space, Choice) or isinstance(one, str | None) or isinstance(other, str):
        return one == other
    return abs(one - other) <= LIKE * (space.high - space.low)


def _nearby(
    marks: Sequence[Mark],
    known: set[tuple[Value | None, ...]],
    turn: int,
    rng: Random,
    doomed: Callable[[Mark, Value], bool],
) -> dict[str, Value] | None:
    """One value changed of those that stand, mark by mark: for a study to learn, most runs are too short."""
    stands = {mark.name: mark.value for mark in marks}
    for at in range(len(marks)):
        mark = marks[(turn + at) % len(marks)]
        for _ in range(TURNS):
            values = {**stands, mark.name: _drawn(mark, rng)}
            if _key(marks, values) not in known and not doomed(mark, values[mark.name]):
                return values
    return None


def _drawn(mark: Mark, rng: Random) -> Value:
    """Half of them near the value that stands."""
    space = mark.space
    if isinstance(space, Choice):
        return rng.choice(space.options)
    to, back = (log, exp) if space.log else (float, float)
    low, high = to(space.low), to(space.high)
    value = mark.value if isinstance(mark.value, int | float) else space.low
    middle = to(min(max(value, space.low), space.high))
    near = rng.random() < HALF
    point = back(rng.gauss(middle, NEAR * (high - low)) if near else rng.uniform(low, high))
    if space.step or space.whole:
        step = space.step or 1
        point = space.low + step * round((point - space.low) / step)
    return _proposed(space, min(max(point, space.low), space.high))


def _study(marks: Sequence[Mark], tried: Sequence[Tried], direction: str, seed: int) -> "optuna.Study":
    import optuna  # noqa: PLC0415 -- heavy, and of an extra

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=STARTUP)
    study = optuna.create_study(direction="minimize" if direction == "lower" else "maximize", sampler=sampler)
    spaces = {mark.name: _distribution(mark.space) for mark in marks}
    for one in tried:
        study.add_trial(_trial(spaces, one))
    return study


def _trial(spaces: Mapping[str, Any], one: Tried) -> Any:
    from optuna.trial import TrialState, create_trial  # noqa: PLC0415 -- as above

    params = {name: one.values[name] for name, space in spaces.items() if _fits(space, one.values.get(name))}
    return create_trial(
        params=params,
        distributions={name: spaces[name] for name in params},
        value=one.metric,
        state=TrialState.PRUNED if one.metric is None else TrialState.COMPLETE,
    )


def _fits(space: Any, value: Value | None) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return value in getattr(space, "choices", ())
    return hasattr(space, "low") and space.low <= value <= space.high


def _put_aside(study: "optuna.Study", trial: "optuna.trial.Trial") -> None:
    from optuna.trial import TrialState  # noqa: PLC0415 -- as above

    study.tell(trial, state=TrialState.FAIL)


def _distribution(space: Range | Choice) -> Any:
    from optuna import distributions as kinds  # noqa: PLC0415 -- as above

    if isinstance(space, Choice):
        return kinds.CategoricalDistribution(space.options)
    if space.whole:
        return kinds.IntDistribution(
            int(space.low), int(space.high), log=space.log, step=int(space.step or 1)
        )
    return kinds.FloatDistribution(space.low, space.high, log=space.log, step=space.step)


def _proposed(space: Range | Choice, value: Any) -> Value:
    if isinstance(space, Choice):
        return str(value)
    if space.whole:
        return int(round(value))  # noqa: RUF046 -- of numpy, it may be none
    rounded = float(f"{value:.{DIGITS}g}")
    return min(max(rounded, float(space.low)), float(space.high))


def _key(marks: Sequence[Mark], values: Mapping[str, Value]) -> tuple[Value | None, ...]:
    return tuple(values.get(mark.name) for mark in marks)


def _size(marks: Sequence[Mark]) -> float:
    """How many different values there are together."""
    size = 1.0
    for mark in marks:
        size *= len(_all(mark.space) or ()) or float("inf")
    return size


def _all(space: Range | Choice) -> Sequence[Value] | None:
    """Every value, where they can be told one by one."""
    if isinstance(space, Choice):
        return space.options
    return range(int(space.low), int(space.high) + 1, int(space.step or 1)) if space.whole else None


def _first_untried(marks: Sequence[Mark], known: set[tuple[Value | None, ...]]) -> dict[str, Value] | None:
    """The study insists on what was tried: any other will do, if all can be told one by one."""
    spaces = [_all(mark.space) for mark in marks]
    if not all(spaces):
        return None
    every = product(*(space or () for space in spaces))
    free = next((one for one in islice(every, 1_000_000) if one not in known), None)
    return dict(zip((mark.name for mark in marks), free, strict=True)) if free else None
