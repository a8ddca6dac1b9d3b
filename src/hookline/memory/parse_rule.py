"""Parse a rule into its content words, each chosen or rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from hookline.core.records import stem_word
from hookline.lazy import re
from hookline.memory.rule_phrases import CONTRAST, REJECT, REJECT_ALL, simplify_phrases
from hookline.memory.rule_vocabulary import (
    CHOICES,
    EMPTY_WORDS,
    NUMBERS,
    OPPOSITES,
    SAME_SENSE,
    SCOPES,
    SYNONYMS,
    WEAK_WORDS,
)

NUMBER = ":number-value"
PATH = ":path-value"
MAX_CHARS = 400
"""Characters of a rule that count."""
_WEAK_WEIGHT = 0.3
_MAX_STEM_CHARS, _MIN_FOLDED_CHARS = 7, 4
_GO = re.compile(r"(?<=\w )Go\b")
_AUXILIARIES = frozenset(
    "do does did must should is are be can may shall will has have need was were".split()
)
_NEGATIONS = frozenset(("not", "never", "no"))
_ARTICLES = frozenset(("the", "a", "an", "your", "our", "my", REJECT, CONTRAST, "only", "now", "always"))
_ORDER = re.compile(r"(?<=\w) first\b,?(?: and)?(?: then)?|\b(before|after|then|prior to|followed by)\b")
_REASON = re.compile(r"(?:\s(?:because|as (?:we|i|it|they))|, (?:it|they)) .*")
_LONE_WORD = re.compile(r"(?:(?<=^)|(?<=\. ))([a-z]+)\.(?= [a-z]+\.)")
"""A word that is a sentence, as in `Never. Ever.`"""
_LOCATED = frozenset(
    "live lives is are go goes belong belongs reside sit stored kept placed run runs".split()
)
_CIRCUMSTANCES = frozenset("for in on from within inside before after until when while".split())
_CONTRAST_ENDS = frozenset("for in on at when from within inside".split())
_VERB_BEFORE = frozenset("use uses using always prefer we i you please install run go".split())
_CLAUSE_END = re.compile(r"[,;!?()]|[.:](?=\s|$)|\s(?:--|[–—])\s|\b(?:but|except)\b")
_TOKEN = re.compile(r"~~?|(?<!\S)-(?!\S)|#?[^\W_][\w./@#+:%*-]*[\w/]|#?[^\W_]\+{0,2}|\.[a-z]\w+|%\w")
_SHAPES = (
    (re.compile(r"v?\d+(?:[.:]\d+)*(?:\.x)?\Z"), NUMBER),
    (re.compile(r".*/.*|#.+|\.?[\w-]+\.[a-z]{2,5}\Z|[a-z]{2}-[a-z]+-\d\Z"), PATH),
)
"""Forms of words that are alternatives of one another."""


class Word(NamedTuple):
    """A content word of a rule."""

    text: str
    stem: str
    choice: str
    """Choice or form of word that it is an alternative of; empty if it is not known."""
    scope: str
    """Distinction of scopes that it belongs to; empty if none."""
    after: str
    """The word before it, without articles."""
    before: str
    """The word after it, without articles."""
    rejected: bool
    is_circumstance: bool
    """True if it says where, when or for what the rule holds."""
    weight: float


def parse_rule(text: str) -> list[Word]:
    """Return the distinct content words of a rule; a word that is also chosen counts as chosen."""
    lower = _LONE_WORD.sub(r"\1", _GO.sub("golang", text[:MAX_CHARS]).lower())
    plain = simplify_phrases(_REASON.sub("", lower))
    clauses = (_find_words([*_tokenize(clause)]) for clause in _CLAUSE_END.split(plain))
    words = sorted(chain.from_iterable(clauses), key=lambda word: not word.rejected)
    return list({word.stem: word for word in words}.values())


def parse_order(text: str) -> tuple[set[str], set[str]]:
    """Return the content words of what comes first and of what comes next; empty without an order."""
    parts = _ORDER.split(text.lower(), maxsplit=1)
    first, marker, second = parts if len(parts) > 1 else ("", "", "")
    earlier, later = (
        {word.stem for word in parse_rule(part) if word.weight == 1} for part in (first, second)
    )
    return (later, earlier) if marker == "after" else (earlier, later)


def _tokenize(clause: str) -> Iterator[str]:
    for token in _TOKEN.findall(clause):
        parts = token.split("-")
        known = token in CHOICES or token in SYNONYMS or not all(part.isalpha() for part in parts)
        yield from (token,) if known else parts


def _find_words(tokens: list[str]) -> Iterator[Word]:
    signs = list(_find_signs(tokens))
    last, is_circumstance = "", False
    for at, token in enumerate(tokens):
        is_circumstance = token in _CIRCUMSTANCES or (is_circumstance and token not in (REJECT, CONTRAST))
        word = SAME_SENSE.get(token, token)
        opposite = OPPOSITES.get(word)
        if _is_content(word):
            following = next((other for other in tokens[at + 1 :] if other not in _ARTICLES), "")
            rejected = signs[at] != bool(opposite)
            yield _describe(opposite or word, (last, following), rejected, is_circumstance)
        if token not in _ARTICLES:
            last = f"live {token}" if last in _LOCATED and token in ("in", "on", "under", "into") else token


def _is_content(token: str) -> bool:
    return token not in EMPTY_WORDS and token not in (REJECT, REJECT_ALL, CONTRAST)


def _find_signs(tokens: list[str]) -> Iterable[bool]:
    """Return for each token of a clause whether it is rejected; a second negation reverses the first."""
    rejected = REJECT_ALL in tokens or any(_negates_clause(tokens, at) for at in range(len(tokens)))
    contrast = 0
    signs: list[bool] = []
    for at, token in enumerate(tokens):
        if contrast and token in _CONTRAST_ENDS and any(map(_is_content, tokens[contrast:at])):
            rejected, contrast = False, 0
        if token == CONTRAST:
            rejected, contrast = True, at
        elif token == REJECT or (token in _NEGATIONS and not _negates_clause(tokens, at)):
            rejected = not rejected
        signs.append(rejected)
        if contrast and token in CHOICES and CHOICES[token] in map(CHOICES.get, tokens[:contrast]):
            rejected, contrast = False, 0
    return signs


def _negates_clause(tokens: list[str], at: int) -> bool:
    """Return whether the negation at *at* belongs to the verb and so rejects the subject before it too."""
    if tokens[at] not in ("not", "never", "no") or at == 0:
        return False
    if tokens[at - 1] in _AUXILIARIES:
        return True
    before = tokens[:at]
    is_verb = tokens[at] == "never" or tokens[at : at + 2] == ["no", "longer"]
    return is_verb and not _VERB_BEFORE & set(before)


def _describe(token: str, neighbours: tuple[str, str], rejected: bool, is_circumstance: bool) -> Word:  # noqa: FBT001 -- two properties of a word
    token = NUMBERS.get(token, token)
    base = find_base(token)
    shape = next((name for pattern, name in _SHAPES if pattern.match(token)), "")
    return Word(
        text=token,
        stem=base,
        choice=CHOICES.get(token) or CHOICES.get(base, shape),
        scope=SCOPES.get(token) or SCOPES.get(base, ""),
        after=neighbours[0],
        before=find_base(neighbours[1]),
        rejected=rejected,
        is_circumstance=is_circumstance,
        weight=_WEAK_WEIGHT if token in WEAK_WORDS or base in WEAK_WORDS else 1.0,
    )


def find_base(token: str) -> str:
    """Return the word that stands for all forms and synonyms of *token*."""
    if not token.isalpha():
        return SYNONYMS.get(token, token)
    for form in (token, token.removesuffix("s"), token.removesuffix("es")):
        if form in SYNONYMS or form in CHOICES:
            return SYNONYMS.get(form, form)
    return _STEMMED_SYNONYMS.get(_stem(token), _stem(token))


def _stem(word: str) -> str:
    stem = stem_word(word)[:_MAX_STEM_CHARS]
    return stem.rstrip("eiy") if len(stem) > _MIN_FOLDED_CHARS else stem


_STEMMED_SYNONYMS = {
    **{_stem(word): word for word in CHOICES if word.isalpha() and len(word) > _MIN_FOLDED_CHARS},
    **{_stem(word): name for word, name in SYNONYMS.items()},
}
