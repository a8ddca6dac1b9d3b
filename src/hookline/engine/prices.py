"""The price of tokens: the user's own table, the list of the extra `prices`, then the shipped table."""

from hookline.budget import models
from hookline.core.usage import Spent
from hookline.system.paths import Places

SOME = 1_000


def price(spent: Spent, model: str, places: Places) -> float | None:
    """Return the price of the tokens in US dollars, or None if no table has the model."""
    table, ours = models.table(places)[0], models.shipped()
    own = models.find({name: entry for name, entry in table.items() if entry != ours.get(name)}, model)
    for cost in (own.cost(spent) if own.prices else None, _listed(spent, model)):
        if cost is not None:
            return cost
    return models.find(ours, model).cost(spent)


def _listed(spent: Spent, model: str) -> float | None:
    """By the thousand: a price that rises with the length of a call is not for what all calls come to."""
    try:
        from genai_prices import Usage as Priced  # noqa: PLC0415 -- the extra prices
        from genai_prices import calc_price  # noqa: PLC0415 -- ditto
    except ImportError:
        return None
    some = (
        Priced(input_tokens=SOME),
        Priced(output_tokens=SOME),
        Priced(input_tokens=SOME, cache_read_tokens=SOME),
        Priced(input_tokens=SOME, cache_write_tokens=SOME),
    )
    try:
        parts = [
            float(calc_price(priced, model_ref=model).total_price) / SOME * count
            for priced, count in zip(some, spent, strict=True)
            if count
        ]
    except (LookupError, ValueError):
        return None
    return sum(parts)
