"""What every store must do with known errors; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable

from hookline.core.confidence import AGAIN, FAILED, FOUND, HALF_LIFE, HELPED, START
from hookline.core.records import Signature
from hookline.core.store import Store
from hookline.testing._checks import at_once, name, same


def errors_are_counted(store: Store) -> None:
    key, project = name(), name()
    said = [store.see(key, text=f"at {at}", at=at, project=project) for at in (5.0, 3.0, 9.0)]
    wanted = Signature(key=key, project=project, text="at 9.0", seen=3, first=3.0, last=9.0)

    same(said[0], Signature(key=key, project=project, text="at 5.0", seen=1, first=5.0, last=5.0))
    same(said[2], wanted)
    same(list(store.signatures(key=key)), [wanted])


def errors_are_counted_exactly_across_threads(store: Store) -> None:
    key = name()
    said = at_once(lambda: store.see(key, text="t", at=1.0).seen, times=80)

    same(sorted(said), list(range(1, 81)))


def a_fix_stays_with_its_error(store: Store) -> None:
    key, project = name(), name()
    same(store.fix(key, "restart it", project=project), wanted=False)
    store.see(key, text="t", at=1.0, project=project)
    same(store.fix(key, "restart it", project=project), wanted=True)
    same(store.see(key, text="t", at=2.0, project=project).fix, "restart it")
    same(store.see(key, text="t", at=3.0).fix, "")
    same([one.project for one in store.signatures(key=key)], ["", project])


def errors_are_believed_by_what_came_of_them(store: Store) -> None:
    key, at = name(), 1_800_000_000.0
    same(store.weigh(key, FOUND, at=at), wanted=False)
    first = store.see(key, text="t", at=at, command="npm ci --quiet")
    same((_rounded(first, at), first.command), (START, "npm ci --quiet"))
    same(_rounded(store.see(key, text="t", at=at, command="npm ci"), at), START + AGAIN)
    same([store.weigh(key, FOUND, at=at), store.weigh(key, HELPED, at=at)], [True, True])
    known = store.signatures(key=key)[0]
    same(([_rounded(known, at + half * HALF_LIFE) for half in range(3)]), [0.6, 0.3, 0.15])
    later = at + HALF_LIFE
    same(_rounded(store.see(key, text="t", at=later), later), 0.35)
    same(store.signatures(key=key)[0].command, "npm ci")
    same(store.weigh(key, -1.0, at=later), wanted=True)
    same(_rounded(store.signatures(key=key)[0], later), 0.0)
    same([store.weigh(key, 5.0, at=later), store.weigh(key, FAILED, at=later)], [True, True])
    same(_rounded(store.signatures(key=key)[0], later), 0.85)


def confidence_is_added_exactly_across_threads(store: Store) -> None:
    key, at = name(), 1_800_000_000.0
    store.see(key, text="t", at=at)
    at_once(lambda: store.weigh(key, 0.01, at=at), times=40)

    same(_rounded(store.signatures(key=key)[0], at), 0.7)


def errors_with_a_fix_are_found_apart(store: Store) -> None:
    project = name()
    for number in (1, 2, 3):
        store.see(f"f{number}", text="t", at=float(number), project=project)
    store.fix("f2", "restart it", project=project)

    same([one.key for one in store.signatures(project=project, fixed=True)], ["f2"])
    same([one.key for one in store.signatures(key="f3", project=project, fixed=True)], [])


def the_latest_errors_come_first(store: Store) -> None:
    project = name()
    for number in (2, 3, 1):
        store.see(f"e{number}", text="t", at=float(number), project=project)

    same([one.key for one in store.signatures(project=project)], ["e3", "e2", "e1"])
    same([one.key for one in store.signatures(project=project, limit=1)], ["e3"])
    same([one.key for one in store.signatures(project=project, key="e2")], ["e2"])


SUITE: tuple[Callable[[Store], None], ...] = (
    errors_are_counted,
    errors_are_counted_exactly_across_threads,
    a_fix_stays_with_its_error,
    errors_are_believed_by_what_came_of_them,
    confidence_is_added_exactly_across_threads,
    errors_with_a_fix_are_found_apart,
    the_latest_errors_come_first,
)


def _rounded(one: Signature, at: float) -> float:
    return round(one.believed(at), 6)
