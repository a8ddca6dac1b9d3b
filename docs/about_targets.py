"""Table of the settings of a target file, for the docs; keys and defaults come from the code."""

from collections.abc import Iterator

from cells import table
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from hookline.core.durations import format_duration
from hookline.engine.target import Agent, Escalation, Guard, Limits, Metric, Noise, Resources, Scope

SECTIONS: dict[str, type[Struct]] = {
    "scope": Scope,
    "metric": Metric,
    "guard": Guard,
    "agent": Agent,
    "limits": Limits,
    "escalation": Escalation,
    "noise": Noise,
    "resources": Resources,
}
REQUIRED = "required"
DURATIONS = ("timeout", "budget", "grace", "time")
KEYS = {"seconds": "time"}
"""Keys that differ from the names of their fields."""
NOTES = {
    "scope.mutable": "globs of files that may change, from the root; `**/NAME` matches in every folder",
    "scope.immutable": "globs; take precedence",
    "metric.command": "shell command that prints the number",
    "metric.direction": '`"lower"` or `"higher"` is better',
    "metric.extract": "shell filter for the output; the last number counts",
    "metric.target": "ends the run when reached",
    "metric.repeats": "runs per measurement, 1 to 100; the median counts",
    "metric.min_delta": "a gain must exceed this value",
    "metric.timeout": "per run of the command",
    "metric.share": "ignored files and folders of your checkout that guard and metric may read",
    "metric.name": "name in reports",
    "metric.unit": "unit in reports",
    "guard.command": "must succeed on every kept result",
    "guard.extract": "as in `metric`",
    "guard.threshold": "limit of the last number; without it, only the exit code counts",
    "guard.direction": 'the number must be at least (`"higher"`) or at most (`"lower"`) the threshold',
    "guard.timeout": "per run of the command",
    "guard.rework": "attempts to fix an improved result that fails the guard, 0 to 20",
    "agent.host": "[the agent](../guides/agents.md)",
    "agent.command": 'shell command of the host `"command"`',
    "agent.profile": "[profile](../guides/agents.md#use-a-profile)",
    "agent.model": "model of the host",
    "agent.budget": "per experiment, including rework",
    "agent.grace": "for commits after the budget; may be 0",
    "agent.args": "further arguments",
    "agent.env": "further environment variables",
    "limits.experiments": "per run",
    "limits.time": "per run",
    "limits.tokens": "per run",
    "limits.cost": "US dollars per run",
    "limits.failures": "failed agents or metrics in a row",
    "escalation.refine": "failures in a row until the advice to refine",
    "escalation.pivot": "failures in a row per advice to change direction (pivot)",
    "escalation.search": "pivots until the advice to search for solutions",
    "escalation.halt": 'pivots until the run ends, or `"never"`, the default with the tuner',
    "escalation.plateau": "experiments without progress until the run ends",
    "noise.kind": '`"deterministic"`, `"noisy"`, or `"auto"`: noisy if two runs of a commit differ',
    "noise.samples": "runs of each side that confirm a gain, 2 to 10",
    "noise.p": "maximum p-value of a gain",
    "noise.measure": '`"alone"` or `"together"`: measurements of a noisy metric by parallel experiments',
    "resources.gpu": "GPUs of an experiment, 0 to 64; no other experiment uses them meanwhile",
}
TYPES = {"str": "text", "int": "integer", "float": "number", "tuple": "list", "Mapping": "table"}


def settings() -> str:
    return table(["setting", "default, or type", "meaning"], _rows())


def _rows() -> Iterator[list[str]]:
    yield ["`goal`", f"text, {REQUIRED}", "the task, for the agent"]
    for section, struct in SECTIONS.items():
        for field in fields(struct):
            name = KEYS.get(field.name, field.name)
            key = f"{section}.{name}"
            yield [f"`{key}`", _default(name, field), NOTES[key]]


def _describe_type(name: str, field: FieldInfo) -> str:
    if name in DURATIONS:
        return "duration"
    annotation = str(getattr(field.type, "__name__", field.type)).replace("collections.abc.", "")
    return next((word for prefix, word in TYPES.items() if annotation.startswith(prefix)), "text")


def _default(name: str, field: FieldInfo) -> str:
    """Return the default, which shows the type; or else the type."""
    value, word = field.default, _describe_type(name, field)
    if value is NODEFAULT:
        return f"{word}, {REQUIRED}"
    if isinstance(value, str):
        return f'`"{value}"`' if value else word
    if not isinstance(value, int | float):
        return word
    return f'`"{format_duration(value)}"`' if name in DURATIONS else f"`{value}`"
