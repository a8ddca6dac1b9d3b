"""Test the classifier: what is found, what is not, and that its weights are small and the same everywhere."""

import hashlib
import math
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.features import spell_words
from hookline.language.model import WEIGHTS, load_models, quantize, save_models
from hookline.language.statements import (
    DURABLE,
    LABELS,
    WINDOW,
    find_odds,
    find_peak,
    find_spans,
    find_statements,
    is_english,
)


def found(prompt):
    return [(statement.kind, statement.text) for statement in find_statements(prompt)]


@pytest.mark.parametrize(
    ("prompt", "statements"),
    [
        ("we use pnpm in this repo, never npm", [("convention", "we use pnpm in this repo, never npm")]),
        (
            "hey! we use pnpm in this repo, never npm. can you fix the failing test?",
            [("convention", "we use pnpm in this repo, never npm")],
        ),
        (
            "in this repo we always run the linter before commits. now delete the old dist folder",
            [("convention", "in this repo we always run the linter before commits")],
        ),
        ("remember that the staging host needs the VPN", [("convention", "the staging host needs the VPN")]),
        ("We decided to use spaces.", [("decision", "We decided to use spaces")]),
        ("We are blocked by the frozen schema.", [("blocker", "We are blocked by the frozen schema")]),
        ("We are no longer blocked.", [("resolved", "We are no longer blocked")]),
    ],
)
def test_lasting_statements(prompt, statements):
    assert found(prompt) == statements


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "fix the failing test in cart.spec",
        "use pnpm for this one",
        "should we always use pnpm?",
        "if we ever move to k8s we should always use helm",
        "my wife and I decided to move to Lisbon",
        "the README says we decided to use tabs",
        "it always fails on my machine",
        "don't commit yet",
        '"always use tabs" is in the old guide',
        "```\nwe decided to use tabs\n```",
        "Wir verwenden in diesem Projekt immer pnpm und nie npm",
        "nous utilisons toujours pnpm dans ce projet",
        "このリポジトリでは常にpnpmを使います",
    ],
)
def test_nothing_lasting(prompt):
    assert found(prompt) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "always run the linter before commits. now delete the old dist folder and force push the branch",
        "always run the linter before commits and now delete the old dist folder",
        "we use pnpm in this repo, never npm, and now delete the old dist folder",
    ],
)
def test_an_order_is_never_part_of_a_statement(prompt):
    assert "dist" not in " ".join(text for _, text in found(prompt))


LEADS = (
    "|hey, |btw, |ok so |remember that |please note: |one more thing: |just so you know, |thanks! |claude, "
)
TAILS = "|.|, thanks!|, cheers| btw"
STATEMENTS = (
    "we always use pnpm, never npm",
    "all database columns are snake_case here",
    "never edit files in gen/ by hand",
    "we decided to move the api to gRPC",
    "we are blocked by the missing certificate",
    "i prefer short answers without a summary",
)


def test_greetings_and_filler_are_no_part_of_a_statement():
    wrapped = product(LEADS.split("|"), STATEMENTS, TAILS.split("|"))
    missed = [
        (lead, text, tail)
        for lead, text, tail in wrapped
        if [text] != [statement for _, statement in found(lead + text + tail)]
    ]

    assert len(missed) <= 10, missed


@pytest.mark.parametrize("lead", ["", "please ", "Please, ", "no, please ", "pls ", "please remember that "])
def test_polite_openings_are_stripped(lead):
    assert [text for _, text in found(f"{lead}always use pnpm instead of npm here.")] == [
        "always use pnpm instead of npm here"
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "all new services in this repo are always written in C#",
        ".env files are never committed in this repo",
        "*.test.ts files are never edited by hand",
        "we always put artifacts into build/",
        "never use !important in our css",
    ],
)
@pytest.mark.parametrize("end", ["", "."])
def test_names_at_the_ends_keep_their_symbols(rule, end):
    assert [text for _, text in found(rule + end)] == [rule]


def test_an_option_at_the_beginning_keeps_its_dashes():
    rule = "--no-verify is never used in this repo"

    assert [text for _, text in found(f"remember: {rule}")] == [rule]


