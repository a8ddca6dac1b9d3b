"""Find a request to ship work in a prompt.

A network scores each sentence, and a linear model those that may ask; their errors differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter

from hookline.language.features import Clause, hash_clause, spell_words
from hookline.language.model import Model, load_models
from hookline.language.network import STATE_BITS, Network, find_highest
from hookline.lazy import re

WORDS_WEIGHT, MIN_ODDS = 0.3, -3.0
"""Weight of the linear model, and log-odds of the network below which it does not score a sentence."""
_QUOTATION = re.compile(r"""(["'`])(?:(?!\1).)*\1|“[^“”]*”""", re.DOTALL)
"""A prompt that is one quotation; its text counts as the user's own words."""


def find_request(prompt: str) -> str | None:
    """Return the sentence of a prompt that asks to ship work now, or None."""
    models = load_models()
    scored = score_sentences(prompt, models.networks["ship"])
    weighed = weigh_words(scored, models.models["ship"], models.vocabulary)
    text, score = max(weighed, key=itemgetter(1), default=("", -math.inf))
    return text if score >= models.thresholds["ship"] else None


def score_sentences(prompt: str, network: Network) -> list[tuple[str, float]]:
    """Return the sentences of a prompt with the log-odds of the network that they ask to ship."""
    text = unquote(prompt)
    read = network.read_prompt(text)
    whole = network.score("prompt", find_highest(state for row in read for state in row.states))
    scored = []
    for row in read:
        begin, end = row.sentence.start, row.sentence.start + len(row.sentence.text)
        sums = zip(whole, network.score("sentence", find_highest(row.states)), strict=True)
        hidden = [round(math.tanh(a + b) * (1 << STATE_BITS)) for a, b in sums]
        scored.append((text[begin:end], network.score("request", hidden)[0]))
    return scored


def weigh_words(
    scored: Sequence[tuple[str, float]], model: Model, vocabulary: frozenset[str]
) -> Iterator[tuple[str, float]]:
    """Yield the sentences that may ask to ship, with the weighted sum of the scores of both models."""
    clauses = [Clause(text, spell_words(text)) for text, _ in scored]
    for number, (text, score) in enumerate(scored):
        if score >= MIN_ODDS:
            words = model.score(hash_clause(clauses, number, vocabulary))["ship"]
            yield text, score + WORDS_WEIGHT * words


def unquote(prompt: str) -> str:
    """Return a prompt without the marks of a quotation around it."""
    text = prompt.strip().replace("\u2019", "'")
    return text[1:-1] if _QUOTATION.fullmatch(text) else text
