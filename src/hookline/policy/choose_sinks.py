"""Selection of the configured sinks and their settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline.core.frozen import Frozen
from hookline.core.setting_types import InvalidValue, convert_setting
from hookline.core.sink import ConfiguredSink
from hookline.policy.layers import needs_trust
from hookline.policy.model import REPOSITORY_SOURCES, Layer, Problem, SettingValue


class SinkConfig(Struct, frozen=True, kw_only=True):
    """The configured sinks, the problems, and the settings that wait for trust."""

    sinks: tuple[ConfiguredSink, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def choose(layers: Sequence[Layer], opener: Callable[[str], Any], *, trusted: bool) -> SinkConfig:
    """Return the sinks of *layers*; *opener* returns the function that opens a sink, with its settings."""
    config = SinkConfig()
    names = dict.fromkeys(name for layer in layers for name in layer.sinks)
    choices = (_choose_sink(name, opener(name), layers, config, trusted=trusted) for name in names)
    return SinkConfig(
        sinks=tuple(choice for choice in choices if choice is not None),
        problems=config.problems,
        waiting=config.waiting,
    )


def _choose_sink(
    name: str, opener: Any, layers: Sequence[Layer], config: SinkConfig, *, trusted: bool
) -> ConfiguredSink | None:
    settings, origins, sources = dict(opener.__kwdefaults__), dict[str, str](), set[str]()
    settings["enabled"] = True
    for layer in (layer for layer in layers if name in layer.sinks):
        if needs_trust(layer.source, trusted=trusted):
            config.waiting.extend(_describe_settings(name, layer))
            continue
        sources.add(layer.source)
        for key, value in _valid_settings(name, opener, layer.sinks[name], config.problems):
            settings[key], origins[key] = value, layer.sinks[name][key].origin
    if not sources:
        return None
    return ConfiguredSink(
        name=name,
        enabled=bool(settings.pop("enabled")),
        settings=Frozen(settings),
        origins=Frozen(origins),
        own=not sources & {*REPOSITORY_SOURCES},
    )


def _describe_settings(name: str, layer: Layer) -> Iterable[str]:
    values = layer.sinks[name].items()
    return [f"{setting.origin}: [sinks.{name}] {key} = {setting.value!r}" for key, setting in values] or [
        f"{layer.file}: [sinks.{name}]"
    ]


def _valid_settings(
    name: str, opener: Any, values: Mapping[str, SettingValue], problems: list[Problem]
) -> Iterable[tuple[str, Any]]:
    types = {**{key: opener.__annotations__[key] for key in opener.__kwdefaults__}, "enabled": bool}
    for key, setting in values.items():
        try:
            if key not in types:
                known = ", ".join(sorted(types))
                problems.append(
                    _problem(setting, f"sink {name!r} has no setting {key!r}; available: {known}")
                )
            else:
                yield key, convert_setting(setting.value, types[key])
        except InvalidValue as error:
            problems.append(_problem(setting, f"setting {key!r} of sink {name!r} must be {error}"))


def _problem(setting: SettingValue, text: str) -> Problem:
    file, _, line = setting.origin.rpartition(":")
    return Problem(file=file, line=int(line), text=text)