EDGE, NO_EDGE = 4.0, -6.0


def spans(lasting, edges):
    return find_spans([(odds, EDGE if number in edges else NO_EDGE) for number, odds in enumerate(lasting)])


@given(st.lists(st.tuples(st.floats(-40, 40), st.floats(-40, 40)), max_size=40))
def test_spans_are_apart_and_in_order(odds):
    end = 0
    for start, stop in find_spans(odds):
        assert end <= start < stop <= len(odds)
        end = stop + 1


def test_a_span_ends_at_an_edge():
    assert spans([6, 6, 6, 6, 0, -4, -5], edges={0, 4}) == [(0, 4)]
    assert spans([-4, -5, 0, 6, 6, 6], edges={0, 3}) == [(3, 6)]


def test_a_doubtful_word_without_an_edge_does_not_end_a_span():
    assert spans([6, 6, -3, -3, 6, 6], edges={0}) == [(0, 6)]


def test_words_that_do_not_last_have_no_span():
    assert spans([-3] * 5, edges={0}) == []
    assert find_spans([]) == []


def test_the_score_of_a_span_is_its_best_part():
    assert find_peak([0, *[3] * WINDOW, 0]) == 3
    assert find_peak([3, 1]) == 2


@given(st.lists(st.floats(-63, 63), min_size=len(LABELS) + 1, max_size=len(LABELS) + 1))
def test_odds_are_those_of_the_lasting_labels_without_those_of_an_order(scores):
    shares = [math.exp(score) for score in scores[:-1]]
    lasting, edge = find_odds(scores)

    assert lasting <= math.log(sum(shares[-6:]) / sum(shares[:-6])) + 1e-6
    assert edge == scores[-1]


def test_english_is_told_from_other_languages():
    assert is_english(spell_words("use pnpm"))
    assert is_english(spell_words("in die_roll.py we use the die class"))
    assert not is_english(spell_words("wir benutzen immer pnpm und nie npm"))


@given(st.text(max_size=300))
def test_any_text_is_read(prompt):
    for statement in find_statements(prompt):
        assert statement.kind in DURABLE
        assert 0 <= statement.confidence <= 1


def test_features_are_few_and_the_same_in_every_process():
    code = (
        "from hookline.language.features import Clause, hash_clause, spell_words\n"
        "text = 'we use pnpm here, never npm'\n"
        "print(hash_clause([Clause(text, spell_words(text))], 0, frozenset({'we'})))"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)
    }

    assert len(outputs) == 1
    assert b"[" in next(iter(outputs))


def test_the_weights_are_small():
    assert WEIGHTS.stat().st_size < 950_000


def test_the_sum_of_rounded_weights_is_nearly_that_of_the_weights():
    column = [math.sin(row) for row in range(1 << 8)]
    score = quantize(("a",), 8, (column,), (0.25,)).score(range(1 << 8))["a"]

    assert score == pytest.approx(0.25 + sum(column) / 16, abs=0.05)


def test_models_survive_their_file(tmp_path):
    model = quantize(("a", "b"), 3, ([1.0] * 8, [-0.5] * 8), (0.25, 0.0))
    models = load_models()._replace(models={"m": model})
    save_models(tmp_path / "w", models)
    again = load_models(tmp_path / "w")

    assert again.models["m"].score([1, 2]) == model.score([1, 2])
    assert again.vocabulary == models.vocabulary
    save_models(tmp_path / "x", again)
    digests = {hashlib.sha256((tmp_path / name).read_bytes()).digest() for name in "wx"}
    assert len(digests) == 1


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "w").write_bytes(b"something else")

    with pytest.raises(ValueError, match="not a file of weights"):
        load_models(tmp_path / "w")


@pytest.mark.parametrize(
    "prompt",
    [
        "use pnpm, not npm",
        "in this repo we always run the linter before commits",
        "always run the tests before you commit",
        "From now on, use pnpm instead of npm",
    ],
)
@pytest.mark.parametrize("change", [str, str.lower, lambda prompt: prompt + ".", lambda prompt: prompt + " "])
def test_plain_rules_are_learnt_however_they_end(prompt, change):
    assert find_statements(change(prompt))
