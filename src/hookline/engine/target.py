"""The target of a run, as defined in `.hookline/targets/<name>.toml`."""

import tomllib
from collections.abc import Callable, Mapping
from math import comb
from typing import Any, Literal

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.values import replace
from hookline.engine import target_values

Direction = Literal["lower", "higher"]


class Scope(Struct, frozen=True, kw_only=True):
    """Globs from the root of the repository, with `**` in every folder.

    A path may be changed if it is mutable and not immutable.
    """

    mutable: tuple[str, ...]
    immutable: tuple[str, ...] = ()


class Metric(Struct, frozen=True, kw_only=True):
    """The number to improve: how to measure it and which direction is better."""

    command: str
    direction: Direction
    extract: str = ""
    """Shell pipeline for the output; if empty, the last number of the output itself."""
    target: float | None = None
    """The run ends when the metric reaches this value; None for no such goal."""
    repeats: int = 1
    """Runs of the command per measurement; the median counts."""
    min_delta: float = 0.0
    """A gain must exceed this value."""
    timeout: float = 600.0
    share: tuple[str, ...] = ()
    """Ignored files and folders of the user's checkout that guard and metric need."""
    name: str = "metric"
    unit: str = ""

    def better(self, value: float, other: float) -> bool:
        """Return whether *value* is better than *other* by more than `min_delta`."""
        gain = other - value if self.direction == "lower" else value - other
        return gain > self.min_delta

    def reached(self, value: float | None) -> bool:
        """Return whether the value reaches the target of the metric."""
        if self.target is None or value is None:
            return False
        return value <= self.target if self.direction == "lower" else value >= self.target


class Guard(Struct, frozen=True, kw_only=True):
    """A condition on every result: a command that succeeds, or prints a number within a threshold."""

    command: str
    extract: str = ""
    threshold: float | None = None
    """None: only the exit code counts."""
    direction: Direction = "higher"
    timeout: float = 600.0
    rework: int = 2
    """Further attempts of the agent when the metric improved but the guard failed."""

    def holds(self, value: float | None) -> bool:
        """Return whether the number of a successful command is within the threshold."""
        if self.threshold is None:
            return True
        if value is None:
            return False
        return value >= self.threshold if self.direction == "higher" else value <= self.threshold


class Agent(Struct, frozen=True, kw_only=True):
    """The agent that changes the code, and its budget per experiment."""

    host: str
    """The name of a host, `tuner` or `command`."""
    command: str = ""
    """The shell line for the host `command`; empty for all others."""
    profile: str = "default"
    model: str = ""
    budget: float = 1200.0
    grace: float = 30.0
    """Seconds after the end of the budget during which only commits are allowed."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = EMPTY


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of a run, each independent; None for no limit."""

    experiments: int | None = 50
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    failures: int = 5
    """Experiments in a row whose agent or metric failed completely."""


class Escalation(Struct, frozen=True, kw_only=True):
    """Numbers of failures in a row after which the advice to the agent changes."""

    refine: int = 3
    pivot: int = 5
    search: int = 2
    """Pivots without progress."""
    halt: int | None = 3
    """Pivots after which the run asks for a person; None: never, the default if the agent reads no advice."""
    plateau: int | None = None
    """Experiments without a better result after which the run ends; None for no such limit."""


class Noise(Struct, frozen=True, kw_only=True):
    """Treatment of a metric that varies between runs."""

    kind: Literal["auto", "deterministic", "noisy"] = "auto"
    """auto: noisy as soon as two runs of a commit differ."""
    samples: int = 4
    """New runs of each side that confirm a better first result."""
    p: float = 0.05
    measure: Literal["alone", "together"] = "alone"
    """alone: parallel experiments measure a noisy metric one at a time."""


class Resources(Struct, frozen=True, kw_only=True):
    """Devices of a machine that only one experiment may use at a time."""

    gpu: int = 0
    """GPUs of an experiment."""


class Target(Struct, frozen=True, kw_only=True):
    """The number to improve, and the settings of the run that improves it."""

    name: str
    goal: str
    scope: Scope
    metric: Metric
    agent: Agent
    guard: Guard | None = None
    """None: only the metric counts."""
    limits: Limits = Limits()
    escalation: Escalation = Escalation()
    noise: Noise = Noise()
    resources: Resources = Resources()


