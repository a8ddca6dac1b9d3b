"""Which sinks are on, with which settings, and whose word that is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline.core.frozen import Frozen
from hookline.core.setting_types import Misfit, fitted
from hookline.core.sink import Choice
from hookline.policy.files import Given, Layer, Problem

OWN = ("project", "local")
"""Sources that lie in the repository: what they say about sinks counts only once it is trusted."""


class Chosen(Struct, frozen=True, kw_only=True):
    """The sinks that are configured, what is wrong, and what waits for trust."""

    sinks: tuple[Choice, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def choose(layers: Sequence[Layer], opener: Callable[[str], Any], *, trusted: bool) -> Chosen:
    """The choices of *layers*; *opener* finds what opens a sink, whose keyword parameters are settings."""
    chosen = Chosen()
    names = dict.fromkeys(name for layer in layers for name in layer.sinks)
    found = (_choice(name, opener(name), layers, chosen, trusted=trusted) for name in names)
    return Chosen(
        sinks=tuple(one for one in found if one is not None),
        problems=chosen.problems,
        waiting=chosen.waiting,
    )


def _choice(
    name: str, opener: Any, layers: Sequence[Layer], found: Chosen, *, trusted: bool
) -> Choice | None:
    settings, given, sources = dict(opener.__kwdefaults__), dict[str, str](), set[str]()
    settings["enabled"] = True
    for layer in (layer for layer in layers if name in layer.sinks):
        if layer.source in OWN and not trusted:
            found.waiting.extend(_waiting(name, layer))
            continue
        sources.add(layer.source)
        for key, value in _fitting(name, opener, layer.sinks[name], found.problems):
            settings[key], given[key] = value, layer.sinks[name][key].origin
    if not sources:
        return None
    return Choice(
        name=name,
        enabled=bool(settings.pop("enabled")),
        settings=Frozen(settings),
        given=Frozen(given),
        own=not sources & {*OWN},
    )


def _waiting(name: str, layer: Layer) -> Iterable[str]:
    values = layer.sinks[name].items()
    return [f"{given.origin}: [sinks.{name}] {key} = {given.value!r}" for key, given in values] or [
        f"{layer.file}: [sinks.{name}]"
    ]


def _fitting(
    name: str, opener: Any, values: Mapping[str, Given], problems: list[Problem]
) -> Iterable[tuple[str, Any]]:
    types = {**{key: opener.__annotations__[key] for key in opener.__kwdefaults__}, "enabled": bool}
    for key, given in values.items():
        try:
            if key not in types:
                there = ", ".join(sorted(types))
                problems.append(_problem(given, f"sink {name!r} has no setting {key!r}; there are: {there}"))
            else:
                yield key, fitted(given.value, types[key])
        except Misfit as error:
            problems.append(_problem(given, f"setting {key!r} of sink {name!r} must be {error}"))


def _problem(given: Given, text: str) -> Problem:
    file, _, line = given.origin.rpartition(":")
    return Problem(file=file, line=int(line), text=text)
