"""Test requests to ship: the sentences that ask, and that any text is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.ship_requests import find_request, unquote


@pytest.mark.parametrize(
    ("prompt", "ships"),
    [
        ("lgtm, ship it", True),
        ("“ship it”", True),
        ("merge the two dicts", False),
        ("", False),
        ("no blockers left, ship it", True),
        ("no, blockers left, don't ship it", False),
    ],
)
def test_requests_to_ship(prompt, ships):
    assert (find_request(prompt) is not None) is ships


def test_the_sentence_that_asks_is_named():
    assert find_request("The tests pass. Now merge it. I am in a meeting.") == "Now merge it."


def test_a_prompt_in_quotation_marks_is_said():
    assert unquote(' "don’t ship it" ') == "don't ship it"
    assert unquote('"a" and "b"') == '"a" and "b"'


@pytest.mark.parametrize("count", [1, 10, 50, 80, 100, 130, 160, 400])
def test_a_request_at_the_end_of_a_long_prompt_is_found(count):
    assert find_request("I looked at the importer again. " * count + "All is green, please ship it now.")


@given(st.text(max_size=300))
def test_any_text_is_read(prompt):
    request = find_request(prompt)

    assert request is None or request in unquote(prompt)
