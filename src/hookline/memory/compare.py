"""Compare two rules: whether they say the same, or the later one reverses the earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from hookline.core.records import Memory, stem_word

Relation = Literal["same", "reversal", "different"]

RULE_KINDS = ("convention", "preference", "decision")
"""Kinds of memories of which only the latest about a subject holds."""
MIN_COMMON = 0.6
"""Share of the content words of both rules that are in each of them, if they say the same."""
MIN_PERSON_CONFIDENCE = 0.71
"""Confidence that only a memory of a person's words has."""
_TOKEN = re.compile(r"\d+(?:\.\d+)+|[^\W_][\w'’./@#+:-]*[^\W_]|[^\W_]|[,;]")
_REJECTED_AFTER = re.compile(r"\b(?:instead of|rather than|(?<=\w) over)\b")
_PERMITTED = re.compile(r"\b(?:is|are) (?:fine|allowed|ok|okay)\b|\byou (?:can|may)\b")
_NEGATED = re.compile(r"\b(?:disable|turn .*\boff|no longer)\b")
_NOT = frozenset("not never no avoid stop without nobody dont doesnt cant cannot needn't".split())  # noqa: SIM905 -- shorter than a list
_ENDS = frozenset((",", ";", "for", "because"))
"""Words that end the words that a negation rejects."""
_OPPOSITES = {"long": "short", "detailed": "short", "large": "small", "big": "small", "off": "on"}
_SPECIFIC = frozenset("for per need needs run add start starts".split())  # noqa: SIM905 -- shorter than a list
"""Words before the object of a rule that holds beside others with another object."""
_EMPTY = frozenset(
    """the a an is are was be we i you it us me my our your this that these to of for with and or but
    do does did please use uses used using always every each all everything everywhere anymore ever
    only here repo project prefer go goes went chose decided decide choose on in at by from per as
    so then just first through live lives stay stays have has what when will would should must can
    may fine allowed ok okay need needs directly follow follows named write written keep make turn
    stored store get gets before after than rather instead over disable off longer give happen put
    enabled new were weve""".split()  # noqa: SIM905 -- shorter than a list
)


class Word(NamedTuple):
    """A content word of a rule, the word before it, and whether the rule rejects it."""

    stem: str
    after: str
    rejected: bool


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


def compare_rules(old: str, new: str) -> Relation:
    """Return how the rule *new* relates to the rule *old*."""
    before, after = parse_rule(old), parse_rule(new)
    all_before, all_after = ({word.stem for word in rule} for rule in (before, after))
    common = all_before & all_after
    if not common:
        return "different"
    signs = {word.stem: word.rejected for word in before}
    swapped = {word.stem for word in after if signs.get(word.stem, word.rejected) != word.rejected}
    near = len(common) / len(all_before | all_after) >= MIN_COMMON
    if len(swapped) * 2 >= len(common) and (near or len(common) * 2 >= min(len(all_before), len(all_after))):
        return "reversal"
    if _exchanges(before, after):
        return "reversal"
    chosen = [{word.stem for word in rule if not word.rejected} for rule in (before, after)]
    return "same" if not swapped and (near or (chosen[0] and chosen[0] == chosen[1])) else "different"


def _exchanges(before: list[Word], after: list[Word]) -> bool:
    """Return whether only the choice of a rule differs: its last word, or the one after `use`."""
    first, second = ([word for word in rule if not word.rejected] for rule in (before, after))
    if len(first) != len(second) or len(first) <= 1 or len(before) != len(first):
        return False
    places = [at for at, (a, b) in enumerate(zip(first, second, strict=True)) if a.stem != b.stem]
    if len(places) != 1:
        return False
    at = places[0]
    if first[at].after != second[at].after or first[at].after in _SPECIFIC:
        return False
    return first[at].after == "use" or (at == len(first) - 1 and first[0].after != "use")


def parse_rule(text: str) -> list[Word]:
    """Return the content words of a rule; a negation rejects the words up to the next comma."""
    plain = text.lower().replace("'", "").replace("’", "")
    negated = bool(_NEGATED.search(plain))
    words = _find_words(_REJECTED_AFTER.sub(" not", plain), rejects=not _PERMITTED.search(plain))
    return [word._replace(rejected=word.rejected != negated) for word in words]


def _find_words(text: str, *, rejects: bool) -> Iterator[Word]:
    rejected, last = False, ""
    for token in _TOKEN.findall(text):
        if token in _NOT:
            rejected = rejects
        elif token in _ENDS:
            rejected = False
        elif token not in _EMPTY:
            opposite = _OPPOSITES.get(token)
            yield Word(stem_word(opposite or token), last, rejected != bool(opposite))
        last = last if token in ("the", "a", "an", "your", "our") else token
