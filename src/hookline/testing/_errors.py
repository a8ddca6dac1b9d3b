"""Conformance checks of a store's known errors; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable

from hookline.core.confidence import FIX_FAILED, FIX_FOUND, FIX_HELPED, HALF_LIFE, INITIAL, SEEN_AGAIN
from hookline.core.records import KnownError
from hookline.core.store import Store
from hookline.testing._checks import check_equal, run_in_threads, unique_name


def errors_are_counted(store: Store) -> None:
    key, project = unique_name(), unique_name()
    results = [store.count_error(key, text=f"at {at}", at=at, project=project) for at in (5.0, 3.0, 9.0)]
    expected = KnownError(key=key, project=project, text="at 9.0", seen=3, first=3.0, last=9.0)

    check_equal(results[0], KnownError(key=key, project=project, text="at 5.0", seen=1, first=5.0, last=5.0))
    check_equal(results[2], expected)
    check_equal(list(store.signatures(key=key)), [expected])


def errors_are_counted_exactly_across_threads(store: Store) -> None:
    key = unique_name()
    counts = run_in_threads(lambda: store.count_error(key, text="t", at=1.0).seen, times=80)

    check_equal(sorted(counts), list(range(1, 81)))


def a_fix_stays_with_its_error(store: Store) -> None:
    key, project = unique_name(), unique_name()
    check_equal(store.record_fix(key, "restart it", project=project), expected=False)
    store.count_error(key, text="t", at=1.0, project=project)
    check_equal(store.record_fix(key, "restart it", project=project), expected=True)
    check_equal(store.count_error(key, text="t", at=2.0, project=project).fix, "restart it")
    check_equal(store.count_error(key, text="t", at=3.0).fix, "")
    check_equal([signature.project for signature in store.signatures(key=key)], ["", project])


def confidence_follows_outcomes(store: Store) -> None:
    key, at = unique_name(), 1_800_000_000.0
    check_equal(store.adjust_confidence(key, FIX_FOUND, at=at), expected=False)
    first = store.count_error(key, text="t", at=at, command="npm ci --quiet")
    check_equal((_confidence(first, at), first.command), (INITIAL, "npm ci --quiet"))
    check_equal(
        _confidence(store.count_error(key, text="t", at=at, command="npm ci"), at), INITIAL + SEEN_AGAIN
    )
    check_equal(
        [store.adjust_confidence(key, FIX_FOUND, at=at), store.adjust_confidence(key, FIX_HELPED, at=at)],
        [True, True],
    )
    signature = store.signatures(key=key)[0]
    check_equal(([_confidence(signature, at + half * HALF_LIFE) for half in range(3)]), [0.6, 0.3, 0.15])
    later = at + HALF_LIFE
    check_equal(_confidence(store.count_error(key, text="t", at=later), later), 0.35)
    check_equal(store.signatures(key=key)[0].command, "npm ci")
    check_equal(store.adjust_confidence(key, -1.0, at=later), expected=True)
    check_equal(_confidence(store.signatures(key=key)[0], later), 0.0)
    check_equal(
        [store.adjust_confidence(key, 5.0, at=later), store.adjust_confidence(key, FIX_FAILED, at=later)],
        [True, True],
    )
    check_equal(_confidence(store.signatures(key=key)[0], later), 0.85)


def confidence_is_added_exactly_across_threads(store: Store) -> None:
    key, at = unique_name(), 1_800_000_000.0
    store.count_error(key, text="t", at=at)
    run_in_threads(lambda: store.adjust_confidence(key, 0.01, at=at), times=40)

    check_equal(_confidence(store.signatures(key=key)[0], at), 0.7)


def errors_with_a_fix_are_found_apart(store: Store) -> None:
    project = unique_name()
    for number in (1, 2, 3):
        store.count_error(f"f{number}", text="t", at=float(number), project=project)
    store.record_fix("f2", "restart it", project=project)

    check_equal([signature.key for signature in store.signatures(project=project, fixed=True)], ["f2"])
    check_equal([signature.key for signature in store.signatures(key="f3", project=project, fixed=True)], [])


def the_latest_errors_come_first(store: Store) -> None:
    project = unique_name()
    for number in (2, 3, 1):
        store.count_error(f"e{number}", text="t", at=float(number), project=project)

    check_equal([signature.key for signature in store.signatures(project=project)], ["e3", "e2", "e1"])
    check_equal([signature.key for signature in store.signatures(project=project, limit=1)], ["e3"])
    check_equal([signature.key for signature in store.signatures(project=project, key="e2")], ["e2"])


SUITE: tuple[Callable[[Store], None], ...] = (
    errors_are_counted,
    errors_are_counted_exactly_across_threads,
    a_fix_stays_with_its_error,
    confidence_follows_outcomes,
    confidence_is_added_exactly_across_threads,
    errors_with_a_fix_are_found_apart,
    the_latest_errors_come_first,
)


def _confidence(signature: KnownError, at: float) -> float:
    return round(signature.confidence_at(at), 6)
