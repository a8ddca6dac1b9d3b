"""Test anchors: found in a text that contains them in any wording, and not found in other texts."""

from hypothesis import given
from hypothesis import strategies as st

from hookline.handoff.anchors import Anchor, find_anchors, measure_retention
from hookline.handoff.content import Content, from_details, to_details, to_markdown

WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)
SENTENCE = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
LEFT = st.builds(
    Content,
    issue=st.sampled_from(["", "7", "412"]),
    branch=st.one_of(st.just(""), st.from_regex(r"[a-z]{3,8}(?:[/-][a-z0-9]{2,6}){0,2}", fullmatch=True)),
    task=SENTENCE,
    blockers=st.lists(SENTENCE, max_size=4, unique=True).map(tuple),
    next=st.lists(SENTENCE, max_size=3, unique=True).map(tuple),
)


@given(LEFT, st.text(max_size=80))
def test_a_text_that_has_them_word_for_word_has_them_all(left, noise):
    wanted = find_anchors(left)
    text = "\n".join((noise, *(one.line for one in wanted), noise))

    assert measure_retention(wanted, text).share == 1.0
    assert measure_retention(wanted, text).missing == ()


@given(LEFT)
def test_the_handoff_itself_has_them_all(left):
    assert measure_retention(find_anchors(left), to_markdown(left)).missing == ()


@given(LEFT, st.text(max_size=200), st.text(max_size=200))
def test_a_longer_text_has_no_less(left, text, more):
    wanted = find_anchors(left)

    assert measure_retention(wanted, f"{text}\n{more}").share >= measure_retention(wanted, text).share
    assert 0.0 <= measure_retention(wanted, text).share <= 1.0


@given(LEFT)
def test_an_empty_text_has_none_and_says_so(left):
    wanted = find_anchors(left)
    found = measure_retention(wanted, "")

    assert found.missing == wanted
    assert found.share == (0.0 if wanted else 1.0)


@given(LEFT)
def test_what_is_kept_comes_back(left):
    assert from_details(to_details(left)) == left


def one(name, text):
    return Anchor(name=name, text=text)


def has(anchor, text):
    return not measure_retention([anchor], text).missing


def test_a_branch_is_known_by_its_whole_name():
    assert has(one("branch", "main"), "We are on main.")
    assert has(one("branch", "fix/cents"), "see origin/fix/cents, please")
    assert not has(one("branch", "main"), "the remaining domain")
    assert not has(one("branch", "fix"), "on fix-2 and prefix")


def test_an_issue_is_known_by_its_number_and_not_by_any_number():
    assert has(one("issue", "#7"), "Issue 7 is open")
    assert has(one("issue", "#7"), "see #7")
    assert not has(one("issue", "#7"), "7 files and #71")
    assert not measure_retention([one("issue", "#412"), one("branch", "412-fix")], "on 412-fix").missing


def test_a_sentence_is_known_by_most_of_its_words():
    step = one("next step", "add a migration for the old invoices")

    assert has(step, "I'll be adding migrations for old invoices")
    assert not has(step, "I'll mend the invoices page")


def test_what_is_said_of_it():
    found = measure_retention([one("branch", "main"), one("next step", "mend the parser")], "on main")

    assert found.summary == "1 of 2 (50 %); missing: next step"
