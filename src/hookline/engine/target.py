"""What a run improves: a target, as `.hookline/targets/<name>.toml` says it."""

import tomllib
from collections.abc import Callable, Mapping
from math import comb
from typing import Any, Literal

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.engine import target_values as keys

Direction = Literal["lower", "higher"]


class Scope(Struct, frozen=True, kw_only=True):
    """Globs as in .gitignore; what is immutable is not mutable, and what is neither is not either."""

    mutable: tuple[str, ...]
    immutable: tuple[str, ...] = ()


class Metric(Struct, frozen=True, kw_only=True):
    """How the one number is measured, and which way is better."""

    command: str
    direction: Direction
    extract: str = ""
    """A shell pipeline that the output goes through; empty: the last number of the output itself."""
    target: float | None = None
    """The run ends when this is reached; None: it has no goal in numbers."""
    repeats: int = 1
    """Runs of the command in one measurement, of which the median counts."""
    min_delta: float = 0.0
    """What is not better by more than this is not better."""
    timeout: float = 600.0
    name: str = "metric"
    unit: str = ""

    def better(self, one: float, than: float) -> bool:
        """Strictly, and by more than `min_delta`."""
        gain = than - one if self.direction == "lower" else one - than
        return gain > self.min_delta

    def reached(self, value: float | None) -> bool:
        """Whether the goal in numbers is reached."""
        if self.target is None or value is None:
            return False
        return value <= self.target if self.direction == "lower" else value >= self.target


class Guard(Struct, frozen=True, kw_only=True):
    """What must hold whatever is gained: a command that ends well, or prints a number that is good enough."""

    command: str
    extract: str = ""
    threshold: float | None = None
    """None: the exit code alone counts."""
    direction: Direction = "higher"
    timeout: float = 600.0
    rework: int = 2
    """How often the agent may try again when a better metric came with a failed guard."""

    def holds(self, value: float | None) -> bool:
        """Whether the number of a command that ended well is good enough."""
        if self.threshold is None:
            return True
        if value is None:
            return False
        return value >= self.threshold if self.direction == "higher" else value <= self.threshold