_DIRECTION = target_values.one_of("lower", "higher")
_SECTIONS: Mapping[str, tuple[Callable[..., Any], Mapping[str, target_values.Parser]]] = {
    "scope": (Scope, {"mutable": target_values.globs, "immutable": target_values.texts}),
    "metric": (
        Metric,
        {
            "command": target_values.text,
            "direction": _DIRECTION,
            "extract": target_values.text,
            "target": target_values.number,
            "repeats": target_values.integer_between(1, 100),
            "min_delta": target_values.non_negative,
            "timeout": target_values.duration,
            "share": target_values.shared_paths,
            "name": target_values.text,
            "unit": target_values.text,
        },
    ),
    "guard": (
        Guard,
        {
            "command": target_values.text,
            "extract": target_values.text,
            "threshold": target_values.number,
            "direction": _DIRECTION,
            "timeout": target_values.duration,
            "rework": target_values.integer_between(0, 20),
        },
    ),
    "agent": (
        Agent,
        {
            "host": target_values.text,
            "command": target_values.text,
            "profile": target_values.text,
            "model": target_values.text,
            "budget": target_values.duration,
            "grace": target_values.duration_or_zero,
            "args": target_values.texts,
            "env": target_values.environment,
        },
    ),
    "limits": (
        Limits,
        {
            "experiments": target_values.integer_between(1, 1_000_000),
            "time": target_values.duration,
            "tokens": target_values.integer_between(1, 1 << 53),
            "cost": target_values.positive,
            "failures": target_values.integer_between(1, 1_000),
        },
    ),
    "escalation": (
        Escalation,
        {
            **{
                name: target_values.integer_between(1, 1_000)
                for name in ("refine", "pivot", "search", "plateau")
            },
            "halt": target_values.integer_or_never(1, 1_000),
        },
    ),
    "noise": (
        Noise,
        {
            "kind": target_values.one_of("auto", "deterministic", "noisy"),
            "samples": target_values.integer_between(2, 10),
            "p": target_values.fraction,
            "measure": target_values.one_of("alone", "together"),
        },
    ),
    "resources": (Resources, {"gpu": target_values.integer_between(0, 64)}),
}
_REQUIRED = {
    "scope": ("mutable",),
    "metric": ("command", "direction"),
    "agent": ("host",),
    "guard": ("command",),
}
_FIELD_NAMES: Mapping[str, str] = {"time": "seconds"}
WITHOUT_ADVICE = ("tuner",)
"""Agents that do not read the advice: a change of direction cannot be expected of them."""
OPTIONAL = ("guard", "limits", "escalation", "noise", "resources")


def parse_target(text: str, name: str) -> Target:
    """Return the target in a file's text; raise `ValueError` with a sentence on the first problem."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"target {name!r}: invalid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except RecursionError:
        raise ValueError(f"target {name!r}: invalid TOML: nested too deeply") from None
    target_values.check_keys(table, ("goal", *_SECTIONS), f"target {name!r}")
    goal = target_values.require(table, "goal", f"target {name!r}: goal", target_values.text)
    parts = {
        section: _parse_section(table, section, name) for section in _SECTIONS if _is_present(table, section)
    }
    target = Target(name=name, goal=goal, **parts)
    if target.agent.host in WITHOUT_ADVICE and "halt" not in table.get("escalation", {}):
        target = replace(target, escalation=replace(target.escalation, halt=None))
    _check_agent(target.agent, f"target {name!r}: agent")
    _check_noise(target.noise, f"target {name!r}: noise")
    return target


def _check_agent(agent: Agent, where: str) -> None:
    """Raise `ValueError` for settings that the host would silently ignore."""
    if agent.host == "command" and not agent.command:
        raise ValueError(f"{where}.command is missing; the host 'command' requires a shell command")
    if agent.host != "command" and agent.command:
        raise ValueError(
            f"{where}.command applies only to the host 'command', and the host is {agent.host!r}; "
            "remove it, or change the host"
        )
    unused = [name for name in ("model", "profile") if getattr(agent, name) != getattr(Agent(host=""), name)]
    if agent.host in ("command", "tuner") and unused:
        raise ValueError(f"{where}.{unused[0]} has no effect with the host {agent.host!r}; remove it")


def _check_noise(noise: Noise, where: str) -> None:
    """Raise `ValueError` if so few samples can never reach the required p: nothing would be kept."""
    min_p = 1 / comb(2 * noise.samples, noise.samples)
    if noise.kind != "deterministic" and min_p > noise.p:
        raise ValueError(
            f"{where}.samples is {noise.samples}, which allows no p below {min_p:.3g}, but p = {noise.p:g} "
            "is required; increase either, or no experiment can be kept"
        )


def _is_present(table: Mapping[str, Any], section: str) -> bool:
    return section in table or section not in OPTIONAL


def _parse_section(table: Mapping[str, Any], section: str, name: str) -> Any:
    create, parsers = _SECTIONS[section]
    where = f"target {name!r}: {section}"
    values: Any = table.get(section)
    if not isinstance(values, dict):
        raise ValueError(  # noqa: TRY004 -- the file is at fault, not a Python type
            f"{where} is {'missing' if values is None else 'not a table'}; write [{section}] with its keys"
        )
    target_values.check_keys(values, parsers, where)
    for key in _REQUIRED.get(section, ()):
        target_values.require(values, key, f"{where}.{key}", parsers[key])
    fields: dict[str, Any] = {}
    for key, value in values.items():
        fields[_FIELD_NAMES.get(key, key)] = parsers[key](value, f"{where}.{key}")
    return create(**fields)
