"""The template of a new target file, for `hookline target new`."""

import json
from collections.abc import Sequence

from hookline.engine.target import Direction

TEXT = """\
goal = {goal}

[scope]
mutable = {mutable}
# immutable = ["tests/**"]      # never changed, even if mutable matches

[metric]
command = {command}
direction = "{direction}"
# extract = "grep total"        # filters the output; the last number counts
# target = 1.0                  # the run ends when this value is reached
# repeats = 1                   # runs per measurement; the median counts
# min_delta = 0.0               # a gain must exceed this value
# timeout = "10m"
# share = ["data/"]             # ignored files that guard and metric need
# name = "seconds"
# unit = "s"
{guard}
[agent]
host = "{host}"
{agent}# budget = "20m"                # per experiment
# grace = "30s"                 # time to commit after the budget
# args = []
# env = {{}}

[limits]
experiments = 50
# time = "8h"
# tokens = 5000000
# cost = 20.0                   # in US dollars
# failures = 5                  # experiments in a row that failed completely

# [escalation]                  # advice to the agent after failures in a row
# refine = 3                    # failures in a row: vary the last good change
# pivot = 5                     # failures in a row: change the direction
# search = 2                    # changes of direction without a better result: look for new ideas
# halt = 3                      # changes of direction without a better result: end the run; or "never"
# plateau = 20                  # experiments without a better result

# [noise]
# kind = "auto"                 # or deterministic, noisy
# samples = 4
# p = 0.05
# measure = "alone"             # or together: measurements by parallel experiments

# [resources]
# gpu = 0                       # GPUs of an experiment
"""
GUARD = """
[guard]
command = {command}
# extract = "grep total"
# threshold = 90.0              # limit of the last number; without it, the exit code counts
# direction = "higher"
# timeout = "10m"
# rework = 2                    # attempts of the agent to fix a failure
"""
NO_GUARD = """
# [guard]                       # a condition on every kept change
# command = "make test"
# extract = "grep total"
# threshold = 90.0              # limit of the last number; without it, the exit code counts
# direction = "higher"
# timeout = "10m"
# rework = 2                    # attempts of the agent to fix a failure
"""
HOST_LINES = """\
# profile = "default"           # a folder .hookline/agents/NAME
# model = "its-name"
"""


def render_target(
    name: str,
    *,
    host: str,
    goal: str = "",
    mutable: Sequence[str] = (),
    metric: str = "",
    direction: Direction = "lower",
    guard: str = "",
    command: str = "",
) -> str:
    """Return the text of a new target file; commented lines show the defaults."""
    agent_lines = f"command = {quote(command or 'python improve.py')}\n" if host == "command" else ""
    agent_lines = agent_lines if host in ("command", "tuner") else HOST_LINES
    return TEXT.format(
        goal=quote(goal or f"Make {name} better."),
        mutable=f"[{', '.join(map(quote, mutable or ['src/**']))}]",
        command=quote(metric or "python bench.py"),
        direction=direction,
        guard=GUARD.format(command=quote(guard)) if guard else NO_GUARD,
        host=host,
        agent=agent_lines,
    )


def quote(value: str) -> str:
    """Return the value as a TOML string, which is nearly a JSON string."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
