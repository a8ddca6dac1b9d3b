"""What the docs say about telemetry: the sinks with their settings, and the figures of events."""

from about_hooks import typed
from cells import code, table

from hookline import sinks
from hookline.core.metrics import FIGURES, Figure
from hookline.sinks._otel_metrics import COUNTERS

SORTS = {"count": "counter", "amount": "histogram", "word": "attribute"}


def sink_list() -> str:
    return table(["sink", "what it is"], ([f"`{name}`", sinks.about(name)] for name in sinks.names()))


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
    """One section a sink, so that a new one has its own by being there."""
    return "\n".join(f"### {name}\n\n{sinks.about(name)}\n\n{settings(name)}" for name in sinks.names())


def figure_list() -> str:
    return table(["figure", "at", "what it is", "unit", "as", "had from"], map(_figure, FIGURES))


def _figure(one: Figure) -> list[str]:
    source = "every event" if one.rule else "a hook's `Measure`"
    return [f"`{one.name}`", code(one.on), one.about, f"`{one.unit}`", SORTS[one.sort], source]


def counters() -> str:
    return table(["metric", "what it is"], ([f"`{name}`", about] for name, about in COUNTERS.items()))
