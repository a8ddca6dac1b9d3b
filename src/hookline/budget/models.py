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

from hookline.core.usage import MOST, UNKNOWN, Spent, Tally, Usage, sums
from hookline.policy import read_files
from hookline.system.paths import Places

PER = 1_000_000
"""Tokens that a price is for."""
PRICES = ("input", "output", "cache_read", "cache_write")


class Model(Struct, frozen=True, kw_only=True):
    """What is known of one model; None where it is not."""

    window: int | None = None
    reserve: int = 0
    """Tokens of the window that are kept free for the answer."""
    prices: Mapping[str, float] | None = None
    """US dollars for a million tokens."""

    def cost(self, spent: Spent) -> float | None:
        """None where the price of something that was spent is not known."""
        prices = self.prices or {}
        parts = [(prices.get(name), count) for name, count in zip(PRICES, spent, strict=True) if count]
        if any(price is None for price, _ in parts):
            return None
        return sum((price or 0.0) * count / PER for price, count in parts)


Models = Mapping[str, Model]


class BadModels(ValueError):
    """A table of models that cannot be read; the message says where."""


def parse(text: str) -> Models:
    """The table that *text* holds in JSON: an object with an entry for each name."""
    try:
        told = loads(text)
    except (ValueError, RecursionError) as error:
        raise BadModels(f"is no JSON ({str(error)[:80]})") from None
    if not isinstance(told, dict):
        raise BadModels("is no object with an entry for each model")
    return {name: _model(name, entry) for name, entry in told.items()}


def _model(name: str, entry: Any) -> Model:
    if not isinstance(entry, dict):
        raise BadModels(f"the entry {name!r} is no object")
    known = ("window", "reserve", *PRICES)
    for key, value in entry.items():
        if key not in known:
            raise BadModels(f"the entry {name!r} has {key!r}; there are: {', '.join(known)}")
        whole = key not in PRICES
        fits = type(value) is int or (not whole and isinstance(value, float) and isfinite(value))
        if not fits or not 0 <= value <= MOST:
            raise BadModels(f"{key!r} of the entry {name!r} is no {'whole ' if whole else ''}number from 0")
    prices = {key: float(entry[key]) for key in PRICES if key in entry}
    return Model(window=entry.get("window"), reserve=entry.get("reserve", 0), prices=prices or None)


def find(models: Models, name: str) -> Model:
    """The model of that *name*; one of which nothing is known where there is no entry."""
    for spelled in (name, name.rpartition("/")[2]):
        fitting = [entry for entry in models if spelled.startswith(entry)]
        if fitting:
            return models[max(fitting, key=len)]
    return Model()


def usage(tally: Tally, models: Models) -> Usage:
    """What a *tally* comes to, with what is known of the *models* that it names."""
    if tally == Tally():
        return UNKNOWN
    model, spent = find(models, tally.model), sums(tally)
    window = tally.window if tally.window is not None else _still_true(model.window, tally.used)
    return Usage(
        used=tally.used,
        window=window,
        effective_limit=None if window is None else max(window - model.reserve, 0),
        output=spent.output,
        turn_output=tally.turn_output,
        input=spent.input,
        cache_read=spent.cache_read,
        cache_write=spent.cache_write,
        cost=_added(find(models, name).cost(spent) for name, spent in tally.spent.items()),
        model=tally.model,
        turn=tally.turn or None,
    )


def _still_true(window: int | None, used: int | None) -> int | None:
    """None where more is in use than would fit: some models are let have a larger one, and nobody tells."""
    return None if window is not None and used is not None and used > window else window


def _added(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if any(one is None for one in known) else sum(one or 0.0 for one in known)


NAME = "models.json"


def table(places: Places) -> tuple[Models, str]:
    """The models that are known, and what is wrong with the user's own file of them."""
    path = os.path.join(places.config, NAME)
    text, wrong = read_files.read(path)
    if not text:
        return shipped(), f"{path} {wrong}" if wrong else ""
    try:
        return {**shipped(), **parse(text)}, ""
    except BadModels as error:
        return shipped(), f"{path}: {error}; it does not count until that is put right"


@cache
def shipped() -> Models:
    folder = os.path.dirname(__file__)
    with open(os.path.join(folder, NAME), encoding="utf-8") as file:
        return parse(file.read())
