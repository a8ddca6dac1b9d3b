"""Parse the usage that events report: of one model call, in any of the usual spellings, or of the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from hookline.core.events import Event
from hookline.core.usage import MAX_TOKENS, ModelCall, TokenCounts, Usage, parse_tokens
from hookline.core.values import replace

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


_FIGURES: Mapping[str, tuple[str, float]] = {
    "used": ("used_tokens", MAX_TOKENS),
    "window": ("max_tokens", MAX_TOKENS),
    "effective_limit": ("effective_limit", MAX_TOKENS),
    "reported_percent": ("percent_used", inf),
    "cost": ("cost_usd", inf),
}
"""Fields of `Usage`, each with the field of an event that reports it and its plausible maximum."""
_LOADS = ("used", "reported_percent")
"""Figures of which the last one reported counts."""


def parse_figures(event: Event) -> dict[str, float]:
    """Return the plausible figures of `Usage` that *event* itself reports."""
    figures = {name: getattr(event, field) for name, (field, _) in _FIGURES.items()}
    return {
        name: value
        for name, value in figures.items()
        if value is not None and 0 <= value <= _FIGURES[name][1] and value != inf
    }


def merge_figures(known: Mapping[str, Any], figures: Mapping[str, float]) -> dict[str, Any]:
    """Return the *known* figures with those that an event reports now."""
    outdated = _LOADS if any(name in figures for name in _LOADS) else ()
    return {**{name: value for name, value in known.items() if name not in outdated}, **figures}


def with_reported(usage: Usage, figures: Mapping[str, Any]) -> Usage:
    """Return *usage* with the *figures* that the host reports; its maximum is the limit unless it has one."""
    values = {name: figures[name] for name in _FIGURES if name in figures}
    return replace(usage, **{"effective_limit": values.get("window", usage.effective_limit), **values})
