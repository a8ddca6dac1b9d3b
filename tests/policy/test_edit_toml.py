"""Test the change of one value in a TOML text: nothing else changes, and comments stay."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hookline.policy.edit_toml import format_literal, set_value

COMMENTED = """# my settings
context_cap = 500  # short answers

# countdown
[hooks.budget-countdown] # the clock
stop = [
  1, # one
  2,
] # both
text = "a # b"   # c
"""


@pytest.mark.parametrize(
    ("path", "literal", "before", "after"),
    [
        (("context_cap",), "700", "context_cap = 500  #", "context_cap = 700  #"),
        (("hooks", "budget-countdown", "stop"), "60", "[\n  1, # one\n  2,\n] # both", "60 # both"),
        (("hooks", "budget-countdown", "text"), '"d"', '"a # b"   # c', '"d"   # c'),
        (("keep_days",), "3", "\n# countdown\n", "\nkeep_days = 3\n\n# countdown\n"),
        (
            ("hooks", "budget-countdown", "new"),
            "true",
            "# the clock\n",
            "# the clock\nnew = true\n",
        ),
        (("hooks", "audit", "enabled"), "true", "# c\n", "# c\n\n[hooks.audit]\nenabled = true\n"),
        (("hooks", "my.hook", "x"), "1", "# c\n", '# c\n\n[hooks."my.hook"]\nx = 1\n'),
    ],
)
def test_only_the_value_changes(path, literal, before, after):
    assert COMMENTED.count(before) == 1
    assert set_value(COMMENTED, path, literal) == COMMENTED.replace(before, after)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a = 1\n"),
        ("b = 2", "b = 2\na = 1\n"),
        ("[t]\n", "a = 1\n\n[t]\n"),
        ("'a' = 3", "'a' = 1"),
        ("a=3\r\nb=4\r\n", "a=1\r\nb=4\r\n"),
        ('a = """\n# no comment\n"""', "a = 1"),
    ],
)
def test_an_option_is_set_in_any_file(text, expected):
    assert set_value(text, ("a",), "1") == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("hooks = {x = {y = 1}}\n", ("hooks", "x", "y")),
        ("hooks = 1\n", ("hooks", "x", "y")),
        ("a = [", ("a",)),
        ("[[hooks.x]]\n", ("hooks", "x", "y")),
    ],
)
def test_a_text_that_cannot_be_changed_safely_is_refused(text, path):
    with pytest.raises(ValueError, match="config edit"):
        set_value(text, path, "2")


@pytest.mark.parametrize(
    ("text", "literal"),
    [("5", "5"), ("true", "true"), ("[1, 2]", "[1, 2]"), ("word", '"word"'), ('"5"', '"5"'), ("", '""')],
)
def test_text_that_is_not_toml_is_a_string(text, literal):
    assert format_literal(text) == literal


@given(some.text(some.characters(blacklist_categories=["Cs"]), max_size=30))
def test_no_text_sets_anything_else(text):
    try:
        changed = tomllib.loads(set_value("b = 1\n", ("a",), format_literal(text)))
    except ValueError:
        return

    assert changed.keys() == {"a", "b"}
    assert changed["b"] == 1
