"""Test JSON with comments: positions, errors, and changes that keep the rest of the text."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hookline.install.jsonc import NotJson, add_value, append_value, parse, remove_part

LONG = bool(os.environ.get("HOOKLINE_LONG"))
many = settings(max_examples=3_000 if LONG else 200, deadline=None)
SCALARS = (
    some.none()
    | some.booleans()
    | some.integers(-9, 10**12)
    | some.floats(allow_nan=False, allow_infinity=False, width=32)
)
VALUES = some.recursive(
    SCALARS | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)
PLAIN = ["", " ", "\n", "\r\n", "\t", "\n    "]
BLANK = [*PLAIN, "// why, then: }\n", "/* ] , */", " /**/ ", "\n// a\n  "]


@some.composite
def texts(draw, value=None, *, comments):
    """Draw the text of a value, with random whitespace and comments."""
    return _text(draw, draw(VALUES) if value is None else value, comments=comments)


def _text(draw, value, *, comments):
    blank = lambda: draw(some.sampled_from(BLANK if comments else PLAIN))  # noqa: E731 -- used often below
    parts = []
    if isinstance(value, dict):
        for key, inner in value.items():
            parts.append(
                f"{blank()}{json.dumps(key)}{blank()}:{blank()}{_text(draw, inner, comments=comments)}"
            )
    elif isinstance(value, list):
        parts = [f"{blank()}{_text(draw, inner, comments=comments)}" for inner in value]
    else:
        return json.dumps(value, ensure_ascii=draw(some.booleans()))
    trailing = f"{blank()}," if comments and parts and draw(some.booleans()) else ""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + f"{blank()},".join(parts) + trailing + blank() + closing


@many
@given(texts(comments=False))
def test_json_is_read_as_json_is(text):
    assert parse(text).value == json.loads(text)


@pytest.mark.slow
@many
@given(some.data(), some.booleans())
def test_what_is_put_is_there_and_nothing_else_changes(data, comments):
    before = data.draw(
        some.dictionaries(some.text(max_size=5).filter(lambda key: key != "hooks"), VALUES, max_size=3)
    )
    if data.draw(some.booleans()):
        before["hooks"] = data.draw(
            some.dictionaries(some.sampled_from(["X", "Y"]), some.lists(VALUES, max_size=3))
        )
    text = data.draw(texts(before, comments=comments))
    value = data.draw(VALUES)
    after = append_value(text, ("hooks", "X"), value, comments=comments)
    expected = json.loads(json.dumps(before))
    expected.setdefault("hooks", {}).setdefault("X", []).append(value)

    assert parse(after, comments=comments).value == expected
    assert list(parse(after, comments=comments).value)[: len(before)] == list(before)
    assert subsequence(text, after)


@pytest.mark.slow
@many
@given(some.data(), some.booleans())
def test_what_is_removed_is_gone_and_nothing_else_changes(data, comments):
    whole = data.draw(
        some.lists(VALUES, min_size=1, max_size=4)
        | some.dictionaries(some.text(max_size=5), VALUES, min_size=1, max_size=4)
    )
    text = data.draw(texts(whole, comments=comments))
    node = parse(text, comments=comments)
    place = data.draw(some.integers(0, len(node.parts) - 1))
    left = parse(remove_part(text, node, place), comments=comments).value

    if isinstance(whole, dict):
        assert left == {key: value for number, (key, value) in enumerate(whole.items()) if number != place}
    else:
        assert left == whole[:place] + whole[place + 1 :]


@pytest.mark.slow
@many
@given(some.data(), some.booleans())
def test_adding_and_removing_again_changes_no_value_and_no_comment(data, comments):
    whole = data.draw(some.lists(VALUES, max_size=3))
    text = data.draw(texts(whole, comments=comments))
    after = add_value(text, parse(text, comments=comments), "ours-0815")
    node = parse(after, comments=comments)
    back = remove_part(after, node, len(node.parts) - 1)

    assert parse(back, comments=comments).value == whole
    assert back == text if whole else "".join(back.split()) == "".join(text.split())


def subsequence(small, large):
    """Return whether *small* without whitespace is a subsequence of *large*."""
    rest = iter(large)
    return all(char in rest for char in small if not char.isspace())


@given(some.text(max_size=60) | some.text(alphabet='{}[]",:/*\n 01eE.-\\u"tfn', max_size=60))
@many
def test_no_text_breaks_it(text):
    try:
        found = parse(text).value
    except NotJson as error:
        found = str(error)[:5]

    assert found == read_by_another(text)


def read_by_another(text):
    try:
        return json.loads(text, parse_constant=_refused)
    except ValueError:
        return "line "


def _refused(word):
    raise ValueError(word)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: a value is missing"),
        ("{\n  // mine\n}", "line 2, column 3: comments are not allowed here"),
        ('{"a": /* mine */ 1}', "line 1, column 7: comments are not allowed here"),
        ("{", "line 1, column 2: a key in double quotes is missing"),
        ('{"a": 1,}', "line 1, column 9: a value is missing between ',' and '}'"),
        ('{\n  "a" 1}', "line 2, column 7: ':' is missing"),
        ('{"a": 1} x', "line 1, column 10: unexpected text after the value"),
        ("// no\n{}", "line 1, column 1: comments are not allowed here"),
        ("[1 2]", "line 1, column 4: ',' or ']' is missing"),
        ("[" * 300, "line 1, column 202: nesting exceeds 200 levels"),
    ],
)
def test_complaints_name_the_place(text, said):
    with pytest.raises(NotJson) as caught:
        parse(text)

    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "way", "said"),
    [
        ("[]", ("hooks", "X"), "the file is not an object"),
        ('{"hooks": []}', ("hooks", "X"), "hooks is not an object"),
        ('{"hooks": {"X": {}}}', ("hooks", "X"), "hooks.X is not a list"),
    ],
)
def test_nothing_is_put_where_something_else_stands(text, way, said):
    with pytest.raises(NotJson, match=said):
        append_value(text, way, 1)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", '{\n  "h": [1]\n}'),
        ('{"a": 1}', '{"a": 1, "h": [1]}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"h": [1]\n}\n'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "h": [1]\r\n}'),
        ('{\n  "h": [\n    0\n  ]\n}', '{\n  "h": [\n    0,\n    1\n  ]\n}'),
        ('{\n  "h": [0]\n}', '{\n  "h": [0, 1]\n}'),
        ('{\n  "h": [\n    0, // zero\n  ],\n}', '{\n  "h": [\n    0, // zero\n    1,\n  ],\n}'),
    ],
)
def test_what_is_put_looks_like_its_neighbours(text, after):
    assert append_value(text, ("h",), 1, comments=True) == after


@pytest.mark.parametrize(
    ("text", "place", "after"),
    [
        ("[1, 2]", 0, "[ 2]"),
        ("[1, 2]", 1, "[1]"),
        ("[1, 2,]", 1, "[1,]"),
        ("[ // why\n 1 ]", 0, "[ // why\n  ]"),
        ("[ // why\n 1\n]", 0, "[ // why\n]"),
        ("[1, // why\n 2 /* and this */]", 1, "[1 // why\n  /* and this */]"),
    ],
)
def test_what_is_removed_takes_no_comment_with_it_and_is_not_swallowed_by_one(text, place, after):
    left = remove_part(text, parse(text, comments=True), place)

    assert left == after
    assert parse(left, comments=True).value == [
        one for number, one in enumerate(parse(text, comments=True).value) if number != place
    ]


@pytest.mark.parametrize("text", ["[,]", "{,}", '{"a": 1,,}', "[1,,]", '{"a":,}'])
def test_a_comma_that_follows_nothing_is_wrong_with_comments_too(text):
    with pytest.raises(NotJson, match="line 1"):
        parse(text, comments=True)


def test_a_number_that_is_too_long_is_refused_with_its_place():
    with pytest.raises(NotJson, match="line 2, column 1: a number exceeds 4,000 digits"):
        parse("[\n" + "1" * 5_000 + "]")


def test_of_a_key_that_stands_twice_the_last_counts():
    assert parse('{"a": 1, "a": [2]}').at("a").value == [2]
    assert append_value('{"a": [1], "a": [2]}', ("a",), 3) == '{"a": [1], "a": [2, 3]}'
