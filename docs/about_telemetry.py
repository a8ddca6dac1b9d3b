"""Tables about telemetry for the docs: the sinks with their settings, and the figures of events."""

from about_hooks import typed
from cells import code, table

from hookline import sinks
from hookline.core.metrics import FIGURES, Figure
from hookline.sinks._otel_export import COUNTERS

SORTS = {"count": "counter", "amount": "histogram", "word": "attribute"}


def settings(name: str) -> str:
    opener = sinks.load(name)
    given: dict[str, object] = getattr(opener, "__kwdefaults__", {})
    rows = (
        [f"`{key}`", f"`{typed(opener.__annotations__[key])}`", f"`{_toml(value)}`"]
        for key, value in given.items()
    )
    return table(["setting", "type", "default"], rows)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).replace("'", '"') if isinstance(value, str) else repr(value)


def sections() -> str:
    """Return one section per sink."""
    return "\n".join(f"### {name}\n\n{sinks.about(name)}\n\n{settings(name)}" for name in sinks.names())


def figure_list() -> str:
    return table(["figure", "event", "type", "meaning"], map(_figure, FIGURES))


def _figure(figure: Figure) -> list[str]:
    unit = "" if figure.unit == "1" else f", `{figure.unit}`"
    return [f"`{figure.name}`", code(figure.on), f"{SORTS[figure.sort]}{unit}", figure.about]


def counters() -> str:
    return table(["metric", "meaning"], ([f"`{name}`", about] for name, about in COUNTERS.items()))
