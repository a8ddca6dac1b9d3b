"""Recognize personal data in a statement, which is not learnt.

Patterns recognize addresses and numbers; a linear model decides whether a statement tells something private
about a person.
"""

from __future__ import annotations

from collections.abc import Iterator

from hookline.language.features import hash_words, spell_words
from hookline.language.model import load_models
from hookline.language.segment import split_clauses, split_sentences
from hookline.lazy import re

LONG_SENTENCE = 30
"""Words of a sentence above which its clauses are scored, too: the model reads only the first words."""
PERSONAL_DATA_MESSAGE = "personal data is not stored: remove addresses, numbers and private matters"

_MAIL = re.compile(
    r"""(?ix)(?<![\w.+-])
    (?!(?:git|no-?reply|admin|root|users?|tests?|ci|devs?|ops|devops|info|help|hello|contact|security|abuse
      |on-?call|billing|accounting|invoices|sales|office|maintainers?|postmaster|webmaster
      |(?:[\w.+-]*[.+-])?(?:team|bot|list|alerts?|support))@)
    [\w.+-]+@(?!\d+\.\d|example\.(?:com|net|org)\b)[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}\b"""
)
"""Mail address of a person; those of roles, programs and examples are not personal."""
_SPELLED_AT = re.compile(r"(?i)\s?[\[({]at[\])}]\s?|(?<=\w) at (?=[\w-]{1,60} dot \w)")
_SPELLED_DOT = re.compile(r"(?i)\s?[\[({]dot[\])}]\s?|(?<=\w) dot (?=\w)")
_PHONE = re.compile(
    r"(?:(?<![\w.:/#-])|(?<=tel:)|(?<=phone:))(?!\d\d?([./-])\d\d?\1(?:19|20)\d\d\b)"
    r"(?:(?:\+\d{1,3}|\(?0\d{1,4}\)?)[\s./-]?\(?\d{1,5}\)?(?:[\s./-]?\d{2,5}){1,4}"
    r"|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\w:-]|\.\w)"
    r"|(?i:\b(?:ssn|phone|tel|whatsapp)\b)[^\d\n]{0,20}(?!\d{4}-\d\d-\d\d)\d[\d .-]{6,20}\d\b"
)
_MIN_DIGITS = 8
"""Digits of a telephone number, or of another number after such a name."""
_ACCOUNT = re.compile(
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|\b\d{3}-\d{2}-\d{4}\b"
    r"|\b\d{4}([ -])\d{4}\1\d{4}\1\d{4}\b|\b[45]\d{15}\b|\b3[47]\d\d[ -]?\d{6}[ -]?\d{5}\b"
)
"""Number of a bank account, of a social insurance or of a credit card."""
_POSTAL = re.compile(
    r"""(?x)\b[A-ZÀ-Ý][\w.’'-]{0,40}(?:\ [\w.’'-]{1,40}){0,3}\ \d{1,4}\ ?[a-z]?,(?:[^,.\n]{1,20},)?
      \ (?:[A-Z]{1,2}-)?(?!(?:19|20)\d\d\b)\d{4,5}(?:-\d{3,4})?\ [A-ZÀ-Ý][^\W\dA-ZÀ-Ý]
    | \b\d{1,4}[a-z]?\ (?:[A-ZÀ-Ý][\w’'-]{1,40}\ ){1,3}(?:Street|St|Road|Rd
      |Avenue|Ave|Lane|Drive|Boulevard|Blvd)\b(?!\ [a-z]+s\b)"""
)
"""Postal address: a street with a number before a postal code, or a number, not a count, before a street."""


def is_personal(text: str) -> bool:
    """Return whether a text contains contact or account data, or a private matter of a person."""
    models = load_models()
    model, threshold = models.models["private"], models.thresholds["private"]
    return is_contact(text) or any(
        model.score(hash_statement(part, models.vocabulary))["private"] > threshold
        for part in dict.fromkeys(_find_parts(text))
    )


def _find_parts(text: str) -> Iterator[str]:
    """Yield a text, its sentences, and the clauses of long sentences."""
    yield text
    for sentence in split_sentences(text):
        yield sentence
        if len(sentence.split()) > LONG_SENTENCE:
            yield from split_clauses(sentence)


def is_contact(text: str) -> bool:
    """Return whether a text contains an address or a number of a person or an account."""
    phones = (sum(character.isdigit() for character in match[0]) for match in _PHONE.finditer(text))
    return bool(
        _MAIL.search(_SPELLED_DOT.sub(".", _SPELLED_AT.sub("@", text)))
        or _ACCOUNT.search(text)
        or _POSTAL.search(text)
        or any(digits >= _MIN_DIGITS for digits in phones)
    )


def hash_statement(text: str, vocabulary: frozenset[str]) -> list[int]:
    """Return the hashed features of the words of a statement."""
    return hash_words(spell_words(text), vocabulary)
