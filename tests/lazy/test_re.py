import re as standard

import pytest

from hookline.lazy import re

TEXT = "one two,three"
CALLS = [
    ("findall", TEXT),
    ("fullmatch", "word"),
    ("match", TEXT),
    ("match", TEXT, 4, 6),
    ("search", "  word"),
    ("search", ","),
    ("split", TEXT, 1),
    ("sub", "-", TEXT),
    ("subn", str.upper, ""),
]


@pytest.mark.parametrize(("name", "arguments"), [(name, arguments) for name, *arguments in CALLS])
def test_a_pattern_finds_the_same_as_a_compiled_one(name, arguments):
    pattern, compiled = re.compile(r"[A-Z]+", re.IGNORECASE), standard.compile(r"[A-Z]+", re.IGNORECASE)
    results = [repr(getattr(one, name)(*arguments)) for one in (pattern, pattern, compiled)]

    assert len({*results}) == 1


def test_a_pattern_has_the_attributes_of_a_compiled_one():
    pattern = re.compile(r"(?P<name>\w+)", re.ASCII)

    assert (pattern.pattern, pattern.groups, dict(pattern.groupindex)) == (r"(?P<name>\w+)", 1, {"name": 1})
    assert pattern.flags == standard.compile(r"(?P<name>\w+)", re.ASCII).flags


def test_a_pattern_is_compiled_when_it_is_used():
    pattern = re.compile("(")

    with pytest.raises(standard.error):
        pattern.search("")


def test_a_used_pattern_calls_the_compiled_one_itself():
    pattern = re.compile("a")
    pattern.search("a")

    assert pattern.search.__self__ == standard.compile("a")
