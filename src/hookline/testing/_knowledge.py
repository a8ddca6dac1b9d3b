"""What every store must do with what outlives a session; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable
from typing import Any

from hookline.core.records import Experiment, Handoff, Memory, Signature
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.testing._checks import HOSTILE, at_once, name, same


def memories_are_found_by_their_words(store: Store) -> None:
    project = name()
    flaky = _memory(project, text="The database tests are flaky: run them twice!", tags=("pytest",))
    style = _memory(project, text="Write doc-strings in the imperative; see CONTRIBUTING_guide.md")
    for one in (flaky, style):
        store.remember(one)

    def found(text: str) -> list[Memory]:
        return list(store.recall(text, project=project))

    same(found("flaky"), [flaky])
    same(found("FLAKY, twice?"), [flaky])
    same(found("pytest"), [flaky])
    same(found("guide"), [style])
    same(found("md OR nothing* \"' -x (NEAR"), [style])
    same(found("nowhere"), [])


def memories_are_found_without_accents_and_in_any_script(store: Store) -> None:
    project = name()
    cafe, chinese = _memory(project, text="das Café schließt"), _memory(project, text="测试很慢")
    store.remember(cafe)
    store.remember(chinese)

    same(list(store.recall("CAFE", project=project)), [cafe])
    same(list(store.recall("schliesst", project=project)), [cafe])
    same(list(store.recall("测试", project=project)), [chinese])


def the_best_memory_comes_first(store: Store) -> None:
    project = name()
    both = _memory(project, text="alpha beta gamma delta")
    one = _memory(project, text="alpha epsilon zeta eta")
    weighty = _memory(project, text="alpha epsilon zeta eta", confidence=0.9)
    for memory in (one, both, weighty, _memory(project, text="something else entirely")):
        store.remember(memory)

    same(list(store.recall("beta gamma alpha", project=project)), [both, weighty, one])
    same(list(store.recall("beta gamma alpha", project=project, limit=1)), [both])


def no_words_recall_the_surest(store: Store) -> None:
    project = name()
    old, new = _memory(project, at=1.0, text="old"), _memory(project, at=2.0, text="new")
    vital = _memory(project, at=0.5, text="vital", confidence=1.0)
    for memory in (new, vital, old):
        store.remember(memory)

    for text in ("", "?! --"):
        same([one for one in store.recall(text, project=project) if one.project], [vital, new, old])


def projects_are_apart(store: Store) -> None:
    one, other, word = name(), name(), name()
    mine, everywhere = _memory(one, text=word), _memory("", text=word, confidence=0.1)
    store.remember(mine)
    store.remember(everywhere)
    store.see("e", text="t", at=1.0, project=one)
    store.hand_over(Handoff(id=name(), at=1.0, session="s", text="t", project=one))

    same(list(store.recall(word, project=one)), [mine, everywhere])
    same(list(store.recall(word, project=other)), [everywhere])
    same(list(store.recall(word)), [mine, everywhere])
    same(list(store.signatures(project=other)), [])
    same(list(store.handoffs(project=other)), [])
    store.forget(everywhere.id)


def remembering_again_replaces_and_keeps_the_uses(store: Store) -> None:
    project = name()
    first = _memory(project, text="the port is 8080")
    store.remember(first)
    store.use([first.id, first.id, name()], at=5.0)
    store.use([first.id], at=7.0)
    store.remember(replace(first, text="the port is 9090", at=3.0, tags=("net",)))
    now = replace(first, text="the port is 9090", at=3.0, tags=("net",), used=7.0, uses=2)

    same(list(store.recall("9090", project=project)), [now])
    same(list(store.recall("net", project=project)), [now])
    same(list(store.recall("8080", project=project)), [])


def a_memory_is_forgotten_once(store: Store) -> None:
    memory = _memory(name(), text=name())
    store.remember(memory)

    same([store.forget(memory.id), store.forget(memory.id)], [True, False])
    same(list(store.recall(memory.text)), [])


def the_newest_handoff_comes_first(store: Store) -> None:
    project = name()
    handoffs = [
        Handoff(id=name(), at=at, session=session, text=f"{at}", project=project, details={"left": (1, None)})
        for at, session in ((1.0, "a"), (3.0, "b"), (2.0, "a"), (3.0, "c"))
    ]
    said = [store.hand_over(one) for one in handoffs]

    same(said, [True] * 4)
    same(store.hand_over(replace(handoffs[0], text="changed")), wanted=False)
    same(list(store.handoffs(project=project)), [handoffs[n] for n in (3, 1, 2, 0)])
    same(list(store.handoffs(project=project, limit=1)), [handoffs[3]])
    same(list(store.handoffs(project=project, session="a")), [handoffs[2], handoffs[0]])


def a_handoff_can_be_made_to_say_something_else(store: Store) -> None:
    project = name()
    one, other = (Handoff(id=name(), at=at, session="s", text="t", project=project) for at in (2.0, 1.0))
    store.hand_over(one)
    store.hand_over(other)
    amended = replace(one, text="less", details={"next": ("a",)})

    same([store.amend(amended), store.amend(replace(one, id=name()))], [True, False])
    same(list(store.handoffs(project=project)), [amended, other])


def experiments_have_their_numbers(store: Store) -> None:
    run = name()
    rows = [_experiment(run, number) for number in (2, 1, 10)]
    said = [store.journal(one) for one in rows]

    same(said, [True] * 3)
    same(store.journal(replace(rows[0], status="changed")), wanted=False)
    same(store.journal(replace(rows[0], run=name())), wanted=True)
    same(list(store.experiments(run)), [rows[n] for n in (1, 0, 2)])
    same(list(store.experiments(run, after=1)), [rows[n] for n in (0, 2)])
    same(list(store.experiments(name())), [])


def a_number_is_had_by_one_however_many_ask(store: Store) -> None:
    run = name()
    said = at_once(lambda: store.journal(_experiment(run, 1)), times=40)

    same(sorted(said), [False] * 39 + [True])


def details_refuse_what_is_not_json(store: Store) -> None:
    run = name()
    try:
        store.journal(replace(_experiment(run, 1), details={"not": object()}))
    except TypeError:
        same(list(store.experiments(run)), [])
    else:
        raise AssertionError("details that are not JSON were taken without a word")


def hostile_texts_are_learnt(store: Store) -> None:
    for text in HOSTILE.values():
        key, word = name() + text[:99], name()
        memory = _memory(key, id=key, text=f"{text} {word}", kind=text[:99], tags=(text,))
        handoff = Handoff(id=key, at=1.0, session=key, text=text, project=key, details={text[:99]: text})
        row = replace(_experiment(key, 1), commit=text[:99], description=text, status=text[:99])
        store.remember(memory)
        store.hand_over(handoff)
        store.journal(row)
        store.see(key, text=text, at=1.0, project=key)
        store.fix(key, text, project=key)

        same([one for one in store.recall(f"{key} {word}", project=key) if one.project], [memory])
        same([one.id for one in store.recall("", project=key) if one.project], [key])
        same(list(store.handoffs(project=key)), [handoff])
        same(list(store.experiments(key)), [row])
        wanted = Signature(key=key, project=key, text=text, seen=1, first=1.0, last=1.0, fix=text)
        same(list(store.signatures(key=key)), [wanted])
        same(store.forget(key), wanted=True)


def totals_grow(store: Store) -> None:
    before = store.totals()
    key = name()
    store.begin(key, host="h", cwd="/", at=1.0)
    store.remember(_memory(key, text="t"))
    store.see(key, text="t", at=1.0)
    store.hand_over(Handoff(id=key, at=1.0, session=key, text="t"))
    store.journal(_experiment(key, 1))
    grown = {kind: store.totals()[kind] - before[kind] for kind in before}

    kinds = ("sessions", "records", "memories", "signatures", "handoffs", "experiments")
    same(grown, {kind: int(kind != "records") for kind in kinds})


def a_sound_store_says_nothing(store: Store) -> None:
    same(store.check(), "")


SUITE: tuple[Callable[[Store], None], ...] = (
    memories_are_found_by_their_words,
    memories_are_found_without_accents_and_in_any_script,
    the_best_memory_comes_first,
    no_words_recall_the_surest,
    projects_are_apart,
    remembering_again_replaces_and_keeps_the_uses,
    a_memory_is_forgotten_once,
    the_newest_handoff_comes_first,
    a_handoff_can_be_made_to_say_something_else,
    experiments_have_their_numbers,
    a_number_is_had_by_one_however_many_ask,
    details_refuse_what_is_not_json,
    hostile_texts_are_learnt,
    totals_grow,
    a_sound_store_says_nothing,
)


def _memory(project: str, **fields: Any) -> Memory:
    usual: dict[str, Any] = {"id": name(), "at": 1.0, "text": "t", "project": project}
    return Memory(**(usual | fields))


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
