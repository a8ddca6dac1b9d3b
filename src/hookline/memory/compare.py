"""Compare two rules: whether they say the same, or the later one reverses the earlier one.

A wrong replacement loses a rule. So if each of two rules has words that the other lacks, they have different
subjects, unless these words are alternatives of one choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from hookline.core.records import Memory
from hookline.memory.parse_rule import NUMBER, PATH, Word, find_base, parse_order, parse_rule
from hookline.memory.rule_vocabulary import ADDITIVE_WORDS

Relation = Literal["same", "reversal", "different"]

RULE_KINDS = ("convention", "preference", "decision")
"""Kinds of memories of which only the latest about a subject holds."""
MIN_COMMON = 0.6
"""Share of the weight of all words that both rules contain, if they say the same in other words."""
MIN_CONTAINED = 0.5
"""The same if one of the rules contains all words of the other."""
MIN_SWAPPED = 0.6
"""The same if the new rule rejects what the old one chooses."""
MIN_SUBJECT = 2
"""Telling words that identify a subject, even if one rule says more about it."""
MAX_REST = 0.7
"""Weight of words that only one rule has and that do not change its subject."""
VALUES = frozenset((NUMBER, ":span", ":bytes", ":weekday", ":month", ":every", ":bound"))
"""Choices of quantities and times, of which a rule may exchange several."""
_PLACES = frozenset("at under to through by with from is are via".split())
_PLACES |= {"live in", "live on", "live under", "live into"}
"""Words before the object of a choice."""
_CHOOSING = _PLACES | {"have", "has", "use", "uses", "prefer", "as", "be", "want"}
"""The same if the next words agree too."""
_LIMITS = frozenset(("in", "within", "inside", "when", "during"))
_LANGUAGES = (":language", ":payload")
_MIN_NEGATED = 4
"""Letters of a word that a prefix such as `un` negates."""
MIN_PERSON_CONFIDENCE = 0.71
"""Confidence that only a memory of a person's words has."""


def find_replaced(new: Memory, memories: Iterable[Memory]) -> dict[str, Relation]:
    """Return the ids of the memories that *new* replaces, each with its relation to it.

    A memory with less confidence, such as one of an agent, does not replace what a person said.
    """
    if new.kind not in RULE_KINDS:
        return {}
    relations = {
        old.id: compare_rules(old.text, new.text)
        for old in memories
        if old.id != new.id and old.kind in RULE_KINDS and not old.pinned and new.may_change(old)
        if (old.project, old.branch, old.issue) == (new.project, new.branch, new.issue)
        if new.confidence >= min(old.confidence, MIN_PERSON_CONFIDENCE)
    }
    return {id_: relation for id_, relation in relations.items() if relation != "different"}


class _Comparison(Struct, frozen=True):
    """The words that two rules share, and those that only one of them has."""

    common: Sequence[tuple[Word, Word]]
    old_rest: Sequence[Word]
    new_rest: Sequence[Word]
    exchanged: Sequence[tuple[Word, Word]]
    """Alternatives of one choice, of which each rule has another."""

    @property
    def swapped(self) -> list[tuple[Word, Word]]:
        """Words that one rule chooses and the other rejects; if both reject something, not where or when."""
        pairs = [(a, b) for a, b in self.common if a.rejected != (b.rejected != _is_negated_form(a, b))]
        if any(a.rejected and b.rejected for a, b in self.common):
            return [(a, b) for a, b in pairs if a.is_circumstance == b.is_circumstance]
        return pairs

    @property
    def subject(self) -> list[Word]:
        """The telling words that both rules contain."""
        return [first for first, _ in self.common if first.weight == 1 and first.choice not in VALUES]

    @property
    def share(self) -> float:
        """Share of the weight of all words that both rules contain."""
        common = _weigh(first for first, _ in self.common)
        return common / max(common + _weigh(self.old_rest) + _weigh(self.new_rest), 0.1)


def compare_rules(old: str, new: str) -> Relation:
    """Return how the rule *new* relates to the rule *old*."""
    compared = _match(parse_rule(old), parse_rule(new))
    if _has_other_scope(compared):
        return "different"
    if any(first.weight == 1 for first, _ in compared.swapped):
        return "reversal" if _is_about_same(compared) else "different"
    if compared.exchanged:
        return "reversal" if _is_exchange(compared) else "different"
    if _fills_same_place(compared):
        return "reversal"
    if not _agrees(compared):
        return "different"
    return "reversal" if _is_other_order(old, new) else "same"


def _is_other_order(old: str, new: str) -> bool:
    """Return whether one rule has first what the other has next."""
    (first, second), (other_first, other_second) = parse_order(old), parse_order(new)
    return bool(first & other_second and second & other_first) and not (
        first & other_first or second & other_second
    )


