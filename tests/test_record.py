"""A record behaves as the dataclass with the same fields, before its methods are compiled and after."""

import copy
import dataclasses
import os
import pickle
import subprocess
import sys
from functools import cached_property
from threading import Barrier, Thread
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline._shape import OFTEN
from hookline.record import asdict, field, fields, record, replace

Any_ = TypeVar("Any_")

EXAMPLES = settings(max_examples=500 if os.environ.get("HOOKLINE_LONG") else 50, deadline=None)
NAMES = st.lists(st.sampled_from(["a", "b", "self", "old", "cls", "given", "new"]), max_size=5, unique=True)
VALUES = (
    st.integers(0, 2)
    | st.sampled_from(["", "x", (), None, float("nan")])
    | st.lists(st.integers(), max_size=1)
)
PLAIN = st.integers(0, 2) | st.text(max_size=1)


@st.composite
def bodies(draw, names=NAMES):
    """Fields by name: how each says its default, and how it takes part."""
    body = {}
    for name in draw(names):
        sort = draw(st.sampled_from(["needed", "default", "field", "factory"]))
        body[name] = (sort, draw(PLAIN), draw(st.booleans()), draw(st.booleans()))
    return dict(sorted(body.items(), key=lambda item: item[1][0] != "needed"))


def filled(body, specifier):
    space: dict[str, Any] = {"__annotations__": dict.fromkeys(body, Any)}
    for name, (sort, value, shown, compare) in body.items():
        if sort == "default":
            space[name] = value
        elif sort == "field":
            space[name] = specifier(default=value, repr=shown, compare=compare)
        elif sort == "factory":
            space[name] = specifier(default_factory=lambda value=value: [value], repr=shown, compare=compare)
        elif not (shown and compare):
            space[name] = specifier(repr=shown, compare=compare)
    return {**space, "__module__": __name__, "__qualname__": "Made", "ours": classmethod(lambda cls: cls)}


def twins(body, bases=(None, None), *, more=None, frozen=True, kw_only=True, eq=True):
    """The record and the dataclass of one body."""
    options = {"frozen": frozen, "kw_only": kw_only, "eq": eq}
    makers = ((record, field, {}), (dataclasses.dataclass, dataclasses.field, {"slots": True}))
    return [
        make(**options, **extra)(
            type("Made", (base,) if base else (), {**filled(body, specifier), **(more or {})})
        )
        for (make, specifier, extra), base in zip(makers, bases, strict=True)
    ]


def told(call):
    """What a call comes to, in a form that does not depend on which twin it was."""
    try:
        return repr(call())
    except Exception as error:
        return type(error), str(error)


def warmed(classes, body):
    """The same classes, after so many objects that the record has compiled methods."""
    for _ in range(OFTEN + 1):
        one = classes[0](**dict.fromkeys(body, 0))
        replace(one)
    return classes


@EXAMPLES
@given(
    bodies(),
    st.booleans(),
    st.booleans(),
    st.lists(VALUES, max_size=3),
    st.dictionaries(st.sampled_from(["a", "b", "given", "zz"]), VALUES),
)
def test_arguments_are_taken_or_refused_alike(body, kw_only, warm, positional, named):
    classes = twins(body, kw_only=kw_only)
    if warm:
        warmed(classes, body)
    ours, theirs = (told(lambda cls=cls: cls(*positional, **named)) for cls in classes)

    assert ours == theirs


@EXAMPLES
@given(bodies(), st.data(), st.booleans(), st.booleans())
def test_equality_hash_and_text_are_the_same(body, data, warm, frozen):
    classes = twins(body, frozen=frozen)
    if warm:
        warmed(classes, body)
    left, right = (data.draw(st.fixed_dictionaries(dict.fromkeys(body, VALUES))) for _ in range(2))
    ours, theirs = ([cls(**left), cls(**right)] for cls in classes)

    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert ours[0] == ours[0]
    assert ours[0] != theirs[0]
    assert repr(ours) == repr(theirs)
    assert told(lambda: list(map(hash, ours))) == told(lambda: list(map(hash, theirs)))


@EXAMPLES
@given(bodies(), st.data(), st.booleans())
def test_replacing_changes_the_same_and_refuses_the_same(body, data, warm):
    classes = twins(body)
    if warm:
        warmed(classes, body)
    values = data.draw(st.fixed_dictionaries(dict.fromkeys(body, VALUES)))
    changes = data.draw(st.dictionaries(st.sampled_from([*body, "zz"]), VALUES))
    ours, theirs = (cls(**values) for cls in classes)
    wanted = told(lambda: dataclasses.replace(theirs, **changes))

    assert told(lambda: replace(ours, **changes)) == wanted
    assert told(lambda: dataclasses.replace(ours, **changes)) == wanted


