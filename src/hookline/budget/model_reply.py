"""Parse the token counts of a model call, in any of the usual spellings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.usage import ModelCall, TokenCounts, parse_tokens

INPUT = ("input_tokens", "inputTokens", "prompt_tokens", "promptTokenCount", "input")
OUTPUT = ("output_tokens", "outputTokens", "completion_tokens", "candidatesTokenCount", "output")
TOTAL = ("total_tokens", "totalTokens", "totalTokenCount", "total")
READ_EXCLUDED = ("cache_read_input_tokens", "cache.read")
"""Keys of cached tokens that the input count excludes; it includes those of `READ_INCLUDED`."""
READ_INCLUDED = (
    "cached_input_tokens",
    "cachedContentTokenCount",
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
)
WRITTEN_EXCLUDED = ("cache_creation_input_tokens", "cache.write")
WRITTEN_INCLUDED = ("cache_write_input_tokens",)


def parse_usage(usage: Mapping[str, Any], model: str = "") -> ModelCall | None:
    """Return the tokens that the *usage* of one call reports; None if it has no known key."""
    read, read_excluded = _first_count(usage, READ_INCLUDED), _first_count(usage, READ_EXCLUDED)
    written, written_excluded = _first_count(usage, WRITTEN_INCLUDED), _first_count(usage, WRITTEN_EXCLUDED)
    whole_input, output, total = (
        _first_count(usage, INPUT),
        _first_count(usage, OUTPUT),
        _first_count(usage, TOTAL),
    )
    fresh = max(whole_input - read - written, 0)
    all_input = fresh + read + written + read_excluded + written_excluded
    spent = TokenCounts(
        fresh, max(output, total - all_input), read + read_excluded, written + written_excluded
    )
    return ModelCall(spent, model=model) if any(spent) else None


def _first_count(usage: Mapping[str, Any], paths: tuple[str, ...]) -> int:
    return next((count for count in map(parse_tokens, _values_at(usage, paths)) if count), 0)


def _values_at(usage: Mapping[str, Any], paths: tuple[str, ...]) -> Iterator[Any]:
    for path in paths:
        outer, _, inner = path.rpartition(".")
        mapping = usage.get(outer) if outer else usage
        yield mapping.get(inner) if isinstance(mapping, Mapping) else None
