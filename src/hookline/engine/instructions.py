"""The prompt of an agent at the start of an experiment."""

from collections.abc import Sequence

from hookline.core.durations import format_duration
from hookline.core.untrusted_text import LABEL, to_line
from hookline.engine.journal import Row
from hookline.engine.target import Target

MAX_ROWS = 20
MAX_IDEAS_CHARACTERS = 8_000
"""Maximum characters of the ideas in the prompt: the last ones."""
MAX_FEEDBACK_CHARACTERS = 4_000


def render_instructions(
    target: Target,
    rows: Sequence[Row],
    *,
    number: int,
    seconds: float,
    ideas: str = "",
    advice: str = "",
    feedback: str = "",
) -> str:
    """Return the prompt in Markdown; empty sections are omitted."""
    parts = [
        _task(target, number, seconds),
        _section("Scope", _scope(target)),
        _section("Measurement", _measure(target)),
        _section("Results so far", _table(rows)),
        _section("Ideas", ideas[-MAX_IDEAS_CHARACTERS:].strip()),
        _section("Advice", advice),
        _section("Previous attempt", _feedback(feedback)),
        _section("How to finish", _FINISH),
    ]
    return "\n".join(filter(None, parts))


_FINISH = (
    "Make one change. Uncommitted changes are committed for you, and the result is measured.\n"
    "Describe your change in one line. If it may not help, explain why in a line that starts with `reason:`, "
    "and name an idea to try instead in a line that starts with `next:`."
)


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}\n" if body else ""


def _task(target: Target, number: int, seconds: float) -> str:
    return (
        f"# Experiment {number}: {target.name}\n\n{target.goal}\n\n"
        f"This is one experiment of many. Its time budget is {format_duration(max(seconds, 1))} in total.\n"
    )


def _scope(target: Target) -> str:
    lines = [f"- `{glob}`" for glob in target.scope.mutable]
    lines += [f"- not `{glob}`" for glob in target.scope.immutable]
    return "\n".join([*lines, "", "Changes to other files are reverted."])


def _measure(target: Target) -> str:
    metric, guard = target.metric, target.guard
    unit = f" {metric.unit}" if metric.unit else ""
    lines = [f"- `{metric.command}` prints {metric.name}{unit}; {metric.direction} is better."]
    if metric.target is not None:
        lines.append(f"- The goal is {metric.target:g}{unit}.")
    if guard:
        threshold = "" if guard.threshold is None else f" with {guard.threshold:g} or {guard.direction}"
        lines.append(f"- `{guard.command}` must pass{threshold}.")
    return "\n".join([*lines, "- Measurements run in a clean checkout of your commit."])


def _table(rows: Sequence[Row]) -> str:
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    summary = "" if best is None else f"Best: {best:g}.\n\n"
    lines = [f"Results of earlier experiments {LABEL}:", ""]
    lines += ["| n | status | metric | delta | description |", "| --- | --- | --- | --- | --- |"]
    for row in rows[-MAX_ROWS:]:
        numbers = " | ".join("" if value is None else f"{value:g}" for value in (row.metric, row.delta))
        description = to_line(row.description).replace("|", "/")
        lines.append(f"| {row.iteration} | {row.status} | {numbers} | {description} |")
    return summary + "\n".join(lines) if rows else ""


def _feedback(feedback: str) -> str:
    if not feedback:
        return ""
    lines = [f"> {to_line(line)}" for line in feedback[-MAX_FEEDBACK_CHARACTERS:].strip().splitlines()]
    title = f"The metric improved, but the guard failed. Keep the gain, and fix this. Its output {LABEL}:"
    return "\n".join((title, "", *lines))
