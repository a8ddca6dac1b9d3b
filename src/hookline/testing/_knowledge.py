"""Conformance checks of a store's lasting records; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable
from typing import Any

from hookline.core.records import Experiment, Handoff, KnownError, Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.testing._checks import HOSTILE, check_equal, run_in_threads, unique_name


def memories_are_found_by_their_words(store: Store) -> None:
    project = unique_name()
    flaky = _memory(project, text="The database tests are flaky: run them twice!", tags=("pytest",))
    style = _memory(project, text="Write doc-strings in the imperative; see CONTRIBUTING_guide.md")
    for memory in (flaky, style):
        store.remember(memory)

    def recall(text: str) -> list[Memory]:
        return list(store.recall(text, project=project))

    check_equal(recall("flaky"), [flaky])
    check_equal(recall("FLAKY, twice?"), [flaky])
    check_equal(recall("pytest"), [flaky])
    check_equal(recall("guide"), [style])
    check_equal(recall("md OR nothing* \"' -x (NEAR"), [style])
    check_equal(recall("nowhere"), [])


def memories_are_found_without_accents_and_in_any_script(store: Store) -> None:
    project = unique_name()
    cafe, chinese = _memory(project, text="das Café schließt"), _memory(project, text="测试很慢")
    store.remember(cafe)
    store.remember(chinese)

    check_equal(list(store.recall("CAFE", project=project)), [cafe])
    check_equal(list(store.recall("schliesst", project=project)), [cafe])
    check_equal(list(store.recall("测试", project=project)), [chinese])


def the_best_memory_comes_first(store: Store) -> None:
    project = unique_name()
    full_match = _memory(project, text="alpha beta gamma delta")
    partial_match = _memory(project, text="alpha epsilon zeta eta")
    confident = _memory(project, text="alpha epsilon zeta eta", confidence=0.9)
    for memory in (partial_match, full_match, confident, _memory(project, text="something else entirely")):
        store.remember(memory)

    check_equal(
        list(store.recall("beta gamma alpha", project=project)), [full_match, confident, partial_match]
    )
    check_equal(list(store.recall("beta gamma alpha", project=project, limit=1)), [full_match])


def empty_queries_recall_the_most_confident(store: Store) -> None:
    project = unique_name()
    old, new = _memory(project, at=1.0, text="old"), _memory(project, at=2.0, text="new")
    vital = _memory(project, at=0.5, text="vital", confidence=1.0)
    for memory in (new, vital, old):
        store.remember(memory)

    for text in ("", "?! --"):
        check_equal(
            [found for found in store.recall(text, project=project) if found.project], [vital, new, old]
        )


def projects_are_apart(store: Store) -> None:
    project, other, word = unique_name(), unique_name(), unique_name()
    own_memory, everywhere = _memory(project, text=word), _memory("", text=word, confidence=0.1)
    store.remember(own_memory)
    store.remember(everywhere)
    store.count_error("e", text="t", at=1.0, project=project)
    store.add_handoff(Handoff(id=unique_name(), at=1.0, session="s", text="t", project=project))

    check_equal(list(store.recall(word, project=project)), [own_memory, everywhere])
    check_equal(list(store.recall(word, project=other)), [everywhere])
    check_equal(list(store.recall(word)), [own_memory, everywhere])
    check_equal(list(store.signatures(project=other)), [])
    check_equal(list(store.handoffs(project=other)), [])
    store.forget(everywhere.id)


def remembering_again_replaces_and_keeps_the_uses(store: Store) -> None:
    project = unique_name()
    first = _memory(project, text="the port is 8080")
    store.remember(first)
    store.mark_used([first.id, first.id, unique_name()], at=5.0)
    store.mark_used([first.id], at=7.0)
    store.remember(replace(first, text="the port is 9090", at=3.0, tags=("net",)))
    now = replace(first, text="the port is 9090", at=3.0, tags=("net",), used=7.0, uses=2)

    check_equal(list(store.recall("9090", project=project)), [now])
    check_equal(list(store.recall("net", project=project)), [now])
    check_equal(list(store.recall("8080", project=project)), [])


def a_memory_is_forgotten_once(store: Store) -> None:
    memory = _memory(unique_name(), text=unique_name())
    store.remember(memory)

    check_equal([store.forget(memory.id), store.forget(memory.id)], [True, False])
    check_equal(list(store.recall(memory.text)), [])


def the_newest_handoff_comes_first(store: Store) -> None:
    project = unique_name()
    handoffs = [
        Handoff(
            id=unique_name(),
            at=at,
            session=session,
            text=f"{at}",
            project=project,
            details={"left": (1, None)},
        )
        for at, session in ((1.0, "a"), (3.0, "b"), (2.0, "a"), (3.0, "c"))
    ]
    results = [store.add_handoff(handoff) for handoff in handoffs]

    check_equal(results, [True] * 4)
    check_equal(store.add_handoff(replace(handoffs[0], text="changed")), expected=False)
    check_equal(list(store.handoffs(project=project)), [handoffs[n] for n in (3, 1, 2, 0)])
    check_equal(list(store.handoffs(project=project, limit=1)), [handoffs[3]])
    check_equal(list(store.handoffs(project=project, session="a")), [handoffs[2], handoffs[0]])


def handoffs_can_be_amended(store: Store) -> None:
    project = unique_name()
    handoff, other = (
        Handoff(id=unique_name(), at=at, session="s", text="t", project=project) for at in (2.0, 1.0)
    )
    store.add_handoff(handoff)
    store.add_handoff(other)
    amended = replace(handoff, text="less", details={"next": ("a",)})

    check_equal(
        [store.replace_handoff(amended), store.replace_handoff(replace(handoff, id=unique_name()))],
        [True, False],
    )
    check_equal(list(store.handoffs(project=project)), [amended, other])


def experiments_have_their_numbers(store: Store) -> None:
    run = unique_name()
    rows = [_experiment(run, number) for number in (2, 1, 10)]
    results = [store.add_experiment(row) for row in rows]

    check_equal(results, [True] * 3)
    check_equal(store.add_experiment(replace(rows[0], status="changed")), expected=False)
    check_equal(store.add_experiment(replace(rows[0], run=unique_name())), expected=True)
    check_equal(list(store.experiments(run)), [rows[n] for n in (1, 0, 2)])
    check_equal(list(store.experiments(run, after=1)), [rows[n] for n in (0, 2)])
    check_equal(list(store.experiments(unique_name())), [])


def numbers_are_unique_across_threads(store: Store) -> None:
    run = unique_name()
    results = run_in_threads(lambda: store.add_experiment(_experiment(run, 1)), times=40)

    check_equal(sorted(results), [False] * 39 + [True])


def details_refuse_what_is_not_json(store: Store) -> None:
    run = unique_name()
    try:
        store.add_experiment(replace(_experiment(run, 1), details={"not": object()}))
    except TypeError:
        check_equal(list(store.experiments(run)), [])
    else:
        raise AssertionError("details that are not JSON were accepted")


def hostile_texts_are_stored(store: Store) -> None:
    for text in HOSTILE.values():
        key, word = unique_name() + text[:99], unique_name()
        memory = _memory(key, id=key, text=f"{text} {word}", kind=text[:99], tags=(text,))
        handoff = Handoff(id=key, at=1.0, session=key, text=text, project=key, details={text[:99]: text})
        row = replace(_experiment(key, 1), commit=text[:99], description=text, status=text[:99])
        store.remember(memory)
        store.add_handoff(handoff)
        store.add_experiment(row)
        store.count_error(key, text=text, at=1.0, project=key)
        store.record_fix(key, text, project=key)

        check_equal(
            [found for found in store.recall(f"{key} {word}", project=key) if found.project], [memory]
        )
        check_equal([found.id for found in store.recall("", project=key) if found.project], [key])
        check_equal(list(store.handoffs(project=key)), [handoff])
        check_equal(list(store.experiments(key)), [row])
        expected = KnownError(key=key, project=key, text=text, seen=1, first=1.0, last=1.0, fix=text)
        check_equal(list(store.signatures(key=key)), [expected])
        check_equal(store.forget(key), expected=True)


def totals_grow(store: Store) -> None:
    before = store.totals()
    key = unique_name()
    store.begin_session(key, host="h", cwd="/", at=1.0)
    store.remember(_memory(key, text="t"))
    store.count_error(key, text="t", at=1.0)
    store.add_handoff(Handoff(id=key, at=1.0, session=key, text="t"))
    store.add_experiment(_experiment(key, 1))
    grown = {kind: store.totals()[kind] - before[kind] for kind in before}

    kinds = ("sessions", "records", "memories", "signatures", "handoffs", "experiments")
    check_equal(grown, {kind: int(kind != "records") for kind in kinds})


def a_sound_store_reports_nothing(store: Store) -> None:
    check_equal(store.check(), "")


SUITE: tuple[Callable[[Store], None], ...] = (
    memories_are_found_by_their_words,
    memories_are_found_without_accents_and_in_any_script,
    the_best_memory_comes_first,
    empty_queries_recall_the_most_confident,
    projects_are_apart,
    remembering_again_replaces_and_keeps_the_uses,
    a_memory_is_forgotten_once,
    the_newest_handoff_comes_first,
    handoffs_can_be_amended,
    experiments_have_their_numbers,
    numbers_are_unique_across_threads,
    details_refuse_what_is_not_json,
    hostile_texts_are_stored,
    totals_grow,
    a_sound_store_reports_nothing,
)


def _memory(project: str, **fields: Any) -> Memory:
    defaults: dict[str, Any] = {"id": unique_name(), "at": 1.0, "text": "t", "project": project}
    return Memory(**(defaults | fields))


def _experiment(run: str, number: int) -> Experiment:
    return Experiment(
        run=run,
        number=number,
        at=1.5,
        status="kept",
        commit="abc",
        metric=number / 3,
        description="try it",
        details={"guard": (True, None, "x")},
    )