@EXAMPLES
@given(bodies(), bodies(), st.data(), st.booleans())
def test_a_record_inherits_as_a_dataclass_does(above, below, data, warm):
    bases = twins(above)
    classes = twins(below, bases)
    if warm:
        warmed(bases, above)
        warmed(classes, {**above, **below})
    values = data.draw(st.dictionaries(st.sampled_from([*above, *below, "zz"]), VALUES))
    ours, theirs = (told(lambda cls=cls: dataclasses.asdict(cls(**values))) for cls in classes)

    assert ours == theirs
    assert [one.name for one in fields(classes[0])] == [one.name for one in dataclasses.fields(classes[1])]
    assert classes[0].ours() is classes[0]


@EXAMPLES
@given(bodies(), st.booleans())
def test_dataclasses_sees_the_same_fields(body, kw_only):
    ours, theirs = (
        [(f.name, f.type, f.repr, f.compare, f.kw_only, f.default) for f in dataclasses.fields(cls)]
        for cls in twins(body, kw_only=kw_only)
    )

    assert ours == theirs
    assert [cls.__match_args__ for cls in twins(body, kw_only=kw_only)] == [
        () if kw_only else tuple(body)
    ] * 2


@EXAMPLES
@given(bodies(), st.data())
def test_copies_are_equal(body, data):
    cls, _ = twins(body)
    one = cls(**data.draw(st.fixed_dictionaries(dict.fromkeys(body, PLAIN))))

    assert copy.copy(one) == copy.deepcopy(one) == replace(one) == one


@record
class Inner:
    x: int = 0


@record
class Sample:
    limit: ClassVar[float] = 5.0
    again: "ClassVar[int]" = 1
    text: str
    inner: Inner = Inner()
    many: tuple[Inner, ...] = ()
    named: dict[str, Inner] = field(default_factory=dict)

    @property
    def loud(self) -> str:
        return self.text.upper()


SAMPLE = Sample(text="a", many=(Inner(x=1),), named={"b": Inner(x=2)})


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_every_field(protocol):
    assert pickle.loads(pickle.dumps(SAMPLE, protocol)) == SAMPLE


def test_as_a_dict_the_records_within_are_dicts_too():
    assert asdict(SAMPLE) == dataclasses.asdict(SAMPLE)
    assert asdict(SAMPLE) == {"text": "a", "inner": {"x": 0}, "many": ({"x": 1},), "named": {"b": {"x": 2}}}


def test_what_belongs_to_the_class_is_no_field():
    assert [one.name for one in fields(SAMPLE)] == ["text", "inner", "many", "named"]
    assert (Sample.limit, Sample.again, SAMPLE.loud) == (5.0, 1, "A")


