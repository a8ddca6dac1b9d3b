"""What is looked for is what a person asks, however much they paste."""

from hookline.core.ranking import WORDS, asked

LOG = " ".join(f"x{number}y" for number in range(5_000))


def test_words_of_every_question_are_not_looked_for():
    assert asked("How do I run the migrations?") == ("run", "migrations", "migration")


def test_of_a_long_text_the_beginning_and_the_end_are_looked_for():
    found = asked(f"The quokka importer fails:\n{LOG}\nWhat is wrong with the wombat?")

    assert len(found) <= 4 * WORDS
    assert {"quokka", "importer", "x0y", "x4999y", "wombat"} <= {*found}
    assert "x2500y" not in found


def test_a_text_of_one_endless_word_is_looked_for_too():
    assert len(asked("a" * 1_000_000)) <= 2
