"""Find a request to ship work in a prompt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import itemgetter

from hookline.language.model import load_models
from hookline.language.network import STATE_BITS, Network, find_highest
from hookline.lazy import re

_QUOTATION = re.compile(r"""(["'`])(?:(?!\1).)*\1|“[^“”]*”""", re.DOTALL)
"""A prompt that is one quotation; its text counts as the user's own words."""


def find_request(prompt: str) -> str | None:
    """Return the sentence of a prompt that asks to ship work now, or None."""
    models = load_models()
    scored = score_sentences(prompt, models.networks["ship"])
    text, score = max(scored, key=itemgetter(1), default=("", -math.inf))
    return text if score >= models.thresholds["ship"] else None


def score_sentences(prompt: str, network: Network) -> Iterator[tuple[str, float]]:
    """Yield each sentence of a prompt with the log-odds that it asks to ship."""
    text = unquote(prompt)
    read = network.read_prompt(text)
    whole = network.score("prompt", find_highest(state for row in read for state in row.states))
    for row in read:
        begin, end = row.sentence.start, row.sentence.start + len(row.sentence.text)
        sums = zip(whole, network.score("sentence", find_highest(row.states)), strict=True)
        hidden = [round(math.tanh(a + b) * (1 << STATE_BITS)) for a, b in sums]
        yield text[begin:end], network.score("request", hidden)[0]


def unquote(prompt: str) -> str:
    """Return a prompt without the marks of a quotation around it."""
    text = prompt.strip().replace("\u2019", "'")
    return text[1:-1] if _QUOTATION.fullmatch(text) else text
