"""Our named tuples behave as those of the standard library, before and after their class is compiled."""

import copy
import keyword
import pickle
import threading
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.tuples import OFTEN, NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2

    @property
    def far(self) -> int:
        return self.x + self.y


names = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))


@st.composite
def pairs(draw):
    """A class of ours and the standard one, declared alike."""
    fields = draw(st.lists(names, unique=True, max_size=6))
    usual = draw(st.integers(0, len(fields)))
    space = {"__annotations__": dict.fromkeys(fields, int), "__module__": __name__, "__qualname__": "Same"}
    space |= {field: at for at, field in enumerate(fields) if at >= len(fields) - usual}
    theirs = namedtuple("Same", fields, defaults=range(len(fields) - usual, len(fields)))  # noqa: PYI024
    return type(NamedTuple)("Same", (NamedTuple,), space), theirs


def tried(make):
    try:
        return make()
    except TypeError as error:
        return str(error)


@given(both=pairs(), data=st.data(), warm=st.booleans())
def test_it_is_made_and_refused_alike(both, data, warm):
    ours, theirs = both
    if warm:
        for _ in range(OFTEN + 2):
            tried(lambda: ours(*range(len(ours._fields))))
    values = data.draw(st.lists(st.integers(), max_size=7))
    known = data.draw(st.dictionaries(st.sampled_from([*ours._fields, "other"]), st.integers(), max_size=4))
    one, other = tried(lambda: ours(*values, **known)), tried(lambda: theirs(*values, **known))

    assert one == other
    assert repr(one) == repr(other)
    if not isinstance(one, str):
        assert (one._asdict(), hash(one), tuple(one)) == (other._asdict(), hash(other), tuple(other))
        assert [getattr(one, field) for field in one._fields] == list(one)
        changes = {field: -1 for field in one._fields if data.draw(st.booleans())}
        assert one._replace(**changes) == other._replace(**changes)
    assert (ours._fields, ours._field_defaults) == (theirs._fields, theirs._field_defaults)


def test_it_can_be_copied_and_sent():
    point = Point(1)

    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == copy.copy(point) == (1, 2)
    assert type(pickle.loads(pickle.dumps(point))) is Point
    assert (point.far, Point.__doc__, Point._make([3, 4])) == (3, "A place.", Point(x=3, y=4))


def test_it_cannot_be_changed():
    with pytest.raises(AttributeError):
        Point(1).x = 2
    with pytest.raises(AttributeError):
        Point(1).z = 2


def test_an_unknown_field_is_not_replaced():
    with pytest.raises(ValueError, match="z"):
        Point(1)._replace(z=1)


def test_a_field_without_a_default_cannot_follow_one_with():
    with pytest.raises(TypeError, match="'b' has no default"):

        class Wrong(NamedTuple):
            a: int = 1
            b: int


def test_it_is_matched_by_position():
    match Point(5):
        case Point(x, y):
            assert (x, y) == (5, 2)


def test_threads_may_make_the_first_ones_together():
    class Shared(NamedTuple):
        a: int
        b: int = 0

    made = []
    threads = [
        threading.Thread(target=lambda: made.extend(Shared(n, b=1) for n in range(200))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(made) == sorted((n, 1) for n in range(200) for _ in range(8))
