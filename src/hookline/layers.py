"""Lay configuration over the hooks: whose word counts, what waits for trust, and why a hook is off."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hookline.config import FAILURES, Given, Layer, Problem
from hookline.frozen import Frozen
from hookline.hook import BadSetting, Hook, configure, named, tightens

OWN = ("project", "local")
"""Sources that lie in the repository: what loosens in them counts only once it is trusted."""
HARMLESS_OPTIONS = ("context_cap",)
SWITCH = "AR_DISABLE_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The hooks as they will run, and what a person should know about how that came."""

    hooks: tuple[Hook, ...]
    options: Mapping[str, Given] = field(default_factory=Frozen)
    given: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Where each setting that is not the default comes from, by hook and key."""
    problems: tuple[Problem, ...] = ()
    waiting: tuple[str, ...] = ()
    """What the project wants that the user has not trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What comes to light while settings are laid over hooks."""

    given: dict[tuple[str, str], str]
    problems: list[Problem]
    waiting: list[str]


def settle(
    hooks: Sequence[Hook], layers: Sequence[Layer], *, trusted: bool, switches: Mapping[str, str]
) -> Settled:
    """*layers* in the order user, project, local; *switches* turn hooks off, by name, with a why."""
    found = _Found(given={}, problems=[p for layer in layers for p in layer.problems], waiting=[])
    options = _options(layers, found, trusted=trusted)
    laid = [_lay(hook, layers, found, trusted=trusted) for hook in _by_profile(hooks, options)]
    return Settled(
        hooks=tuple(_switched(hook, switches) for hook in laid),
        options=Frozen(options),
        given=found.given,
        problems=(*found.problems, *_strangers(hooks, layers)),
        waiting=tuple(found.waiting),
    )


def _options(layers: Sequence[Layer], found: _Found, *, trusted: bool) -> dict[str, Given]:
    options: dict[str, Given] = {}
    for layer in layers:
        for key, given in layer.options.items():
            if layer.source in OWN and not trusted and key not in HARMLESS_OPTIONS:
                found.waiting.append(f"{given.origin}: {key} = {given.value!r}")
            else:
                options[key] = given
    return options


def _by_profile(hooks: Iterable[Hook], options: Mapping[str, Given]) -> list[Hook]:
    profile = options.get("profile")
    if profile is None or profile.value != "none":
        return [replace(h, off="off by default") if not h.enabled and not h.off else h for h in hooks]
    why = f'profile = "none" in {profile.origin}'
    return [replace(h, enabled=False, off=why) if h.source == "built-in" else h for h in hooks]


def _lay(hook: Hook, layers: Sequence[Layer], found: _Found, *, trusted: bool) -> Hook:
    for layer in layers:
        for key, value in _meant_for(hook, layer):
            if layer.source in OWN and not trusted and not _harmless(hook, key, value.value):
                found.waiting.append(f"{value.origin}: [hooks.{hook.name}] {key} = {value.value!r}")
                continue
            try:
                hook = _set(hook, key, value)
                found.given[hook.name, key] = value.origin
            except BadSetting as error:
                found.problems.append(_problem(value, str(error)))
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
        _typed(hook, key, value, holds=type(value) is int, wanted="a whole number")
        return replace(hook, priority=value, priorities={})
    if key in ("on_failure", "on_timeout"):
        _typed(hook, key, value, holds=value in FAILURES, wanted=f"one of {', '.join(FAILURES)}")
        return replace(hook, **{key: value})
    return configure(hook, {key: value})


def _typed(hook: Hook, key: str, value: Any, *, holds: bool, wanted: str) -> None:
    if not holds:
        raise BadSetting(f"setting {key!r} of hook {hook.name!r} is {wanted}, not {value!r}")


def _problem(given: Given, text: str) -> Problem:
    file, _, line = given.origin.rpartition(":")
    return Problem(file=file, line=int(line), text=text)


def _strangers(hooks: Sequence[Hook], layers: Sequence[Layer]) -> Iterable[Problem]:
    """Settings of hooks that do not exist."""
    known = ", ".join(sorted(hook.name for hook in hooks))
    for layer in layers:
        for name, settings in layer.settings.items():
            if named(hooks, name) is None:
                where = next(iter(settings.values()), Given(value=None, origin=f"{layer.file}:0"))
                yield _problem(where, f"no hook is called {name!r}; there are: {known}")


def _switched(hook: Hook, switches: Mapping[str, str]) -> Hook:
    for name in (hook.name, *hook.aliases):
        if name in switches:
            return replace(hook, enabled=False, off=switches[name])
    return hook


def switches(env: Mapping[str, str]) -> dict[str, str]:
    """The hooks that `AR_DISABLE_<NAME>` switches off, with the variable as the why."""
    return {
        key.removeprefix(SWITCH).lower().replace("_", "-"): f"{key} is set"
        for key, value in env.items()
        if key.startswith(SWITCH) and value
    }
