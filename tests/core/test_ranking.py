"""Test the choice of search words from a prompt."""

from hookline.core.ranking import END_WORDS, find_search_words

LOG = " ".join(f"x{number}y" for number in range(5_000))


def test_words_of_every_question_are_not_looked_for():
    assert find_search_words("How do I run the migrations?") == ("run", "migrations", "migration")


def test_of_a_long_text_the_beginning_and_the_end_are_looked_for():
    found = find_search_words(f"The quokka importer fails:\n{LOG}\nWhat is wrong with the wombat?")

    assert len(found) <= 4 * END_WORDS
    assert {"quokka", "importer", "x0y", "x4999y", "wombat"} <= {*found}
    assert "x2500y" not in found


def test_a_text_of_one_endless_word_is_looked_for_too():
    assert len(find_search_words("a" * 1_000_000)) <= 2