@pytest.mark.parametrize("name", ["text", "unheard"])
def test_nothing_can_be_set_or_deleted(name):
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(SAMPLE, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(SAMPLE, name)
    assert not hasattr(SAMPLE, "__dict__")


def test_one_that_is_not_frozen_can_be_set_and_has_no_hash():
    @record(frozen=False, kw_only=False)
    class Open:
        x: int

    one = Open(1)
    one.x = 2

    assert one == Open(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    with pytest.raises(AttributeError):
        one.y = 3


def test_without_equality_each_is_its_own():
    @record(eq=False)
    class Lone:
        x: int = 0

    one = Lone()

    assert one == one  # noqa: PLR0124 -- that is the question
    assert one != Lone()
    assert len({one, Lone()}) == 2


def test_post_init_runs_when_made_and_when_replaced():
    @record
    class Checked:
        x: int

        def __post_init__(self):
            if self.x < 0:
                raise ValueError(self.x)

    one = Checked(x=1)
    for _ in range(OFTEN + 1):
        with pytest.raises(ValueError, match="-1"):
            Checked(x=-1)
        with pytest.raises(ValueError, match="-2"):
            replace(one, x=-2)
    with pytest.raises(ValueError, match="-3"):
        dataclasses.replace(one, x=-3)


def test_methods_of_its_own_are_kept():
    @record
    class Own:  # noqa: PLW1641 -- the record's
        x: int

        def __eq__(self, other):
            return isinstance(other, Own)

        def __repr__(self):
            return "own"

    @record
    class Named(Own):
        y: int = 0

    assert Own(x=1) == Own(x=2)
    assert repr(Own(x=1)) == "own"
    assert hash(Own(x=1)) == hash((1,))
    assert repr(Named(x=1)).endswith("Named(x=1, y=0)")


def test_without_slots_a_property_can_be_kept():
    @record(slots=False)
    class Kept:
        x: int

        @cached_property
        def found(self):
            return object()

    one = Kept(x=1)

    assert one.found is one.found
    assert copy.copy(one) == one
    with pytest.raises(AttributeError):
        one.x = 2


def test_positional_fields_match_in_order():
    @record(kw_only=False)
    class Pair:
        x: int
        y: int = 5

    match Pair(1):
        case Pair(x, y):
            assert (x, y) == (1, 5)


def test_a_record_that_holds_itself_can_be_shown():
    holder: dict[str, Any] = {}
    holder["self"] = Sample(text="a", named=holder)

    assert "named={'self': ...}" in repr(holder["self"])


def test_what_cannot_be_a_record_says_so():
    with pytest.raises(ValueError, match="field 'x' of 'Bad' has a mutable default"):
        record(type("Bad", (), {"__annotations__": {"x": list}, "x": []}))
    with pytest.raises(TypeError, match="'Bad' has an __init__ of its own"):
        record(type("Bad", (), {"__init__": lambda self: None}))
    with pytest.raises(TypeError, match="'Bad' is not of the sort that its base 'Inner' is"):
        record(frozen=False)(type("Bad", (Inner,), {}))
    with pytest.raises(TypeError, match="'Bad' is not of the sort that its base 'Theirs' is"):
        record(type("Bad", (dataclasses.make_dataclass("Theirs", ["x"]),), {}))


def test_a_dataclass_can_have_a_record_for_its_base():
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Theirs(Inner):
        y: int = 1

    assert replace(Theirs(x=2), y=3) == dataclasses.replace(Theirs(x=2), y=3) == Theirs(x=2, y=3)
    assert dataclasses.asdict(Theirs()) == {"x": 0, "y": 1}


def test_a_class_that_is_no_record_can_have_one_for_its_base():
    class Plain(Inner):
        pass

    one = Plain(x=2)
    one.more = 1

    assert type(replace(one, x=3)) is Plain
    assert one != Inner(x=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 3


def test_msgspec_reads_and_writes_records():
    read = msgspec.convert({"text": "a", "many": [{"x": 1}], "named": {"b": {"x": 2}}}, Sample)

    assert read == SAMPLE
    assert msgspec.json.decode(msgspec.json.encode(read), type=Sample) == SAMPLE


def test_a_field_may_be_called_like_anything_that_makes_it():
    @record
    class Odd:
        type: str
        object: str = "o"
        self: str = "s"
        old: str = "x"

    for _ in range(OFTEN * 2):
        one = replace(Odd(type="t"), old="y")

    assert (one.type, one.object, one.self, one.old) == ("t", "o", "s", "y")


def test_a_base_hears_of_no_class_but_those_that_were_written():
    known = []

    class Base:
        def __init_subclass__(cls):
            known.append(cls.__name__)

    @record
    class Known(Base):
        here: int

    @record
    class Of(Generic[Any_]):
        one: Any_

    known.clear()
    for _ in range(OFTEN * 2):
        made, other = replace(Known(here=1), here=2), replace(Of(one=1), one=2)

    assert (made.here, other.one, known) == (2, 2, [])


def test_threads_that_make_the_first_objects_at_once_agree():
    for _ in range(20):
        cls, _ = twins(dict.fromkeys("abcde", ("default", 1, True, True)))
        ready, made = Barrier(4), []

        def work(cls=cls, ready=ready, made=made):
            ready.wait()
            made.extend(replace(cls(a=2), b=3) for _ in range(OFTEN))

        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert made == [cls(a=2, b=3)] * (4 * OFTEN)


def test_neither_defining_nor_making_one_imports_dataclasses():
    probe = (
        "import sys\nfrom hookline.record import *\n@record\nclass A:\n    x: int = 0\n"
        f"for _ in range({OFTEN} + 2): assert replace(A(x=1), x=2) == A(x=2)\n"
        "assert not {'dataclasses', 'inspect'} & sys.modules.keys()"
    )
    alone = "import sys, types\nsys.modules['hookline'] = types.ModuleType('hookline')\n"
    here = "import importlib.util\nsys.modules['hookline'].__path__ = [sys.argv[1]]\n"
    package = sys.modules["hookline"].__path__[0]

    subprocess.run([sys.executable, "-c", alone + here + probe, package], check=True)
