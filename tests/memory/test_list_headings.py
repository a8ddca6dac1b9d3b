"""Test that an item of a list keeps the meaning that its heading gives it."""

import pytest

from hookline.memory.list_headings import add_heading


@pytest.mark.parametrize(
    ("heading", "text", "stored"),
    [
        ("Never:", "force push to main", "never force push to main"),
        ("## Don't", "commit without tests", "never commit without tests"),
        ("**Things to avoid:**", "don't use `var`", "don't use `var`"),
        ("Don't forget:", "run the linter", "Don't forget: run the linter"),
        ("In the frontend:", "state lives in Pinia", "In the frontend: state lives in Pinia"),
        ("I did not like the last session, so some rules:", "we use tabs", "we use tabs"),
        ("Dos and don'ts:", "no semicolons", "no semicolons"),
        ("In this repo:", "we use tabs", "we use tabs"),
        ("", "we use tabs", "we use tabs"),
    ],
)
def test_an_item_is_stored_with_the_negation_and_the_place_of_its_heading(heading, text, stored):
    assert add_heading(heading, text) == stored
