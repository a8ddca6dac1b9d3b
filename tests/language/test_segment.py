"""Test the split of a prompt into the person's own sentences and clauses."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.pasted_text import replace_elements
from hookline.language.segment import find_cuts, find_sentences, split_clauses, split_sentences


def sentences(prompt):
    return [sentence.text for sentence in find_sentences(prompt)]


def clauses(text):
    cuts = [0, *find_cuts(text), len(text)]
    return [text[begin:end].strip() for begin, end in pairwise(cuts)]


@pytest.mark.parametrize(
    ("prompt", "own"),
    [
        ("use pnpm. now fix the test", ["use pnpm.", "now fix the test"]),
        ("use pnpm, e.g. for installs. Thanks!", ["use pnpm, e.g. for installs.", "Thanks!"]),
        ("look at cart.spec.ts in v1.2", ["look at cart.spec.ts in v1.2"]),
        ("what?? ok; go on", ["what??", "ok;", "go on"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("rules:\n- no tabs\n- use zod", ["rules:", "no tabs", "use zod"]),
        ('he wrote "never. ever. push" to me. ok', ['he wrote "never. ever. push" to me.', "ok"]),
    ],
)
def test_sentences(prompt, own):
    assert sentences(prompt) == own


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nalways use tabs\n```",
        '"""\nalways use tabs\n"""',
        "> always use tabs",
        "// always use tabs\nconst a = getClient({cached: true})",
        "diff --git a/x b/x\n-a = 1\n+a = 2",
        "2026-01-01T10:00:00Z ERROR always retry",
        'Traceback (most recent call last):\n  File "a.py", line 1\n    run()\nValueError: never do this',
        "From: Ann\nSubject: rules\nHi all, always prefix dashboards.",
        "[09:12] ann: always use flags\n[09:13] bob: agreed",
        "the customer wrote:\n- always dark mode\n- never log out",
        "<system-reminder>always obey</system-reminder>",
        "| rule | reason |\n| --- | --- |\n| always use const | safety |",
        "+    always use pnpm\n-    always use npm",
    ],
)
def test_pasted_text_is_set_apart(pasted):
    assert sentences(f"{pasted}\n\nwhy does it fail") in (
        ["why does it fail"],
        ["the customer wrote:", "why does it fail"],
    )


@pytest.mark.parametrize(
    "heading",
    [
        "here is what the linter told me:",
        "my manager emailed me this:",
        "This is the CLAUDE.md of another project:",
        "# CONTRIBUTING.md",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_what_a_line_announces_is_set_apart(heading, gap):
    pasted = f"{heading}{gap}Always use bun.\nNever use npm."

    assert sentences(f"{pasted}\n\nwhat is new") == [heading, "what is new"]


def test_a_dash_does_not_end_a_sentence():
    text = "Regarding migrations - always add a down migration"

    assert sentences(text) == [text]


def test_of_a_long_prompt_both_ends_are_read():
    prompt = "use pnpm\n" + "some words\n" * 1_000 + "fix it"

    assert sentences(prompt)[0] == "use pnpm"
    assert sentences(prompt)[-1] == "fix it"
    assert len(sentences(prompt)) < 250


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("always lint and now delete dist", ["always lint", "and now delete dist"]),
        ("we use pnpm, so can you fix it", ["we use pnpm,", "so can you fix it"]),
        ("we use pnpm can you fix it", ["we use pnpm", "can you fix it"]),
        ("use `a, b` only", ["use `a, b` only"]),
    ],
)
def test_clauses(text, parts):
    assert clauses(text) == parts


def test_the_items_of_a_list_know_its_heading():
    found = find_sentences("our rules:\n- no tabs\nfix it")

    assert [sentence.heading for sentence in found] == ["", "our rules:", ""]


@pytest.mark.parametrize(
    ("prompt", "headings"),
    [
        ("## Rules\n\n- a one\n- a two", ["", "## Rules", "## Rules"]),
        ("Rules\n1) a one\n   and more of it\n2) a two", ["", "Rules", "", "Rules"]),
        ("Rules:\n- Don't:\n  - a one\n- a two", ["", "Rules:", "- Don't:", "Rules:"]),
        ("Rules:\n✅ a one\n❌ a two", ["", "Rules:", "❌"]),
        ("- a one\nand then\n- a two", ["", "", "and then"]),
    ],
)
def test_an_item_has_the_heading_of_its_own_list(prompt, headings):
    assert [sentence.heading for sentence in find_sentences(prompt)] == headings


@given(st.text(max_size=400))
def test_sentences_are_parts_of_the_prompt(prompt):
    for sentence in find_sentences(prompt):
        own = prompt[sentence.start : sentence.start + len(sentence.text)]
        assert all(a in (b, ">") for a, b in zip(sentence.text, own, strict=True))


def test_sentences_of_any_author():
    text = "## State\nIt fails; no luck. Next: a.py. v1.2 is old\n- **b**\n1. c\n| x | y |\n```\nd.\n```"

    assert split_sentences(text) == [
        "State",
        "It fails;",
        "no luck.",
        "Next: a.py.",
        "v1.2 is old",
        "b",
        "c",
    ]


def test_clauses_of_a_text():
    assert split_clauses("Add it, but keep v1. Thanks") == ["Add it,", "but keep v1.", "Thanks"]


@given(st.text())
def test_clauses_keep_the_words_of_the_sentences(text):
    assert " ".join(split_clauses(text)).split() == " ".join(split_sentences(text)).split()


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("break_", ["", "\n"])
def test_both_ends_of_a_long_prompt_are_read(break_, end):
    filler = "and so on " * 1_000
    texts = sentences(f"use pnpm. {break_}{filler}{break_} use tabs.{end}")

    assert (texts[0], texts[-1].endswith("use tabs.")) == ("use pnpm.", True)


@pytest.mark.parametrize("lines", [1, 20, 1_000, 10_000])
def test_text_after_a_long_block_is_read(lines):
    pasted = "always retry this step\n" * lines

    assert sentences(f"fix it\n```\n{pasted}```\nalways use pnpm") == ["fix it", "always use pnpm"]


@pytest.mark.parametrize("text", ["!" * 200_000 + "1", "a" + "." * 200_000 + "_"])
def test_the_time_for_many_marks_is_linear(text):
    assert "".join(split_sentences(text)) == text  # squared: over an hour


def test_the_time_for_a_long_element_is_linear():
    assert replace_elements("<" + "a-" * 1_000_000 + "!", str.upper).endswith("!")  # squared: over an hour


def test_the_time_for_many_joints_is_linear():
    assert split_clauses(", and " * 200_000 + "run it")[-1].endswith("run it")  # squared: over an hour
