"""Layers of configuration applied to the hooks, with the settings that wait for trust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline.core.frozen import EMPTY, Frozen
from hookline.core.hook import BadSetting, Hook, configure, find_hook, tightens
from hookline.core.registry import describe_unknown
from hookline.core.sink import ConfiguredSink
from hookline.core.values import replace
from hookline.core.variables import SWITCH_PREFIX, SWITCH_PREFIXES
from hookline.policy.entries import check_priority
from hookline.policy.model import (
    FAILURES,
    REPOSITORY_SOURCES,
    UNVERIFIED,
    Layer,
    Problem,
    SettingValue,
)

TRUST_FREE_OPTIONS = ("context_cap",)
"""Options that a project may set without trust."""
SET_SUFFIX = " is set"
_FAILURE_CHOICES = "one of " + ", ".join(f'"{name}"' for name in FAILURES)


class EffectiveConfig(Struct, frozen=True, kw_only=True):
    """The hooks as they will run, and the origins, problems and open requests to show to the user."""

    hooks: tuple[Hook, ...]
    options: Mapping[str, SettingValue] = EMPTY
    origins: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Origin of each setting that is not the default, by hook and key."""
    refused: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Origin of the last invalid value, by hook and key; an option has the hook ""."""
    problems: tuple[Problem, ...] = ()
    waiting: tuple[str, ...] = ()
    """Settings of the project that the user has not trusted."""
    sinks: tuple[ConfiguredSink, ...] = ()
    declared: frozenset[str] = frozenset()
    """Names of hooks that files declare, including those that wait for trust."""


class _Findings(Struct, frozen=True, kw_only=True):
    """Origins, problems and waiting settings collected while layers are applied."""

    origins: dict[tuple[str, str], str]
    refused: dict[tuple[str, str], str]
    problems: list[Problem]
    waiting: list[str]


def needs_trust(source: str, *, trusted: bool) -> bool:
    """Return whether the files of *source* may only tighten."""
    return source == UNVERIFIED or (source in REPOSITORY_SOURCES and not trusted)


def apply_layers(
    hooks: Sequence[Hook],
    layers: Sequence[Layer],
    *,
    trusted: bool,
    switches: Mapping[str, str],
    unattended: str = "",
) -> EffectiveConfig:
    """Apply *layers*, in the order user, project, local; *switches* map hooks to turn off to the reason.

    *unattended* is the reason to apply the settings for unattended sessions in spite of the profile, if any.
    """
    problems = [problem for layer in layers for problem in layer.problems]
    findings = _Findings(origins={}, refused={}, problems=problems, waiting=[])
    options = _merge_options(layers, findings, trusted=trusted)
    with_profile = _apply_profile(hooks, options, findings, unattended)
    configured = [_apply_settings(hook, layers, findings, trusted=trusted) for hook in with_profile]
    return EffectiveConfig(
        hooks=_disable_parts([_apply_switch(hook, switches) for hook in configured]),
        options=Frozen(options),
        origins=findings.origins,
        refused=findings.refused,
        problems=(
            *problems,
            *_unknown_hooks(hooks, layers),
            *_undeclared_servers(layers),
            *_unknown_switches(hooks, layers, switches),
        ),
        waiting=tuple(findings.waiting),
        declared=_declared_names(layers),
    )


def _merge_options(layers: Sequence[Layer], findings: _Findings, *, trusted: bool) -> dict[str, SettingValue]:
    options: dict[str, SettingValue] = {}
    for layer in layers:
        for key, value in layer.options.items():
            if needs_trust(layer.source, trusted=trusted) and key not in TRUST_FREE_OPTIONS:
                findings.waiting.append(f"{value.origin}: {key} = {value.value!r}")
            else:
                options[key] = value
                findings.refused.pop(("", key), None)
        findings.refused.update({("", key): origin for key, origin in layer.refused.items()})
    return options


def _apply_profile(
    hooks: Iterable[Hook], options: Mapping[str, SettingValue], findings: _Findings, unattended: str
) -> list[Hook]:
    profile = options.get("profile")
    reason = f'profile = "{profile.value}" in {profile.origin}' if profile else ""
    if profile and profile.value == "none":
        explained = [replace(h, enabled=False, off=reason) if h.source == "built-in" else h for h in hooks]
    else:
        explained = [replace(h, off="off by default") if not h.enabled and not h.off else h for h in hooks]
    if profile and profile.value == "unattended":
        unattended = reason
    if not unattended:
        return explained
    findings.origins.update({(hook.name, key): unattended for hook in explained for key in hook.unattended})
    return [_tighten_unattended(hook, unattended) for hook in explained]


def _tighten_unattended(hook: Hook, reason: str) -> Hook:
    for key, value in hook.unattended.items():
        hook = _apply_setting(hook, key, SettingValue(value=value, origin=reason))
    return hook


def _apply_settings(hook: Hook, layers: Sequence[Layer], findings: _Findings, *, trusted: bool) -> Hook:
    for layer in layers:
        for key, value in _settings_for(hook, layer):
            try:
                changed = _apply_setting(hook, key, value)
            except BadSetting as error:
                findings.refused[hook.name, key] = value.origin
                findings.problems.append(_problem(value.origin, str(error)))
                continue
            if needs_trust(layer.source, trusted=trusted) and not _tightens(hook, key, value.value):
                findings.waiting.append(f"{value.origin}: [hooks.{hook.name}] {key} = {value.value!r}")
                continue
            findings.problems.extend(_find_item_problems(hook, key, value))
            hook, findings.origins[hook.name, key] = changed, value.origin
            findings.refused.pop((hook.name, key), None)
    return hook


def _find_item_problems(hook: Hook, key: str, setting: SettingValue) -> Iterable[Problem]:
    """Yield a problem for each invalid item of a list, which the hook ignores."""
    if key not in hook.checks:
        return
    for number, (item, origin) in enumerate(zip(setting.value, setting.items, strict=False), 1):
        if error := hook.checks[key](item):
            yield _problem(origin, f"item {number} of {key!r} of hook {hook.name!r} {error}; it is ignored")


def _settings_for(hook: Hook, layer: Layer) -> Iterable[tuple[str, SettingValue]]:
    for name in (hook.name, *hook.aliases):
        yield from layer.settings.get(name, {}).items()


def _tightens(hook: Hook, key: str, value: Any) -> bool:
    if key in ("on_failure", "on_timeout"):
        return bool(value == "block")
    return key != "priority" and tightens(hook, key, value)


def _apply_setting(hook: Hook, key: str, setting: SettingValue) -> Hook:
    value = setting.value
    if key == "enabled":
        _require(hook, key, value, holds=isinstance(value, bool), expected="true or false")
        return replace(hook, enabled=value, off="" if value else f"enabled = false in {setting.origin}")
    if key == "priority":
        if error := check_priority(value):
            raise BadSetting(f"setting {key!r} of hook {hook.name!r} {error}")
        return replace(hook, priority=value, priorities={})
    if key in ("on_failure", "on_timeout"):
        _require(hook, key, value, holds=value in FAILURES, expected=_FAILURE_CHOICES)
        return replace(hook, **{key: value})
    return configure(hook, {key: value})


def _require(hook: Hook, key: str, value: Any, *, holds: bool, expected: str) -> None:
    if not holds:
        raise BadSetting(f"setting {key!r} of hook {hook.name!r} must be {expected}, not {value!r}")


def _problem(origin: str, text: str) -> Problem:
    file, _, line = origin.rpartition(":")
    return Problem(file=file, line=int(line), text=text)


def _unknown_hooks(hooks: Sequence[Hook], layers: Sequence[Layer]) -> Iterable[Problem]:
    """Yield a problem for each settings table of a hook that does not exist."""
    names, waiting = sorted(hook.name for hook in hooks), _declared_names(layers)
    for layer in layers:
        for name, origin in layer.tables.items():
            if find_hook(hooks, name) is None and name not in waiting:
                yield _problem(origin, describe_unknown("hook", name, names))


def _undeclared_servers(layers: Sequence[Layer]) -> Iterable[Problem]:
    """Yield a problem for each hook whose MCP server no file declares."""
    servers = {name for layer in layers for name in layer.servers}
    for declaration in (entry for layer in layers for entry in layer.declarations):
        tool = declaration.spec.get("tool", "")
        if tool and not any(tool[:at] in servers for at, char in enumerate(tool) if char == "."):
            known = ", ".join(sorted(servers)) or "none"
            text = f"'tool' is {tool!r}, but no mcp.json declares its server; declared: {known}"
            yield _problem(declaration.origin, text)


def _declared_names(layers: Sequence[Layer]) -> frozenset[str]:
    return frozenset(declaration.name for layer in layers for declaration in layer.declarations)


def _unknown_switches(
    hooks: Sequence[Hook], layers: Sequence[Layer], switches: Mapping[str, str]
) -> Iterable[Problem]:
    """Yield a problem for each switch that matches no hook."""
    names = {name for hook in hooks for name in (hook.name, *hook.aliases)} | _declared_names(layers)
    switch_names = {_switch_name(name) for name in names}
    available = ", ".join(
        sorted(SWITCH_PREFIX + _switch_name(hook.name).upper().replace("-", "_") for hook in hooks)
    )
    for name, reason in switches.items():
        if name not in switch_names:
            variable = reason.removesuffix(SET_SUFFIX)
            yield Problem(file="environment", text=f"{variable} matches no hook; available: {available}")


def _apply_switch(hook: Hook, switches: Mapping[str, str]) -> Hook:
    for name in map(_switch_name, (hook.name, *hook.aliases)):
        if name in switches:
            return replace(hook, enabled=False, off=switches[name])
    return hook


def _disable_parts(hooks: Sequence[Hook]) -> tuple[Hook, ...]:
    """Turn off hooks that are parts of a hook that is off."""
    off = {hook.name: hook.off for hook in hooks if not hook.enabled}
    return tuple(
        replace(hook, enabled=False, off=off[hook.part_of]) if hook.part_of in off else hook for hook in hooks
    )


def switches(env: Mapping[str, str]) -> dict[str, str]:
    """Return the hooks that `HOOKLINE_DISABLE_<NAME>` turns off, with the variable as the reason."""
    return {
        _switch_name(key.removeprefix(prefix).lower()): f"{key}{SET_SUFFIX}"
        for prefix in SWITCH_PREFIXES
        for key, value in env.items()
        if key.startswith(prefix) and value
    }


def _switch_name(name: str) -> str:
    """Return a hook's name as its switch spells it: a variable has neither `-` nor `.`."""
    return name.replace("_", "-").replace(".", "-")
