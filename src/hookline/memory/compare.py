"""Compare two rules: whether they say the same, or the later one reverses the earlier one.

A linear model decides by the words that both rules have or only one of them, and by their negations. A wrong
replacement loses a rule, so rules count as different in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from hookline.core.records import Memory
from hookline.language.features import find_kind, hash_features, spell_words
from hookline.language.model import load_models
from hookline.lazy import re
from hookline.memory.synonyms import FORM_CHARS, find_base, find_choice

Relation = Literal["same", "reversal", "different"]

RELATIONS: tuple[Relation, ...] = ("same", "reversal", "different")
RULE_KINDS = ("convention", "preference", "decision")
"""Kinds of memories of which only the latest about a subject holds."""
MAX_CHARS = 400
"""Characters of a rule that are compared."""
_REASON = re.compile(
    r"(?<=\w),? (?:because|since|so that|as (?:i|it|they|we))\b[^.;,]*|, (?:it|they)\b[^.;,]*"
)
_SYMBOL = re.compile(r"(?<=\w)(?:\+\+|#)|(?<![-=])[<>≤≥]=?(?=\s*\d)|[=!]==?|&&|\|\||(?<![\w.])-(?=\d)")
_QUOTATION_MARKS = str.maketrans(dict.fromkeys('`"“”', " "))
"""Marks of quotations, whose words count as those of the rule."""
_CLAUSE_END = re.compile(r"[,;!?()—–]|[.:](?=\s|$)|\s--?\s|\b(?:but|except|so)\b")
_REJECTING = frozenset(
    """not never no stop avoid skip without nothing none neither nor nobody forbid ban banned drop ditch
    refrain forget quit instead rather than over unless""".split()
)
"""Words after which a clause says what is not wanted."""
NUMBER = ":number"
"""Choice of all numbers."""
_ORDERING = frozenset("before after into to from by than over".split())
"""Prepositions that order two words or name a source."""
_MOST, _THIRDS, _FIFTHS = 4, 3, 5
"""Counts from this number on are one feature; steps to which two shares are rounded."""


class Word(NamedTuple):
    """A content word of a rule."""

    text: str
    key: str
    choice: str
    """The choice that it is an alternative of; empty if it is not known."""
    before: str
    """The word before it, without articles."""
    rejected: bool


def find_related(new: Memory, memories: Iterable[Memory]) -> dict[str, Relation]:
    """Return the ids of the rules that *new* may replace, each with its relation to it."""
    if new.kind not in RULE_KINDS:
        return {}
    relations = {
        old.id: compare_rules(old.text, new.text)
        for old in memories
        if old.id != new.id and not old.pinned and new.may_change(old)
        if old.id not in {id_ for _, id_ in new.relations}
        if _holds_for(new, old)
    }
    return {id_: relation for id_, relation in relations.items() if relation != "different"}


def _holds_for(new: Memory, old: Memory) -> bool:
    """Return whether a rule may replace another of its scope, or an agent's in a smaller one."""
    over_agent = new.by_user and not old.by_user
    if (old.project, old.branch, old.issue) == (new.project, new.branch, new.issue):
        return old.kind in RULE_KINDS or over_agent
    covers = old.project == new.project and new.branch in ("", old.branch) and new.issue in ("", old.issue)
    return over_agent and covers and old.kind in RULE_KINDS


def compare_rules(old: str, new: str) -> Relation:
    """Return how the rule *new* relates to the rule *old*."""
    if not _are_comparable(old, new):
        return "different"
    first, second = parse_rule(old), parse_rule(new)
    if not any(_are_forms(a, b) or a.choice == b.choice != "" for a in first for b in second):
        return "different"
    models = load_models()
    scores = models.models["relation"].score(hash_pair(old, new))
    likely: Relation = "same" if scores["same"] > scores["reversal"] else "reversal"
    return likely if score_relation(scores) > models.thresholds["relation"] else "different"


def is_repetition(old: str, new: str) -> bool:
    """Return whether two texts of nearly the same words say the same rather than the opposite."""
    if not _are_comparable(old, new):
        return False
    scores = load_models().models["relation"].score(hash_pair(old, new))
    return scores["same"] > scores["reversal"]


def _are_comparable(old: str, new: str) -> bool:
    """Return whether the model can read both rules: it knows neither the end of long ones nor symbols."""
    return max(len(old), len(new)) <= MAX_CHARS and find_symbols(old) == find_symbols(new)


def find_symbols(text: str) -> list[str]:
    """Return the symbols that distinguish words or limits, as in "C#", "C++" and "< 50"."""
    return _SYMBOL.findall(text)


def spell_symbols(text: str) -> str:
    """Return a text with its symbols spelled in letters, so that they are parts of words."""
    return _SYMBOL.sub(lambda symbol: "".join(f"u{ord(mark):x}" for mark in symbol[0]), text)


def score_relation(scores: Mapping[str, float]) -> float:
    """Return the log-odds of a relation above those of different subjects."""
    return max(scores["same"], scores["reversal"]) - scores["different"]


