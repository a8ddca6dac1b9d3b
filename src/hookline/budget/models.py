"""Context windows and prices of models, looked up by name.

A name matches the longest entry that is a prefix of it, with or without the vendor's name in front, so that a
dated release has the figures of its model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from json import loads
from math import isfinite
from typing import Any

from msgspec import Struct

from hookline.core.usage import MAX_TOKENS, UNKNOWN, Tally, TokenCounts, Usage, sum_tokens
from hookline.policy import read_files
from hookline.system.paths import Places

TOKENS_PER_PRICE = 1_000_000
"""Number of tokens that a price is for."""
PRICES = ("input", "output", "cache_read", "cache_write")


class Model(Struct, frozen=True, kw_only=True):
    """The known figures of one model; None for unknown ones."""

    window: int | None = None
    reserve: int = 0
    """Tokens of the window kept free for the answer."""
    prices: Mapping[str, float] | None = None
    """US dollars per million tokens."""

    def cost(self, spent: TokenCounts) -> float | None:
        """Return the cost in US dollars; None if the price of any spent tokens is not known."""
        prices = self.prices or {}
        parts = [(prices.get(name), count) for name, count in zip(PRICES, spent, strict=True) if count]
        if any(price is None for price, _ in parts):
            return None
        return sum((price or 0.0) * count / TOKENS_PER_PRICE for price, count in parts)


Models = Mapping[str, Model]


class BadModels(ValueError):
    """A table of models that cannot be parsed; the message names the entry."""


def parse(text: str) -> Models:
    """Return the table in the JSON *text*: an object with an entry for each model name."""
    try:
        table = loads(text)
    except (ValueError, RecursionError) as error:
        raise BadModels(f"not valid JSON ({str(error)[:80]})") from None
    if not isinstance(table, dict):
        raise BadModels("not an object with an entry for each model")
    return {name: _parse_model(name, entry) for name, entry in table.items()}


def _parse_model(name: str, entry: Any) -> Model:
    if not isinstance(entry, dict):
        raise BadModels(f"entry {name!r} is not an object")
    allowed = ("window", "reserve", *PRICES)
    for key, value in entry.items():
        if key not in allowed:
            raise BadModels(f"entry {name!r} has an unknown key {key!r}; allowed: {', '.join(allowed)}")
        is_integer = key not in PRICES
        is_number = type(value) is int or (not is_integer and isinstance(value, float) and isfinite(value))
        if not is_number or not 0 <= value <= MAX_TOKENS:
            raise BadModels(
                f"{key!r} of entry {name!r} is not a {'whole ' if is_integer else ''}number of at least 0"
            )
    prices = {key: float(entry[key]) for key in PRICES if key in entry}
    return Model(window=entry.get("window"), reserve=entry.get("reserve", 0), prices=prices or None)


def find(models: Models, name: str) -> Model:
    """Return the model of that *name*, without figures if it has no entry."""
    for spelling in (name, name.rpartition("/")[2]):
        prefixes = [entry for entry in models if spelling.startswith(entry)]
        if prefixes:
            return models[max(prefixes, key=len)]
    return Model()


def compute_usage(tally: Tally, models: Models) -> Usage:
    """Return the usage that a *tally* amounts to, with the figures of the *models* that it names."""
    if tally == Tally():
        return UNKNOWN
    model, spent = find(models, tally.model), sum_tokens(tally)
    window = tally.window if tally.window is not None else _plausible_window(model.window, tally.used)
    return Usage(
        used=tally.used,
        window=window,
        effective_limit=None if window is None else max(window - model.reserve, 0),
        output=spent.output,
        turn_output=tally.turn_output,
        input=spent.input,
        cache_read=spent.cache_read,
        cache_write=spent.cache_write,
        cost=_sum_costs(find(models, name).cost(spent) for name, spent in tally.spent.items()),
        model=tally.model,
        turn=tally.turn or None,
    )


def _plausible_window(window: int | None, used: int | None) -> int | None:
    """Return the window, or None if more is in use: some users get a larger one than the table says."""
    return None if window is not None and used is not None and used > window else window


def _sum_costs(costs: Iterable[float | None]) -> float | None:
    every = list(costs)
    return None if any(cost is None for cost in every) else sum(cost or 0.0 for cost in every)


FILE_NAME = "models.json"


def load_models(places: Places) -> tuple[Models, str]:
    """Return the known models, and an error message about the user's own file of them."""
    path = os.path.join(places.config, FILE_NAME)
    text, problem = read_files.read(path)
    if not text:
        return load_shipped(), f"{path} {problem}" if problem else ""
    try:
        return {**load_shipped(), **parse(text)}, ""
    except BadModels as error:
        return load_shipped(), f"{path}: {error}; the file is ignored until this is fixed"


@cache
def load_shipped() -> Models:
    folder = os.path.dirname(__file__)
    with open(os.path.join(folder, FILE_NAME), encoding="utf-8") as file:
        return parse(file.read())
