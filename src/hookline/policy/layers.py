"""Lay configuration over the hooks: whose word counts, what waits for trust, and why a hook is off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline.core.frozen import NOTHING, Frozen
from hookline.core.hook import BadSetting, Hook, configure, named, tightens
from hookline.core.sink import Choice
from hookline.core.values import replace
from hookline.policy.entries import bad_priority
from hookline.policy.model import FAILURES, Given, Layer, Problem

OWN = ("project", "local")
"""Sources that lie in the repository: what loosens in them counts only once it is trusted."""
HARMLESS_OPTIONS = ("context_cap",)
SWITCH = "AR_DISABLE_"
SET = " is set"
_ONE_OF = "one of " + ", ".join(f'"{name}"' for name in FAILURES)


class Settled(Struct, frozen=True, kw_only=True):
    """The hooks as they will run, and what a person should know about how that came."""

    hooks: tuple[Hook, ...]
    options: Mapping[str, Given] = NOTHING
    given: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Where each setting that is not the default comes from, by hook and key."""
    refused: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Where a value was given last that does not hold, by hook and key; an option has no hook."""
    problems: tuple[Problem, ...] = ()
    waiting: tuple[str, ...] = ()
    """What the project wants that the user has not trusted."""
    sinks: tuple[Choice, ...] = ()
    declared: frozenset[str] = frozenset()
    """The names of hooks that files declare, also of those that wait for trust."""


class _Found(Struct, frozen=True, kw_only=True):
    """What comes to light while settings are laid over hooks."""

    given: dict[tuple[str, str], str]
    refused: dict[tuple[str, str], str]
    problems: list[Problem]
    waiting: list[str]


def settle(
    hooks: Sequence[Hook], layers: Sequence[Layer], *, trusted: bool, switches: Mapping[str, str]
) -> Settled:
    """*layers* in the order user, project, local; *switches* turn hooks off, by name, with a why."""
    problems = [problem for layer in layers for problem in layer.problems]
    found = _Found(given={}, refused={}, problems=problems, waiting=[])
    options = _options(layers, found, trusted=trusted)
    profiled = _by_profile(hooks, options, found)
    laid = [_lay(hook, layers, found, trusted=trusted) for hook in profiled]
    return Settled(
        hooks=_together([_switched(hook, switches) for hook in laid]),
        options=Frozen(options),
        given=found.given,
        refused=found.refused,
        problems=(*problems, *_strangers(hooks, layers), *_unserved(layers), *_idle(hooks, layers, switches)),
        waiting=tuple(found.waiting),
        declared=_declared(layers),
    )


def _options(layers: Sequence[Layer], found: _Found, *, trusted: bool) -> dict[str, Given]:
    options: dict[str, Given] = {}
    for layer in layers:
        for key, given in layer.options.items():
            if layer.source in OWN and not trusted and key not in HARMLESS_OPTIONS:
                found.waiting.append(f"{given.origin}: {key} = {given.value!r}")
            else:
                options[key] = given
                found.refused.pop(("", key), None)
        found.refused.update({("", key): origin for key, origin in layer.refused.items()})
    return options


def _by_profile(hooks: Iterable[Hook], options: Mapping[str, Given], found: _Found) -> list[Hook]:
    profile = options.get("profile")
    why = f'profile = "{profile.value}" in {profile.origin}' if profile else ""
    if profile and profile.value == "none":
        return [replace(h, enabled=False, off=why) if h.source == "built-in" else h for h in hooks]
    known = [replace(h, off="off by default") if not h.enabled and not h.off else h for h in hooks]
    if profile is None or profile.value != "unattended":
        return known
    found.given.update({(hook.name, key): why for hook in known for key in hook.unattended})
    return [configure(hook, hook.unattended) for hook in known]


def _lay(hook: Hook, layers: Sequence[Layer], found: _Found, *, trusted: bool) -> Hook:
    for layer in layers:
        for key, value in _meant_for(hook, layer):
            try:
                changed = _set(hook, key, value)
            except BadSetting as error:
                found.refused[hook.name, key] = value.origin
                found.problems.append(_problem(value.origin, str(error)))
                continue
            if layer.source in OWN and not trusted and not _harmless(hook, key, value.value):
                found.waiting.append(f"{value.origin}: [hooks.{hook.name}] {key} = {value.value!r}")
                continue
            hook, found.given[hook.name, key] = changed, value.origin
            found.refused.pop((hook.name, key), None)
    return hook


def _meant_for(hook: Hook, layer: Layer) -> Iterable[tuple[str, Given]]:
    for name in (hook.name, *hook.aliases):
        yield from layer.settings.get(name, {}).items()


def _harmless(hook: Hook, key: str, value: Any) -> bool:
    if key in ("on_failure", "on_timeout"):
        return bool(value == "block")
    return key != "priority" and tightens(hook, key, value)


def _set(hook: Hook, key: str, given: Given) -> Hook:
    value = given.value
    if key == "enabled":
        _typed(hook, key, value, holds=isinstance(value, bool), wanted="true or false")
        return replace(hook, enabled=value, off="" if value else f"enabled = false in {given.origin}")
    if key == "priority":
        if wrong := bad_priority(value):
            raise BadSetting(f"setting {key!r} of hook {hook.name!r} {wrong}")
        return replace(hook, priority=value, priorities={})
    if key in ("on_failure", "on_timeout"):
        _typed(hook, key, value, holds=value in FAILURES, wanted=_ONE_OF)
        return replace(hook, **{key: value})
    return configure(hook, {key: value})


def _typed(hook: Hook, key: str, value: Any, *, holds: bool, wanted: str) -> None:
    if not holds:
        raise BadSetting(f"setting {key!r} of hook {hook.name!r} must be {wanted}, not {value!r}")


def _problem(origin: str, text: str) -> Problem:
    file, _, line = origin.rpartition(":")
    return Problem(file=file, line=int(line), text=text)


def _strangers(hooks: Sequence[Hook], layers: Sequence[Layer]) -> Iterable[Problem]:
    """Settings of hooks that do not exist."""
    known, waiting = ", ".join(sorted(hook.name for hook in hooks)), _declared(layers)
    for layer in layers:
        for name, origin in layer.tables.items():
            if named(hooks, name) is None and name not in waiting:
                yield _problem(origin, f"no hook is called {name!r}; there are: {known}")


def _unserved(layers: Sequence[Layer]) -> Iterable[Problem]:
    """Hooks that are tools of servers that nobody declares."""
    servers = {name for layer in layers for name in layer.servers}
    for declaration in (one for layer in layers for one in layer.declarations):
        tool = declaration.spec.get("tool", "")
        if tool and not any(tool[:at] in servers for at, char in enumerate(tool) if char == "."):
            there = ", ".join(sorted(servers)) or "none"
            text = f"'tool' is {tool!r}, but no mcp.json declares its server; there are: {there}"
            yield _problem(declaration.origin, text)


def _declared(layers: Sequence[Layer]) -> frozenset[str]:
    return frozenset(declaration.name for layer in layers for declaration in layer.declarations)


def _idle(hooks: Sequence[Hook], layers: Sequence[Layer], switches: Mapping[str, str]) -> Iterable[Problem]:
    """Switches that switch nothing."""
    names = {name for hook in hooks for name in (hook.name, *hook.aliases)} | _declared(layers)
    known = {_plain(name) for name in names}
    there = ", ".join(sorted(SWITCH + _plain(hook.name).upper().replace("-", "_") for hook in hooks))
    for name, why in switches.items():
        if name not in known:
            variable = why.removesuffix(SET)
            yield Problem(file="environment", text=f"{variable} switches nothing; there are: {there}")


def _switched(hook: Hook, switches: Mapping[str, str]) -> Hook:
    for name in map(_plain, (hook.name, *hook.aliases)):
        if name in switches:
            return replace(hook, enabled=False, off=switches[name])
    return hook


def _together(hooks: Sequence[Hook]) -> tuple[Hook, ...]:
    """A part of a hook is off where that is off."""
    off = {hook.name: hook.off for hook in hooks if not hook.enabled}
    return tuple(
        replace(hook, enabled=False, off=off[hook.part_of]) if hook.part_of in off else hook for hook in hooks
    )


def switches(env: Mapping[str, str]) -> dict[str, str]:
    """The hooks that `AR_DISABLE_<NAME>` switches off, with the variable as the why."""
    return {
        _plain(key.removeprefix(SWITCH).lower()): f"{key}{SET}"
        for key, value in env.items()
        if key.startswith(SWITCH) and value
    }


def _plain(name: str) -> str:
    """A hook's name as its switch tells it: a variable has neither `-` nor `.`."""
    return name.replace("_", "-").replace(".", "-")
