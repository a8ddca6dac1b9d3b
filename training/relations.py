"""Train and validate the linear model of the relations of two rules."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby, permutations
from random import Random

from evaluate import share
from examples import Row, find_threshold
from linear import fit_labels

from hookline.language.model import Model
from hookline.memory.compare import RELATIONS, hash_pair, score_relation
from hookline.memory.synonyms import CHOICES

STRENGTH = 10.0
"""Inverse of the regularization."""
MAX_WRONG = 0.01
"""Share of the pairs of different rules that may be related in cross-validation."""
CHOSEN = 500
"""Number of generated pairs about a choice."""
RULES = (
    "use {}", "we use {}", "always use {}", "please use {}", "{} only", "prefer {}", "we decided on {}",
    "we are on {} now", "use {}, not {other}", "{} instead of {other}", "from now on {}", "we switched to {}",
)  # fmt: skip
PLACES = (
    "",
    "",
    " here",
    " for the build",
    " for tests",
    " in the api",
    " in scripts",
    " for jobs",
    " in this repo",
)
ORDERED = (
    "run {} before {}",
    "{} comes before {}",
    "convert {} to {}",
    "merge {} into {}",
    "{} first, then {}",
    "copy from {} to {}",
)
FORBIDDING = ("never use {}", "don't use {}", "no {} please", "avoid {}", "stop using {}", "we don't use {}")
_NEGATION = re.compile(r"(?i)^(?:please )?(?:never|don't|do not) ")


def fit_relations(rows: Sequence[Row]) -> Model:
    """Return the model of pairs of rules; each pair counts in both orders."""
    labelled = [*rows, *vary_pairs(rows), *generate_choices()]
    pairs = [(pair, row["relation"]) for row in labelled for pair in permutations((row["old"], row["new"]))]
    examples = [(hash_pair(*pair), relation) for pair, relation in pairs]
    return fit_labels(examples, RELATIONS, STRENGTH)


def validate_relations(rows: Sequence[Row]) -> float:
    """Return the threshold of relations, and print the share of related pairs of unseen batches above it."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for batch in {row["batch"] for row in rows}:
        model = fit_relations([row for row in rows if row["batch"] != batch])
        for row in (row for row in rows if row["batch"] == batch):
            score = score_relation(model.score(hash_pair(row["old"], row["new"])))
            scores[row["relation"] != "different"].append(score)
    threshold = find_threshold(scores[False], MAX_WRONG)
    found = sum(score > threshold for score in scores[True])
    print(f"related pairs of unseen batches: {share(found, len(scores[True]))}", file=sys.stderr)
    return threshold


def vary_pairs(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield each rule with itself, and with its negation."""
    for text in dict.fromkeys(row["old"] for row in rows):
        yield {"old": text, "new": text, "relation": "same"}
        positive = _NEGATION.sub("", text)
        if positive != text:
            yield {"old": text, "new": positive, "relation": "reversal"}


def generate_choices() -> Iterator[Row]:
    """Yield pairs of rules with the same alternative of a choice, another one, or one of another choice."""
    chance = Random(0)
    names = sorted((word for word in CHOICES if word[0] != ":"), key=lambda word: (CHOICES[word], word))
    groups = [[*words] for _, words in groupby(names, CHOICES.__getitem__)]
    for number in range(CHOSEN):
        relation, place = RELATIONS[number % len(RELATIONS)], chance.choice(PLACES)
        group, elsewhere = chance.sample([group for group in groups if len(group) > 1], 2)
        first, second = chance.sample(group, 2)
        new = {"same": first, "reversal": second, "different": elsewhere[0]}[relation]
        if number % 10 == 0:
            rule = chance.choice(ORDERED)
            yield {
                "old": rule.format(first, second),
                "new": rule.format(second, first),
                "relation": "reversal",
            }
        if number % 5 == 0:
            old_rule, new_rule = chance.choice(FORBIDDING), chance.choice(FORBIDDING)
            yield {
                "old": old_rule.format(first) + place,
                "new": new_rule.format(second) + place,
                "relation": "different",
            }
        other = second if new == first else first
        yield {
            "old": chance.choice(RULES).format(first, other=second) + place,
            "new": chance.choice(RULES).format(new, other=other if relation != "different" else elsewhere[1])
            + place,
            "relation": relation,
        }
