"""Words about software that mean the same, or are alternatives of one choice.

A line of `word_groups.txt` has words that mean the same, or the alternatives of a choice after its name.
"""

from __future__ import annotations

from pathlib import Path

from hookline.core.records import stem_word

_GROUPS = Path(__file__).parent / "word_groups.txt"
_LINES = [line.split() for line in _GROUPS.read_text(encoding="utf-8").splitlines()]
SYNONYMS = {word: words[0] for words in _LINES for word in words if words[0][0] != ":"}
"""The word that stands for each word of the same meaning."""
CHOICES = {word: words[0] for words in _LINES for word in words if words[0][0] == ":"}
"""The choice that each word is an alternative of."""
FORM_CHARS = 5
"""First letters that forms of a word have in common; some different words have them, too."""
_STEMS = {stem_word(word): name for word, name in SYNONYMS.items()}


def find_base(word: str) -> str:
    """Return the word that stands for all forms and synonyms of *word*."""
    stem = stem_word(word)
    return SYNONYMS.get(word) or _STEMS.get(stem, stem)


def find_choice(word: str) -> str:
    """Return the name of the choice that a word is an alternative of; empty if it is not known."""
    return CHOICES.get(word) or CHOICES.get(find_base(word), "")