def _match(old: Sequence[Word], new: Sequence[Word]) -> _Comparison:
    common = [(a, b) for a in old for b in new if _is_same_word(a, b)]
    old_rest = [word for word in old if all(word is not a for a, _ in common)]
    new_rest = [word for word in new if all(word is not b for _, b in common)]
    exchanged: list[tuple[Word, Word]] = []
    for a in old_rest:
        b = next((word for word in new_rest if _are_alternatives(a, word)), None)
        if b is not None and all(b is not other for _, other in exchanged):
            exchanged.append((a, b))
    taken = [id(word) for pair in exchanged for word in pair]
    old_rest, new_rest = ([word for word in rest if id(word) not in taken] for rest in (old_rest, new_rest))
    return _Comparison(common, old_rest, new_rest, exchanged)


def _is_same_word(first: Word, second: Word) -> bool:
    if first.choice == second.choice == PATH:
        return first.stem.startswith(second.stem) or second.stem.startswith(first.stem)
    return first.stem == second.stem or _is_negated_form(first, second)


def _is_negated_form(first: Word, second: Word) -> bool:
    """Return whether one of two words negates the other by its beginning, as in `irreversible`."""
    short, long = sorted((first.text, second.text), key=len)
    return len(short) > _MIN_NEGATED and long.removesuffix(short) in ("un", "ir", "in", "im", "non")


def _are_alternatives(old: Word, new: Word) -> bool:
    return old.choice == new.choice != "" and not (old.rejected or new.rejected)


def _fills_same_place(compared: _Comparison) -> bool:
    """Return whether only one unknown word differs, and it is the object of the same word of a choice."""
    if len(compared.old_rest) != 1 or len(compared.new_rest) != 1 or not compared.common:
        return False
    old, new = compared.old_rest[0], compared.new_rest[0]
    if old.rejected or new.rejected or old.weight < 1 or new.weight < 1:
        return False
    if old.after != new.after or old.after in ADDITIVE_WORDS:
        return False
    if old.before == new.before != "" and old.after in _CHOOSING:
        return True
    return old.after in _PLACES and not (old.choice or new.choice)


def _has_other_scope(compared: _Comparison) -> bool:
    """Return whether the rules hold for two scopes that exclude each other."""
    rests = (compared.old_rest, compared.new_rest)
    old, new = ({word.scope for word in rest if word.scope} for rest in rests)
    return bool(old & new)


def _is_about_same(compared: _Comparison) -> bool:
    """Return whether the rule that rejects swapped words is about all that the other one is about.

    Further words that the rejecting rule chooses, such as the new choice, do not count.
    """
    if _narrows(compared):
        return False
    old, new = _drop_values(compared.old_rest), _drop_values(compared.new_rest)
    if min(_weigh(old), _weigh(new)) <= MAX_REST and len(compared.subject) >= MIN_SUBJECT:
        return True
    if any(second.rejected for _, second in compared.swapped):
        new = [word for word in new if word.rejected]
    else:
        old = [word for word in old if word.rejected]
    if _have_other_objects(old, new):
        return False
    common = _weigh(first for first, _ in compared.common)
    return common >= MIN_SWAPPED * (common + _weigh(old) + _weigh(new))


def _is_exchange(compared: _Comparison) -> bool:
    """Return whether the rules differ in one choice, or in quantities and times, and in nothing else."""
    choices = [a for a, _ in compared.exchanged if a.choice not in VALUES]
    if len(choices) > 1 or (choices and len(compared.exchanged) > 1):
        return False
    if any(find_base(a.after) in ADDITIVE_WORDS for a in choices):
        return False
    rests = [*_drop_values(compared.old_rest), *_drop_values(compared.new_rest)]
    if not compared.common and rests:
        return False
    if choices and not (compared.old_rest and compared.new_rest) and len(compared.subject) >= MIN_SUBJECT:
        return not _narrows(compared)
    return _weigh(word for word in rests if not word.rejected) <= MAX_REST


def _agrees(compared: _Comparison) -> bool:
    old, new = compared.old_rest, compared.new_rest
    if any(not first.rejected for first, _ in compared.common):
        old, new = ([word for word in rest if not word.rejected] for rest in (old, new))
    if any(word.choice and word.weight == 1 for word in old) or _narrows(compared):
        return False
    if _weigh(old) <= MAX_REST:
        return compared.share >= MIN_CONTAINED
    return compared.share >= MIN_COMMON and not _have_other_objects(old, new)


def _have_other_objects(old: Iterable[Word], new: Sequence[Word]) -> bool:
    """Return whether the same word is before or after a different one in each rule."""
    return any(a.after == b.after != "" or a.before == b.before != "" for a in old for b in new)


def _narrows(compared: _Comparison) -> bool:
    """Return whether only the new rule is limited to a place, a time or a language."""
    chosen = [word for word in compared.new_rest if word.weight == 1 and not word.rejected]
    return any(
        word.after not in _CHOOSING
        if word.choice in _LANGUAGES
        else word.after in _LIMITS and not word.choice
        for word in chosen
    )


def _drop_values(words: Iterable[Word]) -> list[Word]:
    return [word for word in words if word.choice not in VALUES]


def _weigh(words: Iterable[Word]) -> float:
    return sum(word.weight for word in words)
