"""What a call of the model says of its tokens, in whichever of the usual spellings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.usage import Answer, Spent, tokens

INPUT = ("input_tokens", "inputTokens", "prompt_tokens", "promptTokenCount", "input")
OUTPUT = ("output_tokens", "outputTokens", "completion_tokens", "candidatesTokenCount", "output")
TOTAL = ("total_tokens", "totalTokens", "totalTokenCount", "total")
READ_APART = ("cache_read_input_tokens", "cache.read")
"""Where input does not hold what came from the cache; elsewhere it does."""
READ_WITHIN = (
    "cached_input_tokens",
    "cachedContentTokenCount",
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
)
WRITTEN_APART = ("cache_creation_input_tokens", "cache.write")
WRITTEN_WITHIN = ("cache_write_input_tokens",)


def answer(usage: Mapping[str, Any], model: str = "") -> Answer | None:
    """What the *usage* of one call comes to; None where it says nothing that is known."""
    read, apart = _first(usage, READ_WITHIN), _first(usage, READ_APART)
    written, put = _first(usage, WRITTEN_WITHIN), _first(usage, WRITTEN_APART)
    whole_input, output, total = _first(usage, INPUT), _first(usage, OUTPUT), _first(usage, TOTAL)
    fresh = max(whole_input - read - written, 0)
    known = fresh + read + written + apart + put
    spent = Spent(fresh, max(output, total - known), read + apart, written + put)
    return Answer(spent, model=model) if any(spent) else None


def _first(usage: Mapping[str, Any], places: tuple[str, ...]) -> int:
    return next((found for found in map(tokens, _found(usage, places)) if found), 0)


def _found(usage: Mapping[str, Any], places: tuple[str, ...]) -> Iterator[Any]:
    for place in places:
        outer, _, inner = place.rpartition(".")
        within = usage.get(outer) if outer else usage
        yield within.get(inner) if isinstance(within, Mapping) else None
