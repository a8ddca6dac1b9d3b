"""What the parts in C give is what `json` gives, and where they give nothing `json` is asked."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import plainjson

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
WRONG = ["", " ", "{", '{"a":}', "1 2", "\ufeff1", "tru", '"\x01"', "[1,]", '{"a":1}x', "'a'"]


def outcome(work, text):
    try:
        return repr(work(text))
    except ValueError as error:
        return type(error), str(error)


@given(VALUES)
def test_values_are_written_and_read_alike(value):
    text = json.dumps(value)
    short = {"separators": (",", ":"), "sort_keys": True}

    assert plainjson.dumps(value) == text
    assert plainjson.dumps(value, **short) == json.dumps(value, **short)
    assert plainjson.loads(text) == plainjson.loads(f"\n\t{text} \r".encode()) == value


@given(st.text() | st.binary())
def test_any_text_is_read_alike(text):
    assert outcome(plainjson.loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize(
    "text", [*WRONG, "[NaN, -Infinity, 1e999]", "\ufeff{}".encode(), "[1]".encode("utf-16")]
)
def test_odd_texts_are_read_alike(text):
    assert outcome(plainjson.loads, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_as_ever_in_a_process_that_knows_no_json(text):
    program = f"""
import sys
from hookline import plainjson
assert "json" not in sys.modules
try:
    plainjson.loads({text!r})
except ValueError as error:
    print(ascii(str(error)))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == ascii(outcome(json.loads, text)[1])


def test_what_is_no_json_is_refused_or_turned_into_some():
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        plainjson.dumps({1})
    assert plainjson.dumps([{2}], default=sorted) == "[[2]]"


def test_what_holds_itself_is_refused():
    held = []
    held.append(held)

    with pytest.raises(ValueError, match="Circular"):
        plainjson.dumps(held)