def parse_rule(text: str) -> list[Word]:
    """Return the distinct content words of a rule; a word that occurs both ways counts as not rejected."""
    words = [word for clause in _CLAUSE_END.split(simplify(text)) for word in _find_words(clause)]
    words.sort(key=lambda word: word.rejected, reverse=True)
    return list({word.key: word for word in words}.values())


def simplify(text: str) -> str:
    """Return a rule in lower case, without quotation marks and the reason for it."""
    plain = text[:MAX_CHARS].lower().translate(_QUOTATION_MARKS).replace("\u2019", "'").replace("://", ".")
    return _REASON.sub("", plain)


def _find_words(clause: str) -> Iterator[Word]:
    """Yield the content words of a clause; a second negation reverses the first."""
    rejected, before = False, ""
    for word in spell_words(clause):
        if word in _REJECTING:
            rejected = not (rejected and word in ("not", "never", "no"))
        elif find_kind(word) != word and word[0] != "<":
            choice = NUMBER if word[0].isdigit() else find_choice(word)
            yield Word(word, find_base(word), choice, before, rejected)
        before = before if word in ("the", "a", "an") else word


def hash_pair(old: str, new: str) -> list[int]:
    """Return the hashed features of a pair of rules."""
    first, second = parse_rule(old), parse_rule(new)
    common = [(a, b) for a in first for b in second if _are_forms(a, b)]
    matched = {word.key for pair in common for word in pair}
    rests = [[word for word in words if word.key not in matched] for words in (first, second)]
    places = [second.index(word) for _, word in common]
    order = f"sorted {places == sorted(places)} {sum(a.rejected != b.rejected for a, b in common)}"
    names = [*_describe_sizes(common, rests), *_describe_rests(rests), *_describe_texts(old, new)]
    return hash_features([*names, order, f"{order} {len(rests[0])} {len(rests[1])}"])


def _are_forms(first: Word, second: Word) -> bool:
    """Return whether two words are the same, or begin with the same letters."""
    beginnings = {word.key[:FORM_CHARS] for word in (first, second)}
    return first.key == second.key or (first.key.isalpha() and second.key.isalpha() and len(beginnings) == 1)


def _describe_sizes(common: Sequence[tuple[Word, Word]], rests: Sequence[Sequence[Word]]) -> Iterator[str]:
    """Yield the numbers of common, turned, exchanged and other words, and combinations of them."""
    old, new = map(len, rests)
    turned = sum(a.rejected != b.rejected for a, b in common)
    chosen = [(a, b) for a in rests[0] for b in rests[1] if a.choice == b.choice != ""]
    choices = [a.choice for a, b in chosen if not a.rejected or not b.rejected]
    both = f"common {min(len(common), _MOST)}"
    turns = f"turned {min(turned, _MOST - 1)}"
    share = f"share {_FIFTHS * len(common) // max(len(common) + old + new, 1)}"
    part = f"part {_THIRDS * turned // max(len(common), 1)}"
    exchanged = f"exchanged {min(len(choices), 2)}"
    sizes = f"rests {min(old, _MOST)} {min(new, _MOST)}"
    yield from (
        both,
        turns,
        share,
        part,
        exchanged,
        sizes,
        f"old {min(old, _MOST)}",
        f"new {min(new, _MOST)}",
    )
    pairs = [(turns, share), (exchanged, share), (both, sizes), (turns, sizes), (exchanged, sizes)]
    pairs += [(exchanged, part), (turns, f"{exchanged} {share}"), (part, f"{exchanged} {share}")]
    pairs += [(f"{turns} {exchanged}", f"contained {min(old, new) == 0}"), (f"{exchanged} {turns}", sizes)]
    moved = sum(a.before != b.before and bool({a.before, b.before} & _ORDERING) for a, b in common)
    loose = sum(a.key != b.key for a, b in common)
    pairs += [(f"moved {min(moved, 2)}", f"{part} {sizes}"), (f"loose {min(loose, 2)}", f"{part} {sizes}")]
    slots = sum(a.before == b.before != "" for a in rests[0] for b in rests[1])
    pairs += [(f"slots {min(slots, 2)}", f"{sizes} {turns}")]
    pairs += [(f"excluded {min(len(chosen) - len(choices), 2)}", share)]
    yield from (f"{a} {b}" for a, b in pairs)
    yield from (f"choice {choice}" for choice in choices)


def _describe_rests(rests: Sequence[Sequence[Word]]) -> Iterator[str]:
    for side, words in zip(("old", "new"), rests, strict=True):
        for word in words:
            yield f"{side} word {word.key}"
            yield f"{side} kind {find_kind(word.text)} {word.rejected}"
            yield f"{side} after {word.before}"


def _describe_texts(old: str, new: str) -> Iterator[str]:
    """Yield the words that only one of the texts has, also function words."""
    first, second = ({*spell_words(simplify(text))} for text in (old, new))
    yield from (f"only old {word}" for word in first - second)
    yield from (f"only new {word}" for word in second - first)
