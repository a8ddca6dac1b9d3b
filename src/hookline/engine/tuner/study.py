"""The choice of the next values to try, by an Optuna study built from the earlier trials.

Every other proposal changes a single value of the current ones. The journal is the only memory, so that
resumed runs and parallel workers know the same trials.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hookline.engine.tuner.tunable_values import Choice, Range, TunableValue, Value

if TYPE_CHECKING:
    import optuna

STARTUP_TRIALS = 4
"""Trials before the study uses what it has seen."""
NEAR_SHARE, NEAR_WIDTH = 0.5, 0.15
"""Share of single changes that stay near the current value, and their spread as a part of the range."""
MAX_DRAWS = 20
"""Maximum draws of an untried value for one mark."""
MIN_FAILURES, SAME_WIDTH = 2, 0.05
"""Failures after which a value is avoided, and the part of the range within which values count as equal."""
MAX_ASKS = 200
"""Maximum requests to the study for untried values."""
DIGITS = 4
"""Significant digits of a proposed float; more would make a diff hard to read."""


class Trial(Struct, frozen=True, kw_only=True):
    """Values that were tried, and the resulting metric."""

    values: Mapping[str, Value]
    metric: float | None
    """None if the experiment failed."""


def propose(
    marks: Sequence[TunableValue],
    trials: Sequence[Trial],
    *,
    direction: str,
    seed: int,
    turn: int | None = None,
) -> dict[str, Value] | None:
    """Return untried values for *marks*, or None if there are none or none are found.

    Parallel workers know the same trials; each has its own *turn*.
    """
    turn = len(trials) if turn is None else turn
    tried = {_key(marks, previous.values) for previous in trials} | {
        _key(marks, {m.name: m.value for m in marks})
    }
    if len(tried) >= _count_combinations(marks):
        return None
    rng = Random(seed)  # noqa: S311 -- no secret, but the same for the same seed
    fails = _failure_filter(trials)
    if turn % 2 and (nearby_values := _change_one_value(marks, tried, turn // 2, rng, fails)):
        return nearby_values
    study = _create_study(marks, trials, direction, seed)
    spaces = {mark.name: _distribution(mark.space) for mark in marks}
    for attempt in range(MAX_ASKS):
        trial = study.ask(spaces)
        values = {mark.name: _convert(mark.space, trial.params[mark.name]) for mark in marks}
        likely_to_fail = attempt < MAX_DRAWS and any(fails(mark, values[mark.name]) for mark in marks)
        if _key(marks, values) not in tried and not likely_to_fail:
            return values
        _reject(study, trial)
    return _first_untried(marks, tried)


def _failure_filter(trials: Sequence[Trial]) -> Callable[[TunableValue, Value], bool]:
    """Return a predicate: whether similar values of a mark failed more than once and never worked."""

    def fails(mark: TunableValue, value: Value) -> bool:
        similar = [trial for trial in trials if _is_same(mark.space, trial.values.get(mark.name), value)]
        return len(similar) >= MIN_FAILURES and all(trial.metric is None for trial in similar)

    return fails


def _is_same(space: Range | Choice, value: Value | None, other: Value) -> bool:
    if isinstance(space, Choice) or isinstance(value, str | None) or isinstance(other, str):
        return value == other
    return abs(value - other) <= SAME_WIDTH * (space.high - space.low)


def _change_one_value(
    marks: Sequence[TunableValue],
    tried: set[tuple[Value | None, ...]],
    turn: int,
    rng: Random,
    fails: Callable[[TunableValue, Value], bool],
) -> dict[str, Value] | None:
    """Change one of the current values, mark by mark: most runs are too short for a study to learn."""
    current = {mark.name: mark.value for mark in marks}
    for offset in range(len(marks)):
        mark = marks[(turn + offset) % len(marks)]
        for _ in range(MAX_DRAWS):
            values = {**current, mark.name: _draw(mark, rng)}
            if _key(marks, values) not in tried and not fails(mark, values[mark.name]):
                return values
    return None


def _draw(mark: TunableValue, rng: Random) -> Value:
    """Draw a value, half of the time near the current one."""
    space = mark.space
    if isinstance(space, Choice):
        return rng.choice(space.options)
    scale, unscale = (log, exp) if space.log else (float, float)
    low, high = scale(space.low), scale(space.high)
    value = mark.value if isinstance(mark.value, int | float) else space.low
    middle = scale(min(max(value, space.low), space.high))
    near = rng.random() < NEAR_SHARE
    point = unscale(rng.gauss(middle, NEAR_WIDTH * (high - low)) if near else rng.uniform(low, high))
    if space.step or space.whole:
        step = space.step or 1
        point = space.low + step * round((point - space.low) / step)
    return _convert(space, min(max(point, space.low), space.high))


def _create_study(
    marks: Sequence[TunableValue], trials: Sequence[Trial], direction: str, seed: int
) -> "optuna.Study":
    import optuna  # noqa: PLC0415 -- heavy, and of an extra

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=STARTUP_TRIALS)
    study = optuna.create_study(direction="minimize" if direction == "lower" else "maximize", sampler=sampler)
    spaces = {mark.name: _distribution(mark.space) for mark in marks}
    for trial in trials:
        study.add_trial(_create_trial(spaces, trial))
    return study


def _create_trial(spaces: Mapping[str, Any], trial: Trial) -> Any:
    from optuna.trial import TrialState, create_trial  # noqa: PLC0415 -- as above

    params = {
        name: trial.values[name] for name, space in spaces.items() if _fits(space, trial.values.get(name))
    }
    return create_trial(
        params=params,
        distributions={name: spaces[name] for name in params},
        value=trial.metric,
        state=TrialState.PRUNED if trial.metric is None else TrialState.COMPLETE,
    )


def _fits(space: Any, value: Value | None) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return value in getattr(space, "choices", ())
    return hasattr(space, "low") and space.low <= value <= space.high


def _reject(study: "optuna.Study", trial: "optuna.trial.Trial") -> None:
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


def _convert(space: Range | Choice, value: Any) -> Value:
    if isinstance(space, Choice):
        return str(value)
    if space.whole:
        return int(round(value))  # noqa: RUF046 -- a numpy value may not be an int
    rounded = float(f"{value:.{DIGITS}g}")
    return min(max(rounded, float(space.low)), float(space.high))


def _key(marks: Sequence[TunableValue], values: Mapping[str, Value]) -> tuple[Value | None, ...]:
    return tuple(values.get(mark.name) for mark in marks)


def _count_combinations(marks: Sequence[TunableValue]) -> float:
    """Return the number of combinations of values."""
    size = 1.0
    for mark in marks:
        size *= len(_all_values(mark.space) or ()) or float("inf")
    return size


def _all_values(space: Range | Choice) -> Sequence[Value] | None:
    """Return all values, or None if they cannot be enumerated."""
    if isinstance(space, Choice):
        return space.options
    return range(int(space.low), int(space.high) + 1, int(space.step or 1)) if space.whole else None


def _first_untried(
    marks: Sequence[TunableValue], tried: set[tuple[Value | None, ...]]
) -> dict[str, Value] | None:
    """Return the first untried combination, if all can be enumerated: the study repeats itself."""
    spaces = [_all_values(mark.space) for mark in marks]
    if not all(spaces):
        return None
    combinations = product(*(space or () for space in spaces))
    untried = next(
        (combination for combination in islice(combinations, 1_000_000) if combination not in tried), None
    )
    return dict(zip((mark.name for mark in marks), untried, strict=True)) if untried else None
