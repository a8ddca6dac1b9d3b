"""Test that an item of a list keeps the meaning that its heading gives it."""

import pytest

from hookline.language.statements import Statement
from hookline.memory.list_headings import add_heading


@pytest.mark.parametrize(
    ("heading", "text", "stored"),
    [
        ("Never:", "force push to main", "never force push to main"),
        ("Never", "force push to main", "never force push to main"),
        ("❌", "commit generated files", "never commit generated files"),
        ("## Don't", "commit without tests", "never commit without tests"),
        ("**Things to avoid:**", "don't use `var`", "don't use `var`"),
        ("Never:", "we never merge on Fridays", "we never merge on Fridays"),
        ("Never:", "We always keep secrets in the vault", ""),
        ("Never, ever:", "force push", ""),
        ("Please avoid doing the following", "force push", ""),
        ("Don't forget:", "run the linter", "run the linter"),
        ("Hard rules, no exceptions:", "we use tabs", "we use tabs"),
        ("In the frontend:", "state lives in Pinia", "In the frontend: state lives in Pinia"),
        ("In short:", "we use tabs", "we use tabs"),
        (
            "Refactor the form but do not touch the tests, and keep to these rules:",
            "we use tabs",
            "we use tabs",
        ),
        ("I did not like the last session, so some rules:", "we use tabs", "we use tabs"),
        ("I don't know why the build fails on CI", "we use tabs", "we use tabs"),
        ("Dos and don'ts:", "no semicolons", "no semicolons"),
        ("In this repo:", "we use tabs", "we use tabs"),
        ("", "we use tabs", "we use tabs"),
    ],
)
def test_an_item_is_stored_with_the_negation_and_the_place_of_its_heading(heading, text, stored):
    statement = Statement(
        kind="convention", text=text, confidence=0.9, start=0, sentence=text, heading=heading
    )

    assert add_heading(statement) == stored


def test_a_later_sentence_of_an_item_is_not_negated():
    sentence = "commit secrets. Keep them in the vault"
    text = "Keep them in the vault"
    statement = Statement("convention", text, 0.9, 16, sentence, "Never:")

    assert add_heading(statement) == ""
