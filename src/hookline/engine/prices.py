"""The price of tokens: the user's own table, the list of the extra `prices`, then the shipped table."""

from hookline.budget import models
from hookline.core.usage import TokenCounts
from hookline.system.paths import Places

SAMPLE_TOKENS = 1_000


def price(spent: TokenCounts, model: str, places: Places) -> float | None:
    """Return the price of the tokens in US dollars, or None if no table has the model."""
    table, shipped = models.load_models(places)[0], models.load_shipped()
    user_entry = models.find(
        {name: entry for name, entry in table.items() if entry != shipped.get(name)}, model
    )
    for cost in (user_entry.cost(spent) if user_entry.prices else None, _list_price(spent, model)):
        if cost is not None:
            return cost
    return models.find(shipped, model).cost(spent)


def _list_price(spent: TokenCounts, model: str) -> float | None:
    """Return the list price, computed per 1000 tokens.

    Prices that rise with the length of a call must not be applied to the sum of all calls.
    """
    try:
        from genai_prices import Usage as Priced  # noqa: PLC0415 -- the extra prices
        from genai_prices import calc_price  # noqa: PLC0415 -- ditto
    except ImportError:
        return None
    samples = (
        Priced(input_tokens=SAMPLE_TOKENS),
        Priced(output_tokens=SAMPLE_TOKENS),
        Priced(input_tokens=SAMPLE_TOKENS, cache_read_tokens=SAMPLE_TOKENS),
        Priced(input_tokens=SAMPLE_TOKENS, cache_write_tokens=SAMPLE_TOKENS),
    )
    try:
        parts = [
            float(calc_price(sample, model_ref=model).total_price) / SAMPLE_TOKENS * count
            for sample, count in zip(samples, spent, strict=True)
            if count
        ]
    except (LookupError, ValueError):
        return None
    return sum(parts)