class Agent(Struct, frozen=True, kw_only=True):
    """Who changes the code, and how long it has for each experiment."""

    host: str
    """The name of a host, or `tuner`, or `command`."""
    command: str = ""
    """The shell line that `command` runs; other hosts have none."""
    profile: str = "default"
    model: str = ""
    budget: float = 1200.0
    grace: float = 30.0
    """Seconds after the budget's end in which only committing is let through."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = NOTHING


class Limits(Struct, frozen=True, kw_only=True):
    """When a run ends at the latest; None: never for this reason. Each holds by itself."""

    experiments: int | None = 50
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    failures: int = 5
    """Experiments in a row whose agent or metric did not work at all."""


class Escalation(Struct, frozen=True, kw_only=True):
    """After how many failures in a row the agent is told to go about it differently."""

    refine: int = 3
    pivot: int = 5
    search: int = 2
    """Pivots without progress."""
    halt: int = 3
    """Pivots, after which a person is asked."""
    plateau: int | None = None
    """Experiments without a better result after which the run ends; None: it goes on."""


class Noise(Struct, frozen=True, kw_only=True):
    """How a metric that varies is judged."""

    kind: Literal["auto", "deterministic", "noisy"] = "auto"
    """auto: noisy where two runs of the baseline differ."""
    samples: int = 4
    """Fresh runs of each side that confirm a better first one."""
    p: float = 0.05


class Target(Struct, frozen=True, kw_only=True):
    """One measurable thing, and how to go about it."""

    name: str
    goal: str
    scope: Scope
    metric: Metric
    agent: Agent
    guard: Guard | None = None
    """None: nothing but the metric counts."""
    limits: Limits = Limits()
    escalation: Escalation = Escalation()
    noise: Noise = Noise()


_DIRECTION = keys.one_of("lower", "higher")
_SECTIONS: Mapping[str, tuple[Callable[..., Any], Mapping[str, keys.Read]]] = {
    "scope": (Scope, {"mutable": keys.globs, "immutable": keys.texts}),
    "metric": (
        Metric,
        {
            "command": keys.text,
            "direction": _DIRECTION,
            "extract": keys.text,
            "target": keys.number,
            "repeats": keys.count(1, 100),
            "min_delta": keys.positive,
            "timeout": keys.span,
            "name": keys.text,
            "unit": keys.text,
        },
    ),
    "guard": (
        Guard,
        {
            "command": keys.text,
            "extract": keys.text,
            "threshold": keys.number,
            "direction": _DIRECTION,
            "timeout": keys.span,
            "rework": keys.count(0, 20),
        },
    ),
    "agent": (
        Agent,
        {
            "host": keys.text,
            "command": keys.text,
            "profile": keys.text,
            "model": keys.text,
            "budget": keys.span,
            "grace": keys.span_or_none,
            "args": keys.texts,
            "env": keys.environment,
        },
    ),
    "limits": (
        Limits,
        {
            "experiments": keys.count(1, 1_000_000),
            "time": keys.span,
            "tokens": keys.count(1, 1 << 53),
            "cost": keys.more_than_none,
            "failures": keys.count(1, 1_000),
        },
    ),
    "escalation": (
        Escalation,
        {name: keys.count(1, 1_000) for name in ("refine", "pivot", "search", "halt", "plateau")},
    ),
    "noise": (
        Noise,
        {
            "kind": keys.one_of("auto", "deterministic", "noisy"),
            "samples": keys.count(2, 10),
            "p": keys.share,
        },
    ),
}
_NEEDED = {
    "scope": ("mutable",),
    "metric": ("command", "direction"),
    "agent": ("host",),
    "guard": ("command",),
}
_CALLED: Mapping[str, str] = {"time": "seconds"}
OPTIONAL = ("guard", "limits", "escalation", "noise")


def read(text: str, name: str) -> Target:
    """The target that a file says; raises `ValueError` with one sentence about the first thing wrong."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(
            f"target {name!r}: this is no TOML: {str(error)[:1].lower()}{str(error)[1:]}"
        ) from None
    except RecursionError:
        raise ValueError(f"target {name!r}: this is no TOML: it is nested too deep") from None
    keys.known(told, ("goal", *_SECTIONS), f"target {name!r}")
    goal = keys.needed(told, "goal", f"target {name!r}: goal", keys.text)
    parts = {section: _section(told, section, name) for section in _SECTIONS if _has(told, section)}
    target = Target(name=name, goal=goal, **parts)
    _fitting(target.agent, f"target {name!r}: agent")
    _decidable(target.noise, f"target {name!r}: noise")
    return target


def _fitting(agent: Agent, where: str) -> None:
    """What its host would not look at would be forgotten in silence."""
    if agent.host == "command" and not agent.command:
        raise ValueError(f"{where}.command is missing; it is the shell line that the host 'command' runs")
    if agent.host != "command" and agent.command:
        raise ValueError(
            f"{where}.command is the shell line of the host 'command', and of no other; "
            f"the host is {agent.host!r}"
        )
    unheard = [name for name in ("model", "profile") if getattr(agent, name) != getattr(Agent(host=""), name)]
    if agent.host in ("command", "tuner") and unheard:
        raise ValueError(f"{where}.{unheard[0]} means nothing to the host {agent.host!r}; take it out")


def _decidable(noise: Noise, where: str) -> None:
    """Of so few runs the clearest result must be sure enough, else a varying metric never keeps anything."""
    least = 1 / comb(2 * noise.samples, noise.samples)
    if noise.kind != "deterministic" and least > noise.p:
        raise ValueError(
            f"{where}.samples is {noise.samples}, with which p is never below {least:.3g}, and {noise.p:g} "
            "is asked for; raise either, or nothing is ever kept"
        )


def _has(told: Mapping[str, Any], section: str) -> bool:
    return section in told or section not in OPTIONAL


def _section(told: Mapping[str, Any], section: str, name: str) -> Any:
    build, allowed = _SECTIONS[section]
    where = f"target {name!r}: {section}"
    values: Any = told.get(section)
    if not isinstance(values, dict):
        raise ValueError(  # noqa: TRY004 -- it is a file that is wrong
            f"{where} is {'missing' if values is None else 'no table'}; write [{section}] with its keys"
        )
    keys.known(values, allowed, where)
    for key in _NEEDED.get(section, ()):
        keys.needed(values, key, f"{where}.{key}", allowed[key])
    read: dict[str, Any] = {}
    for key, value in values.items():
        read[_CALLED.get(key, key)] = allowed[key](value, f"{where}.{key}")
    return build(**read)
